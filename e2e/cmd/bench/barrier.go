package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// barrier is an extender that costs next to nothing. It decides and watches nothing: filter returns every name, and bind
// waits until kube-scheduler has called it for the whole gang. No promise of all or nothing takes less time.
type barrier struct {
	client kubernetes.Interface
	server *http.Server
	url    string
	mutex  sync.Mutex
	gangs  map[types.UID]*arrivals // By UID of the pod.
}

// arrivals are the calls for the pods of one gang.
type arrivals struct {
	missing int
	all     chan struct{} // Closed once none is missing.
}

func startBarrier(client kubernetes.Interface) (*barrier, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &barrier{client: client, url: "http://" + listener.Addr().String(), gangs: map[types.UID]*arrivals{}}
	calls := http.NewServeMux()
	calls.HandleFunc("POST /filter", b.filter)
	calls.HandleFunc("POST /bind", b.bind)
	b.server = &http.Server{Handler: calls}
	go func() { _ = b.server.Serve(listener) }()
	return b, nil
}

func (b *barrier) stop() { _ = b.server.Close() }

// extenders is this one in kube-scheduler's configuration; two, as echelon's chart has them.
func (b *barrier) extenders() string {
	return fmt.Sprintf(`extenders:
- {urlPrefix: %q, filterVerb: filter, nodeCacheCapable: true, httpTimeout: 3s}
- {urlPrefix: %q, bindVerb: bind, nodeCacheCapable: true, httpTimeout: 60s}
`, b.url, b.url)
}

// expect is called before any of the pods may be scheduled.
func (b *barrier) expect(gang []*core.Pod) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	calls := &arrivals{missing: len(gang), all: make(chan struct{})}
	for _, pod := range gang {
		b.gangs[pod.UID] = calls
	}
}

func (b *barrier) filter(answer http.ResponseWriter, request *http.Request) {
	var asked struct{ NodeNames []string }
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(answer).Encode(asked)
}

func (b *barrier) bind(answer http.ResponseWriter, request *http.Request) {
	var asked struct {
		PodName, PodNamespace, Node string
		PodUID                      types.UID
	}
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	var reply struct{ Error string }
	if !b.await(request.Context(), asked.PodUID) {
		return
	}
	binding := &core.Binding{ObjectMeta: meta.ObjectMeta{Name: asked.PodName, Namespace: asked.PodNamespace, UID: asked.PodUID},
		Target: core.ObjectReference{APIVersion: "v1", Kind: "Node", Name: asked.Node}}
	if err := b.client.CoreV1().Pods(asked.PodNamespace).Bind(request.Context(), binding, meta.CreateOptions{}); err != nil {
		reply.Error = err.Error()
	}
	_ = json.NewEncoder(answer).Encode(reply)
}

// await counts the call, and waits for those of the rest of the gang. False: the caller has left.
func (b *barrier) await(ctx context.Context, pod types.UID) bool {
	b.mutex.Lock()
	calls := b.gangs[pod]
	delete(b.gangs, pod)
	if calls != nil {
		if calls.missing--; calls.missing == 0 {
			close(calls.all)
		}
	}
	b.mutex.Unlock()
	if calls == nil {
		return true // Called again: the first call has counted.
	}
	select {
	case <-calls.all:
		return true
	case <-ctx.Done():
		return false
	}
}
