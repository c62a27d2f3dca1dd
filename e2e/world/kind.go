// Kinds of other projects, served by the API server without their controllers.

package world

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Kind is a custom resource of another project. The API server takes whatever its objects say.
type Kind struct {
	schema.GroupVersionResource
	Name    string // Of the kind itself: HyperNode.
	Cluster bool   // Its objects are in no namespace.
}

// Kinds of other projects that echelon reads.
var (
	HyperNodes       = clusterKind("topology.volcano.sh", "v1alpha1", "HyperNode", "hypernodes")
	KueueTopologies  = clusterKind("kueue.x-k8s.io", "v1beta2", "Topology", "topologies")
	KaiTopologies    = clusterKind("kai.scheduler", "v1alpha1", "Topology", "topologies")
	KaiPodGroups     = namespacedKind("scheduling.run.ai", "v2alpha2", "PodGroup", "podgroups")
	VolcanoPodGroups = namespacedKind("scheduling.volcano.sh", "v1beta1", "PodGroup", "podgroups")
	PluginsPodGroups = namespacedKind("scheduling.x-k8s.io", "v1alpha1", "PodGroup", "podgroups")
	PodGangs         = namespacedKind("scheduler.grove.io", "v1alpha1", "PodGang", "podgangs")

	KoordinatorPodGroups = namespacedKind("scheduling.sigs.k8s.io", "v1alpha1", "PodGroup", "podgroups")
	KoordinatorLayers    = clusterKind("scheduling.koordinator.sh", "v1alpha1", "ClusterNetworkTopology", "clusternetworktopologies")

	NodeResourceTopologies = clusterKind("topology.node.k8s.io", "v1alpha2", "NodeResourceTopology", "noderesourcetopologies")

	// PodCliqueSets are what PodGangs come from; echelon is asked about them, and reads those of PodGangs that it
	// translates.
	PodCliqueSets = namespacedKind("grove.io", "v1alpha1", "PodCliqueSet", "podcliquesets")

	foreignKinds = []Kind{
		HyperNodes, KueueTopologies, VolcanoPodGroups, PluginsPodGroups, PodGangs, KoordinatorPodGroups, KoordinatorLayers,
		KaiPodGroups, NodeResourceTopologies,
		namespacedKind("jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets"),
		namespacedKind("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets"),
		namespacedKind("disaggregatedset.x-k8s.io", "v1", "DisaggregatedSet", "disaggregatedsets"),
		namespacedKind("workloads.x-k8s.io", "v1alpha2", "RoleBasedGroup", "rolebasedgroups"),
		namespacedKind("kueue.x-k8s.io", "v1beta2", "Workload", "workloads"),
		KaiTopologies,
		clusterKind("grove.io", "v1alpha1", "ClusterTopologyBinding", "clustertopologybindings"),
		clusterKind("grove.io", "v1alpha1", "ClusterTopology", "clustertopologies"),
	}
)

func namespacedKind(group, version, name, resource string) Kind {
	return Kind{GroupVersionResource: schema.GroupVersionResource{Group: group, Version: version, Resource: resource}, Name: name}
}

func clusterKind(group, version, name, resource string) Kind {
	kind := namespacedKind(group, version, name, resource)
	kind.Cluster = true
	return kind
}

// ServeForeignKinds makes the API server serve every kind of other projects that echelon watches.
func ServeForeignKinds(ctx context.Context, client dynamic.Interface) error {
	for _, kind := range foreignKinds {
		if err := kind.Serve(ctx, client); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// RemoveForeignKinds removes these kinds with all their objects.
func RemoveForeignKinds(ctx context.Context, client dynamic.Interface) error {
	for _, kind := range foreignKinds {
		if err := kind.Withdraw(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Serve makes the API server serve the kind, and returns once its objects can be listed.
func (k Kind) Serve(ctx context.Context, client dynamic.Interface) error {
	scope := "Namespaced"
	if k.Cluster {
		scope = "Cluster"
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": k.definition(),
			// Needed for groups of k8s.io.
			"annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, for tests"}},
		"spec": map[string]any{"group": k.Group, "scope": scope,
			"names": map[string]any{"kind": k.Name, "plural": k.Resource, "singular": strings.ToLower(k.Name)},
			"versions": []any{map[string]any{"name": k.Version, "served": true, "storage": true,
				"subresources": map[string]any{"status": map[string]any{}}, "schema": map[string]any{
					"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}},
	}}
	if _, err := client.Resource(definitions).Create(ctx, object, meta.CreateOptions{}); err != nil {
		return err
	}
	return k.until(ctx, client, "served", func(err error) bool { return err == nil })
}

// Withdraw removes the kind with all its objects.
func (k Kind) Withdraw(ctx context.Context, client dynamic.Interface) error {
	err := client.Resource(definitions).Delete(ctx, k.definition(), meta.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return k.until(ctx, client, "gone", apierrors.IsNotFound)
}

// Create makes an object; `content` is what it has besides its kind and name.
func (k Kind) Create(ctx context.Context, client dynamic.Interface, namespace, name string, content map[string]any) error {
	object := &unstructured.Unstructured{Object: content}
	object.SetAPIVersion(k.GroupVersion().String())
	object.SetKind(k.Name)
	object.SetName(name)
	_, err := client.Resource(k.GroupVersionResource).Namespace(namespace).Create(ctx, object, meta.CreateOptions{})
	return err
}

func (k Kind) definition() string { return k.Resource + "." + k.Group }

func (k Kind) until(ctx context.Context, client dynamic.Interface, what string, is func(error) bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, err := client.Resource(k.GroupVersionResource).List(ctx, meta.ListOptions{})
		if is(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s isn't %s: %v", k.definition(), what, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
