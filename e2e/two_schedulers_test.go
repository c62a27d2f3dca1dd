// Does one echelon serve two kube-schedulers, each with its own profile?

package e2e

import (
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// Each kube-scheduler learns only from the API server, or from echelon, where the other one's pods will be.
func TestTwoSchedulersShareOneEchelon(t *testing.T) {
	const batch = "batch-scheduler"
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 3, Hosts: 8}, later: true})
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{Profiles: []plane.Profile{{SchedulerName: defaultScheduler}, {SchedulerName: batch}}})
	s.must(err)
	s.waitReady()
	s.startScheduler()
	other, err := shared.StartScheduler(plane.SchedulerOptions{Name: "other", Profiles: []plane.SchedulerProfile{{Name: batch}}, Extender: s.echelon})
	s.must(err)
	t.Cleanup(func() { other.Kill() })

	// Both want whole racks at the same time.
	gang := func(name, scheduler string) world.Gang {
		gang := world.Flat(name, 8, plane.RackLevel)
		gang.Pod.Scheduler = scheduler
		return gang
	}
	for _, each := range []world.Gang{gang("first", defaultScheduler), gang("second", batch), gang("third", defaultScheduler)} {
		s.create(each)
	}
	for _, name := range []string{"first", "second", "third"} {
		s.waitBound(name, 8)
		s.oneRack(s.pods(name))
	}
	s.create(gang("fourth", batch))
	s.waitPlan("fourth", "Pending", "NoRoom")

	// Room that one of them frees goes to a gang of the other one, and stays promised to it while its kube-scheduler is down.
	other.Kill()
	for _, pod := range s.pods("first") {
		s.deletePod(pod.Name)
	}
	s.waitPlan("fourth", "Held", "")
	s.createPods(world.Plain(s.namespace, "beside", 1, world.Pod{})...)
	s.waitSeen("beside", 1)
	s.waitTurn()
	s.noneBound("beside")
	s.deletePod("beside-0") // It could come between a binding and the moment in which its kube-scheduler sees that.
	s.must(other.Start())
	s.waitBound("fourth", 8)
	s.oneRack(s.pods("fourth"))
}
