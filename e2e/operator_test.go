package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	events "k8s.io/api/events/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// told returns echelon's Events about an object, by reason.
func (s *stand) told(kind, name string) map[string][]events.Event {
	s.Helper()
	list, err := client.EventsV1().Events(s.namespace).List(s.ctx, meta.ListOptions{})
	s.must(err)
	found := map[string][]events.Event{}
	for _, event := range list.Items {
		if event.ReportingController == "echelon.sh/echelon" && event.Regarding.Kind == kind && event.Regarding.Name == name {
			found[event.Reason] = append(found[event.Reason], event)
		}
	}
	return found
}

func TestEventsTellOfEachStepOfAGang(t *testing.T) {
	skipWithoutPodGroups(t)
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	s.create(world.Flat("train", 4, plane.RackLevel))
	s.create(world.Flat("large", 5, plane.RackLevel))
	s.waitBound("train", 4)
	s.waitPlan("large", "Pending", "Impossible")
	s.eventually(patience, "every step is told", func() string {
		train, large := s.told("PodGroup", "train"), s.told("PodGroup", "large")
		for _, reason := range []string{"Committed", "Bound"} {
			if len(train[reason]) != 1 {
				return fmt.Sprintf("%d events %s about train", len(train[reason]), reason)
			}
		}
		if len(large["Impossible"]) != 1 {
			return fmt.Sprintf("%d events Impossible about large", len(large["Impossible"]))
		}
		return ""
	})
	warning := s.told("PodGroup", "large")["Impossible"][0]
	if warning.Type != "Warning" || !strings.HasPrefix(warning.Note, "echelon: gang "+s.namespace+"/large: ") {
		t.Errorf("%s: %q", warning.Type, warning.Note)
	}
	group, err := client.SchedulingV1alpha3().PodGroups(s.namespace).Get(s.ctx, "large", meta.GetOptions{})
	s.must(err)
	if warning.Regarding.UID != group.UID {
		t.Errorf("the event is about %s, the group is %s", warning.Regarding.UID, group.UID)
	}
}

func TestConfigurationIsTakenUpWhileRunning(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	before, err := os.ReadFile(s.echelon.ConfigFile)
	s.must(err)
	rewrite := func(text string) {
		s.must(os.WriteFile(s.echelon.ConfigFile, []byte(text), 0o644))
		s.echelon.Signal(syscall.SIGHUP)
	}
	counted := func(result string, want float64) {
		s.eventually(patience, "a reload is counted as "+result, func() string {
			metrics, err := s.echelon.Metrics(s.ctx)
			if err != nil {
				return err.Error()
			}
			return differs("reloads", int(metrics.Sum("echelon_config_reloads_total", `result="`+result+`"`)), int(want))
		})
	}
	rewrite(string(before) + "colour: blue\n")
	counted("error", 1)
	s.create(world.Flat("wide", 5, plane.RackLevel))
	s.waitPlan("wide", "Pending", "Impossible")
	rewrite(strings.Replace(string(before), "topology: true", "topology: false", 1))
	counted("ok", 1)
	s.waitBound("wide", 5)
}

func TestStatusHoldsAndTopologyFromTheServiceAndFromOutside(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	s.create(world.Flat("train", 4, plane.RackLevel))
	s.create(world.Flat("large", 5, plane.RackLevel))
	s.waitBound("train", 4)
	s.waitPlan("train", "Bound", "")
	s.waitPlan("large", "Pending", "Impossible")
	kubeconfig, err := shared.Kubeconfig(plane.EchelonUser)
	s.must(err)
	for _, source := range [][]string{{"--server", "http://" + s.echelon.Admin + "/"}, {"--kubeconfig", kubeconfig}} {
		table := s.says(append([]string{"status"}, source...)...)
		for _, want := range []string{"train   Bound", "large   Pending   Impossible"} {
			if !strings.Contains(strings.Join(strings.Fields(table), " "), strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%v: %q is missing in\n%s", source, want, table)
			}
		}
		var status struct {
			Items []struct{ Gang, Phase string }
		}
		s.must(json.Unmarshal([]byte(s.says(append([]string{"status", "-o", "json"}, source...)...)), &status))
		if len(status.Items) != 2 {
			t.Errorf("%v: %d gangs", source, len(status.Items))
		}
		if holds := s.says(append([]string{"holds"}, source...)...); holds != "nothing is held\n" {
			t.Errorf("%v: %s", source, holds)
		}
		var topology struct{ Trees []any }
		s.must(json.Unmarshal([]byte(s.says(append([]string{"topology", "-o", "json"}, source...)...)), &topology))
		if len(topology.Trees) == 0 {
			t.Errorf("%v: no trees", source)
		}
	}
}

// says returns the output of a command, which must succeed.
func (s *stand) says(args ...string) string {
	s.Helper()
	binary, err := plane.EchelonBinary()
	s.must(err)
	text, err := exec.CommandContext(s.ctx, binary, args...).Output()
	if err != nil {
		s.Fatalf("%v: %v", args, err)
	}
	return string(text)
}

// TestSummaryInTheLog: on SIGUSR2 echelon logs a summary, and continues.
func TestSummaryInTheLog(t *testing.T) {
	skipWithoutPodGroups(t)
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	s.create(world.Flat("train", 4, plane.RackLevel))
	s.create(world.Flat("large", 5, plane.RackLevel))
	s.waitPlan("train", "Bound", "")
	s.waitPlan("large", "Pending", "Impossible")
	s.eventually(patience, "the summary is in the log", func() string {
		s.echelon.Signal(syscall.SIGUSR2) // Once more: the last binding may not have been heard of.
		log := s.echelon.Tail(8000)
		for _, line := range []string{
			"summary: leads, in step; 8 nodes, 9 pods, 2 groups",
			"summary: nodes: 8 objects",
			"summary: gang " + s.namespace + "/train: Bound, 4 of 4 seats bound",
			"summary: gang " + s.namespace + "/large: Pending Impossible, 0 of 0 seats bound; group ",
		} {
			if !strings.Contains(log, line) {
				return line
			}
		}
		return ""
	})
	s.create(world.Flat("next", 4, plane.RackLevel))
	s.waitBound("next", 4)
}

// TestWatchShowsWhatChanges: `--watch` prints the table again and again, until it is interrupted.
func TestWatchShowsWhatChanges(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	binary, err := plane.EchelonBinary()
	s.must(err)
	watching, err := plane.Run("watching", shared.Logs, binary, "status", "--watch", "--server", "http://"+s.echelon.Admin)
	s.must(err)
	s.Cleanup(watching.Kill)
	shows := func(row string) {
		s.eventually(patience, row+" is shown", func() string {
			text, err := os.ReadFile(watching.LogFile)
			if err != nil {
				return err.Error()
			}
			if table := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(table, row) {
				return table
			}
			return ""
		})
	}
	shows("0 groups;")
	s.create(world.Flat("large", 5, plane.RackLevel))
	shows("large Pending Impossible")
	s.create(world.Flat("train", 4, plane.RackLevel))
	shows("train Bound")
	if !watching.IsRunning() {
		t.Errorf("it ended with status %d", watching.ExitCode())
	}
	s.echelon.Kill()
	<-watching.Ended()
	if status := watching.ExitCode(); status != 1 || !strings.Contains(watching.Tail(500), "echelon status: ") {
		t.Errorf("without a service it ends with status %d: %s", status, watching.Tail(500))
	}
}

// TestKubectlPlugin: a link named kubectl-echelon makes the program a plugin of a real kubectl. It uses the same
// cluster as kubectl.
func TestKubectlPlugin(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	s.create(world.Flat("train", 4, plane.RackLevel))
	s.waitPlan("train", "Bound", "")
	binary, err := plane.EchelonBinary()
	s.must(err)
	folder := t.TempDir()
	s.must(os.Symlink(binary, filepath.Join(folder, "kubectl-echelon")))
	kubeconfig, err := shared.Kubeconfig(plane.EchelonUser)
	s.must(err)
	kubectl := func(args ...string) (string, error) {
		command := exec.CommandContext(s.ctx, plane.Binary("kubectl"), append([]string{"echelon"}, args...)...)
		command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "KUBECONFIG="+kubeconfig, "HOME="+folder)
		said, err := command.CombinedOutput()
		return string(said), err
	}
	for _, view := range []string{"status", "holds", "topology"} {
		said, err := kubectl(view)
		if want := s.says(view, "--kubeconfig", kubeconfig); err != nil || said != want {
			t.Errorf("kubectl echelon %s: %v\n%s\ninstead of\n%s", view, err, said, want)
		}
		// An explicit --server goes first.
		if said, err := kubectl(view, "--server", "http://"+s.echelon.Admin); err != nil || said != s.says(view, "--server", "http://"+s.echelon.Admin) {
			t.Errorf("kubectl echelon %s --server: %v\n%s", view, err, said)
		}
	}
	if said, err := kubectl("statis"); err == nil || !strings.Contains(said, `"statis" isn't understood here`) {
		t.Errorf("kubectl echelon statis: %v, %s", err, said)
	}
}

// TestDebugViews: what the admin port of a running service shows to loopback clients.
func TestDebugViews(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	s.create(world.Flat("train", 4, plane.RackLevel))
	s.waitPlan("train", "Bound", "")
	read := func(path string, into any) {
		status, body, err := s.echelon.Get(s.ctx, path)
		s.must(err)
		if err := json.Unmarshal([]byte(body), into); err != nil || status != 200 {
			t.Errorf("%s: status %d, %v: %.200s", path, status, err, body)
		}
	}
	var snapshot struct {
		Kind  string
		Nodes []struct {
			Name           string
			Usable         bool
			Places         []string
			Capacity, Room map[string]int64
		}
	}
	read("/debug/snapshot", &snapshot)
	taken := 0
	for _, node := range snapshot.Nodes {
		block, rack := observer.Place(node.Name)
		if !node.Usable || len(node.Places) == 0 || node.Places[0] != rack+"/"+node.Name || !strings.HasPrefix(rack, block) {
			t.Errorf("%+v, which is in %s", node, rack)
		}
		if node.Capacity[string(world.GPU)] == 8 && node.Room[string(world.GPU)] == 0 {
			taken++
		}
	}
	if len(snapshot.Nodes) != 8 || taken != 4 {
		t.Errorf("%d of %d nodes are taken", taken, len(snapshot.Nodes))
	}
	var process struct{ Threads []struct{ Name string } }
	read("/debug/threads", &process)
	names := map[string]bool{}
	for _, thread := range process.Threads {
		names[thread.Name] = true
	}
	for _, name := range []string{"engine", "explainer", "listener", "http", "writer", "watch pods", "watch nodes"} {
		if !names[name] {
			t.Errorf("no thread is called %q: %v", name, names)
		}
	}
}
