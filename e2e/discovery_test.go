// How does echelon treat kinds that are served later, or that it may not read?

package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// waitKind waits until /readyz, which has to be 200, has such a line of a kind.
func (s *stand) waitKind(kind world.Kind, line string) {
	s.Helper()
	s.eventually(patience, kind.Resource+"."+kind.Group+" is "+line, func() string {
		status, text, err := s.echelon.Get(s.ctx, "/readyz?verbose=1")
		if err != nil {
			return err.Error()
		}
		for _, found := range strings.Split(text, "\n") {
			if strings.Contains(found, kind.Resource+"."+kind.Group) {
				text = found
			}
		}
		if status != http.StatusOK || !strings.Contains(text, line) {
			return text
		}
		return ""
	})
}

// volcanoPods returns `count` pods that name a PodGroup of Volcano.
func volcanoPods(gang string, count int, gate bool) []world.Pod {
	var pods []world.Pod
	for i := range count {
		pods = append(pods, world.Pod{Name: gang + "-" + string(rune('a'+i)), Gang: gang, Gate: gate,
			Annotations: map[string]string{"scheduling.k8s.io/group-name": gang}})
	}
	return pods
}

func (s *stand) createVolcanoGroup(name string, members int64) {
	s.Helper()
	s.must(world.VolcanoPodGroups.Create(s.ctx, objects, s.namespace, name, map[string]any{
		"spec": map[string]any{"minMember": members,
			"networkTopology": map[string]any{"mode": "hard", "highestTierName": plane.RackLevel}}}))
}

// A pod that names an object of an unserved kind belongs to the group of the next source, or to none. Once the kind is
// served, the pod belongs to that object, without a restart of echelon.
func TestKindsThatAreServedLater(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 3, Hosts: 4}})
	s.waitKind(world.VolcanoPodGroups, "not served")

	// By Volcano's annotation alone these are pods like any other; with a mark of Kueue they are a gang of Kueue's.
	for _, pod := range volcanoPods("alone", 2, false) {
		s.createPods(pod.Object(s.namespace))
	}
	s.waitBound("alone", 2)
	for _, pod := range volcanoPods("both", 3, false) {
		pod.Labels = map[string]string{"kueue.x-k8s.io/pod-group-name": "kueue"}
		pod.Annotations["kueue.x-k8s.io/pod-group-total-count"] = "4"
		s.createPods(pod.Object(s.namespace))
	}
	s.waitPlan("kueue", "Pending", "Incomplete")
	// One waits for its gate to be removed, and one for an unknown level.
	for _, pod := range volcanoPods("late", 3, true) {
		s.createPods(pod.Object(s.namespace))
	}
	cell := world.Labelled{Name: "cell", Minimum: 2, GroupSize: 2, Required: "hypernode-tier/1", Gate: true}
	s.createPods(cell.Members(s.namespace)...)
	s.waitPlan("cell", "Pending", "Invalid")

	s.serve(world.VolcanoPodGroups)
	s.serve(world.HyperNodes)
	s.createVolcanoGroup("late", 3)
	s.createHyperNode("cell-2", 1, "", leafOf(2))
	s.waitBound("late", 3)
	s.oneRack(s.pods("late"))
	s.waitPlan("late", "Bound", "")
	s.waitBound("cell", 2)
	if rack := s.oneRack(s.pods("cell")); rack != world.RackPath(0, 2) {
		t.Errorf("it came to %s", rack)
	}
	s.noneBound("both")
}

// A kind that echelon may not read is reported, and pods that name it wait. All others are placed.
func TestForbiddenKindHoldsUpNobodyElse(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}, later: true})
	s.serve(world.VolcanoPodGroups)
	s.createVolcanoGroup("volcano", 3)
	grant := s.withoutRight("scheduling.volcano.sh")
	s.startEchelon()
	s.waitReady()
	s.startScheduler()
	s.waitKind(world.VolcanoPodGroups, "403")
	for _, pod := range volcanoPods("volcano", 3, false) {
		s.createPods(pod.Object(s.namespace))
	}
	s.create(world.Flat("train", 4, plane.RackLevel))
	s.waitBound("train", 4)
	s.oneRack(s.pods("train"))
	s.waitCondition("volcano", "echelon: ")
	s.waitTurn()
	s.noneBound("volcano")

	grant()
	s.waitBound("volcano", 3)
	s.oneRack(s.pods("volcano"))
	s.waitKind(world.VolcanoPodGroups, "ok")
}

// withoutRight removes an API group from echelon's rights until the end of the test, or until the returned function is
// called.
func (s *stand) withoutRight(group string) (grant func()) {
	s.Helper()
	roles := client.RbacV1().ClusterRoles()
	role, err := roles.Get(s.ctx, "echelon-base", meta.GetOptions{})
	s.must(err)
	whole := role.DeepCopy()
	for i := range role.Rules {
		role.Rules[i].APIGroups = slices.DeleteFunc(slices.Clone(role.Rules[i].APIGroups), func(name string) bool { return name == group })
	}
	_, err = roles.Update(s.ctx, role, meta.UpdateOptions{})
	s.must(err)
	granted := false
	grant = func() {
		if granted {
			return
		}
		granted = true
		whole.ResourceVersion = ""
		_, err := roles.Update(context.Background(), whole, meta.UpdateOptions{})
		s.must(err)
	}
	s.Cleanup(grant)
	return grant
}
