package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

func TestExamplesArePlacedWhole(t *testing.T) {
	skipWithoutPodGroups(t)
	root, err := plane.Repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		file, gang string
		groups     map[string]int // Name prefix of the pods of a group, and how many of them are in one rack.
	}{
		{"gang.yaml", "train", map[string]int{"train-": 4}},
		{"gang-by-labels.yaml", "ring", map[string]int{"ring-": 4}},
		{"gang-object.yaml", "answer", map[string]int{"answer-decode-0-": 2, "answer-decode-1-": 2, "answer-decode-2-": 2, "answer-prefill-": 2}},
		{"prefill-decode.yaml", "chat", map[string]int{"chat-prefill-0-": 4, "chat-prefill-1-": 4, "chat-decode-0-": 8, "chat-decode-1-": 8}},
	} {
		t.Run(row.gang, func(t *testing.T) {
			s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 4, Hosts: 8}})
			kubeconfig, err := shared.Kubeconfig(plane.AdminUser)
			s.must(err)
			apply := exec.CommandContext(s.ctx, plane.Binary("kubectl"), "--kubeconfig", kubeconfig, "--namespace", s.namespace,
				"apply", "-f", filepath.Join(root, "examples", row.file))
			apply.Env = append(apply.Environ(), "HOME="+t.TempDir())
			if said, err := apply.CombinedOutput(); err != nil {
				t.Fatalf("kubectl apply: %v\n%s", err, said)
			}
			total := 0
			for _, count := range row.groups {
				total += count
			}
			s.waitBound("", total)
			s.waitPlan(row.gang, "Bound", "")
			for prefix, count := range row.groups {
				var pods []*core.Pod
				for _, pod := range s.pods("") {
					if strings.HasPrefix(pod.Name, prefix) {
						pods = append(pods, pod)
					}
				}
				s.holds(differs("bound of "+prefix, len(world.Bound(pods)), count))
				s.oneRack(pods)
			}
			s.oneBlock(s.pods(""))
		})
	}
	for _, name := range []string{"echelon.yaml", "export.yaml"} {
		if status, said := echelonSays(t, "validate", "-f", filepath.Join(root, "examples", name)); status != 0 {
			t.Errorf("examples/%s: status %d: %s", name, status, said)
		}
	}
}
