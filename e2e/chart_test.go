package e2e

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	authorization "k8s.io/api/authorization/v1"
	core "k8s.io/api/core/v1"
	rbac "k8s.io/api/rbac/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// TestChartStandalone installs the chart on a real API server, with its certificates, account, rights and admission
// policies. A kube-scheduler with the chart's entries places a gang by it. No other client gets an answer, and an
// upgrade keeps the certificates.
func TestChartStandalone(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 8}, later: true})
	r := s.chart()
	notes := r.install(`mode: standalone
replicaCount: 2
leader: {mode: own, leaseSeconds: 3}
scheduler: {name: default-scheduler}
admissionPolicy: {gates: true, bindings: true}
webhook: {enabled: true}
`)
	_, first := r.secret("echelon-tls")
	r.run("upgrade", "--reset-then-reuse-values", "--set", "replicaCount=3")
	_, second := r.secret("echelon-tls")
	if string(first["tls.key"]) != string(second["tls.key"]) || string(first["ca.crt"]) != string(second["ca.crt"]) {
		t.Error("an upgrade made new certificates")
	}
	r.renew()
	for _, text := range []string{"get pods", "umask 077", "helm test echelon", "get gangplans", "/etc/kubernetes/echelon"} {
		if !strings.Contains(notes, text) {
			t.Errorf("the notes lack %q:\n%s", text, notes)
		}
	}
	r.label("echelon.sh/bindings", "allowed")
	r.gates(r.serve())
	r.schedule()
	r.turnsAwayStrangers()
	s.create(world.Flat("train", 8, plane.RackLevel))
	s.waitBound("train", 8)
	s.oneRack(s.pods("train"))
	s.waitPlan("train", "Bound", "")
}

// renew makes new certificates, as docs/install.md describes. They are of the same CA: kube-scheduler, which reads that
// only at its start, goes on.
func (r release) renew() {
	r.Helper()
	_, old := r.secret("echelon-caller-tls")
	for _, name := range []string{"echelon-tls", "echelon-caller-tls"} {
		r.must(client.CoreV1().Secrets(r.namespace).Delete(r.ctx, name, meta.DeleteOptions{}))
	}
	r.run("upgrade", "--reset-then-reuse-values")
	for _, name := range []string{"echelon-tls", "echelon-caller-tls"} {
		_, data := r.secret(name)
		if bytes.Equal(data["tls.key"], old["tls.key"]) || !bytes.Equal(data["ca.crt"], old["ca.crt"]) {
			r.Errorf("%s: the same key, or another CA", name)
		}
		shown, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
		r.must(err)
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(old["ca.crt"])
		_, err = shown.Leaf.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
		r.holds(says(err, ""))
	}
}

// TestChartKeepsOneActive: from one replica that always acts to several that elect a leader, the chart accepts only the
// way over one replica that takes the Lease.
func TestChartKeepsOneActive(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	r := s.chart()
	r.install("mode: standalone\n")
	_, err := r.try("upgrade", "--reset-then-reuse-values", "--set", "leader.mode=own,replicaCount=2")
	r.holds(says(err, "first set leader.mode own with replicaCount 1"))
	r.run("upgrade", "--reset-then-reuse-values", "--set", "leader.mode=own")
	r.run("upgrade", "--reset-then-reuse-values", "--set", "replicaCount=2")
}

func (s *stand) label(key, value string) {
	s.Helper()
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, key, value)
	_, err := client.CoreV1().Namespaces().Patch(s.ctx, s.namespace, types.MergePatchType, []byte(patch), meta.PatchOptions{})
	s.must(err)
}

// turnsAwayStrangers checks that a client that trusts the chart's CA but has no certificate of it gets no answer.
func (r release) turnsAwayStrangers() {
	r.Helper()
	_, data := r.secret("echelon-caller-tls")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(data["ca.crt"])
	config := &tls.Config{RootCAs: pool, ServerName: fmt.Sprintf("echelon.%s.svc", r.namespace)}
	if answer, err := speak(r.echelon.Extender, config); err == nil {
		r.Errorf("a caller without a certificate was answered: %q", answer)
	}
	certificate, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
	r.must(err)
	config.Certificates = []tls.Certificate{certificate}
	if answer, err := speak(r.echelon.Extender, config); err != nil || !strings.HasPrefix(answer, "HTTP/1.1 ") {
		r.Errorf("kube-scheduler's certificate: %q, %v", answer, err)
	}
}

// gates calls the webhook as the chart configures the API server to call it. The webhook sets the gate on a member. The
// API server itself can't call it, since there is no network of Services here.
func (r release) gates(webhook string) {
	r.Helper()
	hooks := client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	configuration, err := hooks.Get(r.ctx, r.namespace+".echelon", meta.GetOptions{})
	r.must(err)
	r.must(hooks.Delete(r.ctx, configuration.Name, meta.DeleteOptions{}))
	hook := configuration.Webhooks[0].ClientConfig
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(hook.CABundle) {
		r.Fatal("the webhook's caBundle holds no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: fmt.Sprintf("%s.%s.svc", hook.Service.Name, hook.Service.Namespace)}}
	defer transport.CloseIdleConnections()
	member := world.Flat("train", 1, "").Ungated().Members(r.namespace)[0]
	raw, err := json.Marshal(member)
	r.must(err)
	review, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": map[string]any{
		"uid": "u", "kind": map[string]string{"group": "", "version": "v1", "kind": "Pod"}, "operation": "CREATE",
		"namespace": r.namespace, "object": json.RawMessage(raw)}})
	r.must(err)
	answer, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Post("https://"+webhook+*hook.Service.Path, "application/json", bytes.NewReader(review))
	r.must(err)
	defer answer.Body.Close()
	var said struct {
		Response struct {
			UID     string
			Allowed bool
			Patch   []byte
		}
	}
	r.must(json.NewDecoder(answer.Body).Decode(&said))
	if said.Response.UID != "u" || !said.Response.Allowed || !strings.Contains(string(said.Response.Patch), world.Gate) {
		r.Errorf("the webhook says %+v, patch %s", said.Response, said.Response.Patch)
	}
}

func speak(address string, config *tls.Config) (string, error) {
	connection, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", address, config)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(connection, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	answer := make([]byte, 64)
	n, err := connection.Read(answer)
	return string(answer[:n]), err
}

// isRestricted checks that the namespace accepts only pods of the restricted profile, and accepts the chart's pods.
func (r release) isRestricted() {
	r.Helper()
	r.label("pod-security.kubernetes.io/enforce", "restricted")
	try := func(name string, spec core.PodSpec) error {
		pod := &core.Pod{ObjectMeta: meta.ObjectMeta{Name: name, Namespace: r.namespace}, Spec: spec}
		_, err := client.CoreV1().Pods(r.namespace).Create(r.ctx, pod, meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
		return err
	}
	r.eventually(patience, "the profile is enforced", func() string {
		return says(try("loose", world.Pod{Name: "loose"}.Object(r.namespace).Spec), "violates PodSecurity")
	})
	deployment, err := client.AppsV1().Deployments(r.namespace).Get(r.ctx, "echelon", meta.GetOptions{})
	r.must(err)
	spec := deployment.Spec.Template.Spec
	r.holds(says(try("deployed", spec), ""))
	hooks := r.run("get", "hooks")
	for _, document := range strings.Split(hooks, "\n---") {
		var pod core.Pod
		if yaml.Unmarshal([]byte(document), &pod) == nil && pod.Kind == "Pod" {
			r.holds(says(try("test", pod.Spec), ""))
			return
		}
	}
	r.Errorf("there is no pod of helm test: %s", hooks)
}

// TestChartsAdmissionPolicies: of a pod echelon may change its own gate and annotations, and the label of a kick. It
// may bind pods only in namespaces that allow it.
func TestChartsAdmissionPolicies(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 2}, later: true})
	r := s.chart()
	notes := r.install("admissionPolicy: {gates: true, bindings: true, namespaceLabel: example.com/gangs}\nrecording: {enabled: true}\n")
	if !strings.Contains(notes, "urlPrefix: http://127.0.0.1:9301/v1") {
		t.Errorf("the notes lack the entries for a kube-scheduler of one's own:\n%s", notes)
	}
	config := shared.Config(plane.AdminUser)
	config.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + s.namespace + ":echelon"}
	echelon := kubernetes.NewForConfigOrDie(config)
	pod := world.Pod{Name: "a", NoGPU: true, Gate: true, Labels: map[string]string{"app": "a"}}.Object(s.namespace)
	pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, core.PodSchedulingGate{Name: "example.com/other"})
	s.createPods(pod)
	patch := func(text string) error {
		_, err := echelon.CoreV1().Pods(s.namespace).Patch(s.ctx, "a", types.MergePatchType, []byte(text), meta.PatchOptions{})
		return err
	}
	bind := func() error {
		return echelon.CoreV1().Pods(s.namespace).Bind(s.ctx, &core.Binding{ObjectMeta: meta.ObjectMeta{Name: "a"},
			Target: core.ObjectReference{Kind: "Node", Name: "nowhere"}}, meta.CreateOptions{})
	}
	bindByNamespace := func() error {
		return echelon.CoreV1().RESTClient().Post().Namespace(s.namespace).Resource("bindings").Body(&core.Binding{
			ObjectMeta: meta.ObjectMeta{Name: "a"}, Target: core.ObjectReference{Kind: "Node", Name: "nowhere"}}).Do(s.ctx).Error()
	}
	// A policy takes effect a moment after it was created. What changes nothing would be let through.
	tries := 0
	s.eventually(patience, "the policies act", func() string {
		tries++
		return says(patch(fmt.Sprintf(`{"metadata":{"labels":{"app":"%d"}}}`, tries)), "may write no label but echelon.sh/kick")
	})
	s.eventually(patience, "the policies act", func() string { return says(bind(), "namespaces with the label example.com/gangs") })
	created, err := client.CoreV1().Pods(s.namespace).Get(s.ctx, "a", meta.GetOptions{})
	s.must(err)
	more, err := json.Marshal(append(created.Spec.Tolerations, core.Toleration{Operator: core.TolerationOpExists}))
	s.must(err)
	tolerating := fmt.Sprintf(`{"spec":{"tolerations":%s}}`, more)
	for _, row := range []struct{ patch, want string }{
		{`{"spec":{"schedulingGates":[{"name":"echelon.sh/gang"}]}}`, "no scheduling gate but echelon.sh/gang"},
		{`{"spec":{"schedulingGates":[]}}`, "no scheduling gate but echelon.sh/gang"},
		{tolerating, "may not change spec.tolerations"},
		{`{"spec":{"activeDeadlineSeconds":5}}`, "may not change spec.activeDeadlineSeconds"},
		{`{"spec":{"nodeSelector":{"a":"b"}}}`, "may not change spec.nodeSelector"},
		{`{"metadata":{"annotations":{"example.com/a":"b"}}}`, "no annotations but its own"},
		{`{"metadata":{"finalizers":["example.com/a"]}}`, "may not change metadata.finalizers"},
		{`{"metadata":{"annotations":{"echelon.sh/kick":"1"}}}`, ""},
		{`{"metadata":{"annotations":{"echelon.sh/kick":null}}}`, ""},
		{`{"metadata":{"labels":{"app":null}}}`, "may remove no label but echelon.sh/kick"},
		{`{"metadata":{"labels":{"echelon.sh/kick":"1"}}}`, ""},
		{`{"spec":{"schedulingGates":[{"name":"example.com/other"}]}}`, ""},
	} {
		s.holds(says(patch(row.patch), row.want))
	}
	_, err = client.CoreV1().Pods(s.namespace).Patch(s.ctx, "a", types.MergePatchType, []byte(`{"spec":{"schedulingGates":null}}`), meta.PatchOptions{})
	s.must(err)
	s.label("example.com/gangs", "refused")
	s.holds(says(bind(), "namespaces with the label example.com/gangs"))
	s.holds(says(bindByNamespace(), "namespaces with the label example.com/gangs"))
	s.label("example.com/gangs", "allowed")
	s.eventually(patience, "a namespace that opted in is bound in", func() string { return says(bind(), "") })
	r.isRestricted()
}

// TestChartsRightsOfUsers: users with the built-in role view may read GangPlans and Gangs. With edit they may also write
// Gangs, but no GangPlans. The controller that gathers those roles is the real one.
func TestChartsRightsOfUsers(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	r := s.chart()
	manager, err := plane.Run("kube-controller-manager", shared.Logs, plane.Binary("kube-controller-manager"), "--kubeconfig="+r.kubeconfig,
		"--leader-elect=false", "--secure-port=0", "--controllers=clusterrole-aggregation-controller")
	s.must(err)
	t.Cleanup(manager.Kill)
	r.install("")
	for _, role := range []string{"view", "edit"} {
		binding := &rbac.RoleBinding{ObjectMeta: meta.ObjectMeta{Name: role, Namespace: s.namespace},
			Subjects: []rbac.Subject{{Kind: "User", Name: role, APIGroup: rbac.GroupName}},
			RoleRef:  rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: role}}
		_, err := client.RbacV1().RoleBindings(s.namespace).Create(s.ctx, binding, meta.CreateOptions{})
		s.must(err)
	}
	for _, row := range []struct {
		user, verb, resource string
		want                 bool
	}{
		{"view", "list", "gangplans", true},
		{"view", "watch", "gangs", true},
		{"view", "create", "gangs", false},
		{"view", "delete", "gangplans", false},
		{"edit", "get", "gangplans", true},
		{"edit", "create", "gangs", true},
		{"edit", "delete", "gangs", true},
		{"edit", "create", "gangplans", false},
		{"edit", "patch", "gangplans", false},
	} {
		s.eventually(patience, fmt.Sprintf("%s may %s %s: %t", row.user, row.verb, row.resource, row.want), func() string {
			review := &authorization.SubjectAccessReview{Spec: authorization.SubjectAccessReviewSpec{User: row.user,
				ResourceAttributes: &authorization.ResourceAttributes{Namespace: s.namespace, Verb: row.verb, Group: "echelon.sh", Resource: row.resource}}}
			answer, err := client.AuthorizationV1().SubjectAccessReviews().Create(s.ctx, review, meta.CreateOptions{})
			s.must(err)
			if answer.Status.Allowed != row.want {
				return fmt.Sprintf("allowed: %t", answer.Status.Allowed)
			}
			return ""
		})
	}
}

// says returns "" if the error contains the text; an empty text: there must be no error.
func says(err error, want string) string {
	if want == "" && err != nil {
		return err.Error()
	}
	if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		return fmt.Sprintf("%v instead of %q", err, want)
	}
	return ""
}

// TestChartFitsTheSchemas: every object of every rendering has the fields and types of the API server's own OpenAPI,
// our kinds among them, and none besides.
func TestChartFitsTheSchemas(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 2}})
	r := s.chart()
	schemas := filepath.Join(t.TempDir(), "schemas")
	s.must(writeSchemas(s.ctx, schemas))
	check := func(name string, text []byte) (string, error) {
		command := exec.CommandContext(s.ctx, plane.Binary("kubeconform"), "-strict", "-summary", "-verbose", "-schema-location",
			schemas+"/{{.Group}}_{{.ResourceKind}}_{{.ResourceAPIVersion}}.json", "-skip",
			// Kinds of other projects, which no server here has.
			"ServiceMonitor,PodMonitor,PrometheusRule,Certificate,Issuer", r.file(name+".yaml", text))
		said, err := command.CombinedOutput()
		return string(said), err
	}
	if said, err := check("wrong", []byte("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: x, porto: 1}]}\n")); err == nil {
		t.Fatalf("a Service with a port that is none is taken:\n%s", said)
	}
	cases, _ := filepath.Glob(filepath.Join(r.chart, "..", "cases", "*.yaml"))
	if len(cases) < 12 {
		t.Fatalf("%d sets of values in charts/cases", len(cases))
	}
	arguments := regexp.MustCompile(`^# helm: (.*)\n`)
	for _, file := range cases {
		text, err := os.ReadFile(file)
		s.must(err)
		args := []string{"--include-crds", "--values", file}
		if more := arguments.FindSubmatch(text); more != nil {
			args = append(args, strings.Fields(string(more[1]))...)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if said, err := check(name, []byte(r.run("template", args...))); err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
	s.create(world.Flat("pair", 2, plane.RackLevel))
	s.waitPlan("pair", "Bound", "")
	plan, err := objects.Resource(world.GangPlans).Namespace(s.namespace).Get(s.ctx, "pair", meta.GetOptions{})
	s.must(err)
	text, err := json.Marshal(plan)
	s.must(err)
	if said, err := check("gangplan", text); err != nil || !strings.Contains(said, "Valid: 1") {
		t.Errorf("a GangPlan: %v\n%s", err, said)
	}
}
