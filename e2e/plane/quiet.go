package plane

import (
	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// Quiet silences the log lines of client libraries about watches that end, which these tests cause all the time.
func Quiet() { klog.SetLogger(logr.Discard()) }
