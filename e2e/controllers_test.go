// What tests of real controllers share: starting them, making their objects, finding their pods and plans.

package e2e

import (
	"context"
	"fmt"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// The resources that controllers make pods of.
var (
	jobs              = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	jobSets           = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}
	disaggregatedSets = schema.GroupVersionResource{Group: "disaggregatedset.x-k8s.io", Version: "v1", Resource: "disaggregatedsets"}
	leaderWorkerSets  = schema.GroupVersionResource{Group: "leaderworkerset.x-k8s.io", Version: "v1", Resource: "leaderworkersets"}
)

// template is a pod template of members that take a whole host each.
type template struct {
	gang        string // For finding the pods again.
	labels      string // More of them, as `key: value, key: value`.
	annotations string // Likewise.
	spec        string // A line of the pods' spec.
}

// at returns the text, indented to follow `template:`.
func (t template) at(indent int) string {
	text := fmt.Sprintf(`
metadata: {labels: {%s: %s%s}, annotations: {%s}}
spec:
  terminationGracePeriodSeconds: 0
  %s
  containers:
  - name: main
    image: registry.k8s.io/pause:3.10
    resources: {requests: {cpu: 100m, %s: "8"}, limits: {%s: "8"}}`,
		world.GangLabel, t.gang, prefixed(", ", t.labels), t.annotations, t.spec, world.GPU, world.GPU)
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent))
}

func prefixed(by, text string) string {
	if text == "" {
		return ""
	}
	return by + text
}

// startControllers starts the controllers, and kubelets for the namespace. At the end it deletes the controllers'
// objects while the controllers still run, so that they remove their finalizers.
func (s *stand) startControllers(options plane.ControllerOptions) {
	s.Helper()
	controllers, err := shared.StartControllers(s.ctx, options)
	s.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	s.Cleanup(func() {
		cancel()
		if s.Failed() {
			s.tell()
			s.Log(controllers.Tell())
		}
		s.ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		defer controllers.Stop()
		background := meta.DeletePropagationBackground
		for _, resource := range []schema.GroupVersionResource{jobSets, disaggregatedSets, leaderWorkerSets, jobs} {
			err := objects.Resource(resource).Namespace(s.namespace).DeleteCollection(s.ctx,
				meta.DeleteOptions{PropagationPolicy: &background}, meta.ListOptions{})
			s.must(err)
		}
		s.eventually(patience, "the controllers have let go of their pods", func() string {
			for _, pod := range observer.PodsIn(s.namespace) {
				if len(pod.OwnerReferences) > 0 {
					return pod.Name + " is still there"
				}
			}
			return ""
		})
	})
	go world.Kubelets(ctx, client, observer, s.namespace)
}

// createObject makes an object from YAML. Before, it repeats a dry run until the webhook of the kind fills in the
// field.
func (s *stand) createObject(resource schema.GroupVersionResource, text string, filledIn ...string) {
	s.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &object.Object); err != nil {
		s.Fatalf("%v:\n%s", err, text)
	}
	in := objects.Resource(resource).Namespace(s.namespace)
	if len(filledIn) > 0 {
		s.eventually(patience, "the webhook of "+resource.Resource+" is called", func() string {
			tried, err := in.Create(s.ctx, object, meta.CreateOptions{DryRun: []string{meta.DryRunAll}})
			s.must(err)
			if _, found, _ := unstructured.NestedFieldNoCopy(tried.Object, filledIn...); !found {
				return "it isn't"
			}
			return ""
		})
	}
	_, err := in.Create(s.ctx, object, meta.CreateOptions{})
	s.must(err)
}

func (s *stand) createLeaderWorkerSet(text string) {
	s.Helper()
	s.createObject(leaderWorkerSets, text, "spec", "networkConfig")
}

func (s *stand) createJobSet(text string) {
	s.Helper()
	s.createObject(jobSets, text, "spec", "successPolicy")
}

func (s *stand) patchObject(resource schema.GroupVersionResource, name, patch string) {
	s.Helper()
	_, err := objects.Resource(resource).Namespace(s.namespace).Patch(s.ctx, name, types.MergePatchType, []byte(patch), meta.PatchOptions{})
	s.must(err)
}

// sorted returns the pods by the value of a label.
func sorted(pods []*core.Pod, label string) map[string][]*core.Pod {
	all := map[string][]*core.Pod{}
	for _, pod := range pods {
		all[pod.Labels[label]] = append(all[pod.Labels[label]], pod)
	}
	return all
}

// planOf returns the GangPlan of a gang that isn't named after an object, or nil.
func (s *stand) planOf(gang string) *world.GangPlan {
	for _, plan := range world.ListGangPlans(s.ctx, objects, s.namespace) {
		if len(plan.Groups) > 0 && plan.Groups[0].Group == s.namespace+"/"+gang {
			return plan
		}
	}
	return nil
}

// waitPlanOf waits for that GangPlan in a phase (and, unless "", with a reason).
func (s *stand) waitPlanOf(gang, phase, reason string) {
	s.Helper()
	s.eventually(patience, fmt.Sprintf("the plan of %s is %s %s", gang, phase, reason), func() string {
		plan := s.planOf(gang)
		if plan == nil {
			return "there is none"
		}
		if plan.Phase != phase || (reason != "" && plan.Reason != reason) {
			return fmt.Sprintf("it is %q %q: %s", plan.Phase, plan.Reason, plan.Message)
		}
		return ""
	})
}
