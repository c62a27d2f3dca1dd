package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"echelon.sh/echelon/e2e/plane"
)

const goodConfiguration = `apiVersion: config.echelon.sh/v1alpha1
kind: EchelonConfiguration
profiles:
- schedulerName: default-scheduler
`

func TestBadConfiguration(t *testing.T) {
	line := func(old, new string) string { return strings.Replace(goodConfiguration, old, new, 1) }
	for _, row := range []struct {
		name, text string
		want       []string // LINE: PATH: of each fault, in order.
	}{
		{"nothing wrong", goodConfiguration, nil},
		{"unknown key", goodConfiguration + "extenders: {}\n", []string{"5: extenders: "}},
		{"unknown key below", goodConfiguration + "bind: {address: '127.0.0.1:9301', retries: 3}\n", []string{"5: bind.retries: "}},
		{"duplicate key", goodConfiguration + "gang: {settle: 1s}\ngang: {settle: 2s}\n", []string{"6: gang: "}},
		{"wrong type", goodConfiguration + "clientConnection:\n  qps: many\n", []string{"6: clientConnection.qps: "}},
		{"not a boolean", goodConfiguration + "  nominate: maybe\n", []string{"5: profiles[0].nominate: "}},
		{"bad duration", goodConfiguration + "barrier: {timeout: 50}\n", []string{"5: barrier.timeout: "}},
		{"barrier of nothing", goodConfiguration + "barrier: {timeout: 0s}\n", []string{"5: barrier.timeout: "}},
		{"bad address", goodConfiguration + "admin: {address: everywhere}\n", []string{"5: admin.address: "}},
		{"binds from anywhere by anyone", goodConfiguration + "bind: {address: '0.0.0.0:9301'}\n", []string{"5: bind.address: "}},
		{"certificates that nobody vouches for", goodConfiguration + "extender: {address: '0.0.0.0:9300'}\ntls: {certFile: /c, keyFile: /k}\n",
			[]string{"6: tls.clientCAFile: "}},
		{"the same profile twice", goodConfiguration + "- schedulerName: default-scheduler\n", []string{"5: profiles[1].schedulerName: "}},
		{"a profile without a name", line("schedulerName: default-scheduler", "gang: true"), []string{"4: profiles[0].schedulerName: "}},
		{"no profiles", line("profiles:\n- schedulerName: default-scheduler\n", ""), []string{"1: profiles: "}},
		{"another kind", line("EchelonConfiguration", "KubeSchedulerConfiguration"), []string{"2: kind: "}},
		{"another version", line("v1alpha1", "v1"), []string{"1: apiVersion: "}},
		{"two faults", line("kind: Echelon", "kind: Ex") + "extenders: {}\n", []string{"2: kind: ", "5: extenders: "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "echelon.yaml")
			if err := os.WriteFile(file, []byte(row.text), 0o644); err != nil {
				t.Fatal(err)
			}
			commands := [][]string{{"validate", "-f", file}}
			if row.want != nil {
				commands = append(commands, []string{"serve", "--config", file})
			}
			for _, command := range commands {
				status, faults := echelonSays(t, command...)
				checkFaults(t, command[0], file, status, faults, row.want)
			}
		})
	}
	if status, _ := echelonSays(t, "serve", "--config", filepath.Join(t.TempDir(), "missing.yaml")); status != 2 {
		t.Errorf("a missing file: status %d", status)
	}
	if status, _ := echelonSays(t, "serve", "--no-such-flag"); status != 2 {
		t.Errorf("an unknown flag: status %d", status)
	}
}

var faultLine = regexp.MustCompile(`^\S+:\d+: .*: \S`)

func checkFaults(t *testing.T, command, file string, status int, output string, want []string) {
	t.Helper()
	wanted := 2
	if want == nil {
		wanted = 0
	}
	if status != wanted {
		t.Errorf("%s: status %d, not %d: %s", command, status, wanted, output)
	}
	var faults []string
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, file+":") {
			faults = append(faults, strings.TrimSpace(line))
		}
	}
	if len(faults) != len(want) {
		t.Errorf("%s: %d faults, not %d: %s", command, len(faults), len(want), output)
		return
	}
	for i, fault := range faults {
		if !faultLine.MatchString(fault) || !strings.HasPrefix(fault, file+":"+want[i]) {
			t.Errorf("%s: %q does not begin with FILE:%s", command, fault, want[i])
		}
	}
}

// echelonSays runs a command of echelon, and returns its exit status and standard error.
func echelonSays(t *testing.T, args ...string) (int, string) {
	t.Helper()
	binary, err := plane.EchelonBinary()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), binary, args...)
	var said bytes.Buffer
	command.Stderr = &said
	err = command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), said.String()
}

func TestVersionIsOneLine(t *testing.T) {
	binary, err := plane.EchelonBinary()
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), binary, "version").Output()
	if err != nil || !regexp.MustCompile(`^echelon \S+ \(\S+\)\n$`).Match(text) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestReportThatCantBeWritten(t *testing.T) {
	binary, err := plane.EchelonBinary()
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	command := exec.Command(binary, "plan", "-f", "../examples/gang.yaml")
	var faults bytes.Buffer
	command.Stdout, command.Stderr = full, &faults
	err = command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(faults.String(), "can't be written") {
		t.Errorf("on a full disk: %v, %q", err, faults.String())
	}
}
