// Which of Grove's objects for Koordinator does the webhook reject, and what does it write on their pods?

package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"testing"

	admission "k8s.io/api/admissionregistration/v1"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"echelon.sh/echelon/e2e/world"
)

const (
	koordinator = "koord-scheduler"

	nvlink = ": the annotation %s asks for multi-node NVLink, which Koordinator doesn't support: use kai-scheduler"
	levels = ": a topologyConstraint isn't representable in Koordinator: one gang group has one constraint"
)

// cliqueSet is a set of two cliques, of which one scales as a group; each text is YAML, "": absent.
type cliqueSet struct {
	scheduler                    string // "": Koordinator's.
	annotations, clique, scaling string // Annotations of the set, the first clique, the scaling group.
	levels, scalingLevels        string // topologyConstraint of the set and the scaling group.
}

// content returns the YAML of the set.
func (c cliqueSet) content() map[string]any {
	scheduler := c.scheduler
	if scheduler == "" {
		scheduler = koordinator
	}
	text := fmt.Sprintf(`
metadata: {annotations: {%s}}
spec:
  replicas: 1
  template:
    %s
    cliques:
    - {name: prefill, annotations: {%s}, spec: {replicas: 2, podSpec: {schedulerName: %s}}}
    - {name: decode, spec: {replicas: 1, podSpec: {schedulerName: %s}}}
    podCliqueScalingGroups:
    - {name: workers, cliqueNames: [decode], annotations: {%s}%s}
`, c.annotations, prefixed("topologyConstraint: ", c.levels), c.clique, scheduler, scheduler, c.scaling,
		prefixed(", topologyConstraint: ", c.scalingLevels))
	var content map[string]any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		panic(fmt.Sprintf("%v:\n%s", err, text))
	}
	return content
}

// setRow is a PodCliqueSet for which the API server calls the webhook.
type setRow struct {
	what     string
	before   *cliqueSet // It is there already; nil: it is new.
	set      cliqueSet
	rejected string // The whole sentence; "": it is let through.
}

// setRows are sets that Koordinator can't keep, and similar sets that it can.
func setRows() []setRow {
	const pack = "{pack: {required: topology.kubernetes.io/rack}}"
	group, auto := func(where string) string { return where + fmt.Sprintf(nvlink, "grove.io/mnnvl-group") }, fmt.Sprintf(nvlink, "grove.io/auto-mnnvl")
	faulty := cliqueSet{annotations: "grove.io/auto-mnnvl: enabled", scalingLevels: pack}
	elsewhere := faulty
	elsewhere.scheduler = "kai-scheduler"
	more := faulty
	more.clique = "grove.io/mnnvl-group: a"
	touched := faulty
	touched.annotations += ", example.com/note: x"
	return []setRow{
		{what: "as it should be"},
		{what: "levels of the whole set", set: cliqueSet{levels: pack}},
		{what: "NVLink by the annotation of today, on the set", set: cliqueSet{annotations: "grove.io/mnnvl-group: a"}, rejected: group("metadata")},
		{what: "on a clique", set: cliqueSet{clique: "grove.io/mnnvl-group: a"}, rejected: group(`clique "prefill"`)},
		{what: "on a scaling group", set: cliqueSet{scaling: "grove.io/mnnvl-group: a"}, rejected: group(`scaling group "workers"`)},
		{what: "opted out", set: cliqueSet{annotations: "grove.io/mnnvl-group: none", clique: "grove.io/mnnvl-group: none"}},
		{what: "NVLink by the annotation of the proposal", set: cliqueSet{annotations: "grove.io/auto-mnnvl: enabled"}, rejected: "metadata" + auto},
		{what: "on a clique, by that one", set: cliqueSet{clique: "grove.io/auto-mnnvl: enabled"}, rejected: `clique "prefill"` + auto},
		{what: "switched off", set: cliqueSet{annotations: "grove.io/auto-mnnvl: disabled"}},
		{what: "levels of a scaling group", set: cliqueSet{scalingLevels: pack}, rejected: `scaling group "workers"` + levels},
		{what: "two faults", set: faulty, rejected: "metadata" + auto + `; scaling group "workers"` + levels},
		{what: "both, for another scheduler", set: elsewhere},
		{what: "both, for kube-scheduler", set: cliqueSet{scheduler: defaultScheduler, annotations: faulty.annotations, scalingLevels: pack}},
		{what: "old faults, something else changes", before: &faulty, set: touched},
		{what: "an old fault goes", before: &faulty, set: cliqueSet{scalingLevels: pack}},
		{what: "a new fault beside old ones", before: &faulty, set: more, rejected: group(`clique "prefill"`)},
		{what: "a fault comes", before: &cliqueSet{}, set: cliqueSet{scalingLevels: pack}, rejected: `scaling group "workers"` + levels},
		{what: "given to Koordinator with its faults", before: &elsewhere, set: faulty, rejected: "metadata" + auto + `; scaling group "workers"` + levels},
		{what: "given away with its faults", before: &faulty, set: elsewhere},
	}
}

// judgeSets makes the API server call the webhook for PodCliqueSets, as the chart configures it.
func (s *stand) judgeSets(reviewer reviewer, values string) (hook string) {
	s.Helper()
	var configuration admission.ValidatingWebhookConfiguration
	s.rendered(values, "ValidatingWebhookConfiguration", &configuration)
	for i := range configuration.Webhooks {
		reviewer.reached(&configuration.Webhooks[i].ClientConfig)
	}
	hooks := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	created, err := hooks.Create(s.ctx, &configuration, meta.CreateOptions{})
	s.must(err)
	s.Cleanup(func() { s.must(hooks.Delete(context.Background(), created.Name, meta.DeleteOptions{})) })
	s.eventually(patience, "the webhook is asked about sets", func() string {
		if err := s.tried("probe", setRow{set: cliqueSet{scalingLevels: "{}"}}); err == nil {
			return "it isn't"
		}
		return ""
	})
	return created.Webhooks[0].Name
}

// tried returns why the API server would refuse the set (dry run). `before` is really created.
func (s *stand) tried(name string, row setRow) error {
	s.Helper()
	sets := objects.Resource(world.PodCliqueSets.GroupVersionResource).Namespace(s.namespace)
	object := &unstructured.Unstructured{Object: row.set.content()}
	object.SetGroupVersionKind(world.PodCliqueSets.GroupVersion().WithKind(world.PodCliqueSets.Name))
	object.SetName(name)
	all := []string{meta.DryRunAll}
	if row.before == nil {
		_, err := sets.Create(s.ctx, object, meta.CreateOptions{DryRun: all})
		return err
	}
	old, err := sets.Get(s.ctx, name, meta.GetOptions{})
	s.must(err)
	object.SetResourceVersion(old.GetResourceVersion())
	_, err = sets.Update(s.ctx, object, meta.UpdateOptions{DryRun: all})
	return err
}

// TestWebhookRejectsWhatKoordinatorCantKeep: a PodCliqueSet for Koordinator is rejected with every reason, when it is
// created or changed, and only for what is new. Other PodCliqueSets are not.
func TestWebhookRejectsWhatKoordinatorCantKeep(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	s.serve(world.PodCliqueSets)
	name := func(at int) string { return fmt.Sprintf("set-%d", at) }
	rows := setRows()
	for i, row := range rows { // Created while no webhook is registered.
		if row.before != nil {
			s.must(world.PodCliqueSets.Create(s.ctx, objects, s.namespace, name(i), row.before.content()))
		}
	}
	hook := s.judgeSets(s.startReviewer("translation: {}\n"), "translation.enabled=true")
	for i, row := range rows {
		err := s.tried(name(i), row)
		if row.rejected == "" {
			if err != nil {
				t.Errorf("%s: %v", row.what, err)
			}
			continue
		}
		want := fmt.Sprintf("admission webhook %q denied the request: %s", hook, row.rejected)
		var refusal apierrors.APIStatus
		if !errors.As(err, &refusal) || refusal.Status().Message != want || refusal.Status().Code != http.StatusUnprocessableEntity {
			t.Errorf("%s:\n%v instead of\n%s", row.what, err, want)
		}
	}
	// Whatever it is, it can be deleted, and its status can be written.
	s.patchStatus(name(len(rows)-1), `{"status": {"replicas": 1}}`)
	s.must(objects.Resource(world.PodCliqueSets.GroupVersionResource).Namespace(s.namespace).Delete(s.ctx, name(len(rows)-1), meta.DeleteOptions{}))
}

func (s *stand) patchStatus(set, patch string) {
	s.Helper()
	_, err := objects.Resource(world.PodCliqueSets.GroupVersionResource).Namespace(s.namespace).Patch(s.ctx, set, types.MergePatchType,
		[]byte(patch), meta.PatchOptions{}, "status")
	s.must(err)
}

// TestWebhookPreparesPodsForKoordinator: pods of Grove for Koordinator get the name of their PodGroup, and the class
// that is configured unless they have one; no gate, and nothing else.
func TestWebhookPreparesPodsForKoordinator(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	s.serve(world.PodGangs)
	grove := map[string]string{"grove.io/podgang": "demo-0", "grove.io/podclique": "demo-0-prefill"}
	const group, class = "pod-group.scheduling.sigs.k8s.io", "koordinator.sh/qosClass"
	both := map[string]string{group: "demo-0-demo-0-prefill", class: "LS"}
	with := func(labels ...map[string]string) map[string]string {
		all := map[string]string{}
		for _, each := range labels {
			maps.Copy(all, each)
		}
		return all
	}
	rows := []struct {
		what   string
		pod    *core.Pod
		labels map[string]string // That are added.
	}{
		{"of Grove, for Koordinator", world.Pod{Name: "p", Scheduler: koordinator, Labels: grove}.Object(s.namespace), both},
		{"with a class", world.Pod{Name: "p", Scheduler: koordinator, Labels: with(grove, map[string]string{class: "BE"})}.Object(s.namespace),
			map[string]string{group: both[group]}},
		{"with the name of another group", world.Pod{Name: "p", Scheduler: koordinator, Labels: with(grove, map[string]string{group: "x"})}.Object(s.namespace), both},
		{"of no PodGang", world.Pod{Name: "p", Scheduler: koordinator}.Object(s.namespace), nil},
		{"for KAI", world.Pod{Name: "p", Scheduler: "kai-scheduler", Labels: grove}.Object(s.namespace), nil},
	}
	values := "translation.enabled=true,translation.defaultQoSClass=LS,scheduler.name=default-scheduler"
	s.gateMembers(s.startReviewer("translation: {defaultQoSClass: LS}\n"), values)
	for _, row := range rows {
		pod, err := s.admitted(row.pod)
		s.must(err)
		if want := with(row.pod.Labels, row.labels); !reflect.DeepEqual(pod.Labels, want) || len(pod.Spec.SchedulingGates) > 0 ||
			pod.Spec.SchedulerName != row.pod.Spec.SchedulerName || len(pod.Annotations) > 0 {
			t.Errorf("a pod %s became\n%+v\ninstead of one with labels %v", row.what, pod, want)
		}
	}
	ours, err := s.admitted(world.Pod{Name: "p", Labels: grove}.Object(s.namespace))
	s.must(err)
	if !world.IsGated(ours) || ours.Labels[group] != "" {
		t.Errorf("a pod of Grove for us became %+v", ours)
	}

	// A pod that leaves its scheduler open goes where its PodGang goes.
	for gang, scheduler := range map[string]string{"demo-1": koordinator, "demo-2": "kai-scheduler"} {
		s.must(world.PodGangs.Create(s.ctx, objects, s.namespace, gang, map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"grove.io/scheduler-name": scheduler}},
			"spec":     map[string]any{"podgroups": []any{}}}))
		open := map[string]string{"grove.io/podgang": gang, "grove.io/podclique": gang + "-prefill"}
		asked := world.Pod{Name: "p", Labels: open}.Object(s.namespace)
		want := with(asked.Labels)
		pod, err := s.admitted(asked)
		s.must(err)
		if scheduler == koordinator {
			want = with(want, map[string]string{group: gang + "-" + gang + "-prefill", class: "LS"})
		}
		if isTheirs := scheduler == koordinator; !reflect.DeepEqual(pod.Labels, want) || world.IsGated(pod) == isTheirs ||
			(pod.Spec.SchedulerName == koordinator) != isTheirs {
			t.Errorf("a pod of a PodGang for %s became %+v", scheduler, pod)
		}
	}
}
