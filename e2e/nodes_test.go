package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// losesNodeAfterPlan takes a planned node away while kube-scheduler is paused, so that nothing is bound yet.
func losesNodeAfterPlan(t *testing.T, spoil func(s *stand, node string)) {
	s := standOn(t, setup{fabric: wide})
	s.scheduler.Pause()
	s.create(world.Flat("train", 16, plane.RackLevel))
	plan := s.waitPlan("train", "Held", "")
	if len(plan.Seats) != 16 {
		t.Fatalf("a plan of %d seats", len(plan.Seats))
	}
	s.noneBound("train")
	bad := plan.Seats[7].Node
	spoil(s, bad)
	s.scheduler.Resume()
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
	for _, pod := range s.pods("train") {
		if pod.Spec.NodeName == bad {
			t.Errorf("%s is on %s", pod.Name, bad)
		}
	}
	s.onPlannedSeats("train", s.waitPlan("train", "Bound", ""))
}

func (s *stand) patchNode(node, patch string, subresources ...string) {
	s.Helper()
	_, err := client.CoreV1().Nodes().Patch(s.ctx, node, types.MergePatchType, []byte(patch), meta.PatchOptions{}, subresources...)
	s.must(err)
}

func TestNodeCordonedBetweenPlanAndBind(t *testing.T) {
	losesNodeAfterPlan(t, func(s *stand, node string) {
		s.patchNode(node, `{"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}`)
	})
}

func TestNodeLostBetweenPlanAndBind(t *testing.T) {
	losesNodeAfterPlan(t, func(s *stand, node string) {
		s.must(client.CoreV1().Nodes().Delete(s.ctx, node, meta.DeleteOptions{}))
	})
}

func TestNodeNotReadyBetweenPlanAndBind(t *testing.T) {
	losesNodeAfterPlan(t, func(s *stand, node string) {
		s.patchNode(node, `{"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady"}]}}`, "status")
		s.patchNode(node, `{"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}}`)
	})
}

func TestReplacementGoesToItsDomain(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 4, Hosts: 16}})
	gang := world.Flat("train", 8, plane.RackLevel)
	s.create(gang)
	s.waitBound("train", 8)
	home := s.oneRack(s.pods("train"))
	s.waitPlan("train", "Bound", "")

	// Only the host of the lost member is free in the rack, while seven other racks are empty.
	used := map[string]bool{}
	for _, pod := range s.pods("train") {
		used[pod.Spec.NodeName] = true
	}
	var free []string
	for block := range 2 {
		for rack := range 4 {
			for _, host := range s.rack(block, rack) {
				if world.RackPath(block, rack) == home && !used[host] {
					free = append(free, host)
				}
			}
		}
	}
	s.fill("neighbours", free...)
	lost := observer.Pod(s.namespace, "train-3")
	s.replace(gang, lost, "")
	s.waitBound("train", 8)
	if pod := observer.Pod(s.namespace, "train-3"); pod.Spec.NodeName != lost.Spec.NodeName {
		t.Errorf("the replacement is on %s, not on %s", pod.Spec.NodeName, lost.Spec.NodeName)
	}

	// With no room left in the rack the replacement waits: never another rack.
	lost = observer.Pod(s.namespace, "train-5")
	s.replace(gang, lost, "squatter")
	s.waitPlan("train", "Degraded", "")
	s.waitTurn()
	s.holds(s.bound("train", 7))
	s.unfill("squatter")
	s.waitBound("train", 8)
	if rack := s.oneRack(s.pods("train")); rack != home {
		t.Errorf("from %s to %s", home, rack)
	}
}

// TestFinishedMembersCount: a gang is still whole after some members have ended, so a lost member is replaced (M2). A
// gang whose members have all ended isn't pending, also not after a restart.
func TestFinishedMembersCount(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 8}})
	gang := world.Flat("train", 8, plane.RackLevel)
	s.create(gang)
	s.waitBound("train", 8)
	s.waitPlan("train", "Bound", "")
	var ended []*core.Pod
	for _, name := range []string{"train-0", "train-1", "train-2"} {
		ended = append(ended, observer.Pod(s.namespace, name))
	}
	s.must(world.End(s.ctx, client, core.PodSucceeded, ended...))
	s.replace(gang, observer.Pod(s.namespace, "train-5"), "")
	s.waitBound("train", 8)
	s.waitPlan("train", "Bound", "")

	s.must(world.End(s.ctx, client, core.PodSucceeded, s.pods("train")[3:]...))
	s.waitTurn()
	s.waitPlan("train", "Bound", "")
	s.echelon.Kill()
	s.must(s.echelon.Start())
	s.waitReady()
	s.waitTurn()
	s.waitPlan("train", "Bound", "")
}

// replace deletes a member, lets a filler take its host (unless ""), and creates another member of the same name.
func (s *stand) replace(gang world.Gang, lost *core.Pod, squatter string) {
	s.Helper()
	s.deletePod(lost.Name)
	s.eventually(patience, "the member is gone", func() string {
		if observer.Pod(s.namespace, lost.Name) != nil {
			return lost.Name + " is still there"
		}
		return ""
	})
	if squatter != "" {
		s.fill(squatter, lost.Spec.NodeName)
	}
	var index int
	_, err := fmt.Sscanf(lost.Name, gang.Root.Name+"-%d", &index)
	s.must(err)
	s.createPods(gang.Member(s.namespace, gang.Root.Name, index))
}
