package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	events "k8s.io/api/events/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/world"
)

// createAndBind creates the gangs of a load one after another. For each pod of a gang that is complete it makes the calls
// that echelon and kube-scheduler would make together. It decides and watches nothing, so whatever needs these calls takes
// longer than this, and costs the API server more.
func (l lane) createAndBind(ctx context.Context, client kubernetes.Interface, load load) error {
	const workers = 12 // As many connections as echelon has for bindings and other writes.
	queue, failures := make(chan placed, load.pods), make(chan error, load.pods)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for each := range queue {
				if err := l.callsFor(ctx, client, each.pod, each.node); err != nil {
					failures <- err
				}
			}
		})
	}
	err := l.createAll(ctx, client, load, queue)
	close(queue)
	group.Wait()
	close(failures)
	if err != nil {
		return err
	}
	return <-failures // nil when there are none.
}

// placed is a pod with the node that it is bound to.
type placed struct {
	pod  *core.Pod
	node string
}

// createAll creates groups and pods; the pods of a gang go into the queue once all of them are there.
func (l lane) createAll(ctx context.Context, client kubernetes.Interface, load load, queue chan<- placed) error {
	hosts := 0
	for _, gang := range l.gangs(load) {
		if err := gang.CreateGroups(ctx, client, namespace); err != nil {
			return err
		}
		var mutex sync.Mutex
		var created []*core.Pod
		if err := world.InParallel(gang.Members(namespace), func(pod *core.Pod) error {
			pod, err := client.CoreV1().Pods(namespace).Create(ctx, pod, meta.CreateOptions{})
			mutex.Lock()
			defer mutex.Unlock()
			created = append(created, pod)
			return err
		}); err != nil {
			return err
		}
		if l.barrier != nil {
			l.barrier.expect(created)
		}
		for _, pod := range created {
			queue <- placed{pod, world.HostName(hosts%10, hosts/500, hosts/10%50)} // 10 blocks of racks with 50 hosts.
			hosts++
		}
	}
	return nil
}

// callsFor are the calls for one member: it is nominated, loses its gate and is bound, and kube-scheduler writes an event. If
// kube-scheduler runs, the last two are its own.
func (l lane) callsFor(ctx context.Context, client kubernetes.Interface, pod *core.Pod, node string) error {
	pods := client.CoreV1().Pods(namespace)
	patch := func(changes map[string]any, subresources ...string) error {
		changes["metadata"] = map[string]any{"uid": pod.UID}
		body, err := json.Marshal(changes)
		if err != nil {
			return err
		}
		_, err = pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, body, meta.PatchOptions{}, subresources...)
		return err
	}
	if !l.unnamed {
		if err := patch(map[string]any{"status": map[string]any{"nominatedNodeName": node}}, "status"); err != nil {
			return fmt.Errorf("nominating %s: %w", pod.Name, err)
		}
	}
	if l.gated {
		ours := map[string]any{"$patch": "delete", "name": world.Gate}
		if err := patch(map[string]any{"spec": map[string]any{"schedulingGates": []any{ours}}}); err != nil {
			return fmt.Errorf("un-gating %s: %w", pod.Name, err)
		}
	}
	if l.stock {
		return nil // kube-scheduler binds the pod, and writes the event.
	}
	binding := &core.Binding{ObjectMeta: meta.ObjectMeta{Name: pod.Name, Namespace: namespace, UID: pod.UID},
		Target: core.ObjectReference{APIVersion: "v1", Kind: "Node", Name: node}}
	if err := pods.Bind(ctx, binding, meta.CreateOptions{}); err != nil {
		return fmt.Errorf("binding %s: %w", pod.Name, err)
	}
	return scheduledEvent(ctx, client, pod, node)
}

// scheduledEvent writes what kube-scheduler writes about a pod that it has placed.
func scheduledEvent(ctx context.Context, client kubernetes.Interface, pod *core.Pod, node string) error {
	now := time.Now()
	event := &events.Event{
		ObjectMeta:          meta.ObjectMeta{Name: fmt.Sprintf("%s.%x", pod.Name, now.UnixNano()), Namespace: namespace},
		EventTime:           meta.NewMicroTime(now),
		ReportingController: profile,
		ReportingInstance:   profile + "-bench",
		Action:              "Binding",
		Reason:              "Scheduled",
		Regarding:           core.ObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, Namespace: namespace, UID: pod.UID},
		Note:                fmt.Sprintf("Successfully assigned %s/%s to %s", namespace, pod.Name, node),
		Type:                core.EventTypeNormal,
	}
	if _, err := client.EventsV1().Events(namespace).Create(ctx, event, meta.CreateOptions{}); err != nil {
		return fmt.Errorf("the event of %s: %w", pod.Name, err)
	}
	return nil
}
