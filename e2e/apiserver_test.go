package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// waitStatus waits for an answer of /readyz (or another path of the admin port).
func (s *stand) waitStatus(path string, want int) string {
	s.Helper()
	text := ""
	s.eventually(patience, fmt.Sprintf("%s answers %d", path, want), func() string {
		if !s.echelon.IsRunning() {
			s.Fatalf("echelon ended with status %d", s.echelon.ExitCode())
		}
		status, body, err := s.echelon.Get(s.ctx, path)
		if err != nil {
			return err.Error()
		}
		text = body
		return differs("status", status, want)
	})
	return text
}

func TestApiServerAwayAtStart(t *testing.T) {
	s := standOn(t, setup{fabric: wide, later: true})
	s.create(world.Flat("train", 16, plane.RackLevel))
	shared.APIServer.Kill()
	s.startEchelon()
	s.waitStatus("/livez", http.StatusOK)
	if unready := s.waitStatus("/readyz", http.StatusServiceUnavailable); unready == "" {
		t.Error("/readyz names no unready check")
	}
	s.must(shared.StartAPIServer(s.ctx))
	s.waitStatus("/readyz", http.StatusOK)
	s.startScheduler()
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
}

func TestApiServerRestarted(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	gang := world.Flat("train", 16, plane.RackLevel)
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	s.createPods(members[:12]...)
	s.waitPlan("train", "Pending", "Incomplete")
	shared.APIServer.Kill()
	s.must(shared.StartAPIServer(s.ctx))
	s.createPods(members[12:]...) // Seen only if the watches were resumed.
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))

	// Once more in the middle of a commit: it is finished, and no pod is bound twice (the observer would see it).
	s.atFirstBinding(shared.APIServer.Kill)
	s.must(shared.StartAPIServer(s.ctx))
	s.finished(s.record())
}
