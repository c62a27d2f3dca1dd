package world

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// ClearNamespace removes all pods, groups, Workloads, Gangs and GangPlans of a namespace. It removes the protection of
// PodGroups, since no controller runs here.
func ClearNamespace(ctx context.Context, client dynamic.Interface, namespace string) error {
	zero := int64(0)
	now := meta.DeleteOptions{GracePeriodSeconds: &zero}
	upstream := func(resource string) schema.GroupVersionResource {
		return schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1alpha3", Resource: resource}
	}
	gangs := GangPlans.GroupVersion().WithResource("gangs")
	resources := []schema.GroupVersionResource{{Version: "v1", Resource: "pods"}, gangs, GangPlans}
	if ServesPodGroups {
		resources = append(resources, upstream("podgroups"), upstream("compositepodgroups"), upstream("workloads"))
	}
	for _, resource := range resources {
		objects := client.Resource(resource).Namespace(namespace)
		if resource.Group == "scheduling.k8s.io" {
			list, err := objects.List(ctx, meta.ListOptions{})
			if err != nil {
				return err
			}
			for _, item := range list.Items {
				if len(item.GetFinalizers()) == 0 {
					continue
				}
				_, err := objects.Patch(ctx, item.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), meta.PatchOptions{})
				if err != nil && !apierrors.IsNotFound(err) {
					return err
				}
			}
		}
		if err := objects.DeleteCollection(ctx, now, meta.ListOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// ClearNodes removes every node.
func ClearNodes(ctx context.Context, client kubernetes.Interface) error {
	return client.CoreV1().Nodes().DeleteCollection(ctx, meta.DeleteOptions{}, meta.ListOptions{})
}
