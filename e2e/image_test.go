// Does the image work as its user, on a read-only root?

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// container is the unpacked image of `./dev image`.
type container struct {
	*stand
	root                  string
	user                  string
	entrypoint, arguments []string
}

// contained runs a command in a root: read-only, with the mounted files of a pod and /proc, as a user without rights.
const contained = `set -eu
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount -o remount,bind,ro "$ROOT"
! touch "$ROOT/tmp/probe" 2>/dev/null || { echo "the root can be written to"; exit 1; }
exec chroot --userspec="$AS" "$ROOT" "$@"
`

// unpack lays the image out, or skips the test where there is none of this build.
func (s *stand) unpack() container {
	s.Helper()
	if os.Getuid() != 0 {
		s.Skip("only root can unpack an image and run in it")
	}
	repository, err := plane.Repository()
	s.must(err)
	archive := filepath.Join(repository, "build", "image", "echelon.tar")
	if _, err := os.Stat(archive); err != nil {
		s.Skip("there is no image (./dev image makes one)")
	}
	run := func(program string, args ...string) {
		if said, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			s.Fatalf("%s %v: %v\n%s", program, args, err, said)
		}
	}
	parts, c := s.TempDir(), container{stand: s, root: s.TempDir()}
	run("tar", "-xf", archive, "-C", parts)
	read := func(name string, into any) {
		text, err := os.ReadFile(filepath.Join(parts, name))
		s.must(err)
		s.must(json.Unmarshal(text, into))
	}
	var manifest []struct {
		Config string
		Layers []string
	}
	read("manifest.json", &manifest)
	var image struct {
		Config struct { // As the image says that it is run.
			User            string
			Entrypoint, Cmd []string
		}
	}
	read(manifest[0].Config, &image)
	for _, layer := range manifest[0].Layers {
		run("tar", "-xf", filepath.Join(parts, layer), "-C", c.root)
	}
	c.user, c.entrypoint, c.arguments = image.Config.User, image.Config.Entrypoint, image.Config.Cmd
	for _, folder := range []string{"proc", "etc/echelon"} { // Where a pod has mounts.
		s.must(os.MkdirAll(filepath.Join(c.root, folder), 0o755))
	}
	s.must(os.Chmod(c.root, 0o755))
	binary, err := plane.EchelonBinary()
	s.must(err)
	if said, want := s.ended(c.command("version")), s.ended([]string{binary, "version"}); said != want {
		s.Skipf("the image is of another build: %s, not %s", said, want)
	}
	return c
}

// command runs the image's program with these arguments.
func (c container) command(arguments ...string) []string {
	return append(append([]string{"env", "ROOT=" + c.root, "AS=" + c.user, "unshare", "--mount", "sh", "-c", contained, "contained"},
		c.entrypoint...), arguments...)
}

// ended is the output of a command, and its exit status.
func (s *stand) ended(command []string) string {
	s.Helper()
	run := exec.CommandContext(s.ctx, command[0], command[1:]...)
	said, err := run.CombinedOutput()
	if run.ProcessState == nil {
		s.Fatal(err)
	}
	return fmt.Sprintf("%sstatus %d", took.ReplaceAll(said, nil), run.ProcessState.ExitCode())
}

// took matches the parts of an output that differ between runs.
var took = regexp.MustCompile(`"milliseconds": [0-9.]+`)

// give puts a file where a pod has its configuration, and returns the path in the container.
func (c container) give(name string, text []byte) string {
	c.Helper()
	c.must(os.WriteFile(filepath.Join(c.root, "etc/echelon", name), text, 0o644))
	return "/etc/echelon/" + name
}

// TestImage runs the image's echelon in a read-only root, as the image's user and with the image's command line. It
// plans an example like the program that was built, and serves a real control plane until it is terminated.
func TestImage(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}, later: true})
	c := s.unpack()
	if c.user != "65532:65532" {
		t.Errorf("its user is %q", c.user)
	}
	const example = "../examples/why-pending.yaml"
	text, err := os.ReadFile(example)
	s.must(err)
	binary, err := plane.EchelonBinary()
	s.must(err)
	said, want := s.ended(c.command("plan", "-o", "json", "-f", c.give("example.yaml", text))), s.ended([]string{binary, "plan", "-o", "json", "-f", example})
	if said != want || !strings.Contains(want, "Placed") {
		t.Errorf("it plans\n%s\ninstead of\n%s", said, want)
	}

	kubeconfig, err := shared.Kubeconfig(plane.EchelonUser)
	s.must(err)
	text, err = os.ReadFile(kubeconfig)
	s.must(err)
	trust, err := os.ReadFile(shared.Config(plane.EchelonUser).CAFile)
	s.must(err)
	inside := c.give("kubeconfig", []byte(strings.ReplaceAll(string(text), shared.Config(plane.EchelonUser).CAFile, c.give("ca.crt", trust))))
	ports, err := plane.FreePorts(3)
	s.must(err)
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	c.give("echelon.yaml", fmt.Appendf(nil, `apiVersion: config.echelon.sh/v1alpha1
kind: EchelonConfiguration
clientConnection: {kubeconfig: %q}
extender: {address: %q}
bind: {address: %q}
admin: {address: %q}
profiles: [{schedulerName: default-scheduler}]
topologies: [{name: fabric, levels: [%s, %s, %s]}]
`, inside, address(0), address(1), address(2), plane.BlockLevel, plane.RackLevel, plane.HostLevel))
	s.echelon, err = shared.StartEchelonOn("/etc/echelon/echelon.yaml", address(0), address(1), address(2), c.command(c.arguments...)...)
	s.must(err)
	s.waitReady()
	s.startScheduler()
	s.create(world.Flat("train", 4, plane.RackLevel))
	s.waitBound("train", 4)
	s.oneRack(s.pods("train"))
	if metrics, err := s.echelon.Metrics(s.ctx); err != nil || metrics.Sum("process_resident_memory_bytes") == 0 {
		t.Errorf("it knows nothing of its process: %v", err)
	}
}
