package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// evictionsSeen counts evictions that the API server accepted, and does something after one of them.
type evictionsSeen struct {
	mutex sync.Mutex
	pods  []string
	after int // Of this many; 0: never.
	then  func()
}

func (e *evictionsSeen) asked(write) bool { return true }

func (e *evictionsSeen) answered(it write, status int) bool {
	parts := strings.Split(it.request.URL.Path, "/")
	if parts[len(parts)-1] != "eviction" || status >= 300 {
		return true
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.pods = append(e.pods, parts[len(parts)-2])
	if len(e.pods) == e.after {
		e.then()
	}
	return true
}

func (e *evictionsSeen) seen() []string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return slices.Clone(e.pods)
}

// lowGang is a gang whose pods end slowly.
func lowGang(name string) world.Gang {
	gang := world.Flat(name, 2, plane.RackLevel)
	gang.PriorityClass, gang.Pod.Grace, gang.Pod.Labels = lowPriority, 30, map[string]string{"app": name}
	return gang
}

func highGang(name string, pods int) world.Gang {
	gang := world.Flat(name, pods, plane.RackLevel)
	gang.PriorityClass = highPriority
	return gang
}

// guard makes a disruption budget that allows no eviction of a gang. It writes the status, since no controller runs
// here.
func (s *stand) guard(gang string) {
	s.Helper()
	s.budget(gang, 0)
}

// budget makes a disruption budget that allows this number of evictions of a gang.
func (s *stand) budget(gang string, allowed int32) {
	s.Helper()
	all := intstr.FromString("100%")
	budgets := client.PolicyV1().PodDisruptionBudgets(s.namespace)
	budget, err := budgets.Create(s.ctx, &policy.PodDisruptionBudget{ObjectMeta: meta.ObjectMeta{Name: gang},
		Spec: policy.PodDisruptionBudgetSpec{MinAvailable: &all,
			Selector: &meta.LabelSelector{MatchLabels: map[string]string{"app": gang}}}}, meta.CreateOptions{})
	s.must(err)
	budget.Status = policy.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, DisruptionsAllowed: allowed,
		DesiredHealthy: 2 - allowed, CurrentHealthy: 2, ExpectedPods: 2}
	_, err = budgets.UpdateStatus(s.ctx, budget, meta.UpdateOptions{})
	s.must(err)
}

// standPreempting is a rack of eight hosts, full of four low gangs, whose profile preempts. Kubelets end what is
// deleted.
func standPreempting(t *testing.T, between **between) *stand {
	s := standWithoutEnds(t, between, "")
	go world.EndDeleted(s.ctx, client, observer, s.namespace, time.Second)
	return s
}

// standWithoutEnds is the same with kubelets that end no pod, and further lines of echelon's configuration.
func standWithoutEnds(t *testing.T, between **between, more string) *stand {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 8}, later: true})
	options := plane.EchelonOptions{Profiles: []plane.Profile{{SchedulerName: defaultScheduler, Preempt: true}}, More: more}
	if between != nil {
		*between = s.standBetween()
		options.Server = &(*between).Server
	}
	var err error
	s.echelon, err = shared.StartEchelon(options)
	s.must(err)
	s.waitReady()
	s.startScheduler()
	go world.Kubelets(s.ctx, client, observer, s.namespace)
	for i := range 4 {
		s.create(lowGang(fmt.Sprintf("low-%d", i)))
		s.waitBound(fmt.Sprintf("low-%d", i), 2)
	}
	s.eventually(patience, "all of them run", func() string {
		running := 0
		for _, pod := range observer.PodsIn(s.namespace) {
			if pod.Status.Phase == "Running" {
				running++
			}
		}
		return differs("running pods", running, 8)
	})
	return s
}

// wholeLowGangs returns the remaining low gangs; a partial gang fails the test.
func (s *stand) wholeLowGangs() []string {
	s.Helper()
	var whole []string
	for i := range 4 {
		name := fmt.Sprintf("low-%d", i)
		switch left := len(s.pods(name)); left {
		case 0:
		case 2:
			whole = append(whole, name)
		default:
			s.Errorf("%d pods of %s are left", left, name)
		}
	}
	return whole
}

func TestWholeGangsAreEvictedForAnImportantOne(t *testing.T) {
	skipWithoutPodGroups(t) // Events are about them.
	var between *between
	s := standPreempting(t, &between)
	s.guard("low-0")
	killed := make(chan struct{})
	evictions := &evictionsSeen{after: 1, then: func() {
		s.echelon.Kill()
		close(killed)
	}}
	between.follow(evictions)
	s.create(highGang("high", 4))
	select {
	case <-killed:
	case <-time.After(patience):
		s.Fatalf("nobody is evicted; the GangPlan is %+v", world.ReadGangPlan(s.ctx, objects, s.namespace, "high"))
	}
	plan := world.ReadGangPlan(s.ctx, objects, s.namespace, "high")
	if plan == nil || plan.Phase != "Clearing" || plan.Reason != "" || len(plan.Seats) != 4 || len(plan.Victims) != 4 {
		s.Fatalf("the GangPlan is %+v", plan)
	}
	recorded := map[string]string{}
	for _, victim := range plan.Victims {
		if victim.Priority != 10 || victim.Gang == s.namespace+"/low-0" {
			s.Errorf("a victim is %+v", victim)
		}
		recorded[strings.TrimPrefix(victim.Pod, s.namespace+"/")] = victim.Node
	}
	s.must(s.echelon.Start())
	s.waitReady()
	s.waitBound("high", 4)
	s.waitPlan("high", "Bound", "")
	s.onPlannedSeats("high", plan)
	if whole := s.wholeLowGangs(); len(whole) != 2 || !slices.Contains(whole, "low-0") {
		s.Errorf("the low gangs that are left are %v", whole)
	}
	for _, pod := range evictions.seen() {
		if _, isRecorded := recorded[pod]; !isRecorded {
			s.Errorf("%s was evicted, and the record has %v", pod, slices.Sorted(maps.Keys(recorded)))
		}
	}
	s.eventually(patience, "it is told", func() string {
		return differs("events Preempting", len(s.told("PodGroup", "high")["Preempting"]), 1)
	})
}

func TestBudgetsKeepGangsFromBeingEvicted(t *testing.T) {
	s := standPreempting(t, nil)
	for i := range 4 {
		s.guard(fmt.Sprintf("low-%d", i))
	}
	s.create(highGang("high", 4))
	s.eventually(patience, "it says why nobody is evicted", func() string {
		plan := world.ReadGangPlan(s.ctx, objects, s.namespace, "high")
		if plan == nil || !strings.Contains(plan.Message, "no pods are evicted for it: it would not fit even if all evictable pods below priority 1000 were gone") {
			return fmt.Sprintf("the GangPlan is %+v", plan)
		}
		return ""
	})
	s.noneBound("high")
	if whole := s.wholeLowGangs(); len(whole) != 4 {
		s.Errorf("the low gangs that are left are %v", whole)
	}
	s.must(client.PolicyV1().PodDisruptionBudgets(s.namespace).DeleteCollection(s.ctx, meta.DeleteOptions{}, meta.ListOptions{}))
	for i := range 2 {
		for _, pod := range s.pods(fmt.Sprintf("low-%d", i)) {
			s.deletePod(pod.Name)
		}
	}
	s.waitBound("high", 4)
	if whole := s.wholeLowGangs(); len(whole) != 2 {
		s.Errorf("the low gangs that are left are %v", whole)
	}
}
