package plane

import (
	"io"

	"k8s.io/klog/v2"
)

// Quiet silences what client libraries have to say about watches that end: that is their everyday life, and ours to test.
func Quiet() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
