// The fabric and a gang as users of Koordinator write them.

package world

import (
	"context"
	"fmt"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
)

const (
	koordinatorGangLabel = "pod-group.scheduling.sigs.k8s.io"
	koordinatorTopology  = "gang.scheduling.koordinator.sh/network-topology-spec"
	koordinatorLayers    = "default" // The only ClusterNetworkTopology that its scheduler reads.
)

// koordinatorLayer has the layer of each level.
var koordinatorLayer = map[string]string{plane.BlockLevel: "BlockLayer", plane.RackLevel: "RackLayer"}

// CreateKoordinatorLayers makes the object by which Koordinator knows the levels of the fabric. Names of racks must be unique.
func CreateKoordinatorLayers(ctx context.Context, client dynamic.Interface) error {
	block, rack := koordinatorLayer[plane.BlockLevel], koordinatorLayer[plane.RackLevel]
	return KoordinatorLayers.Create(ctx, client, "", koordinatorLayers, map[string]any{"spec": map[string]any{"networkTopologySpec": []any{
		map[string]any{"topologyLayer": block, "labelKey": []any{plane.BlockLevel}},
		map[string]any{"topologyLayer": rack, "labelKey": []any{plane.RackLevel}, "parentTopologyLayer": block},
		map[string]any{"topologyLayer": "NodeTopologyLayer", "parentTopologyLayer": rack},
	}}})
}

// RemoveKoordinatorLayers removes that object, which echelon would read, too.
func RemoveKoordinatorLayers(ctx context.Context, client dynamic.Interface) error {
	return client.Resource(KoordinatorLayers.GroupVersionResource).Delete(ctx, koordinatorLayers, meta.DeleteOptions{})
}

// CreateForKoordinator makes a gang of one leaf: its PodGroup, which requires one domain of the level, and the pods.
func (g Gang) CreateForKoordinator(ctx context.Context, client kubernetes.Interface, objects dynamic.Interface, namespace string) error {
	topology := fmt.Sprintf(`{"gatherStrategy":[{"layer":%q,"strategy":"MustGather"}]}`, koordinatorLayer[g.Root.Required])
	content := map[string]any{"metadata": map[string]any{"annotations": map[string]any{koordinatorTopology: topology}},
		"spec": map[string]any{"minMember": int64(g.Root.Minimum)}}
	if err := KoordinatorPodGroups.Create(ctx, objects, namespace, g.Root.Name, content); err != nil {
		return err
	}
	template := g.Pod
	template.Scheduler = plane.KoordinatorProfile
	template.Labels = map[string]string{koordinatorGangLabel: g.Root.Name, LeafLabel: g.Root.Name}
	return CreatePods(ctx, client, Plain(namespace, g.Root.Name, g.Root.Pods, template))
}

// ClearKoordinator removes all PodGroups of Koordinator in a namespace, as ClearNamespace does with other kinds.
func ClearKoordinator(ctx context.Context, client dynamic.Interface, namespace string) error {
	groups := client.Resource(KoordinatorPodGroups.GroupVersionResource).Namespace(namespace)
	return groups.DeleteCollection(ctx, meta.DeleteOptions{}, meta.ListOptions{})
}
