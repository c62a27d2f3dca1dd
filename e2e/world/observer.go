package world

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"echelon.sh/echelon/e2e/plane"
)

// Observer watches all pods and nodes, and remembers every binding that it saw. Thread-safe.
type Observer struct {
	mutex    sync.Mutex
	pods     map[string]*core.Pod  // By namespace/name.
	nodes    map[string]*core.Node // By name.
	bindings map[string]Binding    // By UID; pods that are gone included.
	arrivals map[string]time.Time  // By UID; when it was first seen.
	faults   []string
	first    []firstBinding
	changed  chan struct{} // Closed and replaced at every change.
}

// Binding is one pod seen on a node.
type Binding struct {
	Pod, Node string
	Seen      time.Time
}

type firstBinding struct {
	gang string
	then func()
}

// Observe starts following; it returns once everything present has been seen.
func Observe(ctx context.Context, client kubernetes.Interface) (*Observer, error) {
	o := &Observer{pods: map[string]*core.Pod{}, nodes: map[string]*core.Node{}, bindings: map[string]Binding{},
		arrivals: map[string]time.Time{}, changed: make(chan struct{})}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods, nodes := factory.Core().V1().Pods().Informer(), factory.Core().V1().Nodes().Informer()
	registrations := []cache.ResourceEventHandlerRegistration{}
	for _, follow := range []struct {
		informer cache.SharedIndexInformer
		apply    func(object any, gone bool)
	}{{pods, o.applyPod}, {nodes, o.applyNode}} {
		registration, err := follow.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { follow.apply(object, false) },
			UpdateFunc: func(_, object any) { follow.apply(object, false) },
			DeleteFunc: func(object any) {
				if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
					object = unknown.Obj
				}
				follow.apply(object, true)
			},
		})
		if err != nil {
			return nil, err
		}
		registrations = append(registrations, registration)
	}
	factory.Start(ctx.Done())
	for _, registration := range registrations {
		if !cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
			return nil, fmt.Errorf("pods and nodes could not be listed")
		}
	}
	return o, nil
}

func (o *Observer) applyPod(object any, gone bool) {
	pod, ok := object.(*core.Pod)
	if !ok {
		return
	}
	var run []func()
	o.mutex.Lock()
	key := pod.Namespace + "/" + pod.Name
	if gone {
		delete(o.pods, key)
	} else {
		o.pods[key] = pod
	}
	if _, known := o.arrivals[string(pod.UID)]; !known {
		o.arrivals[string(pod.UID)] = time.Now()
	}
	if node := pod.Spec.NodeName; node != "" {
		before, seen := o.bindings[string(pod.UID)]
		if seen && before.Node != node {
			o.faults = append(o.faults, fmt.Sprintf("%s was on %s and is on %s", key, before.Node, node))
		}
		if !seen {
			o.bindings[string(pod.UID)] = Binding{Pod: key, Node: node, Seen: time.Now()}
			o.first = slices.DeleteFunc(o.first, func(f firstBinding) bool {
				if f.gang != pod.Labels[GangLabel] {
					return false
				}
				run = append(run, f.then)
				return true
			})
		}
	}
	o.wake()
	o.mutex.Unlock()
	for _, then := range run {
		then()
	}
}

func (o *Observer) applyNode(object any, gone bool) {
	node, ok := object.(*core.Node)
	if !ok {
		return
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if gone {
		delete(o.nodes, node.Name)
	} else {
		o.nodes[node.Name] = node
	}
	o.wake()
}

func (o *Observer) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// Changed is closed at the next change of anything.
func (o *Observer) Changed() <-chan struct{} {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.changed
}

// AtFirstBinding calls `then` from the watch itself, as soon as a pod of the gang is seen on a node.
func (o *Observer) AtFirstBinding(gang string, then func()) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.first = append(o.first, firstBinding{gang, then})
}

// Pods are the present pods of a namespace with that GangLabel, by name.
func (o *Observer) Pods(namespace, gang string) []*core.Pod {
	return slices.DeleteFunc(o.PodsIn(namespace), func(pod *core.Pod) bool { return pod.Labels[GangLabel] != gang })
}

// PodsIn are the present pods of a namespace, by name.
func (o *Observer) PodsIn(namespace string) []*core.Pod {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var found []*core.Pod
	for _, pod := range o.pods {
		if pod.Namespace == namespace {
			found = append(found, pod)
		}
	}
	slices.SortFunc(found, func(a, b *core.Pod) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// Pod is one present pod, or nil.
func (o *Observer) Pod(namespace, name string) *core.Pod {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.pods[namespace+"/"+name]
}

// Nodes is how many nodes there are.
func (o *Observer) Nodes() int {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return len(o.nodes)
}

// Place is the position of a node: block, and path of the rack.
func (o *Observer) Place(node string) (block, rack string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	present := o.nodes[node]
	if present == nil {
		return "lost", "lost/" + node
	}
	block = present.Labels[plane.BlockLevel]
	return block, block + "/" + present.Labels[plane.RackLevel]
}

// Bound are those of the pods that have a node.
func Bound(pods []*core.Pod) []*core.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *core.Pod) bool { return pod.Spec.NodeName == "" })
}

// Faults are things that must never happen: a pod that changed its node, a host with more GPUs in use than it has.
func (o *Observer) Faults() []string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	faults := slices.Clone(o.faults)
	used := map[string]int64{}
	for _, pod := range o.pods {
		if pod.Spec.NodeName != "" && pod.Status.Phase != core.PodSucceeded && pod.Status.Phase != core.PodFailed {
			gpus := pod.Spec.Containers[0].Resources.Requests[GPU]
			used[pod.Spec.NodeName] += gpus.Value()
		}
	}
	for name, gpus := range used {
		if node := o.nodes[name]; node != nil {
			if room := node.Status.Allocatable[GPU]; gpus > room.Value() {
				faults = append(faults, fmt.Sprintf("%s has %d GPUs and %d are in use", name, room.Value(), gpus))
			}
		}
	}
	return faults
}

// Span is when the first and the last of the pods were seen on their nodes.
func (o *Observer) Span(pods []*core.Pod) (first, last time.Time) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, pod := range pods {
		binding, ok := o.bindings[string(pod.UID)]
		if !ok {
			continue
		}
		if first.IsZero() || binding.Seen.Before(first) {
			first = binding.Seen
		}
		if binding.Seen.After(last) {
			last = binding.Seen
		}
	}
	return first, last
}

// LastArrival is when the newest of the pods was first seen.
func (o *Observer) LastArrival(pods []*core.Pod) time.Time {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var last time.Time
	for _, pod := range pods {
		if arrival := o.arrivals[string(pod.UID)]; arrival.After(last) {
			last = arrival
		}
	}
	return last
}

// Count is how many pods there are.
func (o *Observer) Count() int {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return len(o.pods)
}
