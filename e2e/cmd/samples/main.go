// Command samples writes the objects that unit tests read in both encodings, after an update of k8s.io/api.
package main

import (
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
	return nil
}
