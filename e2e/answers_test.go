package e2e

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// answers records the API server's answers that pass a proxy: their Content-Types and the bytes of their bodies, by
// method and resource ("GET pods", "WATCH nodes", "PATCH pods/status").
type answers struct {
	mutex sync.Mutex
	types map[string]map[string]bool
	bytes map[string]int64
}

// note records an answer, and counts its bytes while it passes.
func (a *answers) note(answer *http.Response) {
	what := asked(answer.Request)
	contentType, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.types[what] == nil {
		a.types[what] = map[string]bool{}
	}
	a.types[what][contentType] = true
	answer.Body = &counted{ReadCloser: answer.Body, to: a, what: what}
}

// typesOf returns the Content-Types of all answers to `what`, in order.
func (a *answers) typesOf(what string) string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(a.types[what])), " ")
}

// bytesOf returns the bytes of all answers to `what` so far.
func (a *answers) bytesOf(what string) int64 {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.bytes[what]
}

// asked is the method and the resource of a request; "GET" for discovery.
func asked(r *http.Request) string {
	method := r.Method
	if r.URL.Query().Has("watch") {
		method = "WATCH"
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	parts = parts[min(len(parts), map[string]int{"api": 2, "apis": 3}[parts[0]]):]
	if len(parts) > 2 && parts[0] == "namespaces" {
		parts = parts[2:]
	}
	switch {
	case len(parts) == 0:
		return method
	case len(parts) > 2:
		return method + " " + parts[0] + "/" + parts[2]
	}
	return method + " " + parts[0]
}

// counted is a body whose bytes are counted.
type counted struct {
	io.ReadCloser
	to   *answers
	what string
}

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	c.to.mutex.Lock()
	defer c.to.mutex.Unlock()
	c.to.bytes[c.what] += int64(n)
	return n, err
}
