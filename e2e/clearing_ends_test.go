package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/world"
)

// beforeEviction acts when echelon requests the first eviction, and counts the API server's answers.
type beforeEviction struct {
	once  sync.Once
	first func()

	mutex    sync.Mutex
	statuses []int
}

func isEviction(it write) bool { return strings.HasSuffix(it.request.URL.Path, "/eviction") }

func (b *beforeEviction) asked(it write) bool {
	if isEviction(it) {
		b.once.Do(b.first)
	}
	return true
}

func (b *beforeEviction) answered(it write, status int) bool {
	if isEviction(it) {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.statuses = append(b.statuses, status)
	}
	return true
}

func (b *beforeEviction) answers() []int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return slices.Clone(b.statuses)
}

// waitMessage waits until the GangPlan says this.
func (s *stand) waitMessage(gang string, parts ...string) *world.GangPlan {
	s.Helper()
	var plan *world.GangPlan
	s.eventually(patience, fmt.Sprintf("GangPlan %s says %v", gang, parts), func() string {
		plan = world.ReadGangPlan(s.ctx, objects, s.namespace, gang)
		if plan == nil {
			return "there is none"
		}
		for _, part := range parts {
			if !strings.Contains(plan.Message, part) {
				return fmt.Sprintf("it is %+v", plan)
			}
		}
		return ""
	})
	return plan
}

func (s *stand) preemptions(result string) float64 {
	s.Helper()
	metrics, err := s.echelon.Metrics(s.ctx)
	s.must(err)
	return metrics.Sum("echelon_preemptions_total", fmt.Sprintf("result=%q", result))
}

func TestABudgetThatRefusesTheFirstEvictionEndsTheClearing(t *testing.T) {
	var between *between
	s := standPreempting(t, &between)
	for i := range 4 {
		s.budget(fmt.Sprintf("low-%d", i), 2)
	}
	// The budgets shrink when the victims are chosen already.
	evictions := &beforeEviction{first: func() {
		budgets := client.PolicyV1().PodDisruptionBudgets(s.namespace)
		for i := range 4 {
			budget, err := budgets.Get(s.ctx, fmt.Sprintf("low-%d", i), meta.GetOptions{})
			if err == nil {
				budget.Status.DisruptionsAllowed, budget.Status.DesiredHealthy = 0, 2
				_, err = budgets.UpdateStatus(s.ctx, budget, meta.UpdateOptions{})
			}
			if err != nil {
				s.Errorf("a budget cannot be changed: %v", err)
			}
		}
	}}
	between.follow(evictions)
	s.create(highGang("high", 4))
	s.eventually(patience, "an eviction is refused", func() string { return differs("answers to evictions", len(evictions.answers()), 1) })
	plan := s.waitPlan("high", "Pending", "NoRoom")
	if plan.Phase != "Pending" || plan.Reason != "NoRoom" || len(plan.Seats) != 0 || len(plan.Victims) != 0 {
		s.Errorf("the GangPlan is %+v", plan)
	}
	if answers := evictions.answers(); !slices.Equal(answers, []int{429}) {
		s.Errorf("evictions were answered with %v", answers)
	}
	if refused := s.preemptions("refused"); refused != 1 {
		s.Errorf("%v clearings were refused", refused)
	}
	s.noneBound("high")
	if whole := s.wholeLowGangs(); len(whole) != 4 {
		s.Errorf("the low gangs that are left are %v", whole)
	}
}

func TestAKubeletThatHangsEndsTheClearingAndHindersTheNext(t *testing.T) {
	var between *between
	s := standWithoutEnds(t, &between, "preemption: {timeout: 5s}\n")
	evictions := &evictionsSeen{}
	between.follow(evictions)
	s.create(highGang("high", 4))
	s.waitPlan("high", "Clearing", "")
	plan := s.waitMessage("high", "no pods are evicted for it: pod "+s.namespace+"/low-", " did not go within 5 s")
	if plan.Phase != "Pending" || plan.Reason != "NoRoom" || len(plan.Seats) != 0 || len(plan.Victims) != 4 {
		s.Errorf("the GangPlan is %+v", plan)
	}
	if late := s.preemptions("timed_out"); late != 1 {
		s.Errorf("%v clearings ran out of time", late)
	}
	s.create(highGang("other", 4))
	s.waitMessage("other", "no pods are evicted for it: pod "+s.namespace+"/low-", ", which was evicted for gang "+s.namespace+"/high, is still there")
	time.Sleep(12 * time.Second) // Choices are ten seconds apart.
	if evicted := evictions.seen(); len(evicted) != 4 {
		s.Errorf("while four pods terminate, evicted are %v", evicted)
	}
	s.noneBound("high")
	s.noneBound("other")
	go world.EndDeleted(s.ctx, client, observer, s.namespace, 0)
	s.waitBound("high", 4)
	s.waitBound("other", 4)
	if evicted := evictions.seen(); len(evicted) != 8 {
		s.Errorf("in the end, evicted are %v", evicted)
	}
}

func TestTwoGangsGetRoomByEvictionAtOnce(t *testing.T) {
	var between *between
	s := standPreempting(t, &between)
	evictions := &evictionsSeen{}
	between.follow(evictions)
	s.create(highGang("first", 4))
	s.create(highGang("second", 4))
	s.waitBound("first", 4)
	s.waitBound("second", 4)
	s.waitPlan("first", "Bound", "")
	s.waitPlan("second", "Bound", "")
	evicted := evictions.seen()
	slices.Sort(evicted)
	if len(evicted) != 8 || len(slices.Compact(evicted)) != 8 {
		s.Errorf("evicted are %v", evicted)
	}
	if whole := s.wholeLowGangs(); len(whole) != 0 {
		s.Errorf("the low gangs that are left are %v", whole)
	}
	if placed := s.preemptions("placed"); placed != 2 {
		s.Errorf("%v clearings were placed", placed)
	}
}
