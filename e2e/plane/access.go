package plane

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// Users and their rights. echelon gets exactly the chart's rights, so that a missing right fails a test.
const (
	AdminUser     = "admin"
	SchedulerUser = "system:kube-scheduler" // Bound to the role of the same name by kube-apiserver itself.
	EchelonUser   = "echelon"

	// LeaseNamespace is where echelon may see and take a Lease.
	LeaseNamespace = "kube-system"
)

func token(user string) string { return "token-of-" + user }

func writeTokens(path string) error {
	lines := fmt.Sprintf("%s,%s,1,\"system:masters\"\n%s,%s,2\n%s,%s,3\n",
		token(AdminUser), AdminUser, token(SchedulerUser), SchedulerUser, token(EchelonUser), EchelonUser)
	return os.WriteFile(path, []byte(lines), 0o600)
}

func writeServiceAccountKeys(dir string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(filepath.Join(dir, "sa.key"), private, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "sa.pub"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), 0o644)
}

// Config returns the client configuration of one user, without client-side limits.
func (p *Plane) Config(user string) *rest.Config {
	return &rest.Config{
		Host:            p.URL(),
		BearerToken:     token(user),
		TLSClientConfig: rest.TLSClientConfig{CAFile: p.caFile()},
		QPS:             -1,
	}
}

// Server is an address that serves the API, and the CA that signed its certificate.
type Server struct{ URL, CAFile string }

// Kubeconfig writes a kubeconfig of one user and returns its path.
func (p *Plane) Kubeconfig(user string) (string, error) {
	return p.kubeconfigAt(user, Server{URL: p.URL(), CAFile: p.caFile()})
}

// KubeconfigOf writes a kubeconfig with a token from elsewhere, such as that of a service account.
func (p *Plane) KubeconfigOf(name, token string) (string, error) {
	return p.writeKubeconfig(name, token, Server{URL: p.URL(), CAFile: p.caFile()})
}

func (p *Plane) kubeconfigAt(user string, server Server) (string, error) {
	return p.writeKubeconfig(user, token(user), server)
}

func (p *Plane) writeKubeconfig(user, token string, server Server) (string, error) {
	path := filepath.Join(p.Dir, user+".kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: %q, certificate-authority: %q}}]
contexts: [{name: e2e, context: {cluster: e2e, user: %q}}]
users: [{name: %q, user: {token: %q}}]
`, server.URL, server.CAFile, user, user, token)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// Rules are the chart's own list of echelon's rights, by role.
func Rules() (map[string][]rbac.PolicyRule, error) {
	root, err := Repository()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, "charts", "echelon", "files", "rbac-rules.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rules map[string][]rbac.PolicyRule
	if err := yaml.UnmarshalStrict(text, &rules); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, role := range []string{"base", "place", "gates", "nominate", "conditions", "preempt", "follow", "lease"} {
		if len(rules[role]) == 0 {
			return nil, fmt.Errorf("%s: no rules for %q", path, role)
		}
	}
	return rules, nil
}

// grantEchelon makes roles of the chart's own list of rights and binds them to echelon's user.
func grantEchelon(ctx context.Context, client kubernetes.Interface) error {
	rules, err := Rules()
	if err != nil {
		return err
	}
	subject := []rbac.Subject{{Kind: "User", Name: EchelonUser, APIGroup: rbac.GroupName}}
	for name, list := range rules {
		if name == "topologies" {
			for i := range list {
				list[i].ResourceNames = []string{TopologyStore}
			}
		}
		if name == "follow" || name == "lease" || name == "topologies" {
			if err := grantIn(ctx, client, LeaseNamespace, "echelon-"+name, list, subject); err != nil {
				return err
			}
			continue
		}
		object := meta.ObjectMeta{Name: "echelon-" + name}
		role := &rbac.ClusterRole{ObjectMeta: object, Rules: list}
		if _, err := client.RbacV1().ClusterRoles().Create(ctx, role, meta.CreateOptions{}); err != nil {
			return err
		}
		binding := &rbac.ClusterRoleBinding{ObjectMeta: object, Subjects: subject,
			RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: object.Name}}
		if _, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, meta.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func grantIn(ctx context.Context, client kubernetes.Interface, namespace, name string, rules []rbac.PolicyRule,
	subject []rbac.Subject) error {
	object := meta.ObjectMeta{Name: name, Namespace: namespace}
	role := &rbac.Role{ObjectMeta: object, Rules: rules}
	if _, err := client.RbacV1().Roles(namespace).Create(ctx, role, meta.CreateOptions{}); err != nil {
		return err
	}
	binding := &rbac.RoleBinding{ObjectMeta: object, Subjects: subject,
		RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "Role", Name: name}}
	_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, binding, meta.CreateOptions{})
	return err
}
