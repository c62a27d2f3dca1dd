// Which pods does the webhook change, and what happens while it is down?

package e2e

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	admission "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// reviewer is an echelon that answers admission reviews, and its address for the API server.
type reviewer struct {
	url string
	ca  []byte
}

// startReviewer starts one; `more`: further lines of the configuration.
func (s *stand) startReviewer(more string) reviewer {
	s.Helper()
	ports, err := plane.FreePorts(1)
	s.must(err)
	address := fmt.Sprintf("127.0.0.1:%d", ports[0])
	ca := s.authority("webhook")
	files := s.mount("webhook", ca.issue("echelon"), ca.certificate)
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{Profiles: []plane.Profile{{SchedulerName: defaultScheduler}},
		More: fmt.Sprintf("webhook: {address: %q, %s}\n%s", address, files.options(), more)})
	s.must(err)
	s.waitReady()
	return reviewer{"https://" + address, ca.certificate}
}

// reached replaces the Service in a webhook configuration by an address of this machine, since there is no network of
// Services.
func (r reviewer) reached(way *admission.WebhookClientConfig) {
	url := r.url + *way.Service.Path
	*way = admission.WebhookClientConfig{URL: &url, CABundle: r.ca}
}

// rendered returns the only object of this kind that the chart renders with these values.
func (s *stand) rendered(values, kind string, into any) {
	s.Helper()
	elsewhere := *s // The webhook isn't asked about pods in the chart's own namespace.
	elsewhere.namespace = "echelon-system"
	for _, document := range strings.Split(elsewhere.chart().run("template", "--set",
		"mode=standalone,replicaCount=2,leader.mode=own,webhook.enabled=true,tls.throwaway=true,"+values), "\n---") {
		var found meta.TypeMeta
		if yaml.Unmarshal([]byte(document), &found) == nil && found.Kind == kind {
			s.must(yaml.Unmarshal([]byte(document), into))
			return
		}
	}
	s.Fatalf("the chart renders no %s", kind)
}

// gateMembers makes the API server call the webhook for pods, as the chart configures it.
func (s *stand) gateMembers(reviewer reviewer, values string) *admission.MutatingWebhookConfiguration {
	s.Helper()
	var configuration admission.MutatingWebhookConfiguration
	s.rendered(values, "MutatingWebhookConfiguration", &configuration)
	for i := range configuration.Webhooks {
		reviewer.reached(&configuration.Webhooks[i].ClientConfig)
	}
	hooks := client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	created, err := hooks.Create(s.ctx, &configuration, meta.CreateOptions{})
	s.must(err)
	s.Cleanup(func() { s.must(hooks.Delete(context.Background(), created.Name, meta.DeleteOptions{})) })
	s.eventually(patience, "the webhook is asked", func() string {
		if admitted, err := s.admitted(world.Flat("probe", 1, "").Ungated().Members(s.namespace)[0]); err != nil || !world.IsGated(admitted) {
			return fmt.Sprintf("no gate, %v", err)
		}
		return ""
	})
	return created
}

// startWithWebhook starts an echelon that answers reviews of pods for kube-scheduler itself.
func (s *stand) startWithWebhook() *admission.MutatingWebhookConfiguration {
	s.Helper()
	return s.gateMembers(s.startReviewer(""), "scheduler.name=default-scheduler")
}

// admitted returns the pod as the API server would store it, or why it would refuse the pod.
func (s *stand) admitted(pod *core.Pod) (*core.Pod, error) {
	return client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
}

// review is a pod for which the API server calls the webhook, and the expected result.
type review struct {
	what  string
	pod   *core.Pod
	gated bool // It gets our gate.
}

// reviews are pods for all cases that the webhook distinguishes.
func (s *stand) reviews() []review {
	s.Helper()
	var rows []review
	for _, dialect := range world.Dialects {
		pods, err := dialect.Members(s.namespace)
		s.must(err)
		rows = append(rows, review{what: "a member in the dialect " + dialect.Name, pod: pods[0], gated: true})
	}
	member := func(change func(pod *core.Pod)) *core.Pod {
		pod := world.Labelled{Name: "train", Minimum: 1, GroupSize: 1}.Members(s.namespace)[0]
		change(pod)
		return pod
	}
	other := []core.PodSchedulingGate{{Name: "example.com/other"}}
	return append(rows,
		review{what: "a member behind another gate", gated: true, pod: member(func(p *core.Pod) { p.Spec.SchedulingGates = other })},
		review{what: "a member without a name of its own", gated: true, pod: member(func(p *core.Pod) { p.GenerateName, p.Name = "train-", "" })},
		review{what: "a member of another scheduler", pod: member(func(p *core.Pod) { p.Spec.SchedulerName = "another" })},
		review{what: "a member that has its node", pod: member(func(p *core.Pod) { p.Spec.NodeName = world.HostName(0, 0, 0) })},
		review{what: "a member in kube-system", pod: member(func(p *core.Pod) { p.Namespace = "kube-system" })},
		review{what: "a pod of no gang", pod: world.Pod{Name: "plain"}.Object(s.namespace)},
		review{what: "a pod with labels of its own", pod: world.Pod{Name: "plain", Labels: map[string]string{"app": "x"}}.Object(s.namespace)},
	)
}

// TestWebhookGatesMembersAlone: a member of every dialect gets echelon's gate after its other gates. Nothing else is
// changed, neither in members nor in other pods.
func TestWebhookGatesMembersAlone(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}, later: true})
	t.Cleanup(func() { s.must(world.RemoveForeignKinds(context.Background(), objects)) })
	s.must(world.ServeForeignKinds(s.ctx, objects)) // A pod that names an object of an unserved kind is no member.
	rows := s.reviews()
	before := map[string]*core.Pod{}
	for _, row := range rows {
		pod, err := s.admitted(row.pod)
		s.must(err)
		before[row.what] = pod
	}
	s.startWithWebhook()
	for _, row := range rows {
		pod, err := s.admitted(row.pod)
		s.must(err)
		want := before[row.what].DeepCopy()
		if row.gated {
			want.Spec.SchedulingGates = append(want.Spec.SchedulingGates, core.PodSchedulingGate{Name: world.Gate})
		}
		if !reflect.DeepEqual(pod.Spec, want.Spec) || !reflect.DeepEqual(pod.Labels, want.Labels) || !reflect.DeepEqual(pod.Annotations, want.Annotations) {
			t.Errorf("%s became\n%+v\ninstead of\n%+v", row.what, pod, want)
		}
	}
}

// TestWebhookAndWithout: gangs whose members are created without a gate are bound whole or not at all, whether the
// webhook gates them or can't be reached. For each gang that doesn't fit there is room for some members.
func TestWebhookAndWithout(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 3, Hosts: 4}, later: true})
	configuration := s.startWithWebhook()
	s.create(world.Flat("first", 4, plane.RackLevel).Ungated())
	s.create(world.Flat("large", 5, plane.RackLevel).Ungated())
	s.waitPlan("first", "Held", "")
	s.waitPlan("large", "Pending", "Impossible")
	s.gatesKept("large", 5)
	s.startScheduler()
	s.waitBound("first", 4)
	s.oneRack(s.pods("first"))

	nowhere := "https://127.0.0.1:1/v1/admit"
	for i := range configuration.Webhooks {
		configuration.Webhooks[i].ClientConfig.URL = &nowhere
	}
	_, err := client.AdmissionregistrationV1().MutatingWebhookConfigurations().Update(s.ctx, configuration, meta.UpdateOptions{})
	s.must(err)
	s.eventually(patience, "nobody is asked any more", func() string {
		admitted, err := s.admitted(world.Flat("probe", 1, "").Ungated().Members(s.namespace)[0])
		if err != nil || world.IsGated(admitted) {
			return fmt.Sprintf("a gate, %v", err)
		}
		return ""
	})
	s.create(world.Flat("wide", 5, plane.RackLevel).Ungated())
	s.create(world.Flat("second", 4, plane.RackLevel).Ungated())
	s.gatesKept("wide", 0)
	s.waitBound("second", 4)
	s.oneRack(s.pods("second"))
	s.waitCondition("wide", "echelon: ")
	s.waitTurn()
	s.noneBound("wide")
	s.noneBound("large")
}
