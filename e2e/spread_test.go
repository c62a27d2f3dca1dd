// Are slices by rank, limits per domain, and pairs kept?

package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// gangByLabels are pods of whole hosts, each with these labels and annotations.
func (s *stand) gangByLabels(name string, pods int, labels, annotations func(pod int) map[string]string) []*core.Pod {
	var members []*core.Pod
	for i := range pods {
		members = append(members, world.Pod{Name: fmt.Sprintf("%s-%d", name, i), Gang: name, Labels: labels(i), Annotations: annotations(i)}.Object(s.namespace))
	}
	return members
}

// rackOf returns the rack of each bound pod, by the name of the pod.
func (s *stand) rackOf(gang string) map[string]string {
	racks := map[string]string{}
	for _, pod := range s.pods(gang) {
		_, racks[pod.Name] = observer.Place(pod.Spec.NodeName)
	}
	return racks
}

// TestSlicesOfKueueByRank: consecutive ranks share a rack, whatever the order of names, and a replaced pod returns to
// it.
func TestSlicesOfKueueByRank(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 3, Hosts: 3}})
	const pods, size = 6, 2
	rank := func(pod int) int { return (pod*5 + 1) % pods } // Neighbours by name are none by rank.
	same := map[string]string{"kueue.x-k8s.io/pod-group-total-count": fmt.Sprint(pods), "kueue.x-k8s.io/podset-required-topology": plane.BlockLevel,
		"kueue.x-k8s.io/podset-slice-required-topology": plane.RackLevel, "kueue.x-k8s.io/podset-slice-size": fmt.Sprint(size)}
	members := s.gangByLabels("slices", pods, func(pod int) map[string]string {
		return map[string]string{"kueue.x-k8s.io/pod-group-name": "slices", "kueue.x-k8s.io/pod-group-pod-index": fmt.Sprint(rank(pod))}
	}, func(int) map[string]string { return same })
	s.createPods(members...)
	s.waitBound("slices", pods)
	bySlice := func() map[int]string {
		racks := s.rackOf("slices")
		of := map[int]string{}
		for pod := range pods {
			slice, rack := rank(pod)/size, racks[fmt.Sprintf("slices-%d", pod)]
			if of[slice] == "" {
				of[slice] = rack
			}
			if of[slice] != rack {
				t.Fatalf("slice %d is in %s and %s: %v", slice, of[slice], rack, racks)
			}
		}
		return of
	}
	before := bySlice()
	s.deletePod("slices-2")
	s.eventually(patience, "the pod is gone", func() string { return differs("pods", len(s.pods("slices")), pods-1) })
	s.createPods(members[2].DeepCopy())
	s.waitBound("slices", pods)
	if after := bySlice(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Fatalf("slices were in %v, and are in %v", before, after)
	}
}

// TestAtMostSoManyInADomain: a gang is spread although one rack has room for all of it, and waits if it can't be
// spread.
func TestAtMostSoManyInADomain(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	none := func(name string) func(int) map[string]string {
		return func(int) map[string]string { return map[string]string{"echelon.sh/gang": name} }
	}
	limited := func(minimum int) func(int) map[string]string {
		return func(int) map[string]string {
			return map[string]string{"echelon.sh/gang-minimum": fmt.Sprint(minimum), "echelon.sh/group-max-per-domain": plane.RackLevel + "=2"}
		}
	}
	s.createPods(s.gangByLabels("spread", 4, none("spread"), limited(4))...)
	s.waitBound("spread", 4)
	count := map[string]int{}
	for _, rack := range s.rackOf("spread") {
		count[rack]++
	}
	if len(count) != 2 || count[world.RackPath(0, 0)] != 2 {
		t.Fatalf("at most two in a rack: %v", count)
	}
	// Four hosts are free, two in each rack: room for four of five.
	s.createPods(s.gangByLabels("wide", 5, none("wide"), limited(5))...)
	s.waitPlan("wide", "Pending", "Impossible")
	s.noneBound("wide")
}

// TestPairedGroups: two prefill and two decode pods on two racks of two free hosts: one of each per rack.
func TestPairedGroups(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 3}})
	s.fill("full", world.HostName(0, 0, 0), world.HostName(0, 1, 0))
	s.waitBound("full", 2)
	role := func(pod int) string { return []string{"prefill", "decode"}[pod/2] }
	members := s.gangByLabels("chat", 4, func(pod int) map[string]string {
		return map[string]string{"echelon.sh/gang": "chat", "echelon.sh/group": role(pod)}
	}, func(int) map[string]string {
		return map[string]string{"echelon.sh/gang-minimum": "2", "echelon.sh/group-minimum": "2", "echelon.sh/gang-required-topology": plane.BlockLevel,
			"echelon.sh/gang-paired-topology": plane.RackLevel}
	})
	s.createPods(members...)
	s.waitBound("chat", 4)
	racks := s.rackOf("chat")
	for pod := 0; pod < 4; pod += 2 {
		if racks[fmt.Sprintf("chat-%d", pod)] == racks[fmt.Sprintf("chat-%d", pod+1)] {
			t.Fatalf("both of %s are in one rack: %v", role(pod), racks)
		}
	}
}
