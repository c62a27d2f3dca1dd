// Each release of Kubernetes declares gangs in a different way.

package e2e

import (
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// ownKind is how a gang of four is written in the API of a release, and how its pods name it.
type ownKind struct {
	object string
	field  string         // Of a pod's spec.
	value  map[string]any // What it says.
}

// By minor release; later releases equal the last one here.
var ownKinds = map[int]ownKind{
	35: {`{apiVersion: scheduling.k8s.io/v1alpha1, kind: Workload, metadata: {name: own}, spec: {podGroups: [{name: main, policy: {gang: {minCount: 4}}}]}}`,
		"workloadRef", map[string]any{"name": "own", "podGroup": "main"}},
	36: {`{apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: own}, spec: {schedulingPolicy: {gang: {minCount: 4}}}}`,
		"schedulingGroup", map[string]any{"podGroupName": "own"}},
	37: {`{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: own}, spec: {schedulingPolicy: {gang: {minCount: 4}}}}`,
		"schedulingGroup", map[string]any{"podGroupName": "own"}},
}

// skipWithoutPodGroups skips a test that needs the kinds of 1.37.
func skipWithoutPodGroups(t *testing.T) {
	t.Helper()
	if !world.ServesPodGroups {
		t.Skipf("kube-apiserver %s does not serve PodGroup and CompositePodGroup of scheduling.k8s.io/v1alpha3", plane.Version())
	}
}

func TestGangOfTheReleasesOwnKind(t *testing.T) {
	own, served := ownKinds[min(plane.Minor(), 37)]
	if !served {
		t.Skipf("kube-apiserver %s has no kind of its own for gangs", plane.Version())
	}
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 4}})
	version, kind := own.object[len("{apiVersion: "):strings.Index(own.object, ", kind")], "podgroups"
	if plane.Minor() == 35 {
		kind = "workloads"
	}
	parsed, err := schema.ParseGroupVersion(version)
	s.must(err)
	s.createObject(parsed.WithResource(kind), own.object)
	t.Cleanup(func() { s.withdraw(parsed.WithResource(kind), "own") })
	var members []*core.Pod
	for _, name := range []string{"own-0", "own-1", "own-2", "own-3"} {
		pod := world.Pod{Name: name, Gang: "own", Gate: true}
		members = append(members, pod.Object(s.namespace))
	}
	s.createNaming(own, members[:3]...)
	s.waitSeen("own", 3)
	s.waitTurn()
	s.noneBound("own")
	s.createNaming(own, members[3])
	s.waitBound("own", 4)
}

// createNaming makes pods with a field that the client's types may not know.
func (s *stand) createNaming(own ownKind, pods ...*core.Pod) {
	s.Helper()
	for _, pod := range pods {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
		s.must(err)
		object := &unstructured.Unstructured{Object: content}
		object.SetAPIVersion("v1")
		object.SetKind("Pod")
		s.must(unstructured.SetNestedMap(object.Object, own.value, "spec", own.field))
		_, err = objects.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace(s.namespace).
			Create(s.ctx, object, meta.CreateOptions{})
		s.must(err)
	}
}

// withdraw deletes an object and removes the finalizer, since no controller runs here that would do so.
func (s *stand) withdraw(resource schema.GroupVersionResource, name string) {
	in := objects.Resource(resource).Namespace(s.namespace)
	_, _ = in.Patch(s.ctx, name, "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), meta.PatchOptions{})
	_ = in.Delete(s.ctx, name, meta.DeleteOptions{})
}
