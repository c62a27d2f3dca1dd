// Command samples writes the objects that unit tests and a benchmark read in both encodings, after an update of k8s.io/api.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/samples"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	root, err := plane.Repository()
	if err != nil {
		return err
	}
	for name := range samples.Kinds {
		text, err := samples.Of(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(root, samples.Folder, name+".jsonl"), text, 0o644); err != nil {
			return err
		}
	}
	line, frame, err := samples.Event()
	if err != nil {
		return err
	}
	file := filepath.Join(root, samples.EventFile)
	return errors.Join(os.WriteFile(file+".json", line, 0o644), os.WriteFile(file+".protobuf", frame, 0o644))
}
