package e2e

import (
	"bytes"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/world"
)

// idle is how long connections are idle before they are used again; `./dev abuse long` sets ten minutes.
var idle = flag.Duration("idle", 5*time.Second, "how long connections are left idle and used again")

// TestIdleConnections: a caller like kube-scheduler keeps connections for 90 s, and never uses one that echelon has
// just closed. No client repeats a POST on a closed connection: kube-scheduler would report EOF.
func TestIdleConnections(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}, later: true})
	s.startEchelon()
	s.waitReady()
	const callers = 40
	end := time.Now().Add(*idle)
	var calls, failures atomic.Int64
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(caller), 0))
			transport := &http.Transport{MaxIdleConnsPerHost: 2, IdleConnTimeout: 90 * time.Second}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport, Timeout: 60 * time.Second}
			for {
				if err := s.ask(client); err != nil {
					failures.Add(1)
					t.Error(err)
				}
				calls.Add(1)
				// Up to and beyond what the caller keeps, and what echelon keeps (120 s).
				pause := time.Duration(random.Int64N(int64(min(125*time.Second, *idle/3))))
				if time.Now().Add(pause).After(end) {
					return
				}
				time.Sleep(pause)
			}
		})
	}
	all.Wait()
	t.Logf("%d calls by %d callers in %s, %d failed", calls.Load(), callers, *idle, failures.Load())
	if calls.Load() < 2*callers {
		t.Errorf("only %d calls: no connection was used again", calls.Load())
	}
}

func (s *stand) ask(client *http.Client) error {
	body := []byte(`{"Pod":{"metadata":{"name":"p","namespace":"n","uid":"u"}},"NodeNames":["b0-r0-h00"]}`)
	response, err := client.Post("http://"+s.echelon.Extender+"/v1/filter", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
