package world

import (
	"context"
	"fmt"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Labels by which the tests find pods and groups; echelon doesn't read them.
const (
	GangLabel = "e2e.echelon.sh/gang"
	LeafLabel = "e2e.echelon.sh/leaf"

	// Gate is echelon's scheduling gate.
	Gate = "echelon.sh/gang"
)

// Pod has the fields in which pods of the tests differ; other fields are as short as the API allows.
type Pod struct {
	Name          string
	Gang          string // For finding it again: GangLabel.
	Scheduler     string // "": default-scheduler.
	GPUs          int    // 0: 8, a whole host.
	NoGPU         bool   // A small pod that fits anywhere.
	Gate          bool
	Node          string // Bound from the start, without a scheduler.
	PriorityClass string
	Grace         int64 // Seconds that its kubelet may take to end it; 0: it goes at once.
	Labels        map[string]string
	Annotations   map[string]string
}

// Object is the pod as the API knows it.
func (p Pod) Object(namespace string) *core.Pod {
	requests := core.ResourceList{core.ResourceCPU: resource.MustParse("100m")}
	if !p.NoGPU {
		gpus := p.GPUs
		if gpus == 0 {
			gpus = 8
		}
		requests[GPU] = *resource.NewQuantity(int64(gpus), resource.DecimalSI)
	}
	labels := map[string]string{GangLabel: p.Gang}
	for key, value := range p.Labels {
		labels[key] = value
	}
	grace := p.Grace
	pod := &core.Pod{
		ObjectMeta: meta.ObjectMeta{Name: p.Name, Namespace: namespace, Labels: labels, Annotations: p.Annotations},
		Spec: core.PodSpec{
			Containers:                    []core.Container{{Name: "main", Image: "registry.k8s.io/pause:3.10"}},
			SchedulerName:                 p.Scheduler,
			NodeName:                      p.Node,
			PriorityClassName:             p.PriorityClass,
			TerminationGracePeriodSeconds: &grace,
		},
	}
	resources := &pod.Spec.Containers[0].Resources
	resources.Requests = requests
	if gpus, ok := requests[GPU]; ok {
		resources.Limits = core.ResourceList{GPU: gpus}
	}
	if p.Gate {
		pod.Spec.SchedulingGates = []core.PodSchedulingGate{{Name: Gate}}
	}
	return pod
}

// CreatePods makes them all, in parallel.
func CreatePods(ctx context.Context, client kubernetes.Interface, pods []*core.Pod) error {
	return InParallel(pods, func(pod *core.Pod) error {
		_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, meta.CreateOptions{})
		return err
	})
}

// Fillers returns whole-host pods of no gang that occupy the named nodes from the start.
func Fillers(namespace, gang string, nodes []string) []*core.Pod {
	var pods []*core.Pod
	for _, node := range nodes {
		filler := Pod{Name: "filler-" + gang + "-" + node, Gang: gang, Node: node}
		pods = append(pods, filler.Object(namespace))
	}
	return pods
}

// Plain are pods of no gang.
func Plain(namespace, name string, count int, template Pod) []*core.Pod {
	var pods []*core.Pod
	for i := range count {
		template.Name, template.Gang = fmt.Sprintf("%s-%d", name, i), name
		pods = append(pods, template.Object(namespace))
	}
	return pods
}

// DeleteNow removes a pod at once, since no kubelet runs here that would confirm it.
func DeleteNow(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	zero := int64(0)
	return client.CoreV1().Pods(namespace).Delete(ctx, name, meta.DeleteOptions{GracePeriodSeconds: &zero})
}

// IsGated is true while echelon's gate is on the pod.
func IsGated(pod *core.Pod) bool {
	for _, gate := range pod.Spec.SchedulingGates {
		if gate.Name == Gate {
			return true
		}
	}
	return false
}
