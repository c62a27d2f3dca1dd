// Do others use reserved nodes only until the gang that they are promised to can start?

package e2e

import (
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// lasting sets activeDeadlineSeconds.
func lasting(seconds int64, pods ...*core.Pod) []*core.Pod {
	for _, pod := range pods {
		pod.Spec.ActiveDeadlineSeconds = &seconds
	}
	return pods
}

// Two of four hosts are taken for ten minutes by pods that declare it, and a gang wants all four. The stand-in for
// kubelets is the test: it removes pods before their deadlines.
func TestBackfillKeepsAPromise(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 4}, later: true})
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}, More: "queue: {claimAfter: 2s}\n"})
	s.must(err)
	s.waitReady()
	s.startScheduler()
	old := lasting(600, world.Plain(s.namespace, "old", 2, world.Pod{})...)
	hosts := s.rack(0, 0)
	for i, pod := range old {
		pod.Spec.NodeName = hosts[i]
	}
	s.createPods(old...)
	s.waitSeen("old", 2)
	var last time.Time
	for _, pod := range s.pods("old") {
		if created := pod.CreationTimestamp.Time; created.After(last) {
			last = created
		}
	}
	s.create(world.Flat("train", 4, plane.RackLevel))
	promise := "expected to start by " + last.Add(600*time.Second).UTC().Format(time.RFC3339)
	s.waitMessage("train", promise)

	// A plain pod and a gang that end in time start at once; a pod that declares no end waits.
	s.createPods(lasting(60, world.Plain(s.namespace, "short", 1, world.Pod{})...)...)
	s.waitBound("short", 1)
	quick := world.Flat("quick", 1, "")
	s.must(quick.CreateGroups(s.ctx, client, s.namespace))
	s.createPods(lasting(60, quick.Members(s.namespace)...)...)
	s.waitBound("quick", 1)
	s.createPods(world.Plain(s.namespace, "long", 1, world.Pod{})...)
	s.waitMessage("train", promise)

	for _, gang := range []string{"short", "quick"} {
		for _, pod := range s.pods(gang) {
			s.deletePod(pod.Name)
		}
	}
	s.waitCondition("long", "echelon: room here is promised to a gang")
	s.noneBound("long")
	for _, pod := range s.pods("old") {
		s.deletePod(pod.Name)
	}
	s.waitBound("train", 4)
	s.noneBound("long")
}
