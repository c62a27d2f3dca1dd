package e2e

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// kills is how often each moment of a commit is struck; `./dev abuse long` sets more.
var kills = flag.Int("kills", 5, "how often each moment of a commit is struck")

// struckSize is the size of the gangs whose commits are struck.
const struckSize = 64

// twoBlocks has room for two such gangs: 2 blocks of 4 racks of 16 hosts.
var twoBlocks = world.Fabric{Blocks: 2, Racks: 4, Hosts: 16}

// moment is a point in the commit of one gang, and strikes there once.
type moment struct {
	bindings int // After this number of bindings was answered; 0: right after the record was written.
	strike   func()

	mutex sync.Mutex
	seen  int
	done  bool
	over  chan struct{}
}

func at(bindings int, strike func()) *moment {
	return &moment{bindings: bindings, strike: strike, over: make(chan struct{})}
}

func (m *moment) asked(write) bool { return true }

func (m *moment) answered(it write, status int) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.done {
		return true
	}
	if it.isBinding() && status < 300 {
		m.seen++
	}
	if m.bindings == 0 && !(it.recorded() && status < 300) || m.seen < m.bindings {
		return true
	}
	m.done = true
	m.strike()
	close(m.over)
	return true
}

// moments of a commit of 64.
var moments = []struct {
	name     string
	bindings int
}{{"after the record", 0}, {"after the first binding", 1}, {"in the middle", struckSize / 2}, {"after the last binding", struckSize}}

// strikeCommits lets one gang after another commit, strikes each commit at one of the moments, and checks that every
// gang is whole.
func strikeCommits(t *testing.T, strike, revive func(s *stand)) {
	s := standOn(t, setup{fabric: twoBlocks, later: true})
	between := s.standBetween()
	s.startEchelonAt(&between.Server)
	s.waitReady()
	s.startScheduler()
	for _, moment := range moments {
		for round := range *kills {
			name := fmt.Sprintf("whole-%d-%d", moment.bindings, round)
			if !t.Run(fmt.Sprintf("%s %d", moment.name, round), func(t *testing.T) {
				part := *s
				part.T = t
				part.strikeOnce(name, between, moment.bindings, strike, revive)
			}) {
				return
			}
		}
	}
}

// strikeOnce creates a gang, strikes its commit, waits until it is bound, and removes it.
func (s *stand) strikeOnce(name string, between *between, bindings int, strike, revive func(s *stand)) {
	s.Helper()
	moment := at(bindings, func() { strike(s) })
	between.follow(moment)
	s.create(world.Flat(name, struckSize, plane.BlockLevel))
	select {
	case <-moment.over:
	case <-time.After(patience):
		s.Fatal("the moment never came")
	}
	born := s.uids(name)
	plan := world.ReadGangPlan(s.ctx, objects, s.namespace, name)
	if plan == nil || len(plan.Seats) != struckSize || !isStruck(plan) {
		s.Fatalf("the record is %+v", plan)
	}
	s.Logf("%d of %d were bound then", len(world.Bound(s.pods(name))), struckSize)
	revive(s)
	s.wholeAsPlanned(name, plan, born)
	s.must(world.ClearNamespace(s.ctx, objects, s.namespace))
	s.eventually(patience, "the gang is gone", func() string { return differs("pods", len(s.pods(name)), 0) })
}

// isStruck: the record is of a commit. A gang whose callers all left before its first binding holds its seats again.
func isStruck(plan *world.GangPlan) bool {
	return plan.Phase == "Committed" || plan.Phase == "Bound" ||
		plan.Phase == "Held" && plan.Bound == fmt.Sprintf("0/%d", struckSize)
}

// wholeAsPlanned checks that all pods are bound to the seats of the record, and are the pods that existed before.
func (s *stand) wholeAsPlanned(name string, plan *world.GangPlan, born map[string]types.UID) {
	s.Helper()
	s.waitBound(name, len(plan.Seats))
	s.onPlannedSeats(name, plan)
	s.oneBlock(s.pods(name))
	s.waitPlan(name, "Bound", "")
	if now := s.uids(name); !maps.Equal(born, now) {
		s.Errorf("pods came and went: %v, then %v", born, now)
	}
	for _, fault := range observer.Faults() {
		s.Error(fault)
	}
}

// uids are those of a gang's pods by name.
func (s *stand) uids(gang string) map[string]types.UID {
	uids := map[string]types.UID{}
	for _, pod := range s.pods(gang) {
		uids[pod.Name] = pod.UID
	}
	return uids
}

func TestEchelonKilledAtEveryMomentOfACommit(t *testing.T) {
	strikeCommits(t, func(s *stand) { s.echelon.Kill() }, func(s *stand) {
		s.must(s.echelon.Start())
		s.waitReady()
	})
}

func TestSchedulerKilledAtEveryMomentOfACommit(t *testing.T) {
	previous := *kills
	*kills = max(1, previous/5)
	defer func() { *kills = previous }()
	strikeCommits(t, func(s *stand) { s.scheduler.Kill() }, func(s *stand) { s.must(s.scheduler.Start()) })
}

func TestApiServerFrozenInACommit(t *testing.T) {
	s := standOn(t, setup{fabric: twoBlocks, later: true})
	between := s.standBetween()
	s.startEchelonAt(&between.Server)
	s.waitReady()
	s.startScheduler()
	s.strikeOnce("whole", between, 8, func(*stand) {
		shared.APIServer.Pause()
		time.AfterFunc(frozen, shared.APIServer.Resume)
	}, func(*stand) {})
}

func TestEchelonFrozenInACommit(t *testing.T) {
	s := standOn(t, setup{fabric: twoBlocks, later: true})
	between := s.standBetween()
	s.startEchelonAt(&between.Server)
	s.waitReady()
	s.startScheduler()
	// When it continues, it reads the answers sent meanwhile; some callers have given up.
	s.strikeOnce("whole", between, 8, func(s *stand) {
		s.echelon.Pause()
		time.AfterFunc(frozen, s.echelon.Resume)
	}, func(*stand) {})
}

// frozen is longer than echelon waits for one answer.
const frozen = 10 * time.Second

// losing is a rule that drops bindings, or the answers to them.
type losing struct {
	way, answers int // Every n-th of the first struckSize bindings; 0: none.
	hung         int // This one; 0: none.

	mutex       sync.Mutex
	asks, heard int
}

func (l *losing) asked(it write) bool {
	if !it.isBinding() {
		return true
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.asks++
	return l.way == 0 || l.asks > struckSize || l.asks%l.way != 0
}

func (l *losing) answered(it write, status int) bool {
	if !it.isBinding() || status >= http.StatusMultipleChoices {
		return true
	}
	l.mutex.Lock()
	l.heard++
	heard := l.heard
	l.mutex.Unlock()
	if l.hung == heard {
		<-it.request.Context().Done() // No answer and no end either, until the caller gives up.
		return false
	}
	return l.answers == 0 || heard%l.answers != 0
}

func TestLostBindings(t *testing.T) {
	for _, row := range []struct {
		name string
		rule *losing
	}{
		{"lost on their way", &losing{way: 3}},
		{"applied with the answers lost", &losing{answers: 3}},
		{"applied with one never answered", &losing{hung: 5}},
		{"all of it", &losing{way: 4, answers: 5, hung: 7}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := standOn(t, setup{fabric: twoBlocks, later: true})
			between := s.standBetween()
			between.follow(row.rule)
			s.startEchelonAt(&between.Server)
			s.waitReady()
			s.startScheduler()
			s.create(world.Flat("whole", struckSize, plane.BlockLevel))
			plan := s.waitPlan("whole", "Bound", "")
			s.wholeAsPlanned("whole", plan, s.uids("whole"))
			row.rule.mutex.Lock()
			defer row.rule.mutex.Unlock()
			if row.rule.way == 0 && row.rule.heard != struckSize {
				t.Errorf("%d bindings were applied for %d pods", row.rule.heard, struckSize)
			}
			if row.rule.way > 0 && row.rule.asks <= struckSize {
				t.Errorf("nothing was lost: %d bindings were sent", row.rule.asks)
			}
			t.Logf("%d bindings were sent, %d applied", row.rule.asks, row.rule.heard)
		})
	}
}
