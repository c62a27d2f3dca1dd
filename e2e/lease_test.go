package e2e

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	coordination "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// TestFollowsTheLease: echelon acts while the Lease names the kube-scheduler beside it, and is a standby while the
// Lease names another, even one with a similar hostname. A standby is ready and holds up no plain pod; a former leader
// places no pod.
func TestFollowsTheLease(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 8}, later: true})
	hostname, err := os.Hostname()
	s.must(err)
	lease := s.createLease(hostname + "0_uuid")
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{
		Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}, FollowedLease: lease.Name})
	s.must(err)
	s.waitReady()
	s.startScheduler()

	s.create(world.Flat("first", 8, plane.RackLevel))
	s.standsBy("first", 8)

	lease = s.handOver(lease, hostname+"_uuid")
	s.waitBound("first", 8)
	s.oneRack(s.pods("first"))
	s.waitLead(1)

	lease = s.handOver(lease, "another_uuid")
	s.waitLead(0)
	s.create(world.Flat("second", 8, plane.RackLevel))
	s.createPods(world.Plain(s.namespace, "plain", 1, world.Pod{NoGPU: true})...)
	s.waitCondition("plain", "echelon: this echelon no longer leads")
	s.noneBound("plain")
	s.noneBound("second")
	s.waitSeen("second", 8)
	s.gatesKept("second", 8)

	s.handOver(lease, hostname+"_uuid-of-the-next")
	s.waitBound("plain", 1)
	s.waitBound("second", 8)
	s.oneRack(s.pods("second"))
}

// TestTwoEchelonsOneLease: of two echelons the one that holds their Lease acts. It is killed with bindings under way; the
// other one takes the Lease when it has expired and finishes the gang, to the seats of the record.
func TestTwoEchelonsOneLease(t *testing.T) {
	s := standOn(t, setup{fabric: wide, later: true})
	t.Cleanup(func() {
		_ = client.CoordinationV1().Leases(plane.LeaseNamespace).Delete(context.Background(), s.namespace, meta.DeleteOptions{})
	})
	start := func(name string) *plane.Echelon {
		echelon, err := shared.StartEchelon(plane.EchelonOptions{
			Name: name, Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}, OwnLease: s.namespace})
		s.must(err)
		t.Cleanup(echelon.Kill)
		return echelon
	}
	s.echelon = start("first")
	s.waitReady()
	s.waitLead(1)
	holder := s.holderOf(s.namespace)

	first := s.echelon
	s.echelon = start("second")
	s.eventually(patience, "the second one is ready but for the lead", func() string {
		_, body, err := s.echelon.Get(s.ctx, "/readyz")
		if err != nil {
			return err.Error()
		}
		if strings.TrimSpace(body) != "[-]leader: this echelon doesn't lead" {
			return body
		}
		return ""
	})
	s.waitLead(0)

	second := s.echelon
	s.echelon = first
	s.startScheduler()
	s.atFirstBinding(s.echelon.Kill)
	plan := s.record()
	s.scheduler.Kill()
	s.echelon = second
	s.waitReady()
	s.waitLead(1)
	if now := s.holderOf(s.namespace); now == holder {
		t.Errorf("the Lease is still that of the dead one: %s", now)
	}
	s.startScheduler()
	s.finished(plan)
}

func (s *stand) holderOf(lease string) string {
	s.Helper()
	found, err := client.CoordinationV1().Leases(plane.LeaseNamespace).Get(s.ctx, lease, meta.GetOptions{})
	s.must(err)
	return *found.Spec.HolderIdentity
}

// createLease makes a Lease that doesn't expire within a test, where echelon may read it.
func (s *stand) createLease(holder string) *coordination.Lease {
	s.Helper()
	leases, hour := client.CoordinationV1().Leases(plane.LeaseNamespace), int32(3600)
	lease := &coordination.Lease{ObjectMeta: meta.ObjectMeta{Name: s.namespace},
		Spec: coordination.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &hour}}
	lease, err := leases.Create(s.ctx, lease, meta.CreateOptions{})
	s.must(err)
	s.Cleanup(func() { _ = leases.Delete(context.Background(), lease.Name, meta.DeleteOptions{}) })
	return lease
}

func (s *stand) handOver(lease *coordination.Lease, holder string) *coordination.Lease {
	s.Helper()
	lease.Spec.HolderIdentity = &holder
	lease, err := client.CoordinationV1().Leases(plane.LeaseNamespace).Update(s.ctx, lease, meta.UpdateOptions{})
	s.must(err)
	return lease
}

func (s *stand) waitLead(want int) {
	s.Helper()
	s.eventually(patience, fmt.Sprintf("echelon_leader is %d", want), func() string {
		metrics, err := s.echelon.Metrics(s.ctx)
		if err != nil {
			return err.Error()
		}
		return differs("echelon_leader", int(metrics.Sum("echelon_leader")), want)
	})
}

// standsBy checks that echelon has seen all the pods and did nothing about the gang, although a later pod had its turn.
func (s *stand) standsBy(gang string, pods int) {
	s.Helper()
	s.waitLead(0)
	s.eventually(patience, "echelon sees the gang", func() string {
		metrics, err := s.echelon.Metrics(s.ctx)
		if err != nil {
			return err.Error()
		}
		if seen := int(metrics.Sum("echelon_cache_objects", `resource="pods"`)); seen < pods {
			return differs("pods", seen, pods)
		}
		return ""
	})
	s.waitTurn()
	s.noneBound(gang)
	s.gatesKept(gang, 8)
	if plan := world.ReadGangPlan(s.ctx, objects, s.namespace, gang); plan != nil {
		s.Fatalf("a standby wrote a plan: %+v", plan)
	}
}
