package plane

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// Quiet silences what client libraries have to say about watches that end: that is their everyday life, and ours to test.
func Quiet() { klog.SetLogger(logr.Discard()) }
