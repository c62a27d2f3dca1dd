package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// door is a TCP proxy that keeps connections alive: only new connections go to a changed target.
type door struct {
	listener net.Listener
	target   atomic.Pointer[string]
	opened   sync.Map // Target -> *atomic.Int64: connections that led there.
}

// doorTo starts a proxy that runs until the end of the test.
func (s *stand) doorTo(target string) *door {
	s.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	d := &door{listener: listener}
	d.leadTo(target)
	s.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			go d.carry(caller)
		}
	}()
	return d
}

func (d *door) address() string         { return d.listener.Addr().String() }
func (d *door) leadTo(target string)    { d.target.Store(&target) }
func (d *door) count(target string) int { return int(d.counter(target).Load()) }

func (d *door) counter(target string) *atomic.Int64 {
	counter, _ := d.opened.LoadOrStore(target, &atomic.Int64{})
	return counter.(*atomic.Int64)
}

func (d *door) carry(caller net.Conn) {
	defer caller.Close()
	target := *d.target.Load()
	echelon, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer echelon.Close()
	d.counter(target).Add(1)
	go func() {
		_, _ = io.Copy(echelon, caller)
		_ = echelon.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(caller, echelon)
}

// bindings counts the bindings that the API server received.
type bindings struct{ count atomic.Int64 }

func (b *bindings) asked(write write) bool {
	if write.isBinding() {
		b.count.Add(1)
	}
	return true
}

func (b *bindings) answered(write, int) bool { return true }

// moveLease gives the Lease to another holder, even while the present holder writes it.
func (s *stand) moveLease(name, holder string) {
	s.Helper()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{
		"holderIdentity": holder, "renewTime": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}})
	s.must(err)
	_, err = client.CoordinationV1().Leases(plane.LeaseNamespace).Patch(s.ctx, name, types.MergePatchType, patch, meta.PatchOptions{})
	s.must(err)
}

// TestLeadMovesBehindOneAddress: two echelons are alive behind one address, and the Lease moves by hand from one to the
// other. kube-scheduler keeps its connections to the former leader, which places no pod from then on and closes them.
// New connections reach the other, which alone binds the gang.
func TestLeadMovesBehindOneAddress(t *testing.T) {
	s := standOn(t, setup{fabric: wide, later: true})
	t.Cleanup(func() {
		_ = client.CoordinationV1().Leases(plane.LeaseNamespace).Delete(context.Background(), s.namespace, meta.DeleteOptions{})
	})
	start := func(name string) (*plane.Echelon, *bindings) {
		between, posted := s.standBetween(), &bindings{}
		between.follow(posted)
		echelon, err := shared.StartEchelon(plane.EchelonOptions{Name: name, Server: &between.Server,
			Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}, OwnLease: s.namespace})
		s.must(err)
		t.Cleanup(echelon.Kill)
		return echelon, posted
	}
	// The later leader leads for a moment first: so the test learns its name.
	later, ofLater := start("later")
	s.echelon = later
	s.waitReady()
	s.waitLead(1)
	nameOfLater := s.holderOf(s.namespace)
	later.Pause()
	former, ofFormer := start("former")
	s.echelon = former
	s.waitReady()
	s.waitLead(1)
	later.Resume()
	s.echelon = later
	s.waitLead(0)

	filters, binds := s.doorTo(former.Extender), s.doorTo(former.Bind)
	var err error
	s.scheduler, err = shared.StartScheduler(plane.SchedulerOptions{Profiles: []plane.SchedulerProfile{{Name: defaultScheduler}},
		Extender: &plane.Echelon{Extender: filters.address(), Bind: binds.address()}})
	s.must(err)
	s.create(world.Flat("early", 8, plane.RackLevel))
	s.waitBound("early", 8)
	s.createPods(world.Plain(s.namespace, "before", 4, world.Pod{NoGPU: true})...)
	s.waitBound("before", 4)
	if count := ofLater.count.Load(); count != 0 {
		t.Errorf("who didn't lead has posted %d bindings", count)
	}
	kept := filters.count(former.Extender)

	s.moveLease(s.namespace, nameOfLater)
	s.waitLead(1)
	s.echelon = former
	s.waitLead(0)
	posted := ofFormer.count.Load()

	// The address still leads to the former leader: no pod is placed, and the answer says why.
	s.create(world.Flat("train", 16, plane.RackLevel))
	s.createPods(world.Plain(s.namespace, "after", 4, world.Pod{NoGPU: true})...)
	s.waitCondition("after", "echelon: this echelon no longer leads")
	s.noneBound("after")
	s.noneBound("train")
	s.eventually(patience, "a connection anew, since the former leader ends those that are kept", func() string {
		if now := filters.count(former.Extender); now <= kept {
			return fmt.Sprintf("%d connections before, %d now", kept, now)
		}
		return ""
	})

	filters.leadTo(later.Extender)
	binds.leadTo(later.Bind)
	s.echelon = later
	s.waitBound("train", 16)
	s.oneRack(s.pods("train"))
	s.waitBound("after", 4)
	if more := ofFormer.count.Load() - posted; more != 0 {
		t.Errorf("the former leader has posted %d bindings after its lead", more)
	}
	if count := ofLater.count.Load(); count < 20 {
		t.Errorf("the new leader has posted %d bindings of 20", count)
	}
	if !strings.HasPrefix(s.holderOf(s.namespace), nameOfLater) {
		t.Errorf("the Lease is that of %s", s.holderOf(s.namespace))
	}
	t.Log(fmt.Sprintf("connections for filter: %d to the former leader, %d to the new one", filters.count(former.Extender), filters.count(later.Extender)))
}
