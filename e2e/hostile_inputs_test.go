// The objects of the tenant in TestHostileTenant. The API server accepts all of them.

package e2e

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

const (
	koordinatorLabel  = "pod-group.scheduling.sigs.k8s.io"
	koordinatorPrefix = "gang.scheduling.koordinator.sh/"
	lwsPrefix         = "leaderworkerset.sigs.k8s.io/"
	largestText       = 250_000 // The API server takes 256 KiB of annotations.
)

// fields are those of a JSON object.
type fields = map[string]any

type texts = map[string]string

// tenant is the namespace of the hostile objects, and what they may name.
type tenant struct {
	namespace string
	neighbour string // The other namespace.
	listed    string // A gang of it.
}

// things are the objects to create, in this order.
type things struct {
	objects []*unstructured.Unstructured
	pods    []*core.Pod
	seats   map[string]string // Of a GangPlan by hand, for the gang of the first pod: node by namespace/name of a pod.
}

type hostileInput struct {
	what string
	says []string // In the message of an Invalid GangPlan; nil: the gang may be planned, or has no plan.
	make func(tenant) things
}

var foreignResources = []schema.GroupVersionResource{
	world.KoordinatorPodGroups.GroupVersionResource, world.VolcanoPodGroups.GroupVersionResource, world.PodGangs.GroupVersionResource,
	{Group: "scheduling.run.ai", Version: "v2alpha2", Resource: "podgroups"}, jobSets,
}

var hostileInputs = []hostileInput{
	{"OpenBracketsInKoordinatorsGroups", []string{"/groups", "250000 bytes", "65536", "limits.annotationBytes"}, func(t tenant) things {
		return t.annotated("open-groups", texts{koordinatorPrefix + "name": "open-groups", koordinatorPrefix + "min-available": "1",
			koordinatorPrefix + "groups": brackets})
	}},
	{"OpenBracketsInKoordinatorsTopology", []string{"/network-topology-spec", "250000 bytes", "65536", "limits.annotationBytes"}, func(t tenant) things {
		return t.annotated("open-topology", texts{koordinatorPrefix + "name": "open-topology", koordinatorPrefix + "min-available": "1",
			koordinatorPrefix + "network-topology-spec": brackets})
	}},
	{"OpenBracketsInKueuesSlices", []string{"podset-slice-required-topology-constraints", "250000 bytes", "65536", "limits.annotationBytes"}, func(t tenant) things {
		pod := t.pod("open-slices", texts{"kueue.x-k8s.io/pod-group-name": "open-slices"}, texts{"kueue.x-k8s.io/pod-group-total-count": "1",
			"kueue.x-k8s.io/podset-slice-required-topology-constraints": brackets})
		return things{pods: []*core.Pod{pod}}
	}},
	{"HugeCountOfKueue", []string{"pod-group-total-count", "2147483647", "20000", "limits.members"}, func(t tenant) things {
		pod := t.pod("huge-count", texts{"kueue.x-k8s.io/pod-group-name": "huge-count"}, texts{"kueue.x-k8s.io/pod-group-total-count": largest})
		return things{pods: []*core.Pod{pod}}
	}},
	{"HugeSizeOfALeader", []string{"leaderworkerset.sigs.k8s.io/size", "2147483647", "20000", "limits.members"}, func(t tenant) things {
		return t.leader("huge-size", texts{lwsPrefix + "size": largest})
	}},
	{"SubGroupsOfALeader", []string{"20000", "64", "limits.declaredGroups"}, func(t tenant) things {
		return t.leader("many-parts", texts{lwsPrefix + "size": "20000", lwsPrefix + "subgroup-size": "1"})
	}},
	{"LateJobsOfAJobSet", []string{"spec.replicatedJobs[1].replicas", "2147483647", "4096", "limits.groups"}, lateJobs},
	{"ChainOfKAIsSubGroups", []string{"spec.subGroups", "64", "limits.depth"}, chainOfSubGroups},
	{"PodGroupsOfAPodGang", []string{"/wide\"", "4096", "limits.groups"}, manyPodGroups},
	{"TasksOfVolcano", []string{"spec.minTaskMember", "11000 entries", "4096", "limits.groups"}, manyTasks},
	{"GroupsOfAGang", []string{"spec.groups[0].groups[0]", "4096", "limits.groups"}, func(t tenant) things {
		return t.gang("groups", fields{"groups": []any{fields{"name": "a", "replicas": 1000, "replicaLabel": "a", "groups": []any{
			fields{"name": "b", "replicas": 1000, "replicaLabel": "b", "minimum": 1}}}}})
	}},
	{"MembersOfAGang", nil, func(t tenant) things {
		return t.gang("members", fields{"groups": []any{fields{"name": "a", "minimum": 20000, "expectedPods": 20000},
			fields{"name": "b", "minimum": 20000, "expectedPods": 20000}}})
	}},
	{"PriorityOfAGang", []string{"spec.priority", "2147483647", "limits.freePriority"}, func(t tenant) things {
		return t.gang("first", fields{"minimum": 1, "priority": math.MaxInt32})
	}},
	{"ResourceNames", []string{"100", "64", "limits.resources"}, manyResources},
	{"CompositesInAChain", []string{"/chain-", "64", "limits.depth"}, func(t tenant) things { return composites("chain", 100, false) }},
	{"CompositesInACycle", []string{"/cycle-", "form a cycle"}, func(t tenant) things { return composites("cycle", 40, true) }},
	{"GroupsByLabels", nil, groupsByLabels},
	{"PairedAndLimitedGroups", nil, pairedGroups},
	{"OverlappingLists", nil, overlappingLists},
	{"AGangOfAnotherNamespace", nil, strangers},
	{"GangPlanByHand", nil, planOfAllNodes},
	{"72UnlikeMembersOnHalfFullHosts", nil, unlikeMembers},
	{"AffinityByTheDozen", nil, affinityByTheDozen},
	{"LongNames", nil, longNames},
}

var (
	brackets = strings.Repeat("[", largestText)
	largest  = strconv.Itoa(math.MaxInt32)
)

// pod returns a small pod that may run in block 1 only, away from the neighbours.
func (t tenant) pod(name string, labels, annotations texts) *core.Pod {
	template := world.Pod{Name: name, Gang: "hostile", NoGPU: true, Labels: labels, Annotations: annotations}
	pod := template.Object(t.namespace)
	pod.Spec.NodeSelector = texts{plane.BlockLevel: "b1"}
	return pod
}

func (t tenant) annotated(name string, annotations texts) things {
	return things{pods: []*core.Pod{t.pod(name, nil, annotations)}}
}

func (t tenant) leader(name string, annotations texts) things {
	return things{pods: []*core.Pod{t.pod(name, texts{lwsPrefix + "name": name, lwsPrefix + "group-index": "0",
		lwsPrefix + "group-key": name, lwsPrefix + "worker-index": "0"}, annotations)}}
}

func (t tenant) gang(name string, spec fields) things {
	pod := t.pod("gang-"+name, texts{"echelon.sh/gang": name, "echelon.sh/group": "a"}, nil)
	return things{objects: []*unstructured.Unstructured{object("echelon.sh/v1alpha1", "Gang", name, spec)}, pods: []*core.Pod{pod}}
}

// labelled is a member of a gang by labels.
func (t tenant) labelled(gang string, index, minimum int) *core.Pod {
	return t.pod(fmt.Sprintf("%s-%d", gang, index), texts{"echelon.sh/gang": gang}, texts{"echelon.sh/gang-minimum": strconv.Itoa(minimum)})
}

func object(api, kind, name string, spec fields) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: fields{"apiVersion": api, "kind": kind, "metadata": fields{"name": name}, "spec": spec}}
}

// list is a JSON array.
func list(count int, entry func(i int) any) []any {
	var all []any
	for i := range count {
		all = append(all, entry(i))
	}
	return all
}

func lateJobs(t tenant) things {
	selector := fields{}
	for i := range 1000 {
		selector[fmt.Sprintf("example.com/label-%d", i)] = "a value of some length"
	}
	job := func(name string, replicas int, spec fields) fields {
		return fields{"name": name, "replicas": replicas, "template": fields{"spec": fields{"parallelism": 1, "template": fields{"spec": spec}}}}
	}
	set := object("jobset.x-k8s.io/v1alpha2", "JobSet", "late", fields{"startupPolicy": fields{"startupPolicyOrder": "InOrder"},
		"replicatedJobs": []any{job("first", 1, fields{}), job("later", math.MaxInt32, fields{"nodeSelector": selector})}})
	pod := t.pod("late", texts{"jobset.sigs.k8s.io/jobset-name": "late", "jobset.sigs.k8s.io/replicatedjob-name": "first",
		"jobset.sigs.k8s.io/job-index": "0", "jobset.sigs.k8s.io/restart-attempt": "0", "batch.kubernetes.io/job-completion-index": "0"}, nil)
	return things{objects: []*unstructured.Unstructured{set}, pods: []*core.Pod{pod}}
}

func chainOfSubGroups(t tenant) things {
	parts := list(2000, func(i int) any {
		if i == 0 {
			return fields{"name": "part-0"}
		}
		return fields{"name": fmt.Sprintf("part-%d", i), "parent": fmt.Sprintf("part-%d", i-1)}
	})
	pod := t.pod("kai-chain", texts{"kai.scheduler/subgroup-name": "part-1999"}, texts{"pod-group-name": "kai-chain"})
	return things{objects: []*unstructured.Unstructured{object("scheduling.run.ai/v2alpha2", "PodGroup", "kai-chain", fields{"subGroups": parts})},
		pods: []*core.Pod{pod}}
}

func manyPodGroups(t tenant) things {
	groups := list(20000, func(i int) any { return fields{"name": fmt.Sprintf("g%d", i), "minReplicas": 1} })
	pod := t.pod("podgang", texts{"grove.io/podgang": "wide", "grove.io/podclique": "g0"}, nil)
	return things{objects: []*unstructured.Unstructured{object("scheduler.grove.io/v1alpha1", "PodGang", "wide", fields{"podgroups": groups})},
		pods: []*core.Pod{pod}}
}

func manyTasks(t tenant) things {
	tasks := fields{}
	for i := range 11000 {
		tasks[fmt.Sprintf("task-%d", i)] = 1
	}
	group := object("scheduling.volcano.sh/v1beta1", "PodGroup", "tasks", fields{"minMember": 1, "minTaskMember": tasks})
	return things{objects: []*unstructured.Unstructured{group},
		pods: []*core.Pod{t.pod("tasks", nil, texts{"scheduling.k8s.io/group-name": "tasks"})}}
}

// manyResources is a pod of cpu and 100 more.
func manyResources(t tenant) things {
	pod := t.labelled("resources", 0, 1)
	resources := &pod.Spec.Containers[0].Resources
	resources.Limits = core.ResourceList{}
	for i := range 100 {
		name := core.ResourceName(fmt.Sprintf("example.com/device-%d", i))
		resources.Requests[name], resources.Limits[name] = resource.MustParse("0"), resource.MustParse("0")
	}
	return things{pods: []*core.Pod{pod}}
}

// composites are below each other, with a leaf of one pod; in a cycle the first is below the last.
func composites(name string, count int, isCycle bool) things {
	const api = "scheduling.k8s.io/v1alpha3"
	leaf := fields{"gang": fields{"minCount": 1}}
	policy := fields{"gang": fields{"minGroupCount": 1}}
	all := []*unstructured.Unstructured{}
	for i := range count {
		spec := fields{"schedulingPolicy": policy, "workloadRef": fields{"workloadName": name, "templateName": "composite"}}
		if i > 0 || isCycle {
			spec["parentCompositePodGroupName"] = fmt.Sprintf("%s-%d", name, (i+count-1)%count)
		}
		all = append(all, object(api, "CompositePodGroup", fmt.Sprintf("%s-%d", name, i), spec))
	}
	group := object(api, "PodGroup", name+"-leaf", fields{"schedulingPolicy": leaf,
		"parentCompositePodGroupName": fmt.Sprintf("%s-%d", name, count-1), "workloadRef": fields{"workloadName": name, "templateName": "leaf"}})
	workload := object(api, "Workload", name, fields{"compositePodGroupTemplates": []any{fields{"name": "composite", "schedulingPolicy": policy,
		"podGroupTemplates": []any{fields{"name": "leaf", "schedulingPolicy": leaf}}}}})
	return things{objects: append([]*unstructured.Unstructured{workload}, append(all, group)...)}
}

// groupsByLabels is a gang of 100 groups, whose pods disagree about it.
func groupsByLabels(t tenant) things {
	var made things
	for i := range 100 {
		pod := t.labelled("labels", i, 1+i%3)
		pod.Labels["echelon.sh/group"] = fmt.Sprintf("part-%d", i)
		pod.Annotations["echelon.sh/group-minimum"] = strconv.Itoa(1 + i%2)
		made.pods = append(made.pods, pod)
	}
	return made
}

// overlappingLists: each gang names one more than the one before it.
func overlappingLists(t tenant) things {
	var made things
	for i := range 200 {
		names := list(i+2, func(at int) any { return fmt.Sprintf("%q", fmt.Sprintf("%s/over-%d", t.namespace, at)) })
		name := fmt.Sprintf("over-%d", i)
		group := object(world.KoordinatorPodGroups.GroupVersion().String(), "PodGroup", name, fields{"minMember": 1})
		group.SetAnnotations(texts{koordinatorPrefix + "groups": strings.ReplaceAll(fmt.Sprint(names), " ", ",")})
		made.objects = append(made.objects, group)
		made.pods = append(made.pods, t.pod(name, texts{koordinatorLabel: name}, nil))
	}
	return made
}

// strangers returns gangs that list the neighbour's gang, by an object and by pods alone, and that use its names.
func strangers(t tenant) things {
	listed := fmt.Sprintf(`["%s/lister","%s/%s"]`, t.namespace, t.neighbour, t.listed)
	group := object(world.KoordinatorPodGroups.GroupVersion().String(), "PodGroup", "lister", fields{"minMember": 1})
	group.SetAnnotations(texts{koordinatorPrefix + "groups": listed})
	same := object(world.KoordinatorPodGroups.GroupVersion().String(), "PodGroup", t.listed, fields{"minMember": 20000})
	return things{objects: []*unstructured.Unstructured{group, same}, pods: []*core.Pod{
		t.pod("lister", texts{koordinatorLabel: "lister"}, nil), t.pod("same", texts{koordinatorLabel: t.listed}, nil),
		t.pod("full-name", texts{koordinatorLabel: t.neighbour + "." + t.listed}, nil),
		t.pod("bare-lister", nil, texts{koordinatorPrefix + "name": "bare", koordinatorPrefix + "min-available": "1",
			koordinatorPrefix + "groups": fmt.Sprintf(`["%s/%s"]`, t.neighbour, t.listed)})}}
}

// planOfAllNodes gives each host of block 0 to a pod that may not run there, and some to pods of the neighbour.
func planOfAllNodes(t tenant) things {
	made := things{seats: map[string]string{t.neighbour + "/" + t.listed + "-0": world.HostName(0, 0, 0)}}
	for i := range 64 {
		pod := t.labelled("by-hand", i, 65)
		pod.Spec.Containers[0].Resources.Requests[core.ResourceCPU] = resource.MustParse("64")
		made.pods = append(made.pods, pod)
		made.seats[t.namespace+"/"+pod.Name] = world.HostName(0, i/16, i%16)
	}
	return made
}

// unlikeMembers nearly fit on half-full hosts; no two have the same size.
// pairedGroups are of unlike sizes, in proportion in each rack, and no two pods of one share a host.
func pairedGroups(t tenant) things {
	var made things
	for i := range 120 {
		group := i * 2 / (3 + i%2)
		pod := t.labelled("paired", i, 40)
		pod.Labels["echelon.sh/group"] = fmt.Sprintf("part-%d", group)
		pod.Annotations["echelon.sh/group-minimum"] = "1"
		pod.Annotations["echelon.sh/group-max-per-domain"] = plane.HostLevel + "=1"
		pod.Annotations["echelon.sh/gang-paired-topology"] = plane.RackLevel
		made.pods = append(made.pods, pod)
	}
	return made
}

func unlikeMembers(t tenant) things {
	var made things
	size := func(pod *core.Pod, milli, gigabytes int) *core.Pod {
		pod.Spec.Containers[0].Resources.Requests = core.ResourceList{core.ResourceCPU: *resource.NewMilliQuantity(int64(milli), resource.DecimalSI),
			core.ResourceMemory: resource.MustParse(fmt.Sprintf("%dGi", gigabytes))}
		return pod
	}
	for i := range 48 {
		old := size(t.pod(fmt.Sprintf("old-%d", i), nil, nil), 16_000+i*3908%32_000, 80+i*56%320)
		old.Spec.NodeName = world.HostName(1, i/16, i%16)
		made.pods = append(made.pods, old)
	}
	for i := range 72 {
		made.pods = append(made.pods, size(t.labelled("unlike", i, 72), 4_000+i*31_676%60_000, 8+i*104_729%60*8))
	}
	return made
}

// affinityByTheDozen returns 40 members with anti-affinity to each other, each by separate terms.
func affinityByTheDozen(t tenant) things {
	var made things
	for i := range 40 {
		pod := t.labelled("apart", i, 40)
		var terms []core.PodAffinityTerm
		for at := range 48 {
			terms = append(terms, core.PodAffinityTerm{TopologyKey: plane.HostLevel, Namespaces: []string{t.namespace, t.neighbour},
				LabelSelector: &meta.LabelSelector{MatchExpressions: []meta.LabelSelectorRequirement{
					{Key: "echelon.sh/gang", Operator: meta.LabelSelectorOpIn, Values: []string{"apart", fmt.Sprintf("%d-%d", i, at)}}}}})
		}
		pod.Spec.Affinity = &core.Affinity{PodAntiAffinity: &core.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms}}
		made.pods = append(made.pods, pod)
	}
	return made
}

func longNames(t tenant) things {
	level := t.labelled("long-level", 0, 1)
	level.Annotations["echelon.sh/gang-preferred-topology"] = strings.Repeat("p", largestText)
	return things{pods: []*core.Pod{level, t.pod(strings.Repeat("n", 253), nil, texts{"pod-group-name": strings.Repeat("k", largestText)})}}
}
