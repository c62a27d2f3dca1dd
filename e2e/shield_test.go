// Does kube-scheduler's own preemption leave gangs what they need?

package e2e

import (
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// A gang with a minimum of two pods fills three hosts with three. A pod of higher priority gets the room of the extra,
// and a second such pod gets none.
func TestPreemptionTakesExtrasAlone(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 3}})
	gang := world.Flat("train", 3, plane.RackLevel)
	gang.Root.Minimum, gang.PriorityClass = 2, lowPriority
	s.create(gang)
	s.waitBound("train", 3)
	s.waitTurn()
	s.createPods(world.Plain(s.namespace, "first", 1, world.Pod{PriorityClass: highPriority})...)
	s.waitBound("first", 1)
	s.holds(s.bound("train", 2))
	s.waitTurn()
	s.createPods(world.Plain(s.namespace, "second", 1, world.Pod{PriorityClass: highPriority})...)
	s.waitCondition("second", "preemption")
	s.waitTurn()
	s.noneBound("second")
	s.holds(s.bound("train", 2))
}
