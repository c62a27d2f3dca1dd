package plane

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// Plane is etcd and kube-apiserver with everything that echelon needs there: its CRDs, its user and that user's rights.
type Plane struct {
	Dir       string // Keys, data, logs; removed by Stop.
	Logs      string // Where processes started from now on log to; Dir at first.
	Keep      bool   // Stop leaves all but the data.
	Etcd      *Process
	APIServer *Process

	etcdPort, peerPort, apiPort int
	audited                     bool
}

// Start brings up an empty control plane in a fresh folder; about 3 s.
func Start(ctx context.Context) (*Plane, error) { return begin(ctx, false) }

// StartAudited does the same with an audit log of echelon's requests, for Asked.
func StartAudited(ctx context.Context) (*Plane, error) { return begin(ctx, true) }

func begin(ctx context.Context, audited bool) (*Plane, error) {
	for _, name := range []string{"etcd", "kube-apiserver", "kube-scheduler"} {
		if _, err := os.Stat(Binary(name)); err != nil {
			return nil, fmt.Errorf("%s is missing: run ./dev build", Binary(name))
		}
	}
	dir, err := os.MkdirTemp("", "echelon-e2e-")
	if err != nil {
		return nil, err
	}
	ports, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	p := &Plane{Dir: dir, Logs: dir, etcdPort: ports[0], peerPort: ports[1], apiPort: ports[2], audited: audited}
	if err := p.start(ctx); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Plane) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	if err := writeServiceAccountKeys(p.Dir); err != nil {
		return err
	}
	if err := writeTokens(filepath.Join(p.Dir, "tokens.csv")); err != nil {
		return err
	}
	if err := p.writeAuditPolicy(); err != nil {
		return err
	}
	client := fmt.Sprintf("http://127.0.0.1:%d", p.etcdPort)
	var err error
	p.Etcd, err = Run("etcd", p.Dir, Binary("etcd"), "--data-dir", filepath.Join(p.Dir, "etcd"), "--listen-client-urls", client,
		"--advertise-client-urls", client, "--listen-peer-urls", fmt.Sprintf("http://127.0.0.1:%d", p.peerPort),
		"--unsafe-no-fsync", "--quota-backend-bytes", "4294967296", "--log-level", "warn")
	if err != nil {
		return err
	}
	if err := p.StartAPIServer(ctx); err != nil {
		return err
	}
	root, err := Repository()
	if err != nil {
		return err
	}
	crds, err := filepath.Glob(filepath.Join(root, "charts", "echelon", "crds", "*.yaml"))
	if err != nil || len(crds) == 0 {
		return fmt.Errorf("no CRDs in charts/echelon/crds")
	}
	if err := p.ApplyCRDs(ctx, crds...); err != nil {
		return err
	}
	return grantEchelon(ctx, kubernetes.NewForConfigOrDie(p.Config(AdminUser)))
}

// StartAPIServer starts (or starts again, on the same port with the same keys) kube-apiserver and waits until it is
// ready.
func (p *Plane) StartAPIServer(ctx context.Context) error {
	sa := filepath.Join(p.Dir, "sa")
	args := []string{
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", p.etcdPort), fmt.Sprintf("--secure-port=%d", p.apiPort),
		"--bind-address=127.0.0.1", "--cert-dir=" + p.Dir, "--token-auth-file=" + filepath.Join(p.Dir, "tokens.csv"),
		"--service-account-key-file=" + sa + ".pub", "--service-account-signing-key-file=" + sa + ".key",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
	}
	args = append(args, gangSwitches()...)
	if p.audited {
		args = append(args, "--audit-policy-file="+p.auditPolicy(), "--audit-log-path="+p.auditLog(), "--audit-log-maxsize=10000") // In MB: never begun anew.
	}
	server, err := Run("kube-apiserver", p.Dir, Binary("kube-apiserver"), args...)
	if err != nil {
		return err
	}
	p.APIServer = server
	return server.until(ctx, "ready", func() error {
		client, err := rest.HTTPClientFor(p.Config(AdminUser)) // Fails until the server has written its certificate.
		if err != nil {
			return err
		}
		defer client.CloseIdleConnections()
		response, err := client.Get(p.URL() + "/readyz")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz answers %s", response.Status)
		}
		return nil
	})
}

// gangSwitches returns the flags by which kube-apiserver serves its own kinds of gangs, as far as its release has them.
func gangSwitches() []string {
	switch minor := Minor(); {
	case minor < 35:
		return nil
	case minor == 35:
		return []string{"--runtime-config=scheduling.k8s.io/v1alpha1=true", "--feature-gates=GenericWorkload=true"}
	case minor == 36:
		return []string{"--runtime-config=scheduling.k8s.io/v1alpha2=true", "--feature-gates=GenericWorkload=true"}
	default:
		return []string{"--runtime-config=scheduling.k8s.io/v1alpha3=true,scheduling.k8s.io/v1beta1=true",
			"--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true,WorkloadWithJob=true"}
	}
}

// Stop ends everything that was started and removes the folder.
func (p *Plane) Stop() {
	for _, process := range []*Process{p.APIServer, p.Etcd} {
		if process != nil {
			process.Kill()
		}
	}
	_ = os.RemoveAll(filepath.Join(p.Dir, "etcd"))
	if !p.Keep {
		_ = os.RemoveAll(p.Dir)
	}
}

// URL returns the address of kube-apiserver.
func (p *Plane) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", p.apiPort) }

func (p *Plane) caFile() string { return filepath.Join(p.Dir, "apiserver.crt") }

// ApplyCRDs creates custom resources that aren't there yet and waits until they are established.
func (p *Plane) ApplyCRDs(ctx context.Context, files ...string) error {
	crds := dynamic.NewForConfigOrDie(p.Config(AdminUser)).
		Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &object.Object); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if _, err := crds.Create(ctx, object, meta.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("%s: %w", file, err)
		}
		err = p.APIServer.until(ctx, "serving "+object.GetName(), func() error {
			present, err := crds.Get(ctx, object.GetName(), meta.GetOptions{})
			if err != nil {
				return err
			}
			conditions, _, _ := unstructured.NestedSlice(present.Object, "status", "conditions")
			for _, condition := range conditions {
				if fields, ok := condition.(map[string]any); ok && fields["type"] == "Established" && fields["status"] == "True" {
					return nil
				}
			}
			return fmt.Errorf("not established")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
