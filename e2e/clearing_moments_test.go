package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// clearingMoment is one write of a clearing, on its way to the API server or answered by it.
type clearingMoment struct {
	name     string
	is       func(write) bool
	count    int  // It is the write of this number.
	answered bool // Else the write is lost.
}

func clears(it write) bool { return it.phase() == "Clearing" }

var clearingMoments = []clearingMoment{
	{name: "before the record", is: clears, count: 1},
	{name: "after the record", is: clears, count: 1, answered: true},
	{name: "before the first eviction", is: isEviction, count: 1},
	{name: "after the first eviction", is: isEviction, count: 1, answered: true},
	{name: "after the last eviction", is: isEviction, count: 4, answered: true},
	{name: "before the commit", is: write.recorded, count: 1},
	{name: "after the commit", is: write.recorded, count: 1, answered: true},
	{name: "after the first binding", is: write.isBinding, count: 1, answered: true},
}

// strikeAtMoment strikes once, and remembers the pods whose eviction was accepted.
type strikeAtMoment struct {
	moment clearingMoment
	strike func()
	over   chan struct{}

	mutex   sync.Mutex
	met     int
	evicted map[string]bool
}

func newStrike(moment clearingMoment, strike func()) *strikeAtMoment {
	return &strikeAtMoment{moment: moment, strike: strike, over: make(chan struct{}), evicted: map[string]bool{}}
}

// hit marks the moment. From then on no request of the struck echelon arrives.
func (s *strikeAtMoment) hit(it write, answered bool) bool {
	if answered != s.moment.answered || !s.moment.is(it) {
		return false
	}
	s.met++
	if s.met != s.moment.count {
		return false
	}
	s.strike()
	close(s.over)
	return true
}

func (s *strikeAtMoment) asked(it write) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return !s.hit(it, false)
}

func (s *strikeAtMoment) answered(it write, status int) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if status >= 300 {
		return true
	}
	if isEviction(it) {
		parts := strings.Split(it.request.URL.Path, "/")
		s.evicted[parts[len(parts)-2]] = true
	}
	s.hit(it, true)
	return true
}

func (s *strikeAtMoment) pods() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Sorted(maps.Keys(s.evicted))
}

// endsAsRecorded checks that the important gang is bound, and that exactly the victims of the record, if any, are gone.
func (s *stand) endsAsRecorded(strike *strikeAtMoment, record *world.GangPlan) {
	s.Helper()
	s.waitBound("high", 4)
	s.waitPlan("high", "Bound", "")
	if whole := s.wholeLowGangs(); len(whole) != 2 || !slices.Contains(whole, "low-0") {
		s.Errorf("the low gangs that are left are %v", whole)
	}
	gone := s.goneLowPods()
	for _, pod := range strike.pods() {
		if !slices.Contains(gone, pod) {
			s.Errorf("%s was evicted, and is not gone", pod)
		}
	}
	if record == nil || len(record.Seats) == 0 {
		return
	}
	s.onPlannedSeats("high", record)
	if record.Phase != "Clearing" {
		return // The room is free, and the record names no victims any more.
	}
	var recorded []string
	for _, victim := range record.Victims {
		recorded = append(recorded, strings.TrimPrefix(victim.Pod, s.namespace+"/"))
	}
	slices.Sort(recorded)
	if !slices.Equal(recorded, gone) {
		s.Errorf("the record has %v, and gone are %v", recorded, gone)
	}
}

func (s *stand) goneLowPods() []string {
	var gone []string
	for i := range 4 {
		name := fmt.Sprintf("low-%d", i)
		for number := range 2 {
			pod := fmt.Sprintf("%s-%d", name, number)
			isThere := func(one *core.Pod) bool { return one.Name == pod }
			if !slices.ContainsFunc(s.pods(name), isThere) {
				gone = append(gone, pod)
			}
		}
	}
	return gone
}

func (s *stand) waitStrike(strike *strikeAtMoment) {
	s.Helper()
	select {
	case <-strike.over:
	case <-time.After(patience):
		s.Fatalf("the moment never came; the GangPlan is %+v", world.ReadGangPlan(s.ctx, objects, s.namespace, "high"))
	}
}

// TestKilledAtEachMomentOfAClearing: whenever echelon is killed, the next one continues from the record (P2, P4).
func TestKilledAtEachMomentOfAClearing(t *testing.T) {
	for _, moment := range clearingMoments {
		t.Run(moment.name, func(t *testing.T) {
			var between *between
			s := standPreempting(t, &between)
			s.guard("low-0")
			strike := newStrike(moment, s.echelon.Kill)
			between.follow(strike)
			s.create(highGang("high", 4))
			s.waitStrike(strike)
			record := world.ReadGangPlan(s.ctx, objects, s.namespace, "high")
			s.must(s.echelon.Start())
			s.waitReady()
			s.endsAsRecorded(strike, record)
		})
	}
}

// TestAnotherLeaderGoesOnWithAClearing: the new leader evicts the remaining victims of the record, and no others (P4,
// P6).
func TestAnotherLeaderGoesOnWithAClearing(t *testing.T) {
	var between *between
	lease := strings.ToLower(t.Name())
	leads := fmt.Sprintf("leader: {mode: own, lease: {namespace: %s, name: %s, duration: 3s}}\n", plane.LeaseNamespace, lease)
	s := standWithoutEnds(t, &between, leads)
	t.Cleanup(func() {
		_ = client.CoordinationV1().Leases(plane.LeaseNamespace).Delete(context.Background(), lease, meta.DeleteOptions{})
	})
	go world.EndDeleted(s.ctx, client, observer, s.namespace, time.Second)
	s.guard("low-0")
	second, err := shared.StartEchelon(plane.EchelonOptions{Name: "second", More: leads, Server: &between.Server,
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler, Preempt: true}}})
	s.must(err)
	t.Cleanup(second.Kill)
	strike := newStrike(clearingMoment{is: isEviction, count: 2, answered: true}, s.echelon.Kill)
	between.follow(strike)
	s.create(highGang("high", 4))
	s.waitStrike(strike)
	record := world.ReadGangPlan(s.ctx, objects, s.namespace, "high")
	s.scheduler.Kill()
	s.echelon = second
	s.waitReady()
	s.waitLead(1)
	s.startScheduler()
	s.endsAsRecorded(strike, record)
}

// oneEviction lets the first eviction pass, and drops all others until `go_on`.
type oneEviction struct {
	evictionsSeen
	gate   sync.Mutex
	asks   int
	goesOn bool
}

func (o *oneEviction) asked(it write) bool {
	o.gate.Lock()
	defer o.gate.Unlock()
	if !isEviction(it) || o.goesOn {
		return true
	}
	o.asks++
	return o.asks == 1
}

func (o *oneEviction) pass() {
	o.gate.Lock()
	defer o.gate.Unlock()
	o.goesOn = true
}

// TestAPreemptorThatGoesSparesWhatIsLeft: once the preempting gang is deleted, no more pods are evicted (P5).
func TestAPreemptorThatGoesSparesWhatIsLeft(t *testing.T) {
	var between *between
	s := standPreempting(t, &between)
	evictions := &oneEviction{}
	between.follow(evictions)
	high := highGang("high", 4)
	s.create(high)
	s.eventually(patience, "one pod is evicted", func() string { return differs("evictions", len(evictions.seen()), 1) })
	zero := int64(0)
	for _, pod := range s.pods("high") {
		s.must(client.CoreV1().Pods(s.namespace).Delete(s.ctx, pod.Name, meta.DeleteOptions{GracePeriodSeconds: &zero}))
	}
	s.eventually(patience, "the clearing has ended", func() string {
		if plan := world.ReadGangPlan(s.ctx, objects, s.namespace, "high"); plan != nil && plan.Phase == "Clearing" {
			return fmt.Sprintf("the GangPlan is %+v", plan)
		}
		return ""
	})
	evictions.pass()
	s.eventually(patience, "the evicted pod has ended", func() string {
		return differs("pods", len(observer.PodsIn(s.namespace)), 7)
	})
	// The room is open to every pod again.
	plain := world.Pod{Name: "plain", Gang: "plain"}
	s.createPods(plain.Object(s.namespace))
	s.waitBound("plain", 1)
	if seen := evictions.seen(); len(seen) != 1 {
		s.Errorf("evicted are %v", seen)
	}
}
