// Are gangs kept off nodes whose NUMA zones have no room for their pods? The test writes the objects that kubelets
// would write.

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// zonesWith returns zones of four GPUs each, with these numbers of free GPUs.
func zonesWith(left ...int) []any {
	var zones []any
	for i, gpus := range left {
		zones = append(zones, map[string]any{"name": fmt.Sprintf("node-%d", i), "type": "Node", "resources": []any{
			map[string]any{"name": string(world.GPU), "capacity": "4", "allocatable": "4", "available": fmt.Sprint(gpus)}}})
	}
	return zones
}

// standWithZones has one host with two zones of four GPUs each, which are reported before echelon starts.
func standWithZones(t *testing.T, policy string) *stand {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	s.serve(world.NodeResourceTopologies)
	s.must(world.NodeResourceTopologies.Create(s.ctx, objects, "", s.rack(0, 0)[0], map[string]any{
		"attributes": []any{
			map[string]any{"name": "topologyManagerPolicy", "value": policy},
			map[string]any{"name": "topologyManagerScope", "value": "pod"}},
		"zones": zonesWith(4, 4)}))
	s.startEchelon()
	s.waitReady()
	s.startScheduler()
	return s
}

// reportZones writes the free GPUs of each zone of a host.
func (s *stand) reportZones(host string, left ...int) {
	s.Helper()
	patch, err := json.Marshal(map[string]any{"zones": zonesWith(left...)})
	s.must(err)
	reported := objects.Resource(world.NodeResourceTopologies.GroupVersionResource)
	_, err = reported.Patch(s.ctx, host, types.MergePatchType, patch, meta.PatchOptions{})
	s.must(err)
}

func gangOf(name string, pods, gpus int) world.Gang {
	gang := world.Flat(name, pods, plane.RackLevel)
	gang.Pod.GPUs = gpus
	return gang
}

// A host of eight GPUs in two zones takes no pod of five. Two pods of three leave one GPU in each zone, so a pod of two
// waits until a whole zone is free, before and after the zones are reported.
func TestZonesAreCounted(t *testing.T) {
	s := standWithZones(t, "single-numa-node")
	host := s.rack(0, 0)[0]
	s.create(gangOf("wide", 1, 5))
	plan := s.waitPlan("wide", "Pending", "Impossible")
	if !strings.Contains(plan.Message, "1 missing (one NUMA zone of "+string(world.GPU)+")") {
		t.Errorf("the refusal does not name the zone: %s", plan.Message)
	}
	s.gatesKept("wide", 1)

	s.create(gangOf("train", 2, 3))
	s.waitBound("train", 2)
	s.create(gangOf("late", 1, 2))
	plan = s.waitPlan("late", "Pending", "NoRoom")
	if !strings.Contains(plan.Message, "one NUMA zone of "+string(world.GPU)) {
		t.Errorf("the refusal does not name the zone: %s", plan.Message)
	}
	s.reportZones(host, 1, 1)
	s.gatesKept("late", 1)
	s.reportZones(host, 4, 1)
	s.waitBound("late", 1)
}

// Under another policy of the kubelet, zones don't restrict placement.
func TestZonesOfOtherPoliciesAreNotCounted(t *testing.T) {
	s := standWithZones(t, "restricted")
	s.create(gangOf("wide", 1, 5))
	s.waitBound("wide", 1)
}

// A gang that requires one NUMA zone goes to the host of the policy, if one zone has room for all of it.
func TestGroupsGetOneZone(t *testing.T) {
	s := standWithZones(t, "single-numa-node")
	wide := gangOf("wide", 5, 1)
	wide.Root.Required = "echelon.sh/numa"
	s.create(wide)
	s.waitMessage("wide", "1 missing (one NUMA zone of "+string(world.GPU)+")", "a group in one NUMA zone counts as one seat")
	s.gatesKept("wide", 5)
	train := gangOf("train", 4, 1)
	train.Root.Required = "echelon.sh/numa"
	s.create(train)
	s.waitBound("train", 4)
	s.reportZones(s.rack(0, 0)[0], 0, 4)
	late := gangOf("late", 2, 2)
	late.Root.Required = "echelon.sh/numa"
	s.create(late)
	s.waitBound("late", 2)
}

// Where no host has the policy, the gang is Invalid, with the reason.
func TestOneZoneNeedsThePolicy(t *testing.T) {
	s := standWithZones(t, "restricted")
	gang := gangOf("train", 2, 1)
	gang.Root.Required = "echelon.sh/numa"
	s.create(gang)
	plan := s.waitPlan("train", "Pending", "Invalid")
	if !strings.Contains(plan.Message, "needs nodes whose topology manager has the policy single-numa-node") {
		t.Errorf("the reason is not said: %s", plan.Message)
	}
}
