// If nodes are scored for plain pods, do these pods leave racks free for gangs?

package e2e

import (
	"encoding/json"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// wishToSpread has kube-scheduler prefer hosts without a pod of the same gang label.
func wishToSpread(pod *core.Pod) {
	selector := &meta.LabelSelector{MatchLabels: map[string]string{world.GangLabel: pod.Labels[world.GangLabel]}}
	pod.Spec.Affinity = &core.Affinity{PodAntiAffinity: &core.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []core.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: core.PodAffinityTerm{
			LabelSelector: selector, TopologyKey: "kubernetes.io/hostname"}}}}}
}

// waitScored waits until prioritize has a score for such a pod. Scores lag behind the cluster by up to 100 ms.
func (s *stand) waitScored(pod *core.Pod, node string) {
	s.Helper()
	body, err := json.Marshal(map[string]any{"Pod": pod, "NodeNames": []string{node}})
	s.must(err)
	s.eventually(patience, "nodes are scored for pods like "+pod.Name, func() string {
		_, answer, err := s.echelon.Post(s.ctx, s.echelon.Extender, "/v1/prioritize", body)
		s.must(err)
		if answer == "[]" {
			return "they aren't"
		}
		return ""
	})
}

// One of three racks has running pods. Eight pods of one GPU that prefer to be spread come first, then a gang that
// requires a rack.
func TestScoresLeaveRacksWhole(t *testing.T) {
	for _, packs := range []bool{true, false} {
		name := map[bool]string{true: "pack", false: "none"}[packs]
		t.Run(name, func(t *testing.T) {
			s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 3, Hosts: 2}, packs: packs})
			used := world.Pod{Name: "used-0", Gang: "used", GPUs: 4, Node: world.HostName(0, 0, 0)}
			s.createPods(used.Object(s.namespace))
			// The first pod of this size has one host to go to: from then on such pods are scored.
			first := world.Pod{Name: "first-0", Gang: "first", GPUs: 1}.Object(s.namespace)
			first.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": world.HostName(0, 0, 0)}
			s.createPods(first)
			s.waitBound("first", 1)
			plain := world.Plain(s.namespace, "plain", 8, world.Pod{GPUs: 1})
			for _, pod := range plain {
				wishToSpread(pod)
			}
			if packs {
				s.waitScored(s.pods("first")[0], world.HostName(0, 0, 0))
			}
			s.createPods(plain...)
			s.waitBound("plain", 8)
			gang := world.Flat("train", 2, plane.RackLevel)
			s.create(gang)
			if packs {
				if racks := s.oneRack(s.pods("plain")); racks == "" {
					t.Error("the plain pods are in no rack")
				}
				s.waitBound("train", 2)
				return
			}
			s.waitPlan("train", "Pending", "NoRoom")
			s.noneBound("train")
		})
	}
}
