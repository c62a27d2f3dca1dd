// Which requests does echelon send, according to the API server's audit log?

package plane

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The audit policy: requests of echelon are logged, whether it uses the tests' user or the chart's account.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, users: [` + EchelonUser + `]}
- {level: Metadata, userGroups: ["system:serviceaccounts"]}
- {level: None}
`

func (p *Plane) auditPolicy() string { return filepath.Join(p.Dir, "audit-policy.yaml") }
func (p *Plane) auditLog() string    { return filepath.Join(p.Dir, "audit.log") }

func (p *Plane) writeAuditPolicy() error {
	return os.WriteFile(p.auditPolicy(), []byte(auditPolicy), 0o644)
}

// Right is a verb on a resource ("pods", "pods/binding") of a group.
type Right struct{ Group, Resource, Verb string }

func (r Right) String() string {
	if r.Group == "" {
		return r.Verb + " " + r.Resource
	}
	return r.Verb + " " + r.Resource + " of " + r.Group
}

// Asked is one request of echelon in the audit log.
type Asked struct {
	Right
	Forbidden bool
}

// AuditEnd returns the present end of the audit log.
func (p *Plane) AuditEnd() int64 {
	info, err := os.Stat(p.auditLog())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Asked returns the requests of echelon since that end of the log. Requires: StartAudited.
func (p *Plane) Asked(since int64) ([]Asked, error) {
	file, err := os.Open(p.auditLog())
	if os.IsNotExist(err) {
		return nil, nil // Nobody has asked yet.
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(since, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	var all []Asked
	text = text[:bytes.LastIndexByte(text, '\n')+1] // The last line may be half written.
	for line := range bytes.Lines(text) {
		var event struct {
			Verb        string
			User        struct{ Username string }
			ObjectRef   *struct{ APIGroup, Resource, Subresource string }
			Annotations map[string]string
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, err
		}
		if event.ObjectRef == nil || event.User.Username != EchelonUser && !strings.HasSuffix(event.User.Username, ":"+EchelonUser) {
			continue
		}
		right := Right{event.ObjectRef.APIGroup, event.ObjectRef.Resource, event.Verb}
		if event.ObjectRef.Subresource != "" {
			right.Resource += "/" + event.ObjectRef.Subresource
		}
		all = append(all, Asked{right, event.Annotations["authorization.k8s.io/decision"] == "forbid"})
	}
	return all, nil
}
