package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// defaultScheduler is the schedulerName of pods that name none.
const defaultScheduler = "default-scheduler"

// setup describes the cluster that a test needs.
type setup struct {
	fabric        world.Fabric
	noNomination  bool                     // Then percentageOfNodesToScore is 100, as it has to be.
	packs         bool                     // Nodes are scored for plain pods.
	otherProfiles []string                 // Further profiles of the same kube-scheduler that echelon doesn't know.
	conditions    bool                     // Whether gangs were placed is written on the objects of their groups.
	noGangs       bool                     // Groups have levels alone.
	recording     bool                     // echelon records its lives, for replayed.
	noTopologies  bool                     // echelon is configured without levels.
	later         bool                     // echelon and kube-scheduler are started by the test itself.
	controllers   *plane.ControllerOptions // The controllers of Jobs, LeaderWorkerSets and JobSets; nil: none runs.
}

// stand is one test's cluster: nodes, a namespace, a fresh echelon and a fresh kube-scheduler.
type stand struct {
	*testing.T
	ctx       context.Context
	setup     setup
	namespace string
	echelon   *plane.Echelon
	scheduler *plane.Scheduler
	began     int64 // Where the audit log ended then.

	afterwards []func() // Called once echelon has ended.
}

// standCount makes namespaces unique: with -count a test runs again, and without a controller no namespace can be
// removed.
var standCount int

// wide is 4 blocks of 4 racks of 16 hosts: 256 nodes, enough for kube-scheduler to look at a sample only.
var wide = world.Fabric{Blocks: 4, Racks: 4, Hosts: 16}

func standOn(t *testing.T, setup setup) *stand {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(strings.TrimPrefix(t.Name(), "Test")))
	standCount++
	s := &stand{T: t, ctx: t.Context(), setup: setup, namespace: fmt.Sprintf("%s-%d", name[:min(len(name), 55)], standCount), began: shared.AuditEnd()}
	shared.Logs = filepath.Join(shared.Dir, s.namespace)
	if err := os.MkdirAll(shared.Logs, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.clear)
	_, err := client.CoreV1().Namespaces().Create(s.ctx, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: s.namespace}}, meta.CreateOptions{})
	s.must(err)
	s.must(setup.fabric.Create(s.ctx, client))
	want := setup.fabric.Blocks * setup.fabric.Racks * setup.fabric.Hosts
	s.eventually(20*time.Second, "the nodes are seen", func() string { return differs("nodes", observer.Nodes(), want) })
	if setup.controllers != nil {
		s.startControllers(*setup.controllers)
	}
	if !setup.later {
		s.startEchelon()
		s.waitReady()
		s.startScheduler()
	}
	return s
}

func (s *stand) startEchelon() {
	s.Helper()
	s.startEchelonAt(nil)
}

// startEchelonAt starts an echelon that finds the API server there.
func (s *stand) startEchelonAt(server *plane.Server) {
	s.Helper()
	var err error
	options := plane.EchelonOptions{Server: server, NoTopologies: s.setup.noTopologies,
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler, NoNomination: s.setup.noNomination, Packs: s.setup.packs,
			Conditions: s.setup.conditions, NoGangs: s.setup.noGangs}}}
	if s.setup.recording {
		options.Recording = s.recording()
	}
	s.echelon, err = shared.StartEchelon(options)
	s.must(err)
}

func (s *stand) waitReady() {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
	defer cancel()
	s.must(s.echelon.WaitReady(ctx))
}

func (s *stand) startScheduler() {
	s.Helper()
	profiles := []plane.SchedulerProfile{{Name: defaultScheduler}}
	if s.setup.noNomination {
		profiles[0].Percentage = 100
	}
	for _, name := range s.setup.otherProfiles {
		profiles = append(profiles, plane.SchedulerProfile{Name: name})
	}
	var err error
	s.scheduler, err = shared.StartScheduler(plane.SchedulerOptions{Profiles: profiles, Extender: s.echelon})
	s.must(err)
}

// clear ends the test's processes, checks what must hold after every test, and empties the cluster.
func (s *stand) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s.ctx = ctx
	if !shared.APIServer.IsRunning() {
		s.must(shared.StartAPIServer(ctx))
	}
	for _, fault := range observer.Faults() {
		s.Error(fault)
	}
	for right, allowed := range s.asked() {
		if !allowed {
			s.Errorf("echelon's rights lack: %s", right)
		}
	}
	if s.echelon != nil && s.echelon.Process != nil && s.echelon.IsRunning() {
		if metrics, err := s.echelon.Metrics(ctx); err != nil {
			s.Errorf("/metrics: %v", err)
		} else if broken := metrics.Sum("echelon_invariant_violations_total"); broken > 0 {
			s.Errorf("echelon counted %v violations of its own invariants", broken)
		}
	}
	if s.Failed() {
		s.tell()
	}
	if s.scheduler != nil && s.scheduler.Process != nil {
		s.scheduler.Kill()
	}
	if s.echelon != nil && s.echelon.Process != nil && s.echelon.IsRunning() {
		if err := s.echelon.Terminate(10 * time.Second); err != nil {
			s.Errorf("%v\n%s", err, s.echelon.Tail(2000))
		}
	}
	for _, end := range s.afterwards {
		end()
	}
	s.must(world.ClearNamespace(ctx, objects, s.namespace))
	s.must(world.ClearNodes(ctx, client))
	s.eventually(30*time.Second, "the cluster is empty again", func() string { return differs("nodes", observer.Nodes(), 0) })
}

// asked returns the rights that echelon tried to use during this test; false: all of them were forbidden. A granted
// request may also be forbidden now and then, if kube-apiserver has just started or the role is new.
func (s *stand) asked() map[plane.Right]bool {
	s.Helper()
	all, err := shared.Asked(s.began)
	s.must(err)
	rights := map[plane.Right]bool{}
	for _, asked := range all {
		rights[asked.Right] = rights[asked.Right] || !asked.Forbidden
	}
	return rights
}

// tell prints what a reader needs to understand a failure.
func (s *stand) tell() {
	shared.Keep = true
	plans := world.ListGangPlans(s.ctx, objects, s.namespace)
	for name, plan := range plans {
		s.Logf("GangPlan %s: %s %s, bound %s: %s", name, plan.Phase, plan.Reason, plan.Bound, plan.Message)
	}
	if s.echelon != nil && s.echelon.Process != nil {
		s.Logf("echelon's log ends:\n%s", s.echelon.Tail(4000))
	}
	if s.scheduler != nil && s.scheduler.Process != nil {
		s.Logf("kube-scheduler's log ends:\n%s", s.scheduler.Tail(3000))
	}
	s.Logf("all logs are kept in %s", shared.Logs)
}

func (s *stand) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// eventually waits until `missing` returns ""; before, it returns what is still missing. It is called at every change
// of a pod or node, and at least every 50 ms. After `within` the test fails.
func (s *stand) eventually(within time.Duration, what string, missing func() string) {
	s.Helper()
	deadline := time.After(within)
	for {
		changed := observer.Changed()
		lack := missing()
		if lack == "" {
			return
		}
		select {
		case <-changed:
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			s.Fatalf("after %s not yet: %s: %s", within, what, lack)
		}
	}
}

// holds fails the test at once unless the answer is "".
func (s *stand) holds(lack string) {
	s.Helper()
	if lack != "" {
		s.Fatal(lack)
	}
}

func differs(what string, got, want int) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("%s: %d of %d", what, got, want)
}
