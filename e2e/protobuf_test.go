package e2e

import (
	"bytes"
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

// The unit tests compare what echelon reads of these files.
func TestProtobufSamplesAreThoseOfThisAPI(t *testing.T) {
	root, err := plane.Repository()
	if err != nil {
		t.Fatal(err)
	}
	for name := range samples.Kinds {
		made, err := samples.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(root, samples.Folder, name+".jsonl")
		if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, made) {
			t.Errorf("%s is not what Kubernetes' code makes today (%v): run `go run ./cmd/samples` in e2e", file, err)
		}
	}
}

// What is served as protobuf comes as protobuf, custom resources come as JSON, and through a proxy that speaks JSON alone
// everything does. The gang is bound in every case, and what was recorded decides alike.
func TestCoreKindsComeAsProtobuf(t *testing.T) {
	for _, mode := range []struct{ name, accept, core string }{{"protobuf", "", asProtobuf}, {"json", asJSON, asJSON}} {
		t.Run(mode.name, func(t *testing.T) {
			s := standOn(t, setup{fabric: wide, recording: true, later: true})
			between := s.standBetween()
			between.accept = mode.accept
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
				if got := between.typesOf(what); got != want {
					t.Errorf("%s came as %q, not %s", what, got, want)
				}
			}
			s.must(s.echelon.Terminate(30 * time.Second))
			s.replayed(1)
		})
	}
}
