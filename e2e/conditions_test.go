// Do the objects of Kubernetes' own groups say whether their gang was placed?

package e2e

import (
	"fmt"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// placed returns the condition of the object and its version; nil: none.
func (s *stand) placed(name string) (*meta.Condition, string) {
	s.Helper()
	if group, err := client.SchedulingV1alpha3().PodGroups(s.namespace).Get(s.ctx, name, meta.GetOptions{}); err == nil {
		return conditionOf(group.Status.Conditions, "PodGroupInitiallyScheduled"), group.ResourceVersion
	}
	group, err := client.SchedulingV1alpha3().CompositePodGroups(s.namespace).Get(s.ctx, name, meta.GetOptions{})
	s.must(err)
	return conditionOf(group.Status.Conditions, "CompositePodGroupInitiallyScheduled"), group.ResourceVersion
}

func conditionOf(conditions []meta.Condition, name string) *meta.Condition {
	for i := range conditions {
		if conditions[i].Type == name {
			return &conditions[i]
		}
	}
	return nil
}

// waitPlaced waits until the condition has this status, and returns it.
func (s *stand) waitPlaced(name string, status meta.ConditionStatus) meta.Condition {
	s.Helper()
	var found *meta.Condition
	s.eventually(patience, fmt.Sprintf("%s is %s", name, status), func() string {
		if found, _ = s.placed(name); found == nil || found.Status != status {
			return fmt.Sprintf("it says %v", found)
		}
		return ""
	})
	return *found
}

// saysAsBefore checks that these objects were not written meanwhile.
func (s *stand) saysAsBefore(before map[string]string) {
	s.Helper()
	for name, version := range before {
		if _, now := s.placed(name); now != version {
			s.Errorf("%s is of version %s, and was of %s", name, now, version)
		}
	}
}

func TestConditionsSayWhetherAGangWasPlaced(t *testing.T) {
	skipWithoutPodGroups(t)
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 2}, conditions: true})
	s.create(world.Gang{Root: world.Group{Name: "tree", Minimum: 2, Children: []world.Group{
		{Name: "tree-a", Minimum: 1, Pods: 1}, {Name: "tree-b", Minimum: 1, Pods: 1}}}, Pod: world.Pod{Gate: true}})
	s.waitBound("tree", 2)
	versions := map[string]string{}
	for _, name := range []string{"tree", "tree-a", "tree-b"} {
		condition := s.waitPlaced(name, meta.ConditionTrue)
		if condition.Reason != "Scheduled" || condition.LastTransitionTime.IsZero() {
			t.Errorf("%s says %v", name, condition)
		}
		_, versions[name] = s.placed(name)
	}

	s.create(world.Flat("large", 3, plane.RackLevel))
	waiting := s.waitPlaced("large", meta.ConditionFalse)
	plan := s.waitPlan("large", "Pending", "Impossible")
	if waiting.Reason != "Unschedulable" || waiting.Message != plan.Message {
		t.Errorf("large says %v, and its GangPlan %q", waiting, plan.Message)
	}
	_, versions["large"] = s.placed("large")

	// A restart writes nothing anew, and neither does the loss of a member.
	s.echelon.Kill()
	s.must(s.echelon.Start())
	s.waitReady()
	s.deletePod(s.leaf("tree", "tree-b")[0].Name)
	s.waitPlan("tree", "Degraded", "")
	s.waitPlan("large", "Pending", "Impossible")
	s.create(world.Flat("later", 1, plane.RackLevel))
	s.waitPlaced("later", meta.ConditionTrue)
	s.saysAsBefore(versions)

	// What was refused is placed in the end.
	fabric := s.setup.fabric
	for _, host := range []int{2, 3, 4} {
		_, err := client.CoreV1().Nodes().Create(s.ctx, fabric.Node(0, 1, host), meta.CreateOptions{})
		s.must(err)
	}
	s.waitBound("large", 3)
	then := s.waitPlaced("large", meta.ConditionTrue)
	if then.Message != "" || then.LastTransitionTime.Before(&waiting.LastTransitionTime) {
		t.Errorf("large says %v", then)
	}
}

func TestConditionsAreOffByDefault(t *testing.T) {
	skipWithoutPodGroups(t)
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 2}})
	s.create(world.Flat("train", 2, plane.RackLevel))
	s.create(world.Flat("large", 3, plane.RackLevel))
	s.waitPlan("train", "Bound", "")
	s.waitPlan("large", "Pending", "Impossible")
	s.waitTurn()
	for _, name := range []string{"train", "large"} {
		if condition, _ := s.placed(name); condition != nil {
			t.Errorf("%s says %v", name, condition)
		}
	}
}
