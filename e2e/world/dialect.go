// A gang in each dialect, as its users write it.

package world

import (
	"context"
	"fmt"
	"strings"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// Dialect is a gang of two pods as its users write it.
type Dialect struct {
	Name                string // Of the gang's object, too.
	Plan                string // Name of the GangPlan; "": that of the object.
	Object              string // The group as YAML, without namespace; "": the pods say it all.
	PodGroup            string // spec.schedulingGroup of the pods.
	Labels, Annotations string // Of the pods, as YAML; %d is the number of the pod.
}

// Dialects has a gang in each dialect of docs/dialects.md, except kinds that this API server can't serve.
var Dialects = []Dialect{
	{Name: "upstream", PodGroup: "upstream",
		Object: `{apiVersion: scheduling.k8s.io/v1alpha3, kind: PodGroup, spec: {schedulingPolicy: {gang: {minCount: 2}}}}`},
	{Name: "labels", Labels: `{echelon.sh/gang: labels}`, Annotations: `{echelon.sh/gang-minimum: "2"}`},
	{Name: "gang", Labels: `{echelon.sh/gang: gang}`, Object: `{apiVersion: echelon.sh/v1alpha1, kind: Gang, spec: {minimum: 2}}`},
	{Name: "grove", Labels: `{grove.io/podgang: grove, grove.io/podclique: decode}`,
		Object: `{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, spec: {podgroups: [{name: decode, minReplicas: 2}]}}`},
	{Name: "kai", Annotations: `{pod-group-name: kai}`,
		Object: `{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, spec: {minMember: 2}}`},
	{Name: "volcano", Annotations: `{scheduling.k8s.io/group-name: volcano}`,
		Object: `{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, spec: {minMember: 2}}`},
	{Name: "plugins", Labels: `{scheduling.x-k8s.io/pod-group: plugins}`,
		Object: `{apiVersion: scheduling.x-k8s.io/v1alpha1, kind: PodGroup, spec: {minMember: 2}}`},
	{Name: "koordinator", Labels: `{pod-group.scheduling.sigs.k8s.io: koordinator}`,
		Object: `{apiVersion: scheduling.sigs.k8s.io/v1alpha1, kind: PodGroup, spec: {minMember: 2}}`},
	{Name: "annotated", Annotations: `{gang.scheduling.koordinator.sh/name: annotated, gang.scheduling.koordinator.sh/min-available: "2"}`},
	{Name: "disaggregated", Plan: "*", Annotations: `{leaderworkerset.sigs.k8s.io/size: "1"}`, Labels: `{
		disaggregatedset.x-k8s.io/name: disaggregated, disaggregatedset.x-k8s.io/role: role-%d,
		disaggregatedset.x-k8s.io/revision: r, leaderworkerset.sigs.k8s.io/name: disaggregated-role-%d,
		leaderworkerset.sigs.k8s.io/group-index: "0", leaderworkerset.sigs.k8s.io/group-key: k-%d,
		leaderworkerset.sigs.k8s.io/worker-index: "0"}`},
	{Name: "leader", Plan: "*", Annotations: `{leaderworkerset.sigs.k8s.io/size: "2"}`, Labels: `{
		leaderworkerset.sigs.k8s.io/name: leader, leaderworkerset.sigs.k8s.io/group-index: "0",
		leaderworkerset.sigs.k8s.io/group-key: k, leaderworkerset.sigs.k8s.io/worker-index: "%d"}`},
	{Name: "jobset", Labels: `{
		jobset.sigs.k8s.io/jobset-name: jobset, jobset.sigs.k8s.io/replicatedjob-name: workers,
		jobset.sigs.k8s.io/job-index: "0", jobset.sigs.k8s.io/restart-attempt: "0", batch.kubernetes.io/job-completion-index: "%d"}`,
		Object: `{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, spec: {replicatedJobs: [{name: workers, replicas: 1,
			template: {spec: {parallelism: 2, template: {spec: {containers: [{name: main}]}}}}}]}}`},
	{Name: "roles", Labels: `{
		pod-group.scheduling.sigs.k8s.io/name: roles, rbg.workloads.x-k8s.io/group-name: roles,
		rbg.workloads.x-k8s.io/role-name: role-%d}`,
		Object: `{apiVersion: workloads.x-k8s.io/v1alpha2, kind: RoleBasedGroup, spec: {roles: [
			{name: role-0, replicas: 1}, {name: role-1, replicas: 1}]}}`},
	{Name: "kueue", Labels: `{kueue.x-k8s.io/podset: main}`, Annotations: `{kueue.x-k8s.io/workload: kueue}`,
		Object: `{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, spec: {podSets: [{name: main, count: 2,
			template: {spec: {containers: []}}}]}}`},
	{Name: "queued", Labels: `{kueue.x-k8s.io/pod-group-name: queued}`, Annotations: `{kueue.x-k8s.io/pod-group-total-count: "2"}`},
}

// Members are its pods, of a whole host each.
func (d Dialect) Members(namespace string) ([]*core.Pod, error) {
	var pods []*core.Pod
	for i := range 2 {
		pod := Pod{Name: fmt.Sprintf("%s-%d", d.Name, i), Gang: d.Name}
		for text, into := range map[string]*map[string]string{d.Labels: &pod.Labels, d.Annotations: &pod.Annotations} {
			if err := yaml.Unmarshal([]byte(strings.ReplaceAll(strings.ReplaceAll(text, "%d", fmt.Sprint(i)), "\t", "")), into); err != nil {
				return nil, fmt.Errorf("%s: %w", d.Name, err)
			}
		}
		object := pod.Object(namespace)
		if d.PodGroup != "" {
			object.Spec.SchedulingGroup = &core.PodSchedulingGroup{PodGroupName: &d.PodGroup}
		}
		pods = append(pods, object)
	}
	return pods, nil
}

// CreateGroup makes the object that declares the gang, if there is one.
func (d Dialect) CreateGroup(ctx context.Context, client dynamic.Interface, namespace string) error {
	if d.Object == "" {
		return nil
	}
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(d.Object, "\t", "")), &object.Object); err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	object.SetName(d.Name)
	kind := object.GroupVersionKind()
	resource := kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s")
	_, err := client.Resource(resource).Namespace(namespace).Create(ctx, object, meta.CreateOptions{})
	return err
}
