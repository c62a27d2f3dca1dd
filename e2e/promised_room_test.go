// Is room that is promised to a gang kept from pods of no gang?

package e2e

import (
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// ofDaemonSet makes it a pod that the controller of DaemonSets would have made for the node.
func ofDaemonSet(pod *core.Pod, node string) *core.Pod {
	yes := true
	pod.OwnerReferences = []meta.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "agent", Controller: &yes}}
	pod.Spec.Affinity = &core.Affinity{NodeAffinity: &core.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &core.NodeSelector{
		NodeSelectorTerms: []core.NodeSelectorTerm{{MatchFields: []core.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: core.NodeSelectorOpIn, Values: []string{node}}}}}}}}
	return pod
}

// A gang of two whole hosts holds a rack. The second member's volume claim doesn't exist, so kube-scheduler can't
// schedule it, and the first one waits. Nominations are off, so only filter keeps the second host from plain pods.
func TestPromisedRoomIsKept(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 2}, noNomination: true})
	gang := world.Flat("train", 2, plane.RackLevel)
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	members[1].Spec.Volumes = []core.Volume{{Name: "data", VolumeSource: core.VolumeSource{
		PersistentVolumeClaim: &core.PersistentVolumeClaimVolumeSource{ClaimName: "absent"}}}}
	s.createPods(members...)
	plan := s.waitPlan("train", "Held", "")
	missing := plan.SeatOf()[s.namespace+"/"+members[1].Name]

	// Two plain pods go to the other rack, and a third waits.
	s.createPods(world.Plain(s.namespace, "plain", 2, world.Pod{})...)
	s.waitBound("plain", 2)
	s.createPods(world.Plain(s.namespace, "late", 1, world.Pod{})...)
	s.waitCondition("late", "echelon: room here is promised to a gang")
	s.waitTurn()
	s.noneBound("late")
	s.noneBound("train")

	// A pod of a DaemonSet has that host alone. Then no rack has room for the gang, and the late pod may have the other host.
	agent := world.Pod{Name: "agent-0", Gang: "agent"}
	s.createPods(ofDaemonSet(agent.Object(s.namespace), missing))
	s.waitBound("agent", 1)
	s.waitPlan("train", "Pending", "NoRoom")
	s.noneBound("train")
}
