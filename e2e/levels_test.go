// Does echelon keep levels without gangs, and export levels to other schedulers?

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// TestLevelsWithoutGangs: each pod is bound as it comes. The first one goes where there is room for all declared pods.
func TestLevelsWithoutGangs(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}, noGangs: true})
	s.fill("full", world.HostName(0, 0, 0)) // Rack 0 is the tighter one, and has no room for four.
	s.waitBound("full", 1)
	gang := world.Flat("train", 4, plane.RackLevel).Ungated()
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	for i, member := range gang.Members(s.namespace) {
		s.createPods(member)
		s.waitBound("train", i+1)
		if rack := s.oneRack(s.pods("train")); rack != world.RackPath(0, 1) {
			t.Fatalf("pod %d is in %s", i, rack)
		}
	}
	// A second group has three hosts left in one rack, takes them, and waits with the fourth pod.
	s.create(world.Flat("second", 4, plane.RackLevel))
	s.waitBound("second", 3)
	s.oneRack(s.pods("second"))
	s.waitTurn()
	s.holds(s.bound("second", 3))
}

// hyperNodes returns the members of each HyperNode that echelon keeps, by name.
func (s *stand) hyperNodes() map[string]string {
	s.Helper()
	list, err := objects.Resource(world.HyperNodes.GroupVersionResource).List(s.ctx, meta.ListOptions{LabelSelector: "echelon.sh/export=net"})
	s.must(err)
	found := map[string]string{}
	for _, item := range list.Items {
		var object struct {
			Spec struct {
				Tier    int
				Members []struct {
					Selector struct{ ExactMatch struct{ Name string } }
				}
			}
		}
		text, err := item.MarshalJSON()
		s.must(err)
		s.must(json.Unmarshal(text, &object))
		var members []string
		for _, member := range object.Spec.Members {
			members = append(members, member.Selector.ExactMatch.Name)
		}
		found[item.GetName()] = strings.Join(members, " ")
	}
	return found
}

func (s *stand) waitHyperNodes(want map[string]string) {
	s.Helper()
	s.eventually(patience, "HyperNodes follow the nodes", func() string {
		if found := s.hyperNodes(); fmt.Sprint(found) != fmt.Sprint(want) {
			return fmt.Sprintf("they are %v, not %v", found, want)
		}
		return ""
	})
}

// TestTopologyIsExportedBesideAStockScheduler: kube-scheduler has no extender, and echelon keeps the HyperNodes of the
// nodes.
func TestTopologyIsExportedBesideAStockScheduler(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 2}, later: true})
	s.serve(world.HyperNodes)
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{More: "export: {kind: HyperNode, name: net, from: fabric}\n"})
	s.must(err)
	s.scheduler, err = shared.StartScheduler(plane.SchedulerOptions{Profiles: []plane.SchedulerProfile{{Name: defaultScheduler}}})
	s.must(err)
	s.waitReady()
	rack := func(number int) string { return fmt.Sprintf("net.tier-1.b0.r%d", number) }
	want := map[string]string{
		"net.tier-2.b0": rack(0) + " " + rack(1),
		rack(0):         strings.Join(s.rack(0, 0), " "),
		rack(1):         strings.Join(s.rack(0, 1), " "),
	}
	s.waitHyperNodes(want)
	for _, address := range []string{s.echelon.Extender, s.echelon.Bind} {
		if _, _, err := s.echelon.Post(s.ctx, address, "/v1/filter", []byte("{}")); err == nil {
			t.Errorf("somebody answers at %s", address)
		}
	}

	// echelon handles no gangs here: kube-scheduler binds what fits.
	s.createPods(world.Pod{Name: "plain", Gang: "plain"}.Object(s.namespace))
	s.waitBound("plain", 1)

	// A host moves to another rack.
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:"r2"}}}`, plane.RackLevel)
	_, err = client.CoreV1().Nodes().Patch(s.ctx, world.HostName(0, 1, 1), types.StrategicMergePatchType, []byte(patch), meta.PatchOptions{})
	s.must(err)
	want["net.tier-2.b0"] += " " + rack(2)
	want[rack(1)], want[rack(2)] = world.HostName(0, 1, 0), world.HostName(0, 1, 1)
	s.waitHyperNodes(want)

	// An emptied rack goes; a HyperNode of another owner stays.
	s.createHyperNode("theirs", 1, "", leafOf(0))
	s.must(client.CoreV1().Nodes().Delete(s.ctx, world.HostName(0, 1, 0), meta.DeleteOptions{}))
	want["net.tier-2.b0"] = rack(0) + " " + rack(2)
	delete(want, rack(1))
	s.waitHyperNodes(want)
	if _, err := objects.Resource(world.HyperNodes.GroupVersionResource).Get(s.ctx, "theirs", meta.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// TestTopologyIsExportedInEveryKind: objects of levels, beside echelon's own work.
func TestTopologyIsExportedInEveryKind(t *testing.T) {
	for _, row := range []struct {
		kind world.Kind
		name string
		export,
		spec string
	}{
		{world.KueueTopologies, "net", "KueueTopology", `{"levels":[{"nodeLabel":"` + plane.BlockLevel + `"},{"nodeLabel":"` + plane.RackLevel + `"},{"nodeLabel":"` + plane.HostLevel + `"}]}`},
		{world.KaiTopologies, "net", "KaiTopology", `{"levels":[{"nodeLabel":"` + plane.BlockLevel + `"},{"nodeLabel":"` + plane.RackLevel + `"},{"nodeLabel":"` + plane.HostLevel + `"}]}`},
		{world.KoordinatorLayers, "default", "ClusterNetworkTopology", `{"networkTopologySpec":[{"labelKey":["` + plane.BlockLevel + `"],"topologyLayer":"blockLayer"},` +
			`{"labelKey":["` + plane.RackLevel + `"],"parentTopologyLayer":"blockLayer","topologyLayer":"rackLayer"},{"parentTopologyLayer":"rackLayer","topologyLayer":"NodeTopologyLayer"}]}`},
	} {
		t.Run(row.export, func(t *testing.T) {
			s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 2}, later: true})
			s.serve(row.kind)
			var err error
			s.echelon, err = shared.StartEchelon(plane.EchelonOptions{Profiles: []plane.Profile{{SchedulerName: defaultScheduler}},
				More: fmt.Sprintf("export: {kind: %s, name: %s, from: fabric}\n", row.export, row.name)})
			s.must(err)
			s.waitReady()
			s.startScheduler()
			difference := func() string {
				object, err := objects.Resource(row.kind.GroupVersionResource).Get(s.ctx, row.name, meta.GetOptions{})
				if err != nil {
					return err.Error()
				}
				if spec, err := json.Marshal(object.Object["spec"]); err != nil || string(spec) != row.spec {
					return fmt.Sprintf("it says %s, %v", spec, err)
				}
				return ""
			}
			s.eventually(patience, "the object is there", difference)
			s.create(world.Flat("train", 2, plane.RackLevel))
			s.waitBound("train", 2)
			s.oneRack(s.pods("train"))
			// Changes by others are reverted with the next change of the nodes.
			_, err = objects.Resource(row.kind.GroupVersionResource).Patch(s.ctx, row.name, types.MergePatchType, []byte(`{"spec":{"levels":null,"networkTopologySpec":null}}`), meta.PatchOptions{})
			s.must(err)
			s.patchNode(world.HostName(0, 0, 0), `{"metadata":{"labels":{"example.com/news":"1"}}}`)
			s.eventually(patience, "the object is as it was", difference)
			s.must(objects.Resource(row.kind.GroupVersionResource).Delete(context.Background(), row.name, meta.DeleteOptions{}))
		})
	}
}
