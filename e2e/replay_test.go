package e2e

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// recording is the folder of this stand's recordings.
func (s *stand) recording() string { return filepath.Join(shared.Logs, "recording") }

var compared = regexp.MustCompile(`([0-9]+) decisions compared`)

// replayed replays all recordings, checks that there are `lives` of them, and returns how many decisions of each were
// equal.
func (s *stand) replayed(lives int) []int {
	s.Helper()
	files, err := filepath.Glob(filepath.Join(s.recording(), "*.jsonl"))
	s.must(err)
	if len(files) != lives {
		s.Fatalf("%d lives were recorded, not %d: %v", len(files), lives, files)
	}
	binary, err := plane.EchelonBinary()
	s.must(err)
	var same []int
	for _, file := range files {
		out, err := exec.Command(binary, "replay", file).CombinedOutput()
		if err != nil {
			s.Fatalf("%s: %v\n%s", filepath.Base(file), err, out)
		}
		found := compared.FindSubmatch(out)
		if found == nil {
			s.Fatalf("%s: no decisions in %q", filepath.Base(file), out)
		}
		count, err := strconv.Atoi(string(found[1]))
		s.must(err)
		s.Logf("%s", out)
		same = append(same, count)
	}
	return same
}

// Two runs of echelon: one is killed in the middle of a commit, the other is drained. The replay of each makes the same
// decisions.
func TestReplayDecidesAlike(t *testing.T) {
	s := standOn(t, setup{fabric: wide, recording: true})
	s.atFirstBinding(s.echelon.Kill)
	s.must(s.echelon.Start())
	s.waitReady()
	s.waitBound("whole", 64)
	s.create(world.Flat("train", 16, plane.RackLevel))
	s.waitBound("train", 16)
	s.must(s.echelon.Terminate(30 * time.Second))
	for life, decisions := range s.replayed(2) {
		// 64 members, each nominated and ungated at least; then 64 and 16 bound.
		if decisions < 96 {
			t.Errorf("life %d: %d decisions only", life+1, decisions)
		}
	}
}
