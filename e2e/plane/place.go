package plane

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// newest is the Kubernetes release of e2e/go.mod.
const newest = "v1.37.0"

// Version is the Kubernetes release of the control plane: $ECHELON_KUBERNETES, as in v1.35.4, else that of e2e/go.mod.
func Version() string {
	if version := os.Getenv("ECHELON_KUBERNETES"); version != "" {
		return version
	}
	return newest
}

// Minor returns the minor release: 35 for v1.35.4.
func Minor() int {
	var minor int
	if _, err := fmt.Sscanf(Version(), "v1.%d.", &minor); err != nil {
		panic(fmt.Sprintf("ECHELON_KUBERNETES is %q, which isn't a release like v1.35.4", Version()))
	}
	return minor
}

// BinariesDir is where `./dev` keeps the control plane's programs.
func BinariesDir() string {
	cache := os.Getenv("ECHELON_CACHE")
	if cache == "" {
		base := os.Getenv("XDG_CACHE_HOME")
		if base == "" {
			base = filepath.Join(os.Getenv("HOME"), ".cache")
		}
		cache = filepath.Join(base, "echelon")
	}
	return filepath.Join(cache, "control-plane", Version())
}

// Binary is the path of one of the control plane's programs.
func Binary(name string) string { return filepath.Join(BinariesDir(), name) }

// Repository is the root of the source tree above the working directory.
func Repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "CMakePresets.json")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("not inside the source tree: no CMakePresets.json above the working directory")
}

// EchelonBinary is the program under test: $ECHELON_BINARY, else that of the release build.
func EchelonBinary() (string, error) {
	if path := os.Getenv("ECHELON_BINARY"); path != "" {
		return path, nil
	}
	root, err := Repository()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "build", "release", "echelon")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is missing: run ./dev build", path)
	}
	return path, nil
}

// FreePorts returns free ports of 127.0.0.1. All are open at the same time, so they differ.
func FreePorts(count int) ([]int, error) {
	var ports []int
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
