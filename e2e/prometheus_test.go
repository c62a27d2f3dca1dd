package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

func TestPrometheusScrape(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 16}})
	s.create(world.Flat("train", 16, plane.RackLevel))
	s.waitBound("train", 16)
	s.waitPlan("train", "Bound", "")

	_, text, err := s.echelon.Get(s.ctx, "/metrics")
	s.must(err)
	lint := exec.CommandContext(s.ctx, "promtool", "check", "metrics")
	lint.Stdin = strings.NewReader(text)
	if said, err := lint.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, said)
	}

	prometheus := s.startPrometheus("")
	for query, want := range map[string]string{
		`up{job="echelon"}`:                             "1",
		`sum(echelon_gangs)`:                            "1",
		`sum(echelon_gangs{phase=~"(?i)bound"})`:        "1",
		`sum(echelon_extender_requests_total) > bool 0`: "1",
		`count(echelon_build_info)`:                     "1",
	} {
		s.eventually(patience, query+" is "+want, func() string {
			got, err := ask(prometheus, query)
			if err != nil {
				return err.Error()
			}
			if got != want {
				return fmt.Sprintf("it is %q", got)
			}
			return ""
		})
	}
}

// startPrometheus runs a real Prometheus that scrapes the admin port and evaluates these rules each second. It returns
// the address of Prometheus.
func (s *stand) startPrometheus(rules string) string {
	s.Helper()
	binary, err := exec.LookPath("prometheus")
	s.must(err)
	ports, err := plane.FreePorts(1)
	s.must(err)
	address := fmt.Sprintf("127.0.0.1:%d", ports[0])
	config, ruleFile := filepath.Join(shared.Logs, "prometheus.yaml"), filepath.Join(shared.Logs, "rules.yaml")
	s.must(os.WriteFile(ruleFile, []byte(rules), 0o644))
	s.must(os.WriteFile(config, []byte(fmt.Sprintf(`global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
- job_name: echelon
  static_configs: [{targets: [%q]}]
`, ruleFile, s.echelon.Admin)), 0o644))
	process, err := plane.Run("prometheus", shared.Logs, binary, "--config.file", config,
		"--storage.tsdb.path", s.TempDir(), "--web.listen-address", address)
	s.must(err)
	s.Cleanup(process.Kill)
	return address
}

// ask returns the value of an instant query with one result.
func ask(address, query string) (string, error) {
	response, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct{ Result []struct{ Value [2]any } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", fmt.Errorf("%s: %w", body, err)
	}
	if len(answer.Data.Result) != 1 {
		return "", fmt.Errorf("%d results", len(answer.Data.Result))
	}
	return fmt.Sprint(answer.Data.Result[0].Value[1]), nil
}
