// Are LeaderWorkerSets and DisaggregatedSets placed whole, replica by replica, with the pods of the real controllers?

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

const (
	replicaLabel  = "leaderworkerset.sigs.k8s.io/group-index"
	revisionLabel = "leaderworkerset.sigs.k8s.io/template-revision-hash"
)

// replicaRacks checks that each replica has all 8 pods bound in one rack, and returns the rack of each replica.
func (s *stand) replicaRacks(replicas int) map[string]string {
	s.Helper()
	racks := map[string]string{}
	for replica, pods := range sorted(s.pods("serve"), replicaLabel) {
		s.holds(differs("bound of replica "+replica, len(world.Bound(pods)), 8))
		racks[replica] = s.oneRack(pods)
	}
	s.holds(differs("replicas", len(racks), replicas))
	return racks
}

// A LeaderWorkerSet of four replicas, each alone in a rack. The controller makes the workers of a replica once its
// leader has a node.
func TestLeaderWorkerSet(t *testing.T) {
	// Two racks have room for a leader and not for its workers.
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 3, Hosts: 8, UniqueRacks: true}, controllers: &plane.ControllerOptions{}})
	s.fill("odd", world.HostName(0, 0, 0), world.HostName(1, 1, 3))
	s.createLeaderWorkerSet(fmt.Sprintf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve, annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: %s}}
spec:
  replicas: 4
  leaderWorkerTemplate:
    size: 8
    workerTemplate:%s`, plane.RackLevel, template{gang: "serve"}.at(6)))
	s.waitBound("serve", 32)
	before := s.replicaRacks(4)
	for replica := range 4 {
		s.waitPlanOf(fmt.Sprintf("serve/%d", replica), "Bound", "")
	}

	// A fifth replica waits as a whole until a rack is free.
	s.patchObject(leaderWorkerSets, "serve", `{"spec":{"replicas":5}}`)
	s.waitPlanOf("serve/4", "Pending", "NoRoom")
	s.waitTurn()
	s.holds(s.bound("serve", 32))
	s.deletePod("filler-odd-" + world.HostName(0, 0, 0))
	s.waitBound("serve", 40)
	_, before["4"] = observer.Place(world.HostName(0, 0, 0))
	if racks := s.replicaRacks(5); !maps.Equal(racks, before) {
		t.Errorf("replicas were in %v and are in %v", before, racks)
	}

	// Restarted one after another with another template, each comes back whole, to where it was: no other rack is
	// whole.
	old := slices.Collect(maps.Keys(sorted(s.pods("serve"), revisionLabel)))
	s.patchObject(leaderWorkerSets, "serve", `{"spec":{"leaderWorkerTemplate":{"workerTemplate":{"metadata":{"labels":{"release":"two"}}}}}}`)
	s.eventually(patience, "all replicas are restarted", func() string {
		remade := 0
		for _, pod := range world.Bound(s.pods("serve")) {
			if !slices.Contains(old, pod.Labels[revisionLabel]) {
				remade++
			}
		}
		return differs("restarted", remade, 40)
	})
	s.waitBound("serve", 40)
	if racks := s.replicaRacks(5); !maps.Equal(racks, before) {
		t.Errorf("replicas were in %v and are in %v", before, racks)
	}
}

// A replica with sub-groups is alone in a rack. The controller makes all workers once the leader has a node, also those
// of the second sub-group.
func TestLeaderWorkerSetWithSubGroups(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 8, UniqueRacks: true}, controllers: &plane.ControllerOptions{}})
	// One rack has room for the first sub-group and not for the second.
	s.fill("odd", world.HostName(0, 0, 0))
	s.createLeaderWorkerSet(fmt.Sprintf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve, annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: %s}}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 8
    subGroupPolicy: {subGroupSize: 4}
    workerTemplate:%s`, plane.RackLevel, template{gang: "serve"}.at(6)))
	s.waitBound("serve", 8)
	s.waitTurn()
	s.holds(s.bound("serve", 8))
	s.deletePod("filler-odd-" + world.HostName(0, 0, 0))
	s.waitBound("serve", 16)
	s.replicaRacks(2)
}

// While a leader isn't ready it has no workers, and their room stays reserved.
func TestLeaderWorkerSetWhoseLeaderIsSlow(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 8}, controllers: &plane.ControllerOptions{}})
	s.fill("odd", world.HostName(0, 0, 4))
	wish := "kueue.x-k8s.io/podset-required-topology: " + plane.RackLevel
	s.createLeaderWorkerSet(fmt.Sprintf(`
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve}
spec:
  replicas: 1
  startupPolicy: LeaderReady
  leaderWorkerTemplate:
    size: 8
    leaderTemplate:%s
    workerTemplate:%s`,
		template{gang: "serve", labels: world.SlowLabel + ": leader", annotations: wish}.at(6), template{gang: "serve", annotations: wish}.at(6)))
	s.waitBound("serve", 1)
	other := world.Labelled{Name: "other", Minimum: 8, GroupSize: 8, Gate: true}
	s.createPods(other.Members(s.namespace)...)
	s.waitPlan("other", "Pending", "NoRoom")
	s.holds(differs("pods", len(s.pods("serve")), 1))

	_, err := client.CoreV1().Pods(s.namespace).Patch(s.ctx, "serve-0", types.MergePatchType,
		[]byte(fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, world.SlowLabel)), meta.PatchOptions{})
	s.must(err)
	s.waitBound("serve", 8)
	s.replicaRacks(1)
	s.noneBound("other")
}

// A DisaggregatedSet is placed whole, with one replica of each role. Replicas of a scale-up join it in its block.
func TestDisaggregatedSet(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 2, Hosts: 6}, controllers: &plane.ControllerOptions{}})
	// Block 0 has three free hosts in each rack, too few for decode; block 1 has four and one, so that prefill has
	// none.
	s.fill("first", append(s.rack(0, 0)[:3], s.rack(0, 1)[:2]...)...)
	s.fill("second", s.rack(0, 1)[2])
	s.fill("third", append(s.rack(1, 0)[:5], s.rack(1, 1)[:2]...)...)
	role := func(name string, size int) string {
		pods := template{gang: "answer", annotations: "kueue.x-k8s.io/podset-required-topology: " + plane.RackLevel,
			spec: fmt.Sprintf("affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: %s, "+
				"labelSelector: {matchLabels: {disaggregatedset.x-k8s.io/name: answer}}}]}}", plane.BlockLevel)}
		return fmt.Sprintf(`
  - name: %s
    spec:
      replicas: 1
      leaderWorkerTemplate:
        size: %d
        workerTemplate:%s`, name, size, pods.at(10))
	}
	s.createObject(disaggregatedSets, `
apiVersion: disaggregatedset.x-k8s.io/v1
kind: DisaggregatedSet
metadata: {name: answer}
spec:
  roles:`+role("prefill", 2)+role("decode", 4))
	s.eventually(patience, "all pods are there", func() string { return differs("pods", len(s.pods("answer")), 6) })
	s.waitTurn()
	s.noneBound("answer")
	s.unfill("second")
	s.waitBound("answer", 6)
	if block := s.oneBlock(s.pods("answer")); block != "b0" {
		t.Errorf("it is in %s", block)
	}

	// Another replica of decode has room in block 1 alone, and waits.
	object, err := objects.Resource(disaggregatedSets).Namespace(s.namespace).Get(s.ctx, "answer", meta.GetOptions{})
	s.must(err)
	roles, _, err := unstructured.NestedSlice(object.Object, "spec", "roles")
	s.must(err)
	s.must(unstructured.SetNestedField(roles[1].(map[string]any), int64(2), "spec", "replicas"))
	s.must(unstructured.SetNestedSlice(object.Object, roles, "spec", "roles"))
	_, err = objects.Resource(disaggregatedSets).Namespace(s.namespace).Update(s.ctx, object, meta.UpdateOptions{})
	s.must(err)
	s.eventually(patience, "its leader is there", func() string {
		if pods := len(s.pods("answer")); pods < 7 {
			return differs("pods", pods, 7)
		}
		return ""
	})
	s.unfill("third")
	s.waitTurn()
	s.holds(s.bound("answer", 6))
	s.unfill("first")
	s.waitBound("answer", 10)
	s.oneBlock(s.pods("answer"))
	for _, replica := range sorted(s.pods("answer"), "leaderworkerset.sigs.k8s.io/group-key") {
		s.oneRack(replica)
	}
}

// A translated Gang runs as a LeaderWorkerSet: the real controller makes the same pods, and they are bound where the
// Gang's pods would be.
func TestAGangBecomesALeaderWorkerSet(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 6, UniqueRacks: true}, controllers: &plane.ControllerOptions{}})
	// One rack has room for the leader alone.
	s.fill("odd", s.rack(0, 0)[:5]...)
	manifest := "apiVersion: echelon.sh/v1alpha1\nkind: Gang\nmetadata: {name: serve, namespace: " + s.namespace +
		"}\nspec: {requiredTopology: " + plane.RackLevel +
		", groups: [{name: prefill, minimum: 2}, {name: decode, minimum: 2}]}\n"
	for _, group := range []string{"prefill", "decode"} {
		for pod := range 2 {
			manifest += fmt.Sprintf("---\napiVersion: v1\nkind: Pod\n%s", strings.Replace(
				template{gang: "serve", labels: "echelon.sh/gang: serve, echelon.sh/group: " + group}.at(0)[1:],
				"{labels:", fmt.Sprintf("{name: %s-%d, namespace: %s, labels:", group, pod, s.namespace), 1)) + "\n"
		}
	}
	file := filepath.Join(t.TempDir(), "gang.yaml")
	s.must(os.WriteFile(file, []byte(manifest), 0o600))
	binary, err := plane.EchelonBinary()
	s.must(err)
	var said bytes.Buffer
	translate := exec.CommandContext(s.ctx, binary, "translate", "--to", "leaderworkerset", "-f", file)
	translate.Stderr = &said
	written, err := translate.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || !strings.Contains(said.String(), "becomes exclusive") {
		t.Fatalf("translate ended with %v, and said %q", err, said.String())
	}

	set, _, _ := strings.Cut(string(written), "\n---\n")
	s.createLeaderWorkerSet(set)
	s.waitBound("serve", 4)
	s.waitPlanOf("serve/0", "Bound", "")
	for group, pods := range sorted(s.pods("serve"), "leaderworkerset.sigs.k8s.io/subgroup-index") {
		s.holds(differs("pods of sub-group "+group, len(pods), 2))
	}
	s.oneRack(s.pods("serve"))
}
