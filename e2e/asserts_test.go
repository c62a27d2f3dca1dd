package e2e

import (
	"fmt"
	"strings"
	"time"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/world"
)

// patience is how long a placement may take on a busy machine; nothing here measures speed.
const patience = 90 * time.Second

func (s *stand) create(gang world.Gang) {
	s.Helper()
	s.must(gang.Create(s.ctx, client, s.namespace))
}

func (s *stand) createPods(pods ...*core.Pod) {
	s.Helper()
	s.must(world.CreatePods(s.ctx, client, pods))
}

func (s *stand) deletePod(name string) {
	s.Helper()
	s.must(world.DeleteNow(s.ctx, client, s.namespace, name))
}

func (s *stand) pods(gang string) []*core.Pod { return observer.Pods(s.namespace, gang) }

// leaf returns the pods of one group of a gang.
func (s *stand) leaf(gang, leaf string) []*core.Pod {
	var pods []*core.Pod
	for _, pod := range s.pods(gang) {
		if pod.Labels[world.LeafLabel] == leaf {
			pods = append(pods, pod)
		}
	}
	return pods
}

// fill occupies whole hosts with plain pods and waits until the observer has seen them; `name` identifies them.
func (s *stand) fill(name string, nodes ...string) {
	s.Helper()
	before := len(s.pods(name))
	s.createPods(world.Fillers(s.namespace, name, nodes)...)
	s.eventually(patience, "the fillers are seen", func() string { return differs("fillers", len(s.pods(name)), before+len(nodes)) })
}

// unfill removes fillers.
func (s *stand) unfill(name string) {
	s.Helper()
	for _, pod := range s.pods(name) {
		s.deletePod(pod.Name)
	}
}

// rack returns the names of a rack's hosts.
func (s *stand) rack(block, rack int) []string {
	var hosts []string
	for host := range s.setup.fabric.Hosts {
		hosts = append(hosts, world.HostName(block, rack, host))
	}
	return hosts
}

func (s *stand) bound(gang string, want int) string {
	return differs("bound of "+gang, len(world.Bound(s.pods(gang))), want)
}

// waitBound waits until exactly `want` pods of the gang are bound.
func (s *stand) waitBound(gang string, want int) {
	s.Helper()
	s.eventually(patience, fmt.Sprintf("%d of %s are bound", want, gang), func() string { return s.bound(gang, want) })
}

// noneBound checks that no pod of the gang has a node.
func (s *stand) noneBound(gang string) {
	s.Helper()
	s.holds(s.bound(gang, 0))
}

// waitSeen waits until the observer has seen all pods of the gang.
func (s *stand) waitSeen(gang string, want int) {
	s.Helper()
	s.eventually(patience, "the observer sees the pods of "+gang, func() string {
		return differs("pods of "+gang, len(s.pods(gang)), want)
	})
}

// gatesKept checks that this number of pods still has echelon's gate.
func (s *stand) gatesKept(gang string, want int) {
	s.Helper()
	gated := 0
	for _, pod := range s.pods(gang) {
		if world.IsGated(pod) {
			gated++
		}
	}
	s.holds(differs("gates on "+gang, gated, want))
}

// oneRack checks that all bound pods are in one rack, and returns its path.
func (s *stand) oneRack(pods []*core.Pod) string {
	s.Helper()
	return s.one(pods, "racks", func(node string) string { _, rack := observer.Place(node); return rack })
}

// oneBlock checks that all bound pods are in one block, and returns it.
func (s *stand) oneBlock(pods []*core.Pod) string {
	s.Helper()
	return s.one(pods, "blocks", func(node string) string { block, _ := observer.Place(node); return block })
}

func (s *stand) one(pods []*core.Pod, what string, domain func(node string) string) string {
	s.Helper()
	found, counts := "", map[string]int{}
	for _, pod := range world.Bound(pods) {
		found = domain(pod.Spec.NodeName)
		counts[found]++
	}
	if len(counts) != 1 {
		s.Fatalf("one of the %s was wanted: %v", what, counts)
	}
	return found
}

// waitPlan waits for the gang's GangPlan in a phase (and, unless "", with a reason) and returns it.
func (s *stand) waitPlan(gang, phase, reason string) *world.GangPlan {
	s.Helper()
	var plan *world.GangPlan
	s.eventually(patience, fmt.Sprintf("GangPlan %s is %s %s", gang, phase, reason), func() string {
		plan = world.ReadGangPlan(s.ctx, objects, s.namespace, gang)
		if plan == nil {
			return "there is none"
		}
		if plan.Phase != phase || (reason != "" && plan.Reason != reason) {
			return fmt.Sprintf("it is %q %q: %s", plan.Phase, plan.Reason, plan.Message)
		}
		return ""
	})
	return plan
}

// waitCondition waits until every pod of the gang shows the text in its PodScheduled condition.
func (s *stand) waitCondition(gang, text string) {
	s.Helper()
	s.eventually(patience, fmt.Sprintf("every pod of %s says %q", gang, text), func() string {
		for _, pod := range s.pods(gang) {
			if message := scheduledCondition(pod); !strings.Contains(message, text) {
				return fmt.Sprintf("%s says %q", pod.Name, message)
			}
		}
		return ""
	})
}

func scheduledCondition(pod *core.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == core.PodScheduled {
			return condition.Message
		}
	}
	return ""
}

// waitTurn creates a small pod, and waits until kube-scheduler has bound it. By then kube-scheduler has tried every pod
// that waited before.
func (s *stand) waitTurn() {
	s.Helper()
	witness := fmt.Sprintf("witness-%d", len(s.pods("witness")))
	pod := world.Pod{Name: witness, Gang: "witness", NoGPU: true}
	s.createPods(pod.Object(s.namespace))
	s.eventually(patience, "a pod created last is bound", func() string {
		if pod := observer.Pod(s.namespace, witness); pod == nil || pod.Spec.NodeName == "" {
			return witness + " has no node"
		}
		return ""
	})
}

// onPlannedSeats checks that every bound pod is on its planned node.
func (s *stand) onPlannedSeats(gang string, plan *world.GangPlan) {
	s.Helper()
	seats := plan.SeatOf()
	for _, pod := range world.Bound(s.pods(gang)) {
		if want := seats[pod.Namespace+"/"+pod.Name]; want != pod.Spec.NodeName {
			s.Errorf("%s was planned for %q and is on %s", pod.Name, want, pod.Spec.NodeName)
		}
	}
}
