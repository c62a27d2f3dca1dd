package e2e

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

const (
	replicaLabel  = "leaderworkerset.sigs.k8s.io/group-index"
	revisionLabel = "leaderworkerset.sigs.k8s.io/template-revision-hash"
)

// replicaRacks: each of so many replicas has all its 8 pods bound in one rack, which is answered by replica.
func (s *stand) replicaRacks(replicas int) map[string]string {
	s.Helper()
	racks := map[string]string{}
	for replica, pods := range sorted(s.pods("serve"), replicaLabel) {
		s.holds(differs("bound of replica "+replica, len(world.Bound(pods)), 8))
		racks[replica] = s.oneRack(pods)
	}
	s.holds(differs("replicas", len(racks), replicas))
	return racks
}

// A LeaderWorkerSet of four replicas that have a rack each to themselves: its controller makes the workers of each once its
// leader has a node.
func TestLeaderWorkerSet(t *testing.T) {
	// Two racks have room for a leader and not for its workers.
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 3, Hosts: 8, UniqueRacks: true}, controllers: &plane.ControllerOptions{}})
	s.fill("odd", world.HostName(0, 0, 0), world.HostName(1, 1, 3))
	s.createLeaderWorkerSet(fmt.Sprintf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve, annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: %s}}
spec:
  replicas: 4
  leaderWorkerTemplate:
    size: 8
    workerTemplate:%s`, plane.RackLevel, template{gang: "serve"}.at(6)))
	s.waitBound("serve", 32)
	before := s.replicaRacks(4)
	for replica := range 4 {
		s.waitPlanOf(fmt.Sprintf("serve/%d", replica), "Bound", "")
	}

	// A fifth has nowhere to go, and nothing of it goes anywhere, until a rack is whole.
	s.patchObject(leaderWorkerSets, "serve", `{"spec":{"replicas":5}}`)
	s.waitPlanOf("serve/4", "Pending", "NoRoom")
	s.waitTurn()
	s.holds(s.bound("serve", 32))
	s.deletePod("filler-odd-" + world.HostName(0, 0, 0))
	s.waitBound("serve", 40)
	_, before["4"] = observer.Place(world.HostName(0, 0, 0))
	if racks := s.replicaRacks(5); !maps.Equal(racks, before) {
		t.Errorf("replicas were in %v and are in %v", before, racks)
	}

	// Restarted one after another with another template, each comes back whole, to where it was: no other rack is whole.
	old := slices.Collect(maps.Keys(sorted(s.pods("serve"), revisionLabel)))
	s.patchObject(leaderWorkerSets, "serve", `{"spec":{"leaderWorkerTemplate":{"workerTemplate":{"metadata":{"labels":{"release":"two"}}}}}}`)
	s.eventually(patience, "all replicas are restarted", func() string {
		remade := 0
		for _, pod := range world.Bound(s.pods("serve")) {
			if !slices.Contains(old, pod.Labels[revisionLabel]) {
				remade++
			}
		}
		return differs("restarted", remade, 40)
	})
	s.waitBound("serve", 40)
	if racks := s.replicaRacks(5); !maps.Equal(racks, before) {
		t.Errorf("replicas were in %v and are in %v", before, racks)
	}
}
