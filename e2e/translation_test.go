// Do Koordinator's PodGroups follow Grove's PodGangs on the real API server?

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// podGroups are those of Koordinator that belong to a PodGang, by name.
func (s *stand) podGroups() map[string]unstructured.Unstructured {
	s.Helper()
	list, err := objects.Resource(world.KoordinatorPodGroups.GroupVersionResource).Namespace(s.namespace).List(s.ctx,
		meta.ListOptions{LabelSelector: "grove.io/podgang"})
	s.must(err)
	found := map[string]unstructured.Unstructured{}
	for _, object := range list.Items {
		found[object.GetName()] = object
	}
	return found
}

// waitPodGroups waits until exactly these PodGroups exist.
func (s *stand) waitPodGroups(want ...string) {
	s.Helper()
	s.eventually(patience, "the PodGroups are "+strings.Join(want, ", "), func() string {
		var names []string
		for name := range s.podGroups() {
			names = append(names, name)
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			return fmt.Sprint("they are ", names)
		}
		return ""
	})
}

// TestPodGroupsFollowPodGangs: with translation.live a PodGang of Grove has PodGroups of Koordinator as long as it
// exists. They follow its changes, also across a restart, and keep the fields that others write.
func TestPodGroupsFollowPodGangs(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	for _, kind := range []world.Kind{world.PodGangs, world.KoordinatorPodGroups, world.KoordinatorLayers} {
		s.serve(kind)
	}
	gangs, groups := world.PodGangs.GroupVersionResource, world.KoordinatorPodGroups.GroupVersionResource
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{Profiles: []plane.Profile{{SchedulerName: defaultScheduler}},
		More: "translation: {live: true, defaultQoSClass: LS}\n"})
	s.must(err)
	s.waitReady()

	s.must(world.PodGangs.Create(s.ctx, objects, s.namespace, "demo-0", map[string]any{"spec": map[string]any{
		"topologyConstraint": map[string]any{"packConstraint": map[string]any{"required": plane.RackLevel}},
		"podgroups": []any{map[string]any{"name": "decode", "minReplicas": int64(1)},
			map[string]any{"name": "prefill", "minReplicas": int64(2)}}}}))
	s.eventually(patience, "the PodGang is told that its level has no layer", func() string {
		return differs("events", len(s.told("PodGang", "demo-0")["NotTranslated"]), 1)
	})
	s.waitPodGroups()
	s.must(world.KoordinatorLayers.Create(s.ctx, objects, "", "default", map[string]any{"spec": map[string]any{
		"networkTopologySpec": []any{map[string]any{"topologyLayer": "rackLayer", "labelKey": []any{plane.RackLevel}}}}}))
	s.waitPodGroups("demo-0-decode", "demo-0-prefill")
	gang, err := objects.Resource(gangs).Namespace(s.namespace).Get(s.ctx, "demo-0", meta.GetOptions{})
	s.must(err)
	prefill := s.podGroups()["demo-0-prefill"]
	if owner := meta.GetControllerOf(&prefill); owner == nil || owner.UID != gang.GetUID() {
		t.Errorf("demo-0-prefill is controlled by %v", owner)
	}
	list := fmt.Sprintf(`["%[1]s/demo-0-decode","%[1]s/demo-0-prefill"]`, s.namespace)
	if got := prefill.GetAnnotations()["gang.scheduling.koordinator.sh/groups"]; got != list {
		t.Errorf("groups is %s", got)
	}

	// While echelon is away others write, and the gang changes.
	s.must(s.echelon.Terminate(10 * time.Second))
	s.patchObject(groups, "demo-0-decode", `{"metadata": {"annotations": {"example.com/note": "kept"}}, "spec": {"minMember": 9, "minResources": {"cpu": "1"}}}`)
	s.patchObject(gangs, "demo-0", `{"spec": {"podgroups": [{"name": "decode", "minReplicas": 3}, {"name": "route", "minReplicas": 1}]}}`)
	s.must(s.echelon.Start())
	s.waitPodGroups("demo-0-decode", "demo-0-route")
	decode := s.podGroups()["demo-0-decode"]
	minimum, _, err := unstructured.NestedInt64(decode.Object, "spec", "minMember")
	s.must(err)
	_, isKept, err := unstructured.NestedMap(decode.Object, "spec", "minResources")
	s.must(err)
	if minimum != 3 || !isKept || decode.GetAnnotations()["example.com/note"] != "kept" {
		t.Errorf("demo-0-decode is %v", decode.Object)
	}

	// Koordinator may refuse roles with different requests, and the PodGang gets a warning.
	for group, gpus := range map[string]int{"decode": 1, "route": 8} {
		s.createPods(world.Pod{Name: group + "-0", Scheduler: koordinator, GPUs: gpus,
			Labels: map[string]string{"grove.io/podgang": "demo-0", "grove.io/podclique": group}}.Object(s.namespace))
	}
	warning := fmt.Sprintf("pods of group %q and group %q ask for different amounts: Koordinator may refuse the gang although it fits",
		s.namespace+"/demo-0/decode", s.namespace+"/demo-0/route")
	s.eventually(patience, "the PodGang is told that its roles are unlike", func() string {
		told := s.told("PodGang", "demo-0")["PartlyTranslated"]
		if len(told) != 1 || told[0].Note != warning {
			return fmt.Sprint("it is told ", told)
		}
		return ""
	})

	// What somebody deletes comes back.
	s.must(objects.Resource(groups).Namespace(s.namespace).Delete(s.ctx, "demo-0-route", meta.DeleteOptions{}))
	s.waitPodGroups("demo-0-decode", "demo-0-route")

	// A set that no webhook has judged keeps its gangs from being written, until it is mended.
	s.serve(world.PodCliqueSets)
	s.must(world.PodCliqueSets.Create(s.ctx, objects, s.namespace, "demo",
		cliqueSet{annotations: "grove.io/mnnvl-group: fast"}.content()))
	s.patchObject(gangs, "demo-0", `{"metadata": {"labels": {"app.kubernetes.io/part-of": "demo"}}, "spec": {"podgroups": [{"name": "decode", "minReplicas": 3}]}}`)
	fault := `PodCliqueSet "demo": metadata` + fmt.Sprintf(nvlink, "grove.io/mnnvl-group")
	s.eventually(patience, "the PodGang is told what its set asks for", func() string {
		for _, event := range s.told("PodGang", "demo-0")["NotTranslated"] {
			if event.Note == fault {
				return ""
			}
		}
		return "it isn't"
	})
	s.waitPodGroups("demo-0-decode", "demo-0-route")
	s.patchObject(world.PodCliqueSets.GroupVersionResource, "demo", `{"metadata": {"annotations": {"grove.io/mnnvl-group": "none"}}}`)
	s.waitPodGroups("demo-0-decode")
}
