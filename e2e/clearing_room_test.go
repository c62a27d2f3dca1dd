// Which pods get the room that a clearing frees, and what if it becomes free without it? (P4, P7)

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/world"
)

// noEviction drops every eviction.
type noEviction struct{}

func (noEviction) asked(it write) bool           { return !isEviction(it) }
func (noEviction) answered(it write, _ int) bool { return true }

// TestRoomThatComesByItselfSparesVictims: if a gang ends during a clearing, the preemptor gets its room, and no more
// pods are evicted.
func TestRoomThatComesByItselfSparesVictims(t *testing.T) {
	var between *between
	s := standPreempting(t, &between)
	between.follow(noEviction{})
	s.create(highGang("high", 4))
	plan := s.waitPlan("high", "Clearing", "")
	victims := map[string]bool{}
	for _, victim := range plan.Victims {
		victims[strings.TrimPrefix(victim.Gang, s.namespace+"/")] = true
	}
	for i := range 4 {
		name := fmt.Sprintf("low-%d", i)
		if victims[name] {
			continue
		}
		for _, pod := range s.pods(name) {
			s.deletePod(pod.Name)
		}
	}
	evictions := &evictionsSeen{}
	s.waitBound("high", 4)
	between.follow(evictions)
	s.waitPlan("high", "Bound", "")
	s.waitTurn()
	if whole := s.wholeLowGangs(); len(whole) != 2 || len(evictions.seen()) != 0 {
		s.Errorf("the low gangs that are left are %v, and evicted are %v", whole, evictions.seen())
	}
	for _, whole := range s.wholeLowGangs() {
		if !victims[whole] {
			s.Errorf("%s is left, which was no victim", whole)
		}
	}
}

// TestNobodyElseTakesClearedRoom: neither plain pods nor the pods that replace the victims get the room.
func TestNobodyElseTakesClearedRoom(t *testing.T) {
	var between *between
	s := standPreempting(t, &between)
	evictions := &evictionsSeen{}
	between.follow(evictions)
	// They wait for room from the beginning, and take whatever is free.
	s.createPods(world.Plain(s.namespace, "plain", 4, world.Pod{})...)
	s.waitCondition("plain", "nodes are available")
	s.create(highGang("high", 4))
	plan := s.waitPlan("high", "Clearing", "")
	s.eventually(patience, "all victims are evicted", func() string { return differs("evictions", len(evictions.seen()), 4) })
	// As their controller would: new pods of the same gangs, with new names.
	for i := range 2 {
		again := lowGang(fmt.Sprintf("again-%d", i))
		s.create(again)
	}
	s.waitBound("high", 4)
	s.onPlannedSeats("high", plan)
	s.noneBound("plain")
	s.noneBound("again-0")
	s.noneBound("again-1")
	// Their turn comes with the next room.
	for _, pod := range s.pods("high") {
		s.deletePod(pod.Name)
	}
	s.eventually(patience, "the room is taken", func() string {
		bound := len(world.Bound(s.pods("plain"))) + len(world.Bound(s.pods("again-0"))) + len(world.Bound(s.pods("again-1")))
		return differs("bound", bound, 4)
	})
	time.Sleep(time.Second)
	for i := range 2 {
		if bound := len(world.Bound(s.pods(fmt.Sprintf("again-%d", i)))); bound == 1 {
			s.Errorf("again-%d is bound in part", i)
		}
	}
}
