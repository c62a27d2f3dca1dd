// Is a call lost while certificates change?

package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// startWithTLS starts an echelon that accepts only the certificate of kube-scheduler.
func (s *stand) startWithTLS(files *mount) {
	s.Helper()
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{Profiles: []plane.Profile{{SchedulerName: defaultScheduler}},
		BarrierTimeout: 2 * patience, // Longer than the test.
		More:           fmt.Sprintf("tls: {%s, clientCAFile: %q, allowedNames: [kube-scheduler]}\n", files.options(), files.ca())})
	s.must(err)
	s.waitReady()
}

// takenUp makes echelon check its files, and waits until it has reloaded them `times` times.
func (s *stand) takenUp(times int) {
	s.Helper()
	s.echelon.Signal(syscall.SIGHUP)
	s.eventually(patience, "changed certificates are taken up", func() string {
		metrics, err := s.echelon.Metrics(s.ctx)
		if err != nil {
			return err.Error()
		}
		if failed := metrics.Sum("echelon_tls_reloads_total", `result="error"`); failed > 0 {
			s.Fatalf("%v times they could not be", failed)
		}
		return differs("reloads", int(metrics.Sum("echelon_tls_reloads_total", `result="ok"`)), times)
	})
}

// caller is like kube-scheduler: it keeps connections, but every third call takes a new one.
type caller struct {
	config  atomic.Pointer[tls.Config]
	calls   atomic.Int64
	stopped atomic.Bool
}

// post makes one call; nil: the answer has the shape of the verb.
func (c *caller) post(to *http.Client, url string, body []byte) (string, error) {
	c.calls.Add(1)
	response, err := to.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", response.StatusCode, text)
	}
	return string(text), err
}

// fresh returns a client with new connections and the current certificate.
func (c *caller) fresh() *http.Client {
	return &http.Client{Timeout: 2 * patience, Transport: &http.Transport{TLSClientConfig: c.config.Load().Clone(), MaxIdleConnsPerHost: 2}}
}

// run calls filter until it is stopped, and reports failed calls.
func (c *caller) run(t *testing.T, url string) {
	body := []byte(`{"Pod":{"metadata":{"name":"p","namespace":"n","uid":"u"}},"NodeNames":["b0-r0-h00"]}`)
	client := c.fresh()
	for count := 0; !c.stopped.Load(); count++ {
		if count%3 == 2 {
			client.CloseIdleConnections()
			client = c.fresh()
		}
		if text, err := c.post(client, url, body); err != nil || !strings.Contains(text, "NodeNames") {
			t.Errorf("a call was lost: %q, %v", text, err)
		}
	}
	client.CloseIdleConnections()
}

// TestCertificatesRotateWithoutALostCall replaces certificates and their CA step by step, as an operator does.
// Meanwhile calls run, and a bind waits at the barrier. Each call is answered. In the end the old certificates are
// refused.
func TestCertificatesRotateWithoutALostCall(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 2}, later: true})
	first, second := s.authority("first"), s.authority("second")
	old, young := first.issue("kube-scheduler"), second.issue("kube-scheduler")
	files := s.mount("tls", first.issue("echelon"), first.certificate)
	s.startWithTLS(files)
	for what, config := range map[string]*tls.Config{
		"no certificate": s.dialling(pair{}, first.certificate),
		"another CA's":   s.dialling(young, first.certificate),
		"another name":   s.dialling(first.issue("stranger"), first.certificate),
	} {
		if answer, err := speak(s.echelon.Extender, config); err == nil && strings.HasPrefix(answer, "HTTP/1.1 2") || strings.Contains(answer, "404") {
			t.Errorf("%s: answered by %q", what, answer)
		}
	}

	both := slices.Concat(first.certificate, second.certificate)
	var calls caller
	calls.config.Store(s.dialling(old, both))
	var all sync.WaitGroup
	defer all.Wait()
	defer calls.stopped.Store(true)
	for range 4 {
		all.Go(func() { calls.run(t, "https://"+s.echelon.Extender+"/v1/filter") })
	}
	s.create(world.Flat("pair", 2, plane.RackLevel))
	s.waitPlan("pair", "Held", "")
	s.eventually(patience, "their gates are gone", func() string {
		if slices.ContainsFunc(s.pods("pair"), world.IsGated) {
			return "one has a gate"
		}
		return ""
	})
	members := s.pods("pair")
	all.Go(func() { s.bindAsScheduler(&calls, members[0]) })
	s.waitWaiting(1)

	for step, change := range []func(){
		func() { files.swap(first.issue("echelon"), first.certificate) },
		func() { files.swap(first.issue("echelon"), both) },
		func() { files.swap(second.issue("echelon"), both) },
		func() { calls.config.Store(s.dialling(young, both)); files.swap(second.issue("echelon"), both) },
		// Open connections go on; new ones need the new certificate.
		func() { files.swap(second.issue("echelon"), second.certificate) },
	} {
		before := calls.calls.Load()
		change()
		s.takenUp(step + 1)
		s.eventually(patience, "calls go on", func() string {
			if calls.calls.Load() < before+100 {
				return fmt.Sprint(calls.calls.Load()-before, " calls")
			}
			return ""
		})
	}
	s.waitWaiting(1)
	s.bindAsScheduler(&calls, members[1])
	s.waitBound("pair", 2)
	calls.stopped.Store(true)
	all.Wait()
	t.Logf("%d calls", calls.calls.Load())

	if answer, err := speak(s.echelon.Extender, s.dialling(old, both)); err == nil {
		t.Errorf("the old certificate is answered by %q", answer)
	}
	if answer, err := speak(s.echelon.Extender, s.dialling(young, first.certificate)); err == nil {
		t.Errorf("echelon shows the old certificate, and answers by %q", answer)
	}
	if answer, err := speak(s.echelon.Extender, s.dialling(young, second.certificate)); err != nil || !strings.HasPrefix(answer, "HTTP/1.1 ") {
		t.Errorf("the new certificates: %q, %v", answer, err)
	}
}

// bindAsScheduler calls bind for a member and its seat, and checks that the pod is bound. It may be called on another
// goroutine.
func (s *stand) bindAsScheduler(calls *caller, member *core.Pod) {
	body, err := json.Marshal(bindCall{member.Name, member.Namespace, string(member.UID), member.Status.NominatedNodeName})
	if err != nil {
		s.Error(err)
	}
	client := calls.fresh()
	defer client.CloseIdleConnections()
	if text, err := calls.post(client, "https://"+s.echelon.Bind+"/v1/bind", body); err != nil || strings.Contains(text, `"Error":"e`) {
		s.Errorf("the bind of %s: %q, %v", member.Name, text, err)
	}
}

// waitWaiting waits until `want` bind calls wait at the barrier.
func (s *stand) waitWaiting(want int) {
	s.Helper()
	s.eventually(patience, "bind calls wait", func() string {
		metrics, err := s.echelon.Metrics(s.ctx)
		if err != nil {
			return err.Error()
		}
		return differs("waiting", int(metrics.Sum("echelon_barrier_waiting_pods")), want)
	})
}
