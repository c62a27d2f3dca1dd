// Does the running service say where a gang would go, and does the gang then go there?

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// livePlan is one gang of the report.
type livePlan struct {
	Gang, Outcome, Reason, Message string
	Seats                          []world.Seat
}

// manifestsOf returns pods as a user would write them.
func (s *stand) manifestsOf(pods []*core.Pod) []byte {
	s.Helper()
	var documents []string
	for _, pod := range pods {
		pod.APIVersion, pod.Kind = "v1", "Pod"
		text, err := yaml.Marshal(pod)
		s.must(err)
		documents = append(documents, string(text))
	}
	return []byte(strings.Join(documents, "---\n"))
}

// planned returns the report on manifests.
func (s *stand) planned(query string, manifests []byte) []livePlan {
	s.Helper()
	status, body, err := s.echelon.Post(s.ctx, s.echelon.Admin, "/v1/plan"+query, manifests)
	s.must(err)
	if status != http.StatusOK {
		s.Fatalf("POST /v1/plan: %d %s", status, body)
	}
	var report struct {
		Kind  string
		Gangs []livePlan
	}
	s.must(json.Unmarshal([]byte(body), &report))
	if report.Kind != "PlanReport" {
		s.Fatalf("this is no report: %s", body)
	}
	return report.Gangs
}

// written counts echelon's writes.
func (s *stand) written() int {
	s.Helper()
	all, err := shared.Asked(s.began)
	s.must(err)
	count := 0
	for _, asked := range all {
		switch asked.Right.Verb {
		case "get", "list", "watch":
		default:
			count++
		}
	}
	return count
}

// quiet waits until echelon has no more writes.
func (s *stand) quiet() {
	s.Helper()
	last, alike := -1, 0
	s.eventually(patience, "nothing more is written", func() string {
		count := s.written()
		if alike++; count != last {
			last, alike = count, 0
		}
		if alike < 20 {
			return fmt.Sprintf("%d writes", count)
		}
		return ""
	})
}

// TestPlanBesideWhatRuns: seats that are bound or held are taken, nothing is written, and a gang that fits by the
// report is then bound to the nodes of the report.
func TestPlanBesideWhatRuns(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	bound := world.Labelled{Name: "bound", Minimum: 2, Required: plane.RackLevel, GroupSize: 2}
	s.createPods(bound.Members(s.namespace)...)
	s.waitBound("bound", 2)
	s.scheduler.Pause() // No member comes to the barrier.
	held := world.Labelled{Name: "held", Minimum: 2, Required: plane.RackLevel, GroupSize: 2, Gate: true}
	s.createPods(held.Members(s.namespace)...)
	s.waitPlan("held", "Held", "")

	large := s.manifestsOf(world.Labelled{Name: "large", Minimum: 5, GroupSize: 5}.Members(s.namespace))
	small := world.Labelled{Name: "small", Minimum: 4, GroupSize: 4, Required: plane.BlockLevel}
	s.quiet()
	before := s.written()
	refused := s.planned("", large)
	if len(refused) != 1 || refused[0].Gang != s.namespace+"/large" || refused[0].Outcome != "Refused" || refused[0].Reason != "NoRoom" {
		t.Fatalf("five hosts of four free ones: %+v", refused)
	}
	placed := s.planned("", s.manifestsOf(small.Members(s.namespace)))
	if len(placed) != 1 || placed[0].Outcome != "Placed" || len(placed[0].Seats) != 4 {
		t.Fatalf("four free hosts: %+v", placed)
	}
	taken := map[string]bool{}
	for _, seat := range placed[0].Seats {
		taken[seat.Node] = true
	}
	for _, gang := range []string{"bound", "held"} {
		for _, seat := range world.ReadGangPlan(s.ctx, objects, s.namespace, gang).Seats {
			if taken[seat.Node] {
				t.Errorf("the seat of %s on %s was given away", seat.Pod, seat.Node)
			}
		}
	}
	status, text, err := s.echelon.Post(s.ctx, s.echelon.Admin, "/v1/plan", []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: 5}\n"))
	s.must(err)
	if status != http.StatusBadRequest || !strings.Contains(text, "the body, document 1") {
		t.Errorf("a bad manifest: %d %s", status, text)
	}
	s.holds(differs("writes", s.written(), before))
	for _, gang := range []string{"large", "small"} {
		if plan := world.ReadGangPlan(s.ctx, objects, s.namespace, gang); plan != nil {
			t.Errorf("gang %s has a GangPlan: %+v", gang, plan)
		}
	}

	s.scheduler.Resume()
	s.createPods(small.Members(s.namespace)...)
	s.waitBound("held", 2)
	s.waitBound("small", 4)
	for _, pod := range s.pods("small") {
		if !taken[pod.Spec.NodeName] {
			t.Errorf("%s is on %s, which is not in the report", pod.Name, pod.Spec.NodeName)
		}
	}
	// Nothing is left for any gang, and the running one is planned on demand.
	if full := s.planned("?gang="+s.namespace+"/bound", large); len(full) != 2 || full[0].Outcome+full[1].Outcome == "PlacedPlaced" {
		t.Errorf("in a full cluster: %+v", full)
	}
}

// TestPlanForLoopbackAlone: on another address of this machine the path does not exist.
func TestPlanForLoopbackAlone(t *testing.T) {
	address := ownAddress()
	if address == "" {
		t.Skip("this machine has no address but loopback")
	}
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	s.startEchelon()
	s.waitReady()
	s.must(s.echelon.Terminate(patience))
	_, port, err := net.SplitHostPort(s.echelon.Admin)
	s.must(err)
	text, err := os.ReadFile(s.echelon.ConfigFile)
	s.must(err)
	s.must(os.WriteFile(s.echelon.ConfigFile, bytes.ReplaceAll(text, []byte(s.echelon.Admin), []byte("0.0.0.0:"+port)), 0o644))
	s.must(s.echelon.Start())
	s.waitReady()
	for host, want := range map[string]int{"127.0.0.1": http.StatusOK, address: http.StatusNotFound} {
		status, _, err := s.echelon.Post(context.Background(), net.JoinHostPort(host, port), "/v1/plan", nil)
		s.must(err)
		s.holds(differs(fmt.Sprintf("the answer on %s", host), status, want))
	}
}

// ownAddress returns an IPv4 address of this machine that is not loopback; "": there is none.
func ownAddress() string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && !network.IP.IsLoopback() && network.IP.To4() != nil && !network.IP.IsLinkLocalUnicast() {
			return network.IP.String()
		}
	}
	return ""
}
