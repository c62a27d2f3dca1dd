// Are the labels of every provider levels without any configuration?

package e2e

import (
	"fmt"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// Nodes have the labels of each provider, and there is no configuration. Gangs get the levels that they require by the
// provider's keys. Names of racks are repeated in the other block, so a rack key alone would not be enough.
func TestLevelsByWellKnownLabels(t *testing.T) {
	s := standOn(t, setup{noTopologies: true})
	fabric := world.Fabric{Blocks: 2, Racks: 2, Hosts: 4}
	for _, row := range []struct {
		name        string
		labels      string // Of a node: KEY=VALUE ..., in which {b}, {r} and {h} are its block, rack and host.
		wide, tight string // The keys that the gang and its groups require.
	}{
		{"topograph-1-0", "fabric.topograph.run/tier-3=all fabric.topograph.run/tier-2=b{b} fabric.topograph.run/tier-1=r{r} fabric.topograph.run/tier-0=h{h}",
			"fabric.topograph.run/tier-2", "fabric.topograph.run/tier-1"},
		{"topograph-0-3", "network.topology.nvidia.com/core=all network.topology.nvidia.com/spine=b{b} network.topology.nvidia.com/leaf=r{r}",
			"network.topology.nvidia.com/spine", "network.topology.nvidia.com/leaf"},
		{"topograph-0-1", "network.topology.nvidia.com/datacenter=all network.topology.nvidia.com/spine=b{b} network.topology.nvidia.com/block=r{r}",
			"network.topology.nvidia.com/spine", "network.topology.nvidia.com/block"},
		{"eks", "topology.k8s.aws/network-node-layer-1=all topology.k8s.aws/network-node-layer-2=b{b} topology.k8s.aws/network-node-layer-3=r{r}",
			"topology.k8s.aws/network-node-layer-2", "topology.k8s.aws/network-node-layer-3"},
		{"gke", "cloud.google.com/gce-topology-block=b{b} cloud.google.com/gce-topology-subblock=r{r} cloud.google.com/gce-topology-host=h{h}",
			"cloud.google.com/gce-topology-block", "cloud.google.com/gce-topology-subblock"},
		{"oci", "oci.oraclecloud.com/host.network_block_id=b{b} oci.oraclecloud.com/host.rack_id=r{r}",
			"oci.oraclecloud.com/host.network_block_id", "oci.oraclecloud.com/host.rack_id"},
		{"standard", "topology.kubernetes.io/region=b{b} topology.kubernetes.io/zone=r{r}",
			"topology.kubernetes.io/region", "topology.kubernetes.io/zone"},
		{"documentation", "cloud.provider.com/topology-block=b{b} cloud.provider.com/topology-rack=r{r}",
			"cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"},
		{"gpu-clique", "nvidia.com/gpu.clique=b{b}.r{r}", "nvidia.com/gpu.clique/cluster", "nvidia.com/gpu.clique"},
		{"accelerator-in-a-zone", "topology.kubernetes.io/zone=b{b} accelerator.topograph.run/domain=r{r}",
			"topology.kubernetes.io/zone", "accelerator.topograph.run/domain"},
		{"ultraserver", "topology.k8s.aws/capacity-block-id=b{b} topology.k8s.aws/ultraserver-id=r{r}",
			"topology.k8s.aws/capacity-block-id", "topology.k8s.aws/ultraserver-id"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &stand{T: t, ctx: t.Context(), setup: setup{fabric: fabric}, namespace: s.namespace, echelon: s.echelon, scheduler: s.scheduler}
			var nodes []*core.Node
			for block := range fabric.Blocks {
				for rack := range fabric.Racks {
					for host := range fabric.Hosts {
						node := fabric.Node(block, rack, host)
						node.Labels = map[string]string{plane.HostLevel: node.Name}
						place := strings.NewReplacer("{b}", fmt.Sprint(block), "{r}", fmt.Sprint(rack), "{h}", fmt.Sprint(host))
						for _, label := range strings.Fields(row.labels) {
							key, value, _ := strings.Cut(place.Replace(label), "=")
							node.Labels[key] = value
						}
						nodes = append(nodes, node)
					}
				}
			}
			s.must(world.CreateNodes(s.ctx, client, nodes))
			// Each block has room for one group of three, until rack 1 of block 1 has some, too.
			s.fill("left-"+row.name, s.rack(0, 1)[:2]...)
			s.fill("right-"+row.name, s.rack(1, 1)[:2]...)
			gang := world.Labelled{Name: row.name, Minimum: 2, Groups: 2, GroupSize: 3, Required: row.wide, GroupRequire: row.tight, Gate: true}
			s.createPods(gang.Members(s.namespace)...)
			s.waitPlan(row.name, "Pending", "NoRoom")
			s.unfill("right-" + row.name)
			s.waitBound(row.name, 6)
			racks := map[string]bool{}
			for _, group := range []string{"-0", "-1"} {
				racks[s.one(s.leaf(row.name, row.name+group), "racks", func(node string) string { return node[:len("b0-r0")] })] = true
			}
			if len(racks) != 2 || !racks["b1-r0"] || !racks["b1-r1"] {
				t.Errorf("the groups are in %v", racks)
			}
			s.unfill("left-" + row.name)
			s.unfill(row.name)
			s.eventually(patience, "the pods are gone", func() string {
				return differs("pods", len(observer.PodsIn(s.namespace)), 0)
			})
			s.must(world.ClearNodes(s.ctx, client))
		})
	}
}
