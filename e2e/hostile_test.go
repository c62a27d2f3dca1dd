// Do hostile objects of one tenant affect another tenant?

package e2e

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

const (
	mostGrowth  = 256 << 20 // Bytes that the peak of echelon's memory may lie above that of the calm run.
	mostSlowing = 8         // How many times as long filter's p99 may be as without anything hostile,
	leastP99    = 0.0512    // where a p99 below one step of the engine counts as that.
)

// hostility is the cluster of TestHostileTenant, and what its calm run measured.
type hostility struct {
	*stand
	tenant tenant
	round  int // Names the neighbours, which come anew each time.
	pid    int
	peak   int64   // VmHWM after the calm run, in bytes.
	calm   float64 // p99 of filter in it.
}

// TestHostileTenant: whatever a tenant creates in its namespace, gangs and a plain pod of another namespace are bound.
// echelon stays in the same process, and its memory and filter's p99 stay bounded.
func TestHostileTenant(t *testing.T) {
	skipWithoutPodGroups(t)
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 4, Hosts: 16}, later: true})
	h := &hostility{stand: s, tenant: tenant{namespace: s.namespace + "-tenant", neighbour: s.namespace}}
	t.Cleanup(h.leave)
	_, err := client.CoreV1().Namespaces().Create(s.ctx, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: h.tenant.namespace}}, meta.CreateOptions{})
	s.must(err)
	s.must(world.ServeForeignKinds(s.ctx, objects))
	s.startEchelon()
	s.waitReady()
	s.startScheduler()
	h.calmRun()
	for _, row := range hostileInputs {
		h.run(t, row.what, func(h *hostility) { h.suffer(row) })
	}
	h.run(t, "AllAtOnceAndThroughARestart", (*hostility).sufferAll)
}

// run is a subtest on the same cluster.
func (h *hostility) run(t *testing.T, what string, body func(*hostility)) {
	t.Helper()
	h.round++
	t.Run(what, func(t *testing.T) {
		inner, around := *h, *h.stand
		around.T, around.ctx = t, t.Context()
		inner.stand = &around
		body(&inner)
	})
}

func (h *hostility) calmRun() {
	h.Helper()
	h.pid = h.echelon.PID()
	for range 2 { // The first one warms up.
		before := h.filterCalls()
		h.round++
		h.neighboursAreBound()
		h.calm = max(leastP99, p99(before, h.filterCalls()))
	}
	h.peak = h.memory("VmHWM")
	h.clearAll()
	h.Logf("calm: VmHWM %d MiB, p99 of filter counts as %.4f s", h.peak>>20, h.calm)
}

func (h *hostility) suffer(row hostileInput) {
	h.Helper()
	defer h.clearAll()
	before := h.filterCalls()
	h.bring(row)
	h.neighboursAreBound()
	h.saysInvalid(row)
	h.isUnharmed(before)
}

// sufferAll creates all inputs at the same time. They stay, so echelon must also start among them.
func (h *hostility) sufferAll() {
	h.Helper()
	defer h.clearAll()
	before := h.filterCalls()
	for _, row := range hostileInputs {
		h.bring(row)
	}
	h.neighboursAreBound()
	h.isUnharmed(before)
	h.must(h.echelon.Terminate(10 * time.Second))
	h.must(h.echelon.Start())
	h.waitReady()
	h.pid = h.echelon.PID()
	h.round++
	h.neighboursAreBound()
	h.isUnharmed(nil)
	for _, row := range hostileInputs {
		h.saysInvalid(row)
	}
}

// bring creates what the row makes.
func (h *hostility) bring(row hostileInput) {
	h.Helper()
	h.tenant.listed = h.listed()
	made := row.make(h.tenant)
	h.must(world.InParallel(made.objects, func(object *unstructured.Unstructured) error {
		_, err := objects.Resource(resourceOf(object)).Namespace(h.tenant.namespace).Create(h.ctx, object, meta.CreateOptions{})
		return err
	}))
	h.createPods(made.pods...)
	if made.seats != nil {
		h.must(h.planByHand(made.pods[0].Labels["echelon.sh/gang"], made.seats))
	}
}

// planByHand writes a GangPlan as if a commit of these seats were under way.
func (h *hostility) planByHand(name string, seats map[string]string) error {
	plans := objects.Resource(world.GangPlans).Namespace(h.tenant.namespace)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		_, err := plans.Create(h.ctx, object("echelon.sh/v1alpha1", "GangPlan", name,
			fields{"root": fields{"kind": "label-gang", "name": name}}), meta.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		plan, err := plans.Get(h.ctx, name, meta.GetOptions{})
		if err != nil {
			return err
		}
		var list []any
		for pod, node := range seats {
			uid := "unknown"
			namespace, short, _ := strings.Cut(pod, "/")
			if found, err := client.CoreV1().Pods(namespace).Get(h.ctx, short, meta.GetOptions{}); err == nil {
				uid = string(found.UID)
			}
			list = append(list, fields{"pod": pod, "uid": uid, "node": node, "bound": false})
		}
		plan.Object["status"] = fields{"phase": "Committed", "epoch": 7, "seats": list}
		_, err = plans.UpdateStatus(h.ctx, plan, meta.UpdateOptions{})
		return err
	})
}

func (h *hostility) listed() string { return fmt.Sprintf("listed-%d", h.round) }

// neighboursAreBound creates a gang that needs a rack, a gang that the tenant may name, and a plain pod, all in the
// other namespace, and waits until they are bound. They are removed again, so that the next ones find room.
func (h *hostility) neighboursAreBound() {
	h.Helper()
	sound, plain := fmt.Sprintf("sound-%d", h.round), fmt.Sprintf("plain-%d", h.round)
	h.create(world.Flat(sound, 8, plane.RackLevel))
	h.must(world.KoordinatorPodGroups.Create(h.ctx, objects, h.namespace, h.listed(), fields{"spec": fields{"minMember": 2}}))
	h.createPods(world.Plain(h.namespace, h.listed(), 2, world.Pod{NoGPU: true, Labels: map[string]string{koordinatorLabel: h.listed()}})...)
	h.createPods(world.Plain(h.namespace, plain, 1, world.Pod{NoGPU: true})...)
	h.waitBound(sound, 8)
	h.oneRack(h.pods(sound))
	h.waitBound(h.listed(), 2)
	h.waitBound(plain, 1)
	h.waitPlan(sound, "Bound", "")
	for _, name := range []string{sound, h.listed(), plain} {
		h.unfill(name)
	}
}

// saysInvalid waits until a GangPlan of the tenant has the row's message, and checks that none of the pods is bound.
func (h *hostility) saysInvalid(row hostileInput) {
	h.Helper()
	if row.says == nil {
		return
	}
	h.eventually(patience, fmt.Sprintf("a GangPlan says %q", row.says), func() string {
		var seen []string
		for name, plan := range world.ListGangPlans(h.ctx, objects, h.tenant.namespace) {
			says := func(part string) bool { return strings.Contains(plan.Message, part) }
			if plan.Reason == "Invalid" && !slices.ContainsFunc(row.says, func(part string) bool { return !says(part) }) {
				h.Logf("%s: %s", name, plan.Message)
				return ""
			}
			seen = append(seen, fmt.Sprintf("%s is %s %s: %.300s", name, plan.Phase, plan.Reason, plan.Message))
		}
		return strings.Join(seen, "\n")
	})
	for _, pod := range row.make(h.tenant).pods {
		if now := observer.Pod(h.tenant.namespace, pod.Name); now != nil && now.Spec.NodeName != "" {
			h.Errorf("%s of a gang that is Invalid is on %s", pod.Name, now.Spec.NodeName)
		}
	}
}

// isUnharmed checks that echelon is the same process, live and ready. Its memory and filter's p99 must be as in
// `before`; nil: p99 isn't checked.
func (h *hostility) isUnharmed(before plane.Metrics) {
	h.Helper()
	if !h.echelon.IsRunning() || h.echelon.PID() != h.pid {
		h.Fatal("echelon has ended")
	}
	for _, path := range []string{"/livez", "/readyz"} {
		if status, body, err := h.echelon.Get(h.ctx, path); err != nil || status != http.StatusOK {
			h.Errorf("%s: %d %s, %v", path, status, body, err)
		}
	}
	for _, pod := range observer.Pods(h.tenant.namespace, "hostile") {
		if strings.HasPrefix(pod.Spec.NodeName, "b0-") {
			h.Errorf("%s is on %s, where its nodeSelector forbids it", pod.Name, pod.Spec.NodeName)
		}
	}
	peak := h.memory("VmHWM")
	if peak > h.peak+mostGrowth {
		h.Errorf("VmHWM is %d MiB, in the calm run %d MiB", peak>>20, h.peak>>20)
	}
	if before == nil {
		return
	}
	slow := p99(before, h.filterCalls())
	if slow > mostSlowing*h.calm {
		h.Errorf("p99 of filter is %v s, in the calm run at most %v s", slow, h.calm)
	}
	h.Logf("VmRSS %d MiB, VmHWM %d MiB (calm %d), p99 of filter at most %v s", h.memory("VmRSS")>>20, peak>>20, h.peak>>20, slow)
}

func (h *hostility) filterCalls() plane.Metrics {
	h.Helper()
	metrics, err := h.echelon.Metrics(h.ctx)
	h.must(err)
	return metrics
}

// p99 returns the upper end of the histogram bucket with the 99th percentile of filter calls between two scrapes.
func p99(before, after plane.Metrics) float64 {
	const histogram = "echelon_extender_request_duration_seconds"
	filter := `verb="filter"`
	calls := after.Sum(histogram+"_count", filter) - before.Sum(histogram+"_count", filter)
	least := math.Inf(1)
	for _, sample := range after {
		if sample.Name != histogram+"_bucket" || !strings.Contains(sample.Labels, filter) {
			continue
		}
		_, rest, _ := strings.Cut(sample.Labels, `le="`)
		text, _, _ := strings.Cut(rest, `"`)
		end, err := strconv.ParseFloat(text, 64)
		within := sample.Value - before.Sum(sample.Name, filter, `le="`+text+`"`)
		if err == nil && within >= 0.99*calls {
			least = min(least, end)
		}
	}
	return least
}

// memory is a row of echelon's /proc/PID/status, in bytes.
func (h *hostility) memory(key string) int64 {
	h.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.pid))
	h.must(err)
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, key+":"); found {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			h.must(err)
			return kilobytes << 10
		}
	}
	h.Fatalf("no %s of process %d", key, h.pid)
	return 0
}

// clearAll empties both namespaces and waits until their pods are gone.
func (h *hostility) clearAll() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if h.Failed() {
		h.tell()
	}
	for _, namespace := range []string{h.namespace, h.tenant.namespace} {
		h.must(world.ClearNamespace(ctx, objects, namespace))
		for _, resource := range foreignResources {
			err := objects.Resource(resource).Namespace(namespace).DeleteCollection(ctx, meta.DeleteOptions{}, meta.ListOptions{})
			if !apierrors.IsNotFound(err) {
				h.must(err)
			}
		}
	}
	h.eventually(patience, "the pods of both namespaces are gone", func() string { return differs("pods", observer.Count(), 0) })
}

// leave ends the test.
func (h *hostility) leave() {
	h.clearAll()
	h.must(world.RemoveForeignKinds(context.Background(), objects))
}

// resourceOf returns the resource of the object's kind.
func resourceOf(object *unstructured.Unstructured) schema.GroupVersionResource {
	kind := object.GroupVersionKind()
	return kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s")
}
