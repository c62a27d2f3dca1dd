// Does echelon read the resources of KAI and Koordinator as those projects define and document them?
//
// Their Go modules contain the definitions of their resources, which the API server validates strictly, and pages with
// examples. This repository has no copy of them.

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// moduleOf returns the folder of a Go module, and skips the test where the module can't be fetched.
func moduleOf(t *testing.T, module, version string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module+"@"+version)
	command.Dir = t.TempDir() // Not in our module, which doesn't require it.
	text, err := command.Output()
	var found struct{ Dir, Error string }
	if failed := json.Unmarshal(text, &found); failed != nil || found.Dir == "" {
		t.Skipf("%s %s can't be fetched: %v %s", module, version, err, found.Error)
	}
	return found.Dir
}

// serveAsDefined makes the API server serve the kinds that these files define, until the end of the test.
func (s *stand) serveAsDefined(folder string, kinds map[string]world.Kind) {
	s.Helper()
	for file, kind := range kinds {
		s.must(kind.Withdraw(s.ctx, objects)) // Ours takes any object.
		s.must(shared.ApplyCRDs(s.ctx, filepath.Join(folder, file)))
		s.Cleanup(func() { s.must(kind.Withdraw(context.Background(), objects)) })
	}
}

// createStrictly creates an object, and fails on any field that the definition lacks.
func (s *stand) createStrictly(kind world.Kind, object *unstructured.Unstructured) {
	s.Helper()
	object.SetAPIVersion(kind.GroupVersion().String()) // Pages may be ahead of the definition.
	in := objects.Resource(kind.GroupVersionResource)
	options := meta.CreateOptions{FieldValidation: meta.FieldValidationStrict}
	var err error
	if kind.Cluster {
		_, err = in.Create(s.ctx, object, options)
	} else {
		_, err = in.Namespace(s.namespace).Create(s.ctx, object, options)
	}
	s.must(err)
}

var fenced = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// examplesIn returns the objects of a kind that a page shows.
func (s *stand) examplesIn(page, kind string) []*unstructured.Unstructured {
	s.Helper()
	text, err := os.ReadFile(page)
	s.must(err)
	var found []*unstructured.Unstructured
	for _, block := range fenced.FindAllStringSubmatch(string(text), -1) {
		for _, part := range strings.Split("\n"+block[1], "\n---\n") {
			fields := map[string]any{}
			if yaml.Unmarshal([]byte(part), &fields) == nil && fields["kind"] == kind {
				found = append(found, &unstructured.Unstructured{Object: fields})
			}
		}
	}
	if len(found) == 0 {
		s.Fatalf("%s shows no %s", page, kind)
	}
	return found
}

// allIsRead checks that echelon lists no object as unreadable.
func (s *stand) allIsRead() {
	s.Helper()
	status, text, err := s.echelon.Get(s.ctx, "/readyz?verbose=1")
	s.must(err)
	if status != 200 || strings.Contains(text, "unreadable") || strings.Contains(text, "can't be read") {
		s.Errorf("/readyz answers %d: %s", status, text)
	}
}

// labelHosts labels every host with its block and rack, under the keys of other projects.
func (s *stand) labelHosts(labels func(block, rack int) map[string]string) {
	s.Helper()
	fabric := s.setup.fabric
	for block := range fabric.Blocks {
		for rack := range fabric.Racks {
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels(block, rack)}})
			s.must(err)
			for host := range fabric.Hosts {
				s.patchNode(world.HostName(block, rack, host), string(patch))
			}
		}
	}
}

func TestObjectsOfKAIAsItDefinesThem(t *testing.T) {
	module := moduleOf(t, "github.com/NVIDIA/KAI-scheduler", "v0.12.0")
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 2, Hosts: 4}, noTopologies: true, later: true})
	s.serveAsDefined(filepath.Join(module, "deployments/kai-scheduler/crds"), map[string]world.Kind{
		"kai.scheduler_topologies.yaml": world.KaiTopologies, "scheduling.run.ai_podgroups.yaml": world.KaiPodGroups})
	s.labelHosts(func(block, rack int) map[string]string {
		return map[string]string{"topology/zone": "z", "topology/spine": fmt.Sprint(block), "topology/rack": fmt.Sprintf("%d-%d", block, rack)}
	})
	class := &scheduling.PriorityClass{ObjectMeta: meta.ObjectMeta{Name: "inference"}, Value: 125}
	if _, err := client.SchedulingV1().PriorityClasses().Create(s.ctx, class, meta.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	s.startEchelon()
	s.waitReady()
	s.startScheduler()

	shown := s.examplesIn(filepath.Join(module, "docs/topology/README.md"), "Topology")[0]
	shown.SetName("shown")
	s.createStrictly(world.KaiTopologies, shown)
	s.createStrictly(world.KaiTopologies, &unstructured.Unstructured{Object: map[string]any{
		"kind": "Topology", "metadata": map[string]any{"name": "cluster-topology"}, "spec": map[string]any{"levels": []any{
			map[string]any{"nodeLabel": "topology/zone"}, map[string]any{"nodeLabel": "topology/spine"},
			map[string]any{"nodeLabel": "topology/rack"}, map[string]any{"nodeLabel": plane.HostLevel}}}}})
	for _, group := range s.examplesIn(filepath.Join(module, "docs/topology/multilevel.md"), "PodGroup") {
		spec := group.Object["spec"].(map[string]any)
		spec["subGroups"] = spec["subgroups"] // The page's spelling isn't that of the definition.
		delete(spec, "subgroups")
		s.createStrictly(world.KaiPodGroups, group)
	}

	// Of sample2 a and b share a spine, and each of the three is in one rack. The last pod completes it.
	member := func(part string, number int) *core.Pod {
		return world.Pod{Name: fmt.Sprintf("pod-%s%d", part, number), Gang: "sample2",
			Annotations: map[string]string{"pod-group-name": "sample2"},
			Labels:      map[string]string{"kai.scheduler/subgroup-name": "subgroup-" + part, world.LeafLabel: part}}.Object(s.namespace)
	}
	s.createPods(member("a", 1), member("b", 1), member("b", 2), member("c", 1), member("c", 2))
	s.waitSeen("sample2", 5)
	s.waitPlan("sample2", "Pending", "Incomplete")
	// Eight hosts are free, and three in no rack.
	for block := range 2 {
		for rack := range 2 {
			s.fill(fmt.Sprintf("odd-%d-%d", block, rack), s.rack(block, rack)[:2]...)
		}
	}
	s.createPods(member("c", 3))
	s.waitPlan("sample2", "Pending", "NoRoom")
	s.noneBound("sample2")
	s.unfill("odd-1-1")
	s.waitBound("sample2", 6)
	for _, part := range []string{"a", "b", "c"} {
		s.oneRack(s.leaf("sample2", part))
	}
	s.oneBlock(append(s.leaf("sample2", "a"), s.leaf("sample2", "b")...))
	s.waitPlan("sample2", "Bound", "")
	s.waitPlan("sample1", "Pending", "Incomplete")
	s.allIsRead()
}

func TestObjectsOfKoordinatorAsItDefinesThem(t *testing.T) {
	module := moduleOf(t, "github.com/koordinator-sh/koordinator", "v1.8.0")
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 2, Hosts: 2}, noTopologies: true, later: true})
	s.serveAsDefined(filepath.Join(module, "config/crd/bases"), map[string]world.Kind{
		"scheduling.koordinator.sh_clusternetworktopologies.yaml": world.KoordinatorLayers,
		"scheduling.sigs.k8s.io_podgroups.yaml":                   world.KoordinatorPodGroups})
	s.startEchelon()
	s.waitReady()
	s.startScheduler()
	layer := func(name, parent, label string) map[string]any {
		found := map[string]any{"topologyLayer": name}
		if parent != "" {
			found["parentTopologyLayer"] = parent
		}
		if label != "" {
			found["labelKey"] = []any{label}
		}
		return found
	}
	s.createStrictly(world.KoordinatorLayers, &unstructured.Unstructured{Object: map[string]any{
		"kind": "ClusterNetworkTopology", "metadata": map[string]any{"name": "default"}, "spec": map[string]any{"networkTopologySpec": []any{
			layer("spineLayer", "", plane.BlockLevel), layer("blockLayer", "spineLayer", plane.RackLevel), layer("NodeTopologyLayer", "blockLayer", "")}}}})

	// The first two groups of the page are gang-master and gang-worker, which list each other. Its annotations are
	// lists, those of objects are text.
	groups := s.examplesIn(filepath.Join(module, "docs/proposals/scheduling/20250611-networktopology-aware-scheduling.md"), "PodGroup")[:2]
	for _, group := range groups {
		data := group.Object["metadata"].(map[string]any)
		notes := data["annotations"].(map[string]any)
		list, err := json.Marshal(notes["gang.scheduling.koordinator.sh/groups"])
		s.must(err)
		notes["gang.scheduling.koordinator.sh/groups"] = strings.ReplaceAll(string(list), `"default/`, `"`+s.namespace+"/")
		notes["gang.scheduling.koordinator.sh/network-topology-spec"] = `{"gatherStrategy":[{"layer":"spineLayer","strategy":"MustGather"}]}`
		data["namespace"] = s.namespace
		s.createStrictly(world.KoordinatorPodGroups, group)
	}
	member := func(role string, number int) *core.Pod {
		return world.Pod{Name: fmt.Sprintf("pod-%s-%d", role, number), Gang: "pair",
			Labels: map[string]string{"pod-group.scheduling.sigs.k8s.io": "gang-" + role}}.Object(s.namespace)
	}
	// Four hosts are free, and three in no block.
	s.fill("odd", world.HostName(0, 0, 0), world.HostName(0, 1, 0), world.HostName(1, 0, 0))
	s.fill("last", world.HostName(1, 1, 0))
	s.createPods(member("master", 0), member("worker", 0))
	s.waitSeen("pair", 2)
	s.waitTurn()
	s.noneBound("pair")
	s.createPods(member("worker", 1))
	s.waitSeen("pair", 3)
	s.eventually(patience, "the gang is refused", func() string {
		for _, plan := range world.ListGangPlans(s.ctx, objects, s.namespace) {
			if plan.Phase == "Pending" && plan.Reason == "NoRoom" {
				return ""
			}
		}
		return "it isn't"
	})
	s.noneBound("pair")
	s.unfill("last")
	s.waitBound("pair", 3)
	if block := s.oneBlock(s.pods("pair")); block != "b1" {
		t.Errorf("it is in %s", block)
	}
	s.allIsRead()
}
