package e2e

import (
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// comesWhole creates a gang of 16 that needs one rack, in two portions. Nothing may happen before the last member
// exists.
func comesWhole(t *testing.T, setup setup, gang world.Gang) {
	setup.fabric = wide
	s := standOn(t, setup)
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	s.createPods(members[:12]...)
	s.waitPlan("train", "Pending", "Incomplete")
	gated := 0
	if gang.Pod.Gate {
		gated = 12
	} else {
		s.waitCondition("train", "echelon: ")
	}
	s.waitTurn()
	s.noneBound("train")
	s.gatesKept("train", gated)

	s.createPods(members[12:]...)
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
	s.onPlannedSeats("train", s.waitPlan("train", "Bound", ""))
}

func TestGangOf16WithGate(t *testing.T) {
	comesWhole(t, setup{}, world.Flat("train", 16, plane.RackLevel))
}

func TestGangOf16WithoutGate(t *testing.T) {
	comesWhole(t, setup{}, world.Flat("train", 16, plane.RackLevel).Ungated())
}

func TestGangOf16WithoutNomination(t *testing.T) {
	t.Run("WithGate", func(t *testing.T) {
		comesWhole(t, setup{noNomination: true}, world.Flat("train", 16, plane.RackLevel))
	})
	t.Run("WithoutGate", func(t *testing.T) {
		comesWhole(t, setup{noNomination: true}, world.Flat("train", 16, plane.RackLevel).Ungated())
	})
}

func TestGangTooLargeForAnyRack(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	s.create(world.Flat("large", 17, plane.RackLevel))
	s.create(world.Flat("open", 17, plane.RackLevel).Ungated())
	for _, gang := range []string{"large", "open"} {
		plan := s.waitPlan(gang, "Pending", "Impossible")
		if !strings.Contains(plan.Message, gang) || strings.Contains(plan.Message, "\n") || strings.HasPrefix(plan.Message, "echelon:") {
			t.Errorf("not one sentence about %s: %q", gang, plan.Message)
		}
		t.Log(plan.Message)
	}
	s.waitCondition("open", "echelon: ")

	s.create(world.Flat("small", 8, plane.RackLevel))
	plain := world.Pod{Name: "plain", Gang: "plain"}
	s.createPods(plain.Object(s.namespace))
	s.waitBound("small", 8)
	s.oneRack(s.pods("small"))
	s.waitBound("plain", 1)
	s.noneBound("large")
	s.gatesKept("large", 17)
	s.noneBound("open")
	for _, pod := range s.pods("open") {
		if pod.Status.NominatedNodeName != "" || pod.Status.Phase != core.PodPending {
			t.Errorf("%s is %s and nominated for %q", pod.Name, pod.Status.Phase, pod.Status.NominatedNodeName)
		}
	}
}

func TestForeignGatesAreWaitedFor(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	gang := world.Flat("train", 16, plane.RackLevel)
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	for _, member := range members[12:] {
		member.Spec.SchedulingGates = append(member.Spec.SchedulingGates, core.PodSchedulingGate{Name: "example.com/quota"})
	}
	s.createPods(members...)
	s.waitPlan("train", "Pending", "Incomplete")
	s.waitTurn()
	s.noneBound("train")
	s.gatesKept("train", 16)
	for _, member := range members[12:] {
		_, err := client.CoreV1().Pods(s.namespace).Patch(s.ctx, member.Name, types.MergePatchType,
			[]byte(`{"spec":{"schedulingGates":[{"name":"echelon.sh/gang"}]}}`), meta.PatchOptions{})
		s.must(err)
	}
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
}
