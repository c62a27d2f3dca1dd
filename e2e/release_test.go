// What does an installed chart contain? A release, and echelon and kube-scheduler that are started from the release's
// objects.

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	authentication "k8s.io/api/authentication/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
)

// release is the chart, installed on the real API server by a real helm. Its pods don't run, since there is no kubelet.
type release struct {
	*stand
	helm, chart, kubeconfig string
}

func (s *stand) chart() release {
	s.Helper()
	root, err := plane.Repository()
	s.must(err)
	helm, err := exec.Command(filepath.Join(root, "charts", "helm.sh")).Output()
	if err != nil && os.Getenv("CI") == "" {
		s.Skip("helm cannot be fetched (set HELM to one that is here)")
	}
	s.must(err)
	kubeconfig, err := shared.Kubeconfig(plane.AdminUser)
	s.must(err)
	return release{s, strings.TrimSpace(string(helm)), filepath.Join(root, "charts", "echelon"), kubeconfig}
}

// run runs helm on the release `echelon` in the test's namespace.
func (r release) run(verb string, args ...string) string {
	r.Helper()
	said, err := r.try(verb, args...)
	r.must(err)
	return said
}

// try does the same, and returns what helm refuses.
func (r release) try(verb string, args ...string) (string, error) {
	r.Helper()
	all := append([]string{verb, "echelon"}, args...)
	if verb == "get" {
		all = append([]string{verb, args[0], "echelon"}, args[1:]...)
	}
	if verb == "install" || verb == "upgrade" || verb == "template" {
		all = append([]string{verb, "echelon", r.chart}, args...)
	}
	command := exec.CommandContext(r.ctx, r.helm, append(all, "--namespace", r.namespace, "--kubeconfig", r.kubeconfig)...)
	command.Env = append(command.Environ(), "HOME="+r.TempDir())
	said, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("helm %s: %w\n%s", strings.Join(all, " "), err, said)
	}
	return string(said), nil
}

func (r release) install(values string) string {
	r.Helper()
	said := r.run("install", "--values", r.file("values.yaml", []byte(values)))
	r.Cleanup(func() {
		r.ctx = context.Background()
		r.run("uninstall")
	})
	return said
}

// file writes a text into the folder of the test's logs.
func (r release) file(name string, text []byte) string {
	r.Helper()
	path := filepath.Join(shared.Logs, name)
	r.must(os.MkdirAll(filepath.Dir(path), 0o755))
	r.must(os.WriteFile(path, text, 0o600))
	return path
}

// secret writes the files of a Secret as a pod would find them where it is mounted.
func (r release) secret(name string) (folder string, data map[string][]byte) {
	r.Helper()
	secret, err := client.CoreV1().Secrets(r.namespace).Get(r.ctx, name, meta.GetOptions{})
	r.must(err)
	for key, bytes := range secret.Data {
		r.file(filepath.Join(name, key), bytes)
	}
	return filepath.Join(shared.Logs, name), secret.Data
}

func (r release) configMap(name, key string) string {
	r.Helper()
	object, err := client.CoreV1().ConfigMaps(r.namespace).Get(r.ctx, name, meta.GetOptions{})
	r.must(err)
	return object.Data[key]
}

// account returns a kubeconfig of the chart's service account, with the rights that the chart grants.
func (r release) account() string {
	r.Helper()
	hour := int64(3600)
	token, err := client.CoreV1().ServiceAccounts(r.namespace).CreateToken(r.ctx, "echelon",
		&authentication.TokenRequest{Spec: authentication.TokenRequestSpec{ExpirationSeconds: &hour}}, meta.CreateOptions{})
	r.must(err)
	path, err := shared.KubeconfigOf(r.namespace, token.Status.Token)
	r.must(err)
	return path
}

// serve starts echelon as the chart's container would: with its configuration, certificates, account and rights.
func (r release) serve() (webhook string) {
	r.Helper()
	ports, err := plane.FreePorts(4)
	r.must(err)
	folder, _ := r.secret("echelon-tls")
	hook, _ := r.secret("echelon-webhook-tls")
	text := strings.NewReplacer(
		"clientConnection:\n", fmt.Sprintf("clientConnection:\n  kubeconfig: %q\n", r.account()),
		"[::]:9300", fmt.Sprintf("[::]:%d", ports[0]), "[::]:9301", fmt.Sprintf("[::]:%d", ports[1]),
		"[::]:9302", fmt.Sprintf("[::]:%d", ports[2]), "/etc/echelon-tls", folder,
		"[::]:9303", fmt.Sprintf("[::]:%d", ports[3]), "/etc/echelon-webhook-tls", hook,
	).Replace(r.configMap("echelon", "echelon.yaml"))
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	r.echelon, err = shared.StartEchelonOn(r.file("echelon.yaml", []byte(text)), address(0), address(1), address(2))
	r.must(err)
	r.waitReady()
	return address(3)
}

// schedule starts a kube-scheduler with the chart's two extender entries.
func (r release) schedule() {
	r.Helper()
	folder, _ := r.secret("echelon-caller-tls")
	text := r.configMap("echelon-scheduler", "scheduler.yaml")
	service, err := client.CoreV1().Services(r.namespace).Get(r.ctx, "echelon", meta.GetOptions{})
	r.must(err)
	if want := "https://" + service.Spec.ClusterIP + ":9300/v1"; !strings.Contains(text, want) {
		r.Fatalf("the entries don't name the address of the Service, %s:\n%s", want, text)
	}
	entries := strings.NewReplacer(service.Spec.ClusterIP+":9300", r.echelon.Extender, service.Spec.ClusterIP+":9301", r.echelon.Bind,
		"/etc/kubernetes/echelon", folder).Replace(text[strings.Index(text, "extenders:"):])
	r.scheduler, err = shared.StartScheduler(plane.SchedulerOptions{Profiles: []plane.SchedulerProfile{{Name: defaultScheduler}}, Extenders: entries + "\n"})
	r.must(err)
}
