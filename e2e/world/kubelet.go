// Kubelets, as controllers see them: bound pods run.

package world

import (
	"context"
	"encoding/json"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// SlowLabel keeps bound pods from running until the label is removed.
const SlowLabel = "e2e.echelon.sh/slow"

// Kubelets replaces the kubelets of all nodes for the pods of one namespace: a bound pod runs and is ready at once.
// Ends with the context.
func Kubelets(ctx context.Context, client kubernetes.Interface, observer *Observer, namespace string) {
	reported := map[types.UID]bool{}
	for {
		changed := observer.Changed()
		for _, pod := range observer.PodsIn(namespace) {
			_, isSlow := pod.Labels[SlowLabel]
			if pod.Spec.NodeName == "" || pod.Status.Phase != core.PodPending || isSlow || reported[pod.UID] {
				continue
			}
			reported[pod.UID] = report(ctx, client, pod, core.PodRunning) == nil
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(time.Second): // A report was lost.
		}
	}
}

// EndDeleted replaces kubelets that end deleted pods, each after a while. Ends with the context.
func EndDeleted(ctx context.Context, client kubernetes.Interface, observer *Observer, namespace string, after time.Duration) {
	due := map[types.UID]time.Time{}
	for {
		changed := observer.Changed()
		for _, pod := range observer.PodsIn(namespace) {
			if pod.DeletionTimestamp == nil {
				continue
			}
			if _, isKnown := due[pod.UID]; !isKnown {
				due[pod.UID] = time.Now().Add(after)
			}
			if time.Now().After(due[pod.UID]) {
				_ = DeleteNow(ctx, client, namespace, pod.Name)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// End has pods end, well (Succeeded) or not (Failed).
func End(ctx context.Context, client kubernetes.Interface, phase core.PodPhase, pods ...*core.Pod) error {
	return InParallel(pods, func(pod *core.Pod) error { return report(ctx, client, pod, phase) })
}

func report(ctx context.Context, client kubernetes.Interface, pod *core.Pod, phase core.PodPhase) error {
	ready, state := core.ConditionFalse, core.ContainerState{}
	switch phase {
	case core.PodRunning:
		ready, state.Running = core.ConditionTrue, &core.ContainerStateRunning{}
	case core.PodSucceeded:
		state.Terminated = &core.ContainerStateTerminated{}
	default:
		state.Terminated = &core.ContainerStateTerminated{ExitCode: 1}
	}
	container := pod.Spec.Containers[0]
	status := core.PodStatus{Phase: phase, Conditions: []core.PodCondition{{Type: core.PodReady, Status: ready}},
		ContainerStatuses: []core.ContainerStatus{{Name: container.Name, Image: container.Image,
			Ready: ready == core.ConditionTrue, State: state}}}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, meta.PatchOptions{}, "status")
	return err
}
