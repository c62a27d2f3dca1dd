package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"echelon.sh/echelon/e2e/plane"
)

// between is a proxy between echelon and kube-apiserver that reports every write. So a test can act at an exact moment,
// such as after the record, or before the second binding.
type between struct {
	plane.Server
	mutex   sync.Mutex
	rule    rule
	accept  string // Instead of what echelon accepts; "": that.
	refuses string // Part of what isn't accepted: answered with 406. "": nothing.
	answers answers
}

// rule decides about each write. Calls may be concurrent.
type rule interface {
	// asked comes before a write is passed on; false: it is lost, and so is its connection.
	asked(write write) bool
	// answered comes before the answer to a write is passed on; false: the answer is lost, and so is its connection.
	answered(write write, status int) bool
}

// write is one request that changes something.
type write struct {
	request *http.Request
	body    []byte
}

// isBinding is true for the binding of one pod.
func (w write) isBinding() bool { return strings.HasSuffix(w.request.URL.Path, "/binding") }

// recorded is true for a GangPlan that says "Committed".
func (w write) recorded() bool { return w.phase() == "Committed" }

// phase returns the phase of the GangPlan in the write; "" for another write.
func (w write) phase() string {
	if !strings.Contains(w.request.URL.Path, "/gangplans/") {
		return ""
	}
	var object struct{ Status struct{ Phase string } }
	if err := json.Unmarshal(w.body, &object); err != nil {
		return ""
	}
	return object.Status.Phase
}

// standBetween starts the proxy. It follows no rule from the end of the test on, and ends after echelon, which first
// settles the bindings whose answers it lacks.
func (s *stand) standBetween() *between {
	s.Helper()
	target, err := url.Parse(shared.URL())
	s.must(err)
	trust, err := rest.TLSConfigFor(shared.Config(plane.AdminUser))
	s.must(err)
	b := &between{answers: answers{types: map[string]map[string]bool{}, bytes: map[string]int64{}}}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.FlushInterval = -1 // Watches.
	forward.Transport = &http.Transport{TLSClientConfig: trust, MaxIdleConnsPerHost: 32}
	forward.ModifyResponse = b.onAnswer
	forward.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.serve(forward, w, r) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // Of handshakes with a client that was killed.
	server.TLS = &tls.Config{NextProtos: []string{"http/1.1"}}
	server.StartTLS()
	s.Cleanup(func() {
		b.follow(nil)
		server.CloseClientConnections() // Calls that were never answered are lost.
	})
	s.afterwards = append(s.afterwards, server.CloseClientConnections, server.Close)
	b.Server = plane.Server{URL: server.URL, CAFile: filepath.Join(shared.Logs, "between.crt")}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	s.must(os.WriteFile(b.CAFile, certificate, 0o644))
	return b
}

// follow sets the rule for later writes; nil: every write passes.
func (b *between) follow(rule rule) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.rule = rule
}

func (b *between) current() rule {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.rule
}

// writeKey is the key of the write in a request's context.
type writeKey struct{}

func (b *between) serve(forward *httputil.ReverseProxy, w http.ResponseWriter, r *http.Request) {
	if b.refuses != "" && strings.Contains(r.Header.Get("Accept"), b.refuses) {
		http.Error(w, "not acceptable", http.StatusNotAcceptable)
		return
	}
	if b.accept != "" {
		r.Header.Set("Accept", b.accept)
	}
	if r.Method == http.MethodGet {
		forward.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	it := write{request: r, body: body}
	if rule := b.current(); rule != nil && !rule.asked(it) {
		panic(http.ErrAbortHandler)
	}
	forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), writeKey{}, it)))
}

func (b *between) onAnswer(answer *http.Response) error {
	if answer.StatusCode < 300 {
		b.answers.note(answer)
	}
	it, isWrite := answer.Request.Context().Value(writeKey{}).(write)
	if rule := b.current(); isWrite && rule != nil && !rule.answered(it, answer.StatusCode) {
		return http.ErrAbortHandler
	}
	return nil
}
