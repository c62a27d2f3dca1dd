// Do nominations stay behind when a gang loses its plan? kube-scheduler keeps room for every nominated pod.

package e2e

import (
	"fmt"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// strays counts the pods behind echelon's gate that are nominated, and released those without the gate.
func (s *stand) strays(gang string) (strays, released int) {
	for _, pod := range s.pods(gang) {
		if len(pod.Spec.SchedulingGates) == 0 {
			released++
		} else if pod.Status.NominatedNodeName != "" {
			strays++
		}
	}
	return strays, released
}

// The writes are so slow that most nominations are still under way when the plan is lost. They land, and have to be
// taken back. No kube-scheduler runs.
func TestNominationsOfALostPlan(t *testing.T) {
	s := standOn(t, setup{fabric: wide, later: true})
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{QPS: 100, Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}})
	s.must(err)
	s.waitReady()
	s.create(world.Flat("train", 64, plane.BlockLevel))
	s.eventually(patience, "the first are released", func() string {
		if _, released := s.strays("train"); released < 4 {
			return fmt.Sprintf("%d are", released)
		}
		return ""
	})
	s.deletePod("train-63")
	s.waitPlan("train", "Pending", "Incomplete")
	left := func() string {
		strays, _ := s.strays("train")
		return differs("nominations", strays, 0)
	}
	s.eventually(8*time.Second, "no nomination is left", left)
	for range 20 { // None lands later.
		time.Sleep(50 * time.Millisecond)
		s.holds(left())
	}
}
