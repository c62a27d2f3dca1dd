// Does a gang start whose members follow each other by pod affinity?

package e2e

import (
	"testing"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// withLeader makes the last of the pods the leader. The others must be in its rack. All are so small that kube-scheduler
// has no other reason to look at one again.
func withLeader(members []*core.Pod) []*core.Pod {
	for i, pod := range members {
		pod.Spec.Containers[0].Resources = core.ResourceRequirements{Requests: core.ResourceList{core.ResourceCPU: resource.MustParse("100m")}}
		if i == len(members)-1 {
			pod.Labels["role"] = "leader"
			continue
		}
		pod.Spec.Affinity = &core.Affinity{PodAffinity: &core.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []core.PodAffinityTerm{{
			TopologyKey: plane.RackLevel, LabelSelector: &meta.LabelSelector{MatchLabels: map[string]string{"role": "leader"}}}}}}
	}
	return members
}

func TestMembersFollowALeader(t *testing.T) {
	for name, gate := range map[string]bool{"WithGate": true, "WithoutGate": false} {
		t.Run(name, func(t *testing.T) {
			s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
			gang := world.Labelled{Name: "train", Minimum: 4, GroupSize: 4, Gate: gate}
			s.createPods(withLeader(gang.Members(s.namespace))...)
			s.waitBound("train", 4)
			s.oneRack(s.pods("train"))
		})
	}
}
