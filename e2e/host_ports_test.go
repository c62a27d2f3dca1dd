// Does a plan keep clear of host ports that are taken?

package e2e

import (
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// inHostNetwork lets the pods use the network of their host, so that their container port is a port of the host.
func inHostNetwork(port int32, pods ...*core.Pod) []*core.Pod {
	for _, pod := range pods {
		pod.Spec.HostNetwork = true
		pod.Spec.Containers[0].Ports = []core.ContainerPort{{ContainerPort: port}}
	}
	return pods
}

// createListening creates a gang in one rack whose small pods take port 9000.
func (s *stand) createListening(name string, pods int) {
	s.Helper()
	gang := world.Flat(name, pods, plane.RackLevel)
	gang.Pod.NoGPU = true
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	s.createPods(inHostNetwork(9000, gang.Members(s.namespace)...)...)
}

func TestHostPorts(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 3}})
	agent := world.Pod{Name: "agent-0", Gang: "agent", NoGPU: true, Node: world.HostName(0, 0, 0)}
	s.createPods(inHostNetwork(9000, agent.Object(s.namespace))...)
	s.waitBound("agent", 1)
	s.waitTurn()
	s.createListening("train", 2)
	plan := s.waitPlan("train", "Bound", "")
	s.onPlannedSeats("train", plan)
	hosts := map[string]bool{}
	for _, pod := range s.pods("train") {
		hosts[pod.Spec.NodeName] = true
	}
	if len(hosts) != 2 || hosts[agent.Node] {
		t.Fatalf("two hosts other than %s are free: %v", agent.Node, hosts)
	}
	s.createListening("late", 1)
	if plan := s.waitPlan("late", "Pending", "NoRoom"); !strings.Contains(plan.Message, "host port TCP 9000") {
		t.Fatalf("the message names no port: %s", plan.Message)
	}
	s.deletePod("agent-0")
	s.waitBound("late", 1)
}
