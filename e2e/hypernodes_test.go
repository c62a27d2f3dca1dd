// Do changes of HyperNodes affect only gangs that use them?

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/world"
)

// serve makes the API server serve a kind until the end of the test.
func (s *stand) serve(kind world.Kind) {
	s.Helper()
	s.must(kind.Serve(s.ctx, objects))
	s.Cleanup(func() { s.must(kind.Withdraw(context.Background(), objects)) })
}

// leafOf has the nodes of one rack of block 0 as members; `more` are HyperNodes beside them.
func leafOf(rack int, more ...string) []any {
	nodes := map[string]any{"type": "Node", "selector": map[string]any{"regexMatch": map[string]any{"pattern": fmt.Sprintf("^b0-r%d-", rack)}}}
	return append([]any{nodes}, above(more...)...)
}

// above returns a HyperNode with HyperNodes as members.
func above(names ...string) []any {
	var members []any
	for _, name := range names {
		members = append(members, map[string]any{"type": "HyperNode", "selector": map[string]any{"exactMatch": map[string]any{"name": name}}})
	}
	return members
}

func (s *stand) createHyperNode(name string, tier int64, tierName string, members []any) {
	s.Helper()
	s.must(world.HyperNodes.Create(s.ctx, objects, "", name, map[string]any{
		"spec": map[string]any{"tier": tier, "tierName": tierName, "members": members}}))
}

// rewire gives a HyperNode other members.
func (s *stand) rewire(name string, members []any) {
	s.Helper()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"members": members}})
	s.must(err)
	_, err = objects.Resource(world.HyperNodes.GroupVersionResource).Patch(s.ctx, name, types.MergePatchType, patch, meta.PatchOptions{})
	s.must(err)
}

// comesAndGoes creates a gang of four pods that needs such a level, returns the rack where it is placed, and deletes
// it.
func (s *stand) comesAndGoes(name, level string) string {
	s.Helper()
	gang := world.Labelled{Name: name, Minimum: 4, GroupSize: 4, Required: level, Gate: true}
	s.createPods(gang.Members(s.namespace)...)
	s.waitBound(name, 4)
	rack := s.oneRack(s.pods(name))
	s.unfill(name)
	return rack
}

// A tree of four leaves in two spines. Changes of one spine while gangs come and go don't affect the other.
func TestHyperNodesChangeWhileGangsComeAndGo(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 5, Hosts: 4}, later: true})
	s.serve(world.HyperNodes)
	for rack, tierName := range []string{"west", "leaf", "leaf", "leaf", "leaf"} {
		s.createHyperNode(fmt.Sprintf("leaf-%d", rack), 1, tierName, leafOf(rack))
	}
	s.createHyperNode("spine-0", 2, "", above("leaf-0", "leaf-1"))
	s.createHyperNode("spine-1", 2, "", above("leaf-2", "leaf-3", "leaf-4"))
	s.createHyperNode("core", 3, "", above("spine-0", "spine-1"))
	s.startEchelon()
	s.waitReady()
	s.startScheduler()

	// One gang that stays, in the unchanged spine.
	settled := world.Labelled{Name: "settled", Minimum: 4, GroupSize: 4, Required: "hypernode-tier/2", Gate: true}
	s.fill("rest", append(append(append(s.rack(0, 0), s.rack(0, 1)...), s.rack(0, 3)...), s.rack(0, 4)...)...)
	s.createPods(settled.Members(s.namespace)...)
	s.waitBound("settled", 4)
	s.unfill("rest")
	s.waitPlan("settled", "Bound", "")
	version := s.planVersion("settled")

	// Twelve hosts below one spine there are only once a leaf has moved there.
	wide := world.Labelled{Name: "wide", Minimum: 12, GroupSize: 12, Required: "hypernode-tier/2", Gate: true}
	s.createPods(wide.Members(s.namespace)...)
	s.waitPlan("wide", "Pending", "NoRoom")
	s.rewire("spine-0", above("leaf-0"))
	s.rewire("spine-1", above("leaf-1", "leaf-2", "leaf-3", "leaf-4"))
	s.waitBound("wide", 12)
	for _, pod := range s.pods("wide") {
		if _, rack := observer.Place(pod.Spec.NodeName); rack == world.RackPath(0, 0) {
			t.Errorf("%s is on %s, below the other spine", pod.Name, pod.Spec.NodeName)
		}
	}
	s.unfill("wide")

	// A cycle: leaf-0 and spine-0 contain each other. Gangs that need them get the fault; all others are unaffected.
	s.rewire("leaf-0", leafOf(0, "spine-0"))
	west := world.Labelled{Name: "west", Minimum: 4, GroupSize: 4, Required: "west", Gate: true}
	s.createPods(west.Members(s.namespace)...)
	if plan := s.waitPlan("west", "Pending", "Invalid"); !strings.Contains(plan.Message, `HyperNode "leaf-0": it is below itself`) {
		t.Errorf("its message doesn't name the fault: %s", plan.Message)
	}
	for turn, level := range []string{"leaf", "hypernode-tier/1", "hypernode-tier/2", "leaf"} {
		if rack := s.comesAndGoes(fmt.Sprintf("guest-%d", turn), level); rack == world.RackPath(0, 0) {
			t.Errorf("a gang that needs %s came into the cycle", level)
		}
	}
	if now := s.planVersion("settled"); now != version {
		t.Errorf("the plan of a gang in the other spine was written again, %s after %s", now, version)
	}

	// Not even one that loses a member.
	lost := s.pods("settled")[0]
	s.deletePod(lost.Name)
	s.eventually(patience, "the member is gone", func() string {
		if observer.Pod(s.namespace, lost.Name) != nil {
			return lost.Name + " is still there"
		}
		return ""
	})
	s.createPods(settled.Members(s.namespace)[0])
	s.waitBound("settled", 4)
	s.oneRack(s.pods("settled"))
	s.noneBound("west")

	s.rewire("leaf-0", leafOf(0))
	s.waitBound("west", 4)
	if rack := s.oneRack(s.pods("west")); rack != world.RackPath(0, 0) {
		t.Errorf("mended, it came to %s", rack)
	}
}

// planVersion changes whenever the GangPlan does.
func (s *stand) planVersion(gang string) string {
	s.Helper()
	object, err := objects.Resource(world.GangPlans).Namespace(s.namespace).Get(s.ctx, gang, meta.GetOptions{})
	s.must(err)
	return object.GetResourceVersion()
}
