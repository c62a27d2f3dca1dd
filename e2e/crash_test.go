package e2e

import (
	"syscall"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// whole is a gang of 64 that fills a block of `wide`.
func whole() world.Gang { return world.Flat("whole", 64, plane.BlockLevel) }

// atFirstBinding creates `whole` and strikes (kills a process) as soon as the first binding is seen.
func (s *stand) atFirstBinding(strike func()) {
	s.Helper()
	struck := make(chan struct{})
	observer.AtFirstBinding("whole", func() {
		strike()
		close(struck)
	})
	s.create(whole())
	select {
	case <-struck:
	case <-time.After(patience):
		s.Fatal("no binding was seen")
	}
	s.Logf("%d of 64 were seen bound at that moment", len(world.Bound(s.pods("whole"))))
}

// record returns the plan of `whole`, which must be written before the first binding.
func (s *stand) record() *world.GangPlan {
	s.Helper()
	plan := world.ReadGangPlan(s.ctx, objects, s.namespace, "whole")
	if plan == nil || len(plan.Seats) != 64 || (plan.Phase != "Committed" && plan.Phase != "Bound") {
		s.Fatalf("a binding was seen, but the record is %+v", plan)
	}
	return plan
}

// finished checks that all of `whole` is bound, each pod to its seat in the record.
func (s *stand) finished(plan *world.GangPlan) {
	s.Helper()
	s.waitBound("whole", 64)
	s.onPlannedSeats("whole", plan)
	s.oneBlock(s.pods("whole"))
	s.waitPlan("whole", "Bound", "")
}

func TestEchelonKilledAtFirstBinding(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	s.atFirstBinding(s.echelon.Kill)
	plan := s.record()
	s.must(s.echelon.Start())
	s.waitReady()
	s.finished(plan)
}

func TestSchedulerKilledAtFirstBinding(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	s.atFirstBinding(s.scheduler.Kill)
	plan := s.record()
	s.must(s.scheduler.Start())
	s.finished(plan)
}

func TestEchelonKilledWhileIncomplete(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	gang := world.Flat("train", 16, plane.RackLevel).Ungated()
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	s.createPods(members[:12]...)
	s.waitPlan("train", "Pending", "Incomplete")
	s.echelon.Kill()
	s.createPods(members[12:]...)
	// kube-scheduler can't reach echelon, and must not bind members without it.
	s.eventually(patience, "the last member was tried", func() string {
		pod := observer.Pod(s.namespace, members[15].Name)
		if pod == nil || scheduledCondition(pod) == "" {
			return "no condition yet"
		}
		return ""
	})
	s.noneBound("train")
	s.must(s.echelon.Start())
	s.waitReady()
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
}

func TestEchelonKilledBetweenPlanAndCommit(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	s.scheduler.Pause()
	s.create(world.Flat("train", 16, plane.RackLevel))
	s.waitPlan("train", "Held", "")
	s.echelon.Kill()
	s.must(s.echelon.Start())
	s.waitReady()
	s.scheduler.Resume()
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
	s.onPlannedSeats("train", s.waitPlan("train", "Bound", ""))
}

func TestSigtermFinishesTheCommit(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	s.atFirstBinding(func() { s.echelon.Signal(syscall.SIGTERM) })
	plan := s.record()
	select {
	case <-s.echelon.Ended():
	case <-time.After(patience):
		t.Fatal("echelon doesn't end")
	}
	if status := s.echelon.ExitCode(); status != 0 {
		t.Errorf("it ended with status %d\n%s", status, s.echelon.Tail(2000))
	}
	// No process is left that could bind: bindings that exist now were finished before the kill.
	s.waitBound("whole", 64)
	s.onPlannedSeats("whole", plan)
	s.oneBlock(s.pods("whole"))
}
