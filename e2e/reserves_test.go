package e2e

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/world"
)

var large = flag.Bool("large", false, "gangs of 4,200 and 2,500 members instead of 600 and 400")

// TestReservesOfLargeGangs: a large gang, and then two at once, are bound whole at the barrier. Pods of no gang are
// bound meanwhile (BD5). With -large the first gang has more members than the bind port has connections for members.
func TestReservesOfLargeGangs(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 4, Racks: 8, Hosts: 22}})
	one, each := 600, 400
	if *large {
		one, each = 4200, 2500
	}
	gangOf := func(name string, size int) world.Gang {
		gang := world.Flat(name, size, "")
		gang.Pod.GPUs = 1
		return gang
	}
	waitAll := func(sizes map[string]int) {
		s.Helper()
		plain, slowest := 0, time.Duration(0)
		s.eventually(8*time.Minute, "all members are bound, and plain pods meanwhile", func() string {
			waiting := ""
			for name, size := range sizes {
				if lack := s.bound(name, size); lack != "" {
					waiting = lack
				}
			}
			if waiting == "" {
				return ""
			}
			// One plain pod after another, each of which has to be bound soon.
			name := fmt.Sprintf("plain-%d", plain)
			plain++
			begin := time.Now()
			s.createPods(world.Pod{Name: name, Gang: name, GPUs: 1}.Object(s.namespace))
			s.eventually(time.Minute, "a plain pod is bound beside the gangs", func() string { return s.bound(name, 1) })
			slowest = max(slowest, time.Since(begin))
			time.Sleep(time.Second) // So that there are hosts left for all of them.
			return waiting
		})
		t.Logf("%d plain pods were bound meanwhile, the slowest in %s", plain, slowest.Round(time.Millisecond))
		if plain == 0 {
			t.Error("no plain pod was tried")
		}
	}
	s.create(gangOf("vast", one))
	waitAll(map[string]int{"vast": one})
	s.must(world.ClearNamespace(s.ctx, objects, s.namespace))
	s.create(gangOf("first", each))
	s.create(gangOf("second", each))
	waitAll(map[string]int{"first": each, "second": each})
}
