package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	events "k8s.io/api/events/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// told is what echelon's events in the namespace say of an object, by reason.
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
	rewrite(strings.Replace(string(before), "nominate: true", "nominate: true, topology: false", 1))
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
	for _, source := range [][]string{{"--server", "http://" + s.echelon.Admin}, {"--kubeconfig", kubeconfig}} {
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

// says is what a command prints that ends well.
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
