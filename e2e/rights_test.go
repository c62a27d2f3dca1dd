// Is every right of the chart's roles used, and none missing?

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// notSeenUsed are rights that the audit log of this API server can't show in use, each with the reason why it is
// needed.
var notSeenUsed = map[plane.Right]string{
	{Group: "echelon.sh", Resource: "gangplans", Verb: "create"}:                   "server-side apply of an object that isn't there asks for it beside patch",
	{Group: "scheduler.grove.io", Resource: "podgangs/finalizers", Verb: "update"}: "an owner that blocks its deletion asks for it where OwnerReferencesPermissionEnforcement is on",
	{Group: "scheduling.k8s.io", Resource: "workloads", Verb: "get"}:               "read where the API server is of 1.35: it holds the groups",
	{Group: "scheduling.k8s.io", Resource: "workloads", Verb: "list"}:              "the same",
	{Group: "scheduling.k8s.io", Resource: "workloads", Verb: "watch"}:             "the same",
}

// What `export` may write is tested elsewhere (levels_test.go), since it writes objects of one kind at a time.
func init() {
	for _, kind := range []world.Kind{world.HyperNodes, world.KueueTopologies, world.KaiTopologies, world.KoordinatorLayers} {
		for _, verb := range []string{"create", "patch", "delete"} {
			notSeenUsed[plane.Right{Group: kind.Group, Resource: kind.Resource, Verb: verb}] = "written where export says so"
		}
	}
}

// TestEveryRightIsUsed: echelon uses every right of the chart's roles. Each test checks that it needs no other right:
// stand.clear fails it on a forbidden request.
func TestEveryRightIsUsed(t *testing.T) {
	skipWithoutPodGroups(t)
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 4, Hosts: 16}, later: true})
	t.Cleanup(func() {
		s.must(world.RemoveForeignKinds(context.Background(), objects))
		for _, name := range []string{s.namespace, s.namespace + "-followed"} {
			_ = client.CoordinationV1().Leases(plane.LeaseNamespace).Delete(context.Background(), name, meta.DeleteOptions{})
		}
	})
	s.must(world.ServeForeignKinds(s.ctx, objects))
	s.liveOnce()
	s.follow()

	rules, err := plane.Rules()
	s.must(err)
	used, granted := s.asked(), map[plane.Right]bool{}
	for role, list := range rules {
		for _, rule := range list {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						right := plane.Right{Group: group, Resource: resource, Verb: verb}
						granted[right] = true
						_, isUsed := used[right]
						if _, isKnown := notSeenUsed[right]; isUsed == isKnown {
							t.Errorf("role %s: %s: used %t, in notSeenUsed %t", role, right, isUsed, isKnown)
						}
					}
				}
			}
		}
	}
	for right := range used {
		if !granted[right] {
			t.Errorf("%s was asked for, and no role has it", right)
		}
	}
	if len(granted) < 50 {
		t.Errorf("%d rights only", len(granted))
	}
}

// liveOnce runs echelon through everything that needs rights: gangs of every dialect, lost bindings, events, its own
// Lease, and a deleted gang.
func (s *stand) liveOnce() {
	s.Helper()
	between := s.standBetween()
	between.follow(&losing{way: 5})
	s.makeTopologyStore()
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{Server: &between.Server, OwnLease: s.namespace, KeepsPushed: true,
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler, Preempt: true, Conditions: true}}, More: "translation: {live: true}\n"})
	s.must(err)
	s.waitReady()
	s.startScheduler()
	s.fill("full", slices.Concat(s.rack(0, 0), s.rack(0, 1), s.rack(0, 2), s.rack(0, 3))...)
	s.create(highGang("high", 1)) // One of those has to go.
	s.waitBound("high", 1)
	s.unfill("full")
	s.create(world.Gang{Root: world.Group{Name: "tree", Minimum: 2, Children: []world.Group{
		{Name: "tree-a", Minimum: 1, Pods: 1}, {Name: "tree-b", Minimum: 1, Pods: 1}}}, Pod: world.Pod{Gate: true}})
	for _, dialect := range world.Dialects {
		s.must(dialect.CreateGroup(s.ctx, objects, s.namespace))
		pods, err := dialect.Members(s.namespace)
		s.must(err)
		for _, pod := range pods {
			pod.Spec.SchedulingGates = []core.PodSchedulingGate{{Name: world.Gate}}
		}
		s.createPods(pods...)
	}
	s.waitBound("tree", 2)
	for _, dialect := range world.Dialects {
		s.waitBound(dialect.Name, 2)
	}
	s.waitPlan("labels", "Bound", "")
	s.eventually(patience, "it is told", func() string {
		return differs("events of labels", len(s.told("GangPlan", "labels")["Bound"]), 1)
	})
	for _, pod := range s.pods("labels") {
		s.deletePod(pod.Name)
	}
	s.eventually(patience, "the plan of a gang that is gone goes", func() string {
		if world.ReadGangPlan(s.ctx, objects, s.namespace, "labels") != nil {
			return "it is there"
		}
		return ""
	})
	if status, answer := s.topology(http.MethodPut, crossed(world.Fabric{Blocks: 1, Racks: 1, Hosts: 2})); status != http.StatusOK {
		s.Fatalf("the topology is answered with %d: %s", status, answer)
	}
	s.waitPodGroups("grove-decode")
	s.patchObject(world.PodGangs.GroupVersionResource, "grove", `{"metadata": {"labels": {"app.kubernetes.io/part-of": "set"}},
		"spec": {"podgroups": [{"name": "decode", "minReplicas": 1}, {"name": "more", "minReplicas": 0}]}}`)
	s.waitPodGroups("grove-decode", "grove-more")
	s.patchObject(world.PodGangs.GroupVersionResource, "grove", `{"spec": {"podgroups": [{"name": "decode", "minReplicas": 1}]}}`)
	s.waitPodGroups("grove-decode")
	s.must(s.echelon.Terminate(10 * time.Second))
}

// follow runs echelon beside a kube-scheduler that holds a Lease.
func (s *stand) follow() {
	s.Helper()
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{FollowedLease: s.namespace + "-followed",
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}})
	s.must(err)
	s.waitReady()
	lease := plane.Right{Group: "coordination.k8s.io", Resource: "leases", Verb: "get"}
	s.eventually(patience, "the Lease is looked for", func() string {
		if _, isUsed := s.asked()[lease]; !isUsed {
			return fmt.Sprint("nobody asked for ", lease)
		}
		return ""
	})
}
