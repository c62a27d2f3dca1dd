package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// bindCall is what kube-scheduler sends to the bind verb.
type bindCall struct{ PodName, PodNamespace, PodUID, Node string }

// refusedBind sends a bind call and fails unless it is answered with 200 and an Error.
func (s *stand) refusedBind(what string, call bindCall) {
	s.Helper()
	body, err := json.Marshal(call)
	s.must(err)
	status, answer, err := s.echelon.Post(s.ctx, s.echelon.Bind, "/v1/bind", body)
	var result struct{ Error string }
	if err != nil || status != http.StatusOK || json.Unmarshal([]byte(answer), &result) != nil || result.Error == "" {
		s.Errorf("bind of %s: status %d, %q, %v", what, status, answer, err)
		return
	}
	s.Logf("bind of %s: %s", what, result.Error)
}

func TestBindRefusesWhatWasNotPlanned(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	gang := world.Flat("train", 16, plane.RackLevel).Ungated()
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	s.createPods(members[:12]...)
	s.waitPlan("train", "Pending", "Incomplete")
	plain := world.Pod{Name: "gated", Gang: "gated", Scheduler: "nobody"}
	s.createPods(plain.Object(s.namespace))
	s.eventually(patience, "the pods are seen", func() string {
		return differs("pods", len(s.pods("gated"))+len(s.pods("train")), 13)
	})
	of := func(pod *core.Pod, node string) bindCall {
		return bindCall{pod.Name, pod.Namespace, string(pod.UID), node}
	}
	member, never := s.pods("train")[0], s.pods("gated")[0]
	wrong := of(member, "b0-r0-h00")
	wrong.PodUID = "00000000-0000-4000-8000-000000000000"
	s.refusedBind("a member without a plan", of(member, "b0-r0-h00"))
	s.refusedBind("a wrong UID", wrong)
	s.refusedBind("a member to an unknown node", of(member, "nowhere"))
	s.refusedBind("a pod that filter was never asked for", of(never, "b0-r0-h00"))
	s.refusedBind("a plain pod to an unknown node", of(never, "nowhere"))
	s.refusedBind("a made-up pod", bindCall{"ghost", s.namespace, "11111111-0000-4000-8000-000000000000", "b0-r0-h00"})
	s.waitTurn()
	s.noneBound("train")
	s.noneBound("gated")

	s.createPods(members[12:]...)
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
	s.refusedBind("a bound member to another node", of(member, s.elsewhere(member.Name)))
	s.noneBound("gated")
}

// elsewhere is a node on which the pod is not.
func (s *stand) elsewhere(pod string) string {
	if observer.Pod(s.namespace, pod).Spec.NodeName == "b0-r0-h00" {
		return "b0-r0-h01"
	}
	return "b0-r0-h00"
}

// rubbish are bodies that no kube-scheduler would send.
func rubbish() map[string][]byte {
	golden := `{"Pod":{"metadata":{"name":"p","namespace":"n","uid":"u"},"spec":{"containers":null},"status":{}},"Nodes":null,"NodeNames":["b0-r0-h00"]}`
	return map[string][]byte{
		"nothing":          {},
		"null":             []byte("null"),
		"an empty object":  []byte("{}"),
		"an array":         []byte("[]"),
		"a bare number":    []byte("7"),
		"no JSON":          []byte("hello, is anybody there?"),
		"half an object":   []byte(golden[:len(golden)/2]),
		"wrong types":      []byte(`{"Pod":[],"NodeNames":{"a":1},"PodName":5,"PodUID":{},"Node":[]}`),
		"names as numbers": []byte(`{"Pod":{"metadata":{"name":"p"}},"NodeNames":[1,2,3]}`),
		"invalid UTF-8":    []byte("{\"Pod\":{\"metadata\":{\"name\":\"\xff\xfe\xc0\"}},\"NodeNames\":[\"\xed\xa0\x80\"],\"PodName\":\"\xff\"}"),
		"zero bytes":       bytes.Repeat([]byte{0}, 4096),
		"deep arrays":      []byte(strings.Repeat("[", 200_000)),
		"deep objects":     []byte(strings.Repeat(`{"Pod":`, 100_000)),
		"a deep closed pod": []byte(`{"Pod":{"spec":` + strings.Repeat(`{"a":`, 50_000) + "1" + strings.Repeat("}", 50_000) +
			`},"NodeNames":["b0-r0-h00"]}`),
		"a huge number": []byte(`{"Pod":{"metadata":{"name":"p","generation":1e999999}},"NodeNames":["b0-r0-h00"]}`),
		"10 MB":         []byte(`{"Pod":{"metadata":{"name":"` + strings.Repeat("x", 10<<20) + `"}}}`),
	}
}

func TestRubbishOnEveryVerb(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	gang := world.Flat("train", 16, plane.RackLevel)
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	members := gang.Members(s.namespace)
	s.createPods(members[:12]...)
	s.waitPlan("train", "Pending", "Incomplete")

	verbs := map[string]string{"filter": s.echelon.Extender, "prioritize": s.echelon.Extender, "preempt": s.echelon.Extender, "bind": s.echelon.Bind}
	for verb, address := range verbs {
		for what, body := range rubbish() {
			status, answer, err := s.echelon.Post(s.ctx, address, "/v1/"+verb, body)
			// A body beyond the limit may be cut off while it is still being sent.
			if err != nil && len(body) < 4<<20 {
				t.Errorf("%s with %s: %v", verb, what, err)
			}
			if err == nil && !isAnswerOf(verb, status, answer) {
				t.Errorf("%s with %s: status %d, %.200q", verb, what, status, answer)
			}
		}
		for what, request := range brokenRequests(verb, address) {
			sendRaw(t, address, what, request)
		}
	}
	if !s.echelon.IsRunning() {
		t.Fatalf("echelon ended with status %d", s.echelon.ExitCode())
	}
	s.waitStatus("/livez", http.StatusOK)
	s.noneBound("train")
	s.createPods(members[12:]...)
	s.create(world.Flat("other", 8, plane.RackLevel).Ungated())
	s.waitBound("train", 16)
	s.waitBound("other", 8)
}

// isAnswerOf is true for a refusal by status, or for a body of the verb's type.
func isAnswerOf(verb string, status int, answer string) bool {
	if status >= 400 && status < 500 {
		return true
	}
	if status != http.StatusOK {
		return false
	}
	switch verb {
	case "prioritize":
		return json.Unmarshal([]byte(answer), &[]struct {
			Host  string
			Score int64
		}{}) == nil
	case "preempt":
		var result struct{ NodeNameToMetaVictims map[string]any }
		return json.Unmarshal([]byte(answer), &result) == nil && len(result.NodeNameToMetaVictims) == 0
	default:
		var result struct {
			Error     string
			NodeNames []string
		}
		return json.Unmarshal([]byte(answer), &result) == nil && (result.Error != "" || verb == "filter")
	}
}

// brokenRequests are whole requests that HTTP forbids, or that end too early.
func brokenRequests(verb, address string) map[string]string {
	head := fmt.Sprintf("POST /v1/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n", verb, address)
	return map[string]string{
		"a body cut short":  head + "Content-Length: 1000\r\n\r\n{\"Pod\":",
		"two lengths":       head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"a negative length": head + "Content-Length: -5\r\n\r\n{}",
		"a signed length":   head + "Content-Length: +2\r\n\r\n{}",
		"hidden chunks":     head + "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}",
		"an endless header": head + "X: " + strings.Repeat("y", 1<<20),
		"no HTTP":           "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	}
}

// sendRaw writes bytes, closes the writing side, and reads to the end. No answer may be a 2xx.
func sendRaw(t *testing.T, address, what, request string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.WriteString(connection, request)
	_ = connection.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(connection)
	if bytes.HasPrefix(answer, []byte("HTTP/1.1 2")) {
		t.Errorf("%s is answered by %.100q", what, answer)
	}
}
