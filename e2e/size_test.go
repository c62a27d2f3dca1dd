package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

func Test512MembersOn2000Nodes(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 25, Hosts: 40}})
	before := listenOverflows(t)
	s.create(world.Flat("vast", 512, plane.BlockLevel))
	s.eventually(3*time.Minute, "512 members are bound", func() string { return s.bound("vast", 512) })
	s.oneBlock(s.pods("vast"))
	if after := listenOverflows(t); after != before {
		t.Errorf("%d connections found the listen queue full", after-before)
	}
	metrics, err := s.echelon.Metrics(s.ctx)
	s.must(err)
	// The widest finite bucket ends below 1 s, kube-scheduler waits for 3 s.
	const histogram = "echelon_extender_request_duration_seconds"
	calls, quick := metrics.Sum(histogram+"_count", `verb="filter"`), 0.0
	for _, sample := range metrics {
		if sample.Name == histogram+"_bucket" && strings.Contains(sample.Labels, `verb="filter"`) && !strings.Contains(sample.Labels, "+Inf") {
			quick = max(quick, sample.Value)
		}
	}
	slow := calls - quick
	if calls < 512 || slow > 0 {
		t.Errorf("%v filter calls, %v of them slower than 0.8 s", calls, slow)
	}
	if strings.Contains(s.scheduler.Tail(1<<20), "Client.Timeout") {
		t.Error("kube-scheduler saw a call time out")
	}
}

// listenOverflows is the kernel's count of connections that found a listen queue full.
func listenOverflows(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/net/netstat")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "TcpExt:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i, name := range names {
			if name == "ListenOverflows" {
				count := 0
				if _, err := fmt.Sscan(fields[i], &count); err != nil {
					t.Fatal(err)
				}
				return count
			}
		}
	}
	t.Fatal("the kernel doesn't tell ListenOverflows")
	return 0
}
