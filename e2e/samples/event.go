package samples

import (
	"bytes"
	_ "embed"
	"encoding/json"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// EventFile is the path of the event in the repository, without the ending ".json" or ".protobuf".
const EventFile = "bench/pod_event"

//go:embed pod.json
var pod []byte

// Event returns a typical event of a watch of pods: a nominated member of a gang, made by a Job. It is a line of JSON,
// and a frame of protobuf without the length.
func Event() (line, frame []byte, err error) {
	object := &core.Pod{}
	if err := json.Unmarshal(pod, object); err != nil {
		return nil, nil, err
	}
	object.SetGroupVersionKind(core.SchemeGroupVersion.WithKind("Pod"))
	text, err := json.Marshal(object)
	if err != nil {
		return nil, nil, err
	}
	var message bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &message); err != nil {
		return nil, nil, err
	}
	if line, err = json.Marshal(meta.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: text}}); err != nil {
		return nil, nil, err
	}
	frame, err = (&meta.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: message.Bytes()}}).Marshal()
	return append(line, '\n'), frame, err
}
