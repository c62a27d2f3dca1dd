package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/samples"
	"echelon.sh/echelon/e2e/world"
)

const (
	asProtobuf = "application/vnd.kubernetes.protobuf"
	asJSON     = "application/json"
)

// The unit tests compare what echelon reads of these files, and a benchmark reads the event.
func TestProtobufSamplesAreThoseOfThisAPI(t *testing.T) {
	root, err := plane.Repository()
	if err != nil {
		t.Fatal(err)
	}
	line, frame, err := samples.Event()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{samples.EventFile + ".json": line, samples.EventFile + ".protobuf": frame}
	for name := range samples.Kinds {
		made, err := samples.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(samples.Folder, name+".jsonl")] = made
	}
	for file, made := range files {
		if kept, err := os.ReadFile(filepath.Join(root, file)); err != nil || !bytes.Equal(kept, made) {
			t.Errorf("%s is not what Kubernetes' code makes today (%v): run `go run ./cmd/samples` in e2e", file, err)
		}
	}
}

// Core kinds arrive as protobuf, and custom resources as JSON. Behind a proxy without protobuf everything arrives as
// JSON, whether the proxy answers with JSON or refuses the media type. The gang is bound in every case, and each
// recording decides alike.
func TestCoreKindsComeAsProtobuf(t *testing.T) {
	watched := map[string]int64{}
	for _, mode := range []struct{ name, accept, refuses, core string }{
		{name: "protobuf", core: asProtobuf},
		{name: "answers in JSON", accept: asJSON, core: asJSON},
		{name: "refuses protobuf", refuses: asProtobuf, core: asJSON},
	} {
		t.Run(mode.name, func(t *testing.T) {
			s := standOn(t, setup{fabric: wide, recording: true, later: true})
			between := s.standBetween()
			between.accept, between.refuses = mode.accept, mode.refuses
			s.startEchelonAt(&between.Server)
			s.waitReady()
			s.startScheduler()
			s.create(world.Flat("train", 16, plane.RackLevel))
			s.waitBound("train", 16)
			for what, want := range map[string]string{
				"GET pods": mode.core, "WATCH pods": mode.core, "GET nodes": mode.core, "WATCH nodes": mode.core,
				"WATCH priorityclasses": mode.core, "WATCH deviceclasses": mode.core, "WATCH resourceclaims": mode.core,
				"POST pods/binding": mode.core, "PATCH pods/status": mode.core, "PATCH gangplans/status": mode.core,
				"PATCH gangplans": asJSON, "WATCH gangplans": asJSON, "WATCH gangs": asJSON,
			} {
				// The watch of a kind that was defined just now may be refused for a second.
				s.eventually(patience, what+" is answered", func() string {
					if got := between.answers.typesOf(what); got != want {
						return fmt.Sprintf("it came as %q, not %s", got, want)
					}
					return ""
				})
			}
			watched[mode.name] = between.answers.bytesOf("WATCH pods")
			s.must(s.echelon.Terminate(30 * time.Second))
			s.replayed(1)
		})
	}
	t.Logf("bytes of the watch of pods: %v", watched)
	if in, inJSON := watched["protobuf"], watched["answers in JSON"]; in == 0 || in*10 > inJSON*9 {
		t.Errorf("the watch of pods took %d bytes in protobuf and %d in JSON", in, inJSON)
	}
}
