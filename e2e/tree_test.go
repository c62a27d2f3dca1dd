package e2e

import (
	"fmt"
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// service is a gang of three groups of 8: one block for all, one rack for each group.
func service(minimum int) world.Gang {
	gang := world.Gang{Root: world.Group{Name: "service", Minimum: minimum, Required: plane.BlockLevel}, Pod: world.Pod{Gate: true}}
	for i := range 3 {
		gang.Root.Children = append(gang.Root.Children,
			world.Group{Name: fmt.Sprintf("group-%d", i), Minimum: 8, Pods: 8, Required: plane.RackLevel})
	}
	return gang
}

func TestCompositeTreeInReverseOrder(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	gang := service(3)
	s.must(gang.CreateReversed(s.ctx, client, s.namespace))
	s.waitBound("service", 24)
	s.oneBlock(s.pods("service"))
	for _, leaf := range gang.Leaves() {
		s.oneRack(s.leaf("service", leaf.Name))
	}
	plan := s.waitPlan("service", "Bound", "")
	if len(plan.Groups) != 4 || plan.Groups[0].Group != s.namespace+"/service" || plan.Groups[0].Placed != 3 {
		t.Errorf("the GangPlan's groups: %+v", plan.Groups)
	}
}

func TestMinimumOfGroups(t *testing.T) {
	// Block 0 has room for two groups, block 1 for one: two of three is only possible in block 0.
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 3, Hosts: 8}})
	s.fill("third", s.rack(0, 2)...)
	s.fill("others", append(s.rack(1, 1), s.rack(1, 2)...)...)
	gang := service(2)
	s.create(gang)
	s.waitBound("service", 16)
	s.waitPlan("service", "Bound", "")
	s.waitTurn()
	if block := s.oneBlock(s.pods("service")); block != "b0" {
		t.Fatalf("in block %s", block)
	}
	var left string
	for _, leaf := range gang.Leaves() {
		switch bound := len(world.Bound(s.leaf("service", leaf.Name))); bound {
		case 8:
			s.oneRack(s.leaf("service", leaf.Name))
		case 0:
			left += leaf.Name
		default:
			t.Fatalf("%s is bound in part: %d of 8", leaf.Name, bound)
		}
	}
	s.gatesKept("service", 8)

	s.unfill("third")
	s.waitBound("service", 24)
	s.oneBlock(s.pods("service"))
	if rack := s.oneRack(s.leaf("service", left)); rack != world.RackPath(0, 2) {
		t.Errorf("%s joined in %s", left, rack)
	}
}

func TestGangByLabels(t *testing.T) {
	t.Run("OneLeaf", func(t *testing.T) {
		s := standOn(t, setup{fabric: wide})
		gang := world.Labelled{Name: "ring", Minimum: 16, Required: plane.RackLevel, GroupSize: 16}
		members := gang.Members(s.namespace)
		s.createPods(members[:15]...)
		s.waitPlan("ring", "Pending", "Incomplete")
		s.waitCondition("ring", "echelon: ")
		s.waitTurn()
		s.noneBound("ring")
		s.createPods(members[15])
		s.waitBound("ring", 16)
		s.oneRack(s.pods("ring"))
	})
	t.Run("OfGroups", func(t *testing.T) {
		s := standOn(t, setup{fabric: wide})
		gang := world.Labelled{Name: "mesh", Minimum: 3, Required: plane.BlockLevel, Groups: 3, GroupSize: 8,
			GroupRequire: plane.RackLevel, Gate: true}
		s.createPods(gang.Members(s.namespace)...)
		s.waitBound("mesh", 24)
		s.oneBlock(s.pods("mesh"))
		for i := range 3 {
			s.oneRack(s.leaf("mesh", fmt.Sprintf("mesh-%d", i)))
		}
		// The plan of a gang by labels goes with its last member.
		for _, pod := range s.pods("mesh") {
			s.deletePod(pod.Name)
		}
		s.eventually(patience, "the GangPlan is gone", func() string {
			if plan := world.ReadGangPlan(s.ctx, objects, s.namespace, "mesh"); plan != nil {
				return "it is " + plan.Phase
			}
			return ""
		})
	})
	t.Run("WithoutMinimum", func(t *testing.T) {
		s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 4}})
		gang := world.Labelled{Name: "vague", Minimum: 2, GroupSize: 2, Gate: true}
		members := gang.Members(s.namespace)
		for _, member := range members {
			delete(member.Annotations, "echelon.sh/gang-minimum")
		}
		s.createPods(members...)
		s.waitPlan("vague", "Pending", "Invalid")
		s.waitTurn()
		s.noneBound("vague")
		s.gatesKept("vague", 2)
	})
}
