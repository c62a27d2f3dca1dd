package world

import (
	"context"
	"fmt"
	"slices"

	core "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1alpha3"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Group is a node of a gang's tree: with children a CompositePodGroup, else a PodGroup with this number of pods.
type Group struct {
	Name     string
	Minimum  int
	Required string // A level; "" is none.
	Pods     int
	Children []Group
}

// Gang is a root group with everything below it, and what all its pods have in common.
type Gang struct {
	Root          Group
	PriorityClass string
	Pod           Pod // The template of the members.
}

// Flat is a gang of one leaf: all of `pods` or nothing.
func Flat(name string, pods int, required string) Gang {
	return Gang{Root: Group{Name: name, Minimum: pods, Pods: pods, Required: required}, Pod: Pod{Gate: true}}
}

// Ungated is the same gang without the scheduling gate on its pods.
func (g Gang) Ungated() Gang {
	g.Pod.Gate = false
	return g
}

// Leaves are the groups of pods, in the order of the tree.
func (g Gang) Leaves() []Group { return g.Root.leaves() }

func (g Group) leaves() []Group {
	if len(g.Children) == 0 {
		return []Group{g}
	}
	var all []Group
	for _, child := range g.Children {
		all = append(all, child.leaves()...)
	}
	return all
}

// Size returns the number of pods in the gang.
func (g Gang) Size() int {
	size := 0
	for _, leaf := range g.Leaves() {
		size += leaf.Pods
	}
	return size
}

// Members are its pods.
func (g Gang) Members(namespace string) []*core.Pod {
	var pods []*core.Pod
	for _, leaf := range g.Leaves() {
		for i := range leaf.Pods {
			pods = append(pods, g.Member(namespace, leaf.Name, i))
		}
	}
	return pods
}

// Member is one pod of a leaf.
func (g Gang) Member(namespace, leaf string, index int) *core.Pod {
	template := g.Pod
	template.Name, template.Gang, template.PriorityClass = fmt.Sprintf("%s-%d", leaf, index), g.Root.Name, g.PriorityClass
	pod := template.Object(namespace)
	pod.Labels[LeafLabel] = leaf
	g.join(pod, leaf)
	return pod
}

// Create makes the Workload, the groups from the root down, and the pods.
func (g Gang) Create(ctx context.Context, client kubernetes.Interface, namespace string) error {
	if err := g.CreateGroups(ctx, client, namespace); err != nil {
		return err
	}
	return CreatePods(ctx, client, g.Members(namespace))
}

// CreateGroups makes all objects but the pods.
func (g Gang) CreateGroups(ctx context.Context, client kubernetes.Interface, namespace string) error {
	for _, step := range g.steps(ctx, client, namespace) {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// CreateReversed makes the pods first, then the groups from the leaves up, and the Workload last.
func (g Gang) CreateReversed(ctx context.Context, client kubernetes.Interface, namespace string) error {
	if err := CreatePods(ctx, client, g.Members(namespace)); err != nil {
		return err
	}
	steps := g.steps(ctx, client, namespace)
	slices.Reverse(steps)
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// steps make the objects from the root down, one each. A gang of one leaf needs no Workload.
func (g Gang) steps(ctx context.Context, client kubernetes.Interface, namespace string) []func() error {
	if !ServesPodGroups {
		return []func() error{func() error { return g.createObject(ctx, client, namespace) }}
	}
	var steps []func() error
	if len(g.Root.Children) > 0 {
		workload := &scheduling.Workload{ObjectMeta: meta.ObjectMeta{Name: g.Root.Name, Namespace: namespace},
			Spec: scheduling.WorkloadSpec{CompositePodGroupTemplates: []scheduling.CompositePodGroupTemplate{g.composite(g.Root)}}}
		steps = append(steps, func() error {
			_, err := client.SchedulingV1alpha3().Workloads(namespace).Create(ctx, workload, meta.CreateOptions{})
			return err
		})
	}
	g.walk(g.Root, "", func(group Group, parent string) {
		object := meta.ObjectMeta{Name: group.Name, Namespace: namespace, Labels: map[string]string{GangLabel: g.Root.Name}}
		var above *string
		if parent != "" {
			above = &parent
		}
		var reference *scheduling.WorkloadReference
		if len(g.Root.Children) > 0 {
			reference = &scheduling.WorkloadReference{WorkloadName: g.Root.Name, TemplateName: group.Name}
		}
		if len(group.Children) == 0 {
			template := g.leaf(group)
			leaf := &scheduling.PodGroup{ObjectMeta: object, Spec: scheduling.PodGroupSpec{
				ParentCompositePodGroupName: above, WorkloadRef: reference, SchedulingPolicy: template.SchedulingPolicy,
				SchedulingConstraints: template.SchedulingConstraints, PriorityClassName: g.PriorityClass}}
			steps = append(steps, func() error {
				_, err := client.SchedulingV1alpha3().PodGroups(namespace).Create(ctx, leaf, meta.CreateOptions{})
				return err
			})
			return
		}
		template := g.composite(group)
		composite := &scheduling.CompositePodGroup{ObjectMeta: object, Spec: scheduling.CompositePodGroupSpec{
			ParentCompositePodGroupName: above, WorkloadRef: reference, SchedulingPolicy: template.SchedulingPolicy,
			SchedulingConstraints: template.SchedulingConstraints, PriorityClassName: g.PriorityClass}}
		steps = append(steps, func() error {
			_, err := client.SchedulingV1alpha3().CompositePodGroups(namespace).Create(ctx, composite, meta.CreateOptions{})
			return err
		})
	})
	return steps
}

func (g Gang) walk(group Group, parent string, visit func(group Group, parent string)) {
	visit(group, parent)
	for _, child := range group.Children {
		g.walk(child, group.Name, visit)
	}
}

func (g Gang) leaf(group Group) scheduling.PodGroupTemplate {
	template := scheduling.PodGroupTemplate{Name: group.Name, PriorityClassName: g.PriorityClass}
	template.SchedulingPolicy.Gang = &scheduling.GangSchedulingPolicy{MinCount: int32(group.Minimum)}
	if group.Required != "" {
		template.SchedulingConstraints = &scheduling.PodGroupSchedulingConstraints{
			Topology: []scheduling.TopologyConstraint{{Key: group.Required}}}
	}
	return template
}

func (g Gang) composite(group Group) scheduling.CompositePodGroupTemplate {
	template := scheduling.CompositePodGroupTemplate{Name: group.Name, PriorityClassName: g.PriorityClass}
	template.SchedulingPolicy.Gang = &scheduling.CompositeGangSchedulingPolicy{MinGroupCount: int32(group.Minimum)}
	if group.Required != "" {
		template.SchedulingConstraints = &scheduling.CompositePodGroupSchedulingConstraints{
			Topology: []scheduling.TopologyConstraint{{Key: group.Required}}}
	}
	for _, child := range group.Children {
		if len(child.Children) == 0 {
			template.PodGroupTemplates = append(template.PodGroupTemplates, g.leaf(child))
		} else {
			template.CompositePodGroupTemplates = append(template.CompositePodGroupTemplates, g.composite(child))
		}
	}
	return template
}
