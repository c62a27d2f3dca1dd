// Do the chart's alerts fire on a real Prometheus, and only when they should?

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// ruleFile is a rule file of Prometheus, and the spec of a PrometheusRule.
type ruleFile struct {
	Groups []struct {
		Name  string           `json:"name"`
		Rules []map[string]any `json:"rules"`
	} `json:"groups"`
}

// hurried returns the chart's alerts, changed so that they fire within seconds: `for` is at most a second, and a view
// is stale after 5 s instead of 60.
func (r release) hurried() ruleFile {
	r.Helper()
	var rules ruleFile
	for _, document := range strings.Split(r.run("template", "--api-versions", "monitoring.coreos.com/v1/PrometheusRule"), "\n---") {
		var object struct {
			Kind string
			Spec ruleFile
		}
		if yaml.Unmarshal([]byte(document), &object) == nil && object.Kind == "PrometheusRule" {
			rules = object.Spec
		}
	}
	if len(rules.Groups) != 1 {
		r.Fatalf("the chart renders %d groups of alerts", len(rules.Groups))
	}
	changed := 0
	for _, rule := range rules.Groups[0].Rules {
		if _, waits := rule["for"]; waits {
			rule["for"] = "1s"
		}
		if expr := rule["expr"].(string); rule["alert"] == "EchelonCacheStale" && strings.HasSuffix(expr, " > 60") {
			rule["expr"] = strings.TrimSuffix(expr, "60") + "5"
			changed++
		}
	}
	if changed != 1 {
		r.Fatal("EchelonCacheStale doesn't end with the seconds after which a view is old")
	}
	return rules
}

// alerts is a Prometheus that evaluates the chart's alerts each second.
type alerts struct {
	*stand
	address string
	rules   ruleFile
}

// alert is one alert in the answer of /api/v1/rules.
type alert struct {
	Name, State, Health, LastError, LastEvaluation, Query string
	Alerts                                                []struct {
		Labels map[string]string
		State  string
	}
}

// judged returns all alerts by name, as Prometheus evaluated them last.
func (a alerts) judged() (map[string]alert, error) {
	response, err := http.Get("http://" + a.address + "/api/v1/rules?type=alert")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data struct{ Groups []struct{ Rules []alert } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("%s: %w", body, err)
	}
	found := map[string]alert{}
	for _, group := range answer.Data.Groups {
		for _, rule := range group.Rules {
			found[rule.Name] = rule
		}
	}
	return found, nil
}

// isFiring waits until the alert fires (or until it doesn't) with these labels.
func (a alerts) isFiring(name string, want bool, labels map[string]string, meanwhile func()) {
	a.Helper()
	a.eventually(patience, fmt.Sprintf("%s fires: %t", name, want), func() string {
		if meanwhile != nil {
			meanwhile()
		}
		found, err := a.judged()
		if err != nil {
			return err.Error()
		}
		firing := slices.ContainsFunc(found[name].Alerts, func(one struct {
			Labels map[string]string
			State  string
		}) bool {
			for key, value := range labels {
				if one.Labels[key] != value {
					return false
				}
			}
			return one.State == "firing"
		})
		if firing != want {
			return fmt.Sprintf("%+v", found[name])
		}
		return ""
	})
}

var selector = regexp.MustCompile(`echelon_\w+(\{[^}]*\})?`)

// allEvaluate checks that Prometheus evaluates each alert without an error, and finds series for each selector. An
// alert on a missing metric, label or value would never fire.
func (a alerts) allEvaluate() {
	a.Helper()
	selectors := map[string]string{}
	for _, rule := range a.rules.Groups[0].Rules {
		for _, one := range selector.FindAllString(rule["expr"].(string), -1) {
			selectors[one] = rule["alert"].(string)
		}
	}
	if len(selectors) < 12 {
		a.Errorf("%d selectors in the alerts", len(selectors))
	}
	for one, rule := range selectors {
		a.eventually(patience, fmt.Sprintf("%s of %s selects something", one, rule), func() string {
			if _, err := ask(a.address, "count("+one+")"); err != nil {
				return err.Error()
			}
			return ""
		})
	}
	a.eventually(patience, "each alert is evaluated", func() string {
		found, err := a.judged()
		if err != nil {
			return err.Error()
		}
		if len(found) != len(a.rules.Groups[0].Rules) {
			return differs("alerts", len(found), len(a.rules.Groups[0].Rules))
		}
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if one := found[name]; one.Health != "ok" || one.LastError != "" {
				return fmt.Sprintf("%s is %s: %s", name, one.Health, one.LastError)
			}
		}
		return ""
	})
}

// TestAlertsFire evaluates the chart's alerts in a real Prometheus that scrapes a real echelon. Each alert fires when
// its condition is provoked, and not before.
func TestAlertsFire(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 4}, later: true})
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}, BarrierTimeout: time.Second})
	s.must(err)
	s.waitReady()
	s.startScheduler()
	a := alerts{stand: s, rules: s.chart().hurried()}
	text, err := yaml.Marshal(a.rules)
	s.must(err)
	a.address = s.startPrometheus(string(text))
	a.allEvaluate()
	usable, err := os.ReadFile(s.echelon.ConfigFile)
	s.must(err)

	t.Cleanup(shared.APIServer.Resume)
	for _, row := range []struct {
		alert            string
		labels           map[string]string
		provoke, undoing func()
	}{
		{alert: "EchelonConfigReloadFailed", provoke: func() { s.spoilConfiguration() }},
		{alert: "EchelonBarrierTimeouts", provoke: func() { s.keepOneFromTheBarrier() }},
		// etcd and the connections go on: no events arrive, and no watch ends. The first events afterwards are of
		// nodes.
		{alert: "EchelonCacheStale", labels: map[string]string{"resource": "nodes"}, provoke: shared.APIServer.Pause, undoing: func() {
			shared.APIServer.Resume()
			s.touchNode()
		}},
		{alert: "EchelonDown", provoke: s.echelon.Kill, undoing: func() {
			if !s.echelon.IsRunning() {
				s.must(os.WriteFile(s.echelon.ConfigFile, usable, 0o644))
				s.must(s.echelon.Start())
			}
		}},
	} {
		if found, err := a.judged(); err != nil || found[row.alert].State != "inactive" && row.labels == nil {
			t.Errorf("before anything was done: %+v, %v", found[row.alert], err)
		}
		if row.labels != nil {
			a.isFiring(row.alert, false, row.labels, s.touchNode)
		}
		row.provoke()
		a.isFiring(row.alert, true, row.labels, nil)
		if row.undoing != nil {
			a.isFiring(row.alert, false, row.labels, row.undoing)
		}
	}
}

// spoilConfiguration makes echelon read an invalid configuration.
func (s *stand) spoilConfiguration() {
	s.Helper()
	s.must(os.WriteFile(s.echelon.ConfigFile, []byte("colour: blue\n"), 0o644))
	s.echelon.Signal(syscall.SIGHUP)
}

// keepOneFromTheBarrier creates a gang of two, of which one never gets to its bind call: kube-scheduler waits for its
// volume, which echelon doesn't know.
func (s *stand) keepOneFromTheBarrier() {
	s.Helper()
	gang := world.Flat("parted", 2, plane.RackLevel)
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	members[1].Spec.Volumes = []core.Volume{{Name: "missing", VolumeSource: core.VolumeSource{
		PersistentVolumeClaim: &core.PersistentVolumeClaimVolumeSource{ClaimName: "missing"}}}}
	s.createPods(members...)
}

var touched atomic.Int64

// touchNode causes an event of a node.
func (s *stand) touchNode() {
	s.Helper()
	_, err := client.CoreV1().Nodes().Patch(s.ctx, world.HostName(0, 0, 0), types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{"example.com/touched":%q}}}`, fmt.Sprint(touched.Add(1))), meta.PatchOptions{})
	s.must(err)
}
