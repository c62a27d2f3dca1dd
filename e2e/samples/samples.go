// Package samples makes objects of the kinds that echelon watches as protobuf, and encodes each both ways with the API
// server's own code. The unit tests compare what echelon reads of the two.
package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	device "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// variants of each kind: the first one has every field, the others lack many fields or have defaults.
const variants = 48

// Folder is the path of the files in the repository.
const Folder = "unit-tests/kube/protobuf/samples"

// Kinds are empty objects, one of each kind, by the names of their files.
var Kinds = map[string]func() runtime.Object{
	"pod":                     func() runtime.Object { return &core.Pod{} },
	"node":                    func() runtime.Object { return &core.Node{} },
	"priority_class":          func() runtime.Object { return &scheduling.PriorityClass{} },
	"job":                     func() runtime.Object { return &batch.Job{} },
	"disruption_budget":       func() runtime.Object { return &policy.PodDisruptionBudget{} },
	"device_class":            func() runtime.Object { return &device.DeviceClass{} },
	"resource_slice":          func() runtime.Object { return &device.ResourceSlice{} },
	"resource_claim":          func() runtime.Object { return &device.ResourceClaim{} },
	"resource_claim_template": func() runtime.Object { return &device.ResourceClaimTemplate{} },
	"device_taint_rule":       func() runtime.Object { return &device.DeviceTaintRule{} },
}

// Of returns the file of a kind: a line for each variant, {"json": the object, "protobuf": its bytes in base64}.
func Of(name string) ([]byte, error) {
	var file bytes.Buffer
	for variant := range variants {
		object := Kinds[name]()
		random := rand.New(rand.NewPCG(uint64(variant), uint64(len(name))))
		(&filler{random: random, whole: variant == 0}).fill(reflect.ValueOf(object).Elem(), "")
		kinds, _, err := scheme.Scheme.ObjectKinds(object)
		if err != nil {
			return nil, err
		}
		object.GetObjectKind().SetGroupVersionKind(kinds[0])
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		var message bytes.Buffer
		if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &message); err != nil {
			return nil, err
		}
		line, err := json.Marshal(struct {
			JSON     json.RawMessage `json:"json"`
			Protobuf []byte          `json:"protobuf"`
		}{text, message.Bytes()})
		if err != nil {
			return nil, err
		}
		file.Write(append(line, '\n'))
	}
	return file.Bytes(), nil
}

// filler sets fields to values that differ from each other and are mostly valid.
type filler struct {
	random *rand.Rand
	whole  bool
	count  int
}

// words are the values of enumerations, besides "".
var words = map[string][]string{
	"TaintEffect": {"NoSchedule", "PreferNoSchedule", "NoExecute"}, "DeviceTaintEffect": {"NoSchedule", "NoExecute", "None"},
	"TolerationOperator": {"Equal", "Exists", "Lt"}, "DeviceTolerationOperator": {"Equal", "Exists"},
	"NodeSelectorOperator": {"In", "NotIn"}, "LabelSelectorOperator": {"In", "NotIn"},
	"PodPhase": {"Running", "Pending", "Succeeded"}, "ConditionStatus": {"False", "True"}, "NodeConditionType": {"Ready", "MemoryPressure"},
	"PodConditionType": {"PodScheduled", "PodResizePending", "Ready"},
	"PreemptionPolicy": {"Never", "PreemptLowerPriority"}, "ContainerRestartPolicy": {"Always"},
	"DeviceAllocationMode": {"All", "ExactCount", "Sometimes"}, "ResourceName": {"cpu", "memory", "hugepages-2Mi", "example.org/gpu"},
	"UnsatisfiableConstraintAction": {"DoNotSchedule"}, "UnhealthyPodEvictionPolicyType": {"AlwaysAllow", "IfHealthyBudget"},
}

// unread are parts that no decoder reads; only the first variant has them.
var unread = regexp.MustCompile(`Volume|Env|Probe|Lifecycle|SecurityContext|TopologySpread|DNSConfig|Preferred|ManagedFields|Host[^P]|HostPID|Resize|` +
	`Config|Binding|LastTermination|State.Waiting|State.Running|User|Resources?Status$|Claims?Status$|Responders|Command|Args|Image|Health|Readiness|Policy\.|NodeInfo|Addresses|Daemon|Handlers`)

// always are parts that every variant has, since they contain most fields that decoders read.
var always = regexp.MustCompile(`Affinity$|\.Spec\.Resources$|\.Status\.Conditions$|\.Allocation$|\.Devices\.Results$|\.Required\w*$|LabelSelector$|ontainers$|ontainerStatuses$|ResourceClaims$|Exactly$|Selectors$|\.CEL$|Requirements$|\.Values$`)

// isLeftOut is true for half of the optional fields of a variant but the first, and for most fields that hide another
// one.
func (f *filler) isLeftOut(path string) bool {
	switch {
	case f.whole || always.MatchString(path):
		return false
	case unread.MatchString(path):
		return true
	case strings.Contains(path, ".Attributes."), strings.HasSuffix(path, ".FirstAvailable"), strings.HasSuffix(path, ".NodeSelector"),
		strings.HasSuffix(path, ".Spec.Resources.Requests"):
		return f.random.IntN(4) != 0
	}
	return f.random.IntN(2) == 0
}

func (f *filler) fill(value reflect.Value, path string) {
	f.count++
	switch value.Type().String() {
	case "resource.Quantity":
		text := []string{"%d", "%dm", "%dGi", "%dk"}[f.random.IntN(4)]
		must(value.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(fmt.Appendf(nil, `"`+text+`"`, f.count)))
		return
	case "v1.Time":
		must(value.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(fmt.Appendf(nil, `"20%02d-02-28T23:59:%02dZ"`, f.count%100, f.count%60)))
		return
	case "intstr.IntOrString", "runtime.RawExtension", "v1.FieldsV1", "v1.TypeMeta", "v1.MicroTime":
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() {
				f.field(value.Field(i), path+"."+field.Name)
			}
		}
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		f.fill(value.Elem(), path)
	case reflect.Slice:
		f.slice(value, path)
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for range 2 {
			key, entry := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
			f.fill(key, path+".key")
			f.fill(entry, path)
			value.SetMapIndex(key, entry)
		}
	case reflect.String:
		value.SetString(f.text(value.Type().Name(), path))
	case reflect.Bool:
		value.SetBool(f.whole || f.random.IntN(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(int64(f.count))
		if strings.HasSuffix(path, "Generation") || strings.HasSuffix(path, "Healthy") {
			value.SetInt(int64(f.random.IntN(100))) // One may be behind the other.
		}
	case reflect.Uint8:
		value.SetUint(uint64(f.count % 256))
	default:
		panic(path + ": " + value.Kind().String())
	}
}

func (f *filler) field(value reflect.Value, path string) {
	isOptional := value.Kind() == reflect.Pointer || value.Kind() == reflect.Slice || value.Kind() == reflect.Map
	isScalar := value.Kind() == reflect.String || value.Kind() == reflect.Int32 || value.Kind() == reflect.Int64
	isName := strings.HasSuffix(path, ".ObjectMeta.Name") || strings.HasSuffix(path, ".ObjectMeta.UID")
	// Sources of volumes are many, and nobody reads one, nor the template of a Job.
	if strings.Contains(path, ".VolumeSource.") || strings.HasPrefix(path, ".Spec.Template") || strings.Contains(path, "EphemeralContainer") || isOptional && f.isLeftOut(path) {
		return
	}
	if isScalar && !isName && !f.whole && f.random.IntN(150) == 0 {
		return
	}
	f.fill(value, path)
}

func (f *filler) slice(value reflect.Value, path string) {
	length := 1
	if f.random.IntN(3) == 0 {
		length = 2
	}
	value.Set(reflect.MakeSlice(value.Type(), length, length))
	for i := range length {
		f.fill(value.Index(i), path)
	}
}

func (f *filler) text(kind, path string) string {
	if few := words[kind]; len(few) > 0 {
		return few[f.random.IntN(len(few))]
	}
	switch {
	case strings.HasSuffix(path, ".MatchFields.Key"):
		return "metadata.name"
	case strings.HasSuffix(path, "ontainers.Name"), strings.HasSuffix(path, "ontainerStatuses.Name"):
		return "main" // What a status is about has its name.
	case strings.HasSuffix(path, ".ResourceClaims.Name"), strings.HasSuffix(path, ".ResourceClaimStatuses.Name"):
		return "claim"
	case strings.HasSuffix(path, ".Devices.Requests.Name"), strings.HasSuffix(path, ".Devices.Results.Request"):
		return "gpu" // A result names the request that it serves.
	case strings.HasSuffix(path, ".Conditions.Reason"):
		return []string{"Infeasible", "Deferred"}[f.random.IntN(2)]
	case strings.HasSuffix(path, ".OwnerReferences.Kind"):
		return []string{"DaemonSet", "Node", "Job", "Pod"}[f.random.IntN(4)]
	case strings.HasSuffix(path, ".Annotations.key"):
		return []string{"echelon.sh/plan", "echelon.sh/gang-minimum", "echelon.sh/evict", "resource.kubernetes.io/extended-resource-claim"}[f.random.IntN(4)]
	case strings.HasSuffix(path, ".Labels.key"):
		return []string{"echelon.sh/gang", "app", "leaderworkerset.sigs.k8s.io/worker-index"}[f.random.IntN(3)]
	case strings.HasSuffix(path, ".Labels"), strings.HasSuffix(path, ".Message"), strings.HasSuffix(path, ".Value"):
		// Not UTF-8, quoted and controlled: JSON says it in other bytes.
		if !f.whole && f.random.IntN(4) == 0 {
			return "a\"b\\c\n\xffä€😀" + fmt.Sprint(f.count)
		}
	}
	return fmt.Sprintf("x%d", f.count)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
