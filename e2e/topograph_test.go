// Is a pushed topology used for placement, and kept over a restart?

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// leafLevel is the closest switch in documents of Topograph.
const leafLevel = "fabric.topograph.run/tier-0"

// crossed is a document in which each leaf has every second host of every rack: no level of the nodes' labels has such
// domains.
func crossed(fabric world.Fabric) string {
	type instance struct {
		ID     string   `json:"id"`
		Layers []string `json:"network_layers"`
	}
	var document struct {
		Instances []instance `json:"instances"`
	}
	for block := range fabric.Blocks {
		for rack := range fabric.Racks {
			for host := range fabric.Hosts {
				document.Instances = append(document.Instances,
					instance{world.HostName(block, rack, host), []string{fmt.Sprintf("leaf%d", host%2), "spine"}})
			}
		}
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// topology sends a request about the topology `machines` to the admin port.
func (s *stand) topology(method, body string) (int, string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.ctx, method, "http://"+s.echelon.Admin+"/v1/topology/machines", bytes.NewReader([]byte(body)))
	s.must(err)
	status, answer, err := s.echelon.Do(request)
	s.must(err)
	return status, answer
}

// shows waits until a GET of the topology has this answer.
func (s *stand) shows(want int) {
	s.Helper()
	s.eventually(20*time.Second, "the topology is known", func() string {
		status, _ := s.topology(http.MethodGet, "")
		return differs("status", status, want)
	})
}

func (s *stand) oneLeaf(gang string) {
	s.Helper()
	leaves := map[byte]bool{}
	for _, pod := range world.Bound(s.pods(gang)) {
		leaves[pod.Spec.NodeName[len(pod.Spec.NodeName)-1]%2] = true
	}
	if len(leaves) != 1 {
		s.Errorf("%s is in %d leaves", gang, len(leaves))
	}
}

// makeTopologyStore creates the ConfigMap for pushed topologies, as the chart does.
func (s *stand) makeTopologyStore() {
	s.Helper()
	maps := client.CoreV1().ConfigMaps(plane.LeaseNamespace)
	_, err := maps.Create(s.ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: plane.TopologyStore}}, meta.CreateOptions{})
	s.must(err)
	s.Cleanup(func() { s.must(maps.Delete(context.Background(), plane.TopologyStore, meta.DeleteOptions{})) })
}

// TestPushedTopology pushes a topology, has a gang placed by it, and finds it again after a restart.
func TestPushedTopology(t *testing.T) {
	fabric := world.Fabric{Blocks: 2, Racks: 2, Hosts: 4}
	s := standOn(t, setup{fabric: fabric, later: true})
	s.makeTopologyStore()
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{KeepsPushed: true,
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}})
	s.must(err)
	s.waitReady()
	s.startScheduler()

	for _, bad := range []string{"", "{}", `{"instances": []}`, `{"instances": 7}`} {
		if status, answer := s.topology(http.MethodPut, bad); status != http.StatusBadRequest || answer == "" {
			t.Errorf("%q is answered with %d: %s", bad, status, answer)
		}
	}
	s.shows(http.StatusNotFound)
	document := crossed(fabric)
	if status, answer := s.topology(http.MethodPut, document); status != http.StatusOK {
		t.Fatalf("the topology is answered with %d: %s", status, answer)
	}
	s.shows(http.StatusOK)
	s.createPods(world.Labelled{Name: "first", Minimum: 8, Required: leafLevel, GroupSize: 8, Gate: true}.Members(s.namespace)...)
	s.waitBound("first", 8)
	s.oneLeaf("first")

	s.echelon.Kill()
	s.must(s.echelon.Start())
	s.waitReady()
	if status, kept := s.topology(http.MethodGet, ""); status != http.StatusOK || kept != document {
		t.Fatalf("after a restart the topology is answered with %d: %s", status, kept)
	}
	// An unusable document leaves the earlier one in place.
	if status, _ := s.topology(http.MethodPut, `{"instances": []}`); status != http.StatusBadRequest {
		t.Errorf("an empty topology is answered with %d", status)
	}
	s.createPods(world.Labelled{Name: "second", Minimum: 8, Required: leafLevel, GroupSize: 8, Gate: true}.Members(s.namespace)...)
	s.waitBound("second", 8)
	s.oneLeaf("second")

	if status, answer := s.topology(http.MethodDelete, ""); status != http.StatusOK {
		t.Errorf("letting it go is answered with %d: %s", status, answer)
	}
	s.shows(http.StatusNotFound)
	s.createPods(world.Labelled{Name: "third", Minimum: 1, Required: leafLevel, GroupSize: 1, Gate: true}.Members(s.namespace)...)
	s.waitPlan("third", "Pending", "Invalid")
}
