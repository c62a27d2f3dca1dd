package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// Pages whose commands depend on each other, in this order: install.md leaves a release for later pages, and upgrade.md
// removes it. All other pages come between them, by name.
var firstPages, lastPages = []string{"README.md", "docs/install.md"}, []string{"docs/upgrade.md"}

// block is one block of commands of a page: ```sh, indented or not.
type block struct {
	page string
	line int
	text string
}

var fence = regexp.MustCompile("^( *)```(.*)$")

func blocksOf(root, page string) ([]block, error) {
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		return nil, err
	}
	var blocks []block
	var open *block
	var indent string
	inside := false
	for number, line := range strings.Split(string(text), "\n") {
		mark := fence.FindStringSubmatch(line)
		switch {
		case mark != nil && !inside:
			inside, indent = true, mark[1]
			if mark[2] == "sh" {
				open = &block{page: page, line: number + 1}
			}
		case mark != nil:
			if open != nil {
				blocks = append(blocks, *open)
			}
			inside, open = false, nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		}
	}
	return blocks, nil
}

// pages are all pages of the repository, in the order in which their commands are run.
func pages(t *testing.T, root string) []string {
	var between []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/runbook/*.md", "docs/decisions/*.md", "charts/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			page := strings.TrimPrefix(path, root+"/")
			if !slices.Contains(firstPages, page) && !slices.Contains(lastPages, page) {
				between = append(between, page)
			}
		}
	}
	return slices.Concat(firstPages, between, lastPages)
}

// Scripts that replace programs. No kubelet runs, so a command in a pod checks the object and the container's name, and
// runs the program here.
const kubectlStandIn = `#!/bin/sh
set -eu
real() { "$KUBECTL" "$@"; }
namespace=
[ "$1" != -n ] || { namespace="-n $2"; shift 2; }
verb=$1
case $verb in
rollout) real $namespace get "$3" >/dev/null ;;
delete) real $namespace "$@" --force --grace-period=0 ;; # Pods that were bound, which nobody else would end.
logs | exec)
    shift
    object= container=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        case $1 in
        -n) namespace="-n $2"; shift ;;
        -c) container=$2; shift ;;
        -*) ;;
        *) object=$1 ;;
        esac
        shift
    done
    real $namespace get "$object" -o jsonpath='{.spec.template.spec.initContainers[*].name} {.spec.template.spec.containers[*].name}' | tr ' ' '\n' | grep -qx "$container"
    [ "$verb" = logs ] || { shift; "$@"; }
    ;;
apply)
    # Where Helm has installed nothing; without controllers a namespace could never be removed again.
    case "$*" in
    *config/install/*)
        for file in "$@"; do :; done
        sed 's/echelon-system/echelon-plain/g' "$file" | real apply --server-side --force-conflicts --dry-run=server -f -
        ;;
    *) real $namespace "$@" ;;
    esac
    ;;
*) real $namespace "$@" ;;
esac
`

const helmStandIn = `#!/bin/sh
set -eu
# Its pod can't run here; that there is one can be seen.
if [ "$1" = test ]; then
    shift
    "$HELM" get hooks "$@" | grep -q 'helm.sh/hook: test'
else
    "$HELM" "$@"
fi
`

const echelonStandIn = `#!/bin/sh
set -eu
case $1 in
ready | explain | status | holds) "$ECHELON" "$@" --server "http://$ADMIN" ;;
*) "$ECHELON" "$@" ;;
esac
`

// Commands of ./dev take minutes each, and have separate tests.
const devStandIn = `#!/bin/sh
set -eu
case $1 in
chart) cd "$ROOT" && exec ./dev "$@" ;;
*) sed -n 's/^#: //p' "$ROOT/dev" | grep -q "^$1 " ;;
esac
`

// TestDocuments runs every command of every page, on a real API server with the chart installed and a gang in it.
func TestDocuments(t *testing.T) {
	skipWithoutPodGroups(t) // The documents show them.
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 4, Hosts: 8}})
	r := s.chart()
	root, err := plane.Repository()
	s.must(err)
	desk := s.desk(root)
	standIn := func(name, text string) {
		s.must(os.WriteFile(filepath.Join(desk, name), []byte(text), 0o755))
	}
	standIn("bin/kubectl", kubectlStandIn)
	standIn("bin/helm", helmStandIn)
	standIn("bin/echelon", echelonStandIn)
	standIn("dev", devStandIn)
	echelon, err := plane.EchelonBinary()
	s.must(err)
	environment := append(os.Environ(), "PATH="+desk+"/bin:"+os.Getenv("PATH"), "KUBECONFIG="+r.kubeconfig, "HOME="+t.TempDir(),
		"KUBECTL="+plane.Binary("kubectl"), "HELM="+r.helm, "ECHELON="+echelon, "ADMIN="+s.echelon.Admin, "ROOT="+root)
	run := func(text string) (string, error) {
		command := exec.CommandContext(s.ctx, "sh", "-eu", "-c", text)
		command.Dir, command.Env = desk, environment
		var said bytes.Buffer
		command.Stdout, command.Stderr = &said, &said
		err := command.Run()
		return said.String(), err
	}

	// The gang that pages ask about.
	s.exists("default")
	s.exists("echelon-plain")
	if said, err := run("kubectl apply -f examples/prefill-decode.yaml"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	t.Cleanup(func() { s.must(world.ClearNamespace(context.Background(), objects, "default")) })
	count := 0
	for i, page := range pages(t, root) {
		if i == len(firstPages) { // What comes now speaks of the default again.
			if said, err := run("helm upgrade echelon charts/echelon --namespace echelon-system --reset-values"); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
		}
		blocks, err := blocksOf(root, page)
		s.must(err)
		for _, block := range blocks {
			count++
			if said, err := run(block.text); err != nil {
				t.Errorf("%s:%d: %v\n%s%s", block.page, block.line, err, block.text, said)
			}
		}
	}
	if count < 25 {
		t.Errorf("%d blocks of commands were found", count)
	}
	if said, err := run("helm list --all-namespaces --short"); err != nil || strings.TrimSpace(said) != "" {
		t.Errorf("docs/upgrade.md leaves a release: %s, %v", said, err)
	}
}

// exists creates the namespace, unless it exists.
func (s *stand) exists(namespace string) {
	s.Helper()
	_, err := client.CoreV1().Namespaces().Get(s.ctx, namespace, meta.GetOptions{})
	if err != nil {
		_, err = client.CoreV1().Namespaces().Create(s.ctx, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespace}}, meta.CreateOptions{})
	}
	s.must(err)
}

// desk returns a folder that looks like the repository and is writable.
func (s *stand) desk(root string) string {
	s.Helper()
	desk := s.TempDir()
	s.must(os.Mkdir(filepath.Join(desk, "bin"), 0o755))
	for _, name := range []string{"charts", "config", "docs", "examples"} {
		s.must(os.Symlink(filepath.Join(root, name), filepath.Join(desk, name)))
	}
	return desk
}

// TestPagesLinkToWhatIsThere: relative links of all pages lead to files, and to headings of pages.
func TestPagesLinkToWhatIsThere(t *testing.T) {
	root, err := plane.Repository()
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	seen := 0
	for _, page := range pages(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			seen++
			target := filepath.Join(root, filepath.Dir(page), found[1])
			if found[1] == "" {
				target = filepath.Join(root, page)
			}
			content, err := os.ReadFile(target)
			if _, missing := os.Stat(target); missing != nil {
				t.Errorf("%s links to %s, which isn't there", page, found[1])
			} else if found[2] != "" && (err != nil || !slices.Contains(headings(string(content)), found[2])) {
				t.Errorf("%s links to %s%s, a heading that isn't there", page, found[1], found[2])
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d links were found", seen)
	}
}

var notInAnchors = regexp.MustCompile(`[^a-z0-9 _-]`)

func headings(text string) []string {
	var anchors []string
	for line := range strings.Lines(text) {
		if title, isHeading := strings.CutPrefix(strings.TrimSpace(line), "#"); isHeading {
			title = strings.ToLower(strings.TrimSpace(strings.TrimLeft(title, "#")))
			anchors = append(anchors, fmt.Sprintf("#%s", strings.ReplaceAll(notInAnchors.ReplaceAllString(title, ""), " ", "-")))
		}
	}
	return anchors
}
