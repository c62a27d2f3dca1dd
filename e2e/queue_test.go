package e2e

import (
	"fmt"
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

func TestTenGangsForEightRacks(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 4, Hosts: 16}})
	var numbers []int
	for i := range 10 {
		numbers = append(numbers, i)
	}
	name := func(i int) string { return fmt.Sprintf("gang-%d", i) }
	s.must(world.InParallel(numbers, func(i int) error {
		return world.Flat(name(i), 16, plane.RackLevel).Create(s.ctx, client, s.namespace)
	}))
	s.eventually(patience, "eight gangs are bound", func() string {
		whole := 0
		for _, i := range numbers {
			if s.bound(name(i), 16) == "" {
				whole++
			}
		}
		return differs("whole gangs", whole, 8)
	})
	s.waitTurn()
	racks := map[string]string{}
	for _, i := range numbers {
		if s.bound(name(i), 16) != "" {
			s.waitPlan(name(i), "Pending", "NoRoom")
			s.noneBound(name(i))
			s.gatesKept(name(i), 16)
			continue
		}
		rack := s.oneRack(s.pods(name(i)))
		if other, taken := racks[rack]; taken {
			t.Errorf("%s and %s are both in %s", other, name(i), rack)
		}
		racks[rack] = name(i)
	}
}

func TestTwoGangsForOneRoom(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 16}})
	names := []string{"one", "two"}
	s.must(world.InParallel(names, func(name string) error {
		return world.Flat(name, 16, plane.RackLevel).Create(s.ctx, client, s.namespace)
	}))
	first, second := "", ""
	s.eventually(patience, "one gang is bound", func() string {
		for i, name := range names {
			if s.bound(name, 16) == "" {
				first, second = name, names[1-i]
				return ""
			}
		}
		return "neither is"
	})
	s.waitPlan(second, "Pending", "NoRoom")
	s.waitTurn()
	s.noneBound(second)
	s.gatesKept(second, 16)
	for _, pod := range s.pods(first) {
		s.deletePod(pod.Name)
	}
	s.waitBound(second, 16)
}

func TestPriorityDecides(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 16}})
	s.fill("before", s.rack(0, 0)...)
	gang := func(name, class string) world.Gang {
		gang := world.Flat(name, 16, plane.RackLevel)
		gang.PriorityClass = class
		return gang
	}
	s.create(gang("low", lowPriority))
	s.waitPlan("low", "Pending", "NoRoom")
	s.create(gang("high", highPriority))
	s.waitPlan("high", "Pending", "NoRoom")
	s.unfill("before")
	s.waitBound("high", 16)
	s.waitPlan("low", "Pending", "NoRoom")
	s.noneBound("low")
	s.gatesKept("low", 16)
}

func TestPlainPodsAreNotHeldUp(t *testing.T) {
	s := standOn(t, setup{fabric: wide, otherProfiles: []string{"plain-scheduler"}})
	waiting := world.Flat("waiting", 16, plane.RackLevel).Ungated()
	s.must(waiting.CreateGroups(s.ctx, client, s.namespace))
	s.createPods(waiting.Members(s.namespace)[:12]...)
	s.waitCondition("waiting", "echelon: ")
	s.createPods(append(world.Plain(s.namespace, "unlisted", 50, world.Pod{Scheduler: "plain-scheduler"}),
		world.Plain(s.namespace, "listed", 50, world.Pod{})...)...)
	s.waitBound("unlisted", 50)
	s.waitBound("listed", 50)
	s.noneBound("waiting")
}
