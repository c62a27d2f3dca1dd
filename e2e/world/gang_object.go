// A gang as an object of echelon, for API servers without the groups of Kubernetes itself.

package world

import (
	"context"
	"encoding/json"

	core "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

// ServesPodGroups is true if the API server serves PodGroup and CompositePodGroup of scheduling.k8s.io/v1alpha3. If
// not, a Gang is one object of echelon, and its pods name it by labels.
var ServesPodGroups = true

// join makes the pod a member of the leaf.
func (g Gang) join(pod *core.Pod, leaf string) {
	if ServesPodGroups {
		pod.Spec.SchedulingGroup = &core.PodSchedulingGroup{PodGroupName: &leaf}
		return
	}
	pod.Labels["echelon.sh/gang"] = g.Root.Name
	if len(g.Root.Children) > 0 {
		pod.Labels["echelon.sh/group"] = leaf
	}
}

func (g Gang) createObject(ctx context.Context, client kubernetes.Interface, namespace string) error {
	spec := specOf(g.Root)
	if g.PriorityClass != "" {
		spec["priorityClassName"] = g.PriorityClass
	}
	body, err := json.Marshal(map[string]any{"apiVersion": "echelon.sh/v1alpha1", "kind": "Gang", "spec": spec,
		"metadata": map[string]any{"name": g.Root.Name, "labels": map[string]any{GangLabel: g.Root.Name}}})
	if err != nil {
		return err
	}
	path := "/apis/echelon.sh/v1alpha1/namespaces/" + namespace + "/gangs"
	return client.CoreV1().RESTClient().Post().AbsPath(path).SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
}

func specOf(group Group) map[string]any {
	spec := map[string]any{"minimum": group.Minimum}
	if group.Required != "" {
		spec["requiredTopology"] = group.Required
	}
	var children []any
	for _, child := range group.Children {
		part := specOf(child)
		part["name"] = child.Name
		children = append(children, part)
	}
	if len(children) > 0 {
		spec["groups"] = children
	}
	return spec
}
