// Are gangs whose pods claim devices placed where the devices are? kube-scheduler allocates devices without any driver.

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

const deviceDriver = "gpu.example.com"

// createDeviceClass makes the class of all devices of the driver, named as the driver.
func (s *stand) createDeviceClass() {
	s.Helper()
	class := &resource.DeviceClass{ObjectMeta: meta.ObjectMeta{Name: deviceDriver}, Spec: resource.DeviceClassSpec{
		Selectors: []resource.DeviceSelector{{CEL: &resource.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", deviceDriver)}}}}}
	_, err := client.ResourceV1().DeviceClasses().Create(s.ctx, class, meta.CreateOptions{})
	s.must(err)
	s.Cleanup(func() {
		s.returnDevices()
		_ = client.ResourceV1().DeviceClasses().Delete(context.Background(), deviceDriver, meta.DeleteOptions{})
	})
}

// slice returns a ResourceSlice with all devices of a host.
func slice(host string, devices int) *resource.ResourceSlice {
	made := &resource.ResourceSlice{ObjectMeta: meta.ObjectMeta{Name: "devices-" + host}, Spec: resource.ResourceSliceSpec{
		Driver: deviceDriver, NodeName: &host, Pool: resource.ResourcePool{Name: host, Generation: int64(devices), ResourceSliceCount: 1}}}
	for i := range devices {
		number := int64(i)
		made.Spec.Devices = append(made.Spec.Devices, resource.Device{Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resource.QualifiedName]resource.DeviceAttribute{"number": {IntValue: &number}}})
	}
	return made
}

// createDevices gives each host that number of devices.
func (s *stand) createDevices(hosts []string, each int) {
	s.Helper()
	published := client.ResourceV1().ResourceSlices()
	for _, host := range hosts {
		_, err := published.Create(s.ctx, slice(host, each), meta.CreateOptions{})
		s.must(err)
		s.Cleanup(func() { _ = published.Delete(context.Background(), "devices-"+host, meta.DeleteOptions{}) })
	}
}

// createClaiming makes a gang each of whose pods has its own claim for one device.
func (s *stand) createClaiming(gang world.Gang, selectors ...resource.DeviceSelector) {
	s.Helper()
	s.createRequesting(gang, resource.DeviceRequest{Exactly: &resource.ExactDeviceRequest{DeviceClassName: deviceDriver, Selectors: selectors}})
}

// createRequesting makes a gang each of whose pods has its own claim with this request.
func (s *stand) createRequesting(gang world.Gang, request resource.DeviceRequest) {
	s.Helper()
	request.Name = "gpu"
	s.createRequestingAll(gang, resource.DeviceClaim{Requests: []resource.DeviceRequest{request}})
}

// returnDevices frees the devices of the namespace's claims. Otherwise they stay allocated in the following tests.
func (s *stand) returnDevices() {
	ctx := context.Background()
	claims := client.ResourceV1().ResourceClaims(s.namespace)
	all, err := claims.List(ctx, meta.ListOptions{})
	if err != nil {
		s.Errorf("the claims can't be listed: %v", err)
		return
	}
	for i := range all.Items {
		claim := &all.Items[i]
		claim.Status = resource.ResourceClaimStatus{}
		if claim, err = claims.UpdateStatus(ctx, claim, meta.UpdateOptions{}); err == nil {
			claim.Finalizers = nil
			_, err = claims.Update(ctx, claim, meta.UpdateOptions{})
		}
		if err == nil {
			err = claims.Delete(ctx, claim.Name, meta.DeleteOptions{})
		}
		if err != nil {
			s.Errorf("claim %s keeps its devices: %v", all.Items[i].Name, err)
		}
	}
}

// claimingGang wants one rack for pods that leave room for others on their hosts.
func claimingGang(name string, pods int) world.Gang {
	gang := world.Flat(name, pods, plane.RackLevel)
	gang.Pod.GPUs = 1
	return gang
}

// devicesOf returns the devices that the claims of a gang got, as "host/device" by pod.
func (s *stand) devicesOf(gang string) map[string]string {
	s.Helper()
	got := map[string]string{}
	for _, pod := range s.pods(gang) {
		claim, err := client.ResourceV1().ResourceClaims(s.namespace).Get(s.ctx, pod.Name, meta.GetOptions{})
		s.must(err)
		if claim.Status.Allocation != nil {
			result := claim.Status.Allocation.Devices.Results[0]
			got[pod.Name] = result.Pool + "/" + result.Device
		}
	}
	return got
}

// withNumber returns a selector of the devices with that number on their hosts (createDevices).
func withNumber(number int) []resource.DeviceSelector {
	return []resource.DeviceSelector{{CEL: &resource.CELDeviceSelector{
		Expression: fmt.Sprintf("device.attributes[%q].number == %d", deviceDriver, number)}}}
}

// In half of a rack each host has two devices, in the other half one. A gang that takes a second device, else a first
// one, fits once.
func TestAlternativesOfARequestAreCounted(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 4}})
	s.createDeviceClass()
	s.createDevices(s.rack(0, 1)[:2], 2)
	s.createDevices(s.rack(0, 1)[2:], 1)
	request := resource.DeviceRequest{FirstAvailable: []resource.DeviceSubRequest{
		{Name: "second", DeviceClassName: deviceDriver, Selectors: withNumber(1)},
		{Name: "first", DeviceClassName: deviceDriver, Selectors: withNumber(0)},
	}}
	s.createRequesting(claimingGang("train", 6), request)
	s.waitBound("train", 6)
	s.createRequesting(claimingGang("late", 2), request)
	s.waitMessage("late", "has room for 0")
}

// One rack of eight hosts has two devices in each, the other one in each. Sixteen pods that claim one each fit into the
// first alone. Then nine more find eight devices in the second, until a driver publishes another one.
func TestDevicesAreCounted(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 8}})
	s.createDeviceClass()
	s.createDevices(s.rack(0, 0), 1)
	s.createDevices(s.rack(0, 1), 2)
	s.createClaiming(claimingGang("train", 16))
	s.waitBound("train", 16)
	taken := map[string]bool{}
	got := s.devicesOf("train")
	for _, pod := range s.pods("train") {
		if !strings.HasPrefix(got[pod.Name], pod.Spec.NodeName+"/") {
			t.Errorf("%s is on %s and has %q", pod.Name, pod.Spec.NodeName, got[pod.Name])
		}
		taken[got[pod.Name]] = true
	}
	if len(taken) != 16 || s.oneRack(s.pods("train")) != s.oneRack([]*core.Pod{{Spec: core.PodSpec{NodeName: s.rack(0, 1)[0]}}}) {
		t.Errorf("16 devices of the second rack are taken, not %v", taken)
	}

	s.createClaiming(claimingGang("late", 9))
	plan := s.waitPlan("late", "Pending", "NoRoom")
	if !strings.Contains(plan.Message, "1 missing (devices of class gpu.example.com)") {
		t.Errorf("the refusal does not name the class: %s", plan.Message)
	}
	s.gatesKept("late", 9)
	first := s.rack(0, 0)[0]
	known, err := client.ResourceV1().ResourceSlices().Get(s.ctx, "devices-"+first, meta.GetOptions{})
	s.must(err)
	known.Spec = slice(first, 2).Spec
	_, err = client.ResourceV1().ResourceSlices().Update(s.ctx, known, meta.UpdateOptions{})
	s.must(err)
	s.waitBound("late", 9)
}

// Two hosts of six have a device. echelon does not understand the selector, so it learns the hosts from
// kube-scheduler's refusals.
func TestDevicesAreLeftToKubeScheduler(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 6}})
	s.createDeviceClass()
	s.createDevices(s.rack(0, 0)[4:], 1)
	s.createClaiming(world.Flat("train", 2, plane.RackLevel),
		resource.DeviceSelector{CEL: &resource.CELDeviceSelector{Expression: `device.driver.startsWith("gpu")`}})
	began := time.Now()
	s.waitBound("train", 2)
	t.Logf("bound after %s", time.Since(began).Round(10*time.Millisecond))
	for _, pod := range s.pods("train") {
		if !slices.Contains(s.rack(0, 0)[4:], pod.Spec.NodeName) {
			t.Errorf("%s is on %s", pod.Name, pod.Spec.NodeName)
		}
	}
}

// A pod whose claim does not exist yet keeps its gang waiting, by name.
func TestClaimsAreWaitedFor(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 2}})
	s.createDeviceClass()
	s.createDevices(s.rack(0, 0), 1)
	gang := world.Flat("train", 2, plane.RackLevel)
	members := gang.Members(s.namespace)
	for _, pod := range members {
		pod.Spec.ResourceClaims = []core.PodResourceClaim{{Name: "gpu", ResourceClaimName: &pod.Name}}
	}
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	s.createPods(members...)
	plan := s.waitPlan("train", "Pending", "Incomplete")
	if !strings.Contains(plan.Message, "wait for resource claim \""+s.namespace+"/train-0\", which doesn't exist yet") {
		t.Errorf("the GangPlan does not name the claim: %s", plan.Message)
	}
	for _, pod := range members {
		exactly := &resource.ExactDeviceRequest{DeviceClassName: deviceDriver}
		claim := &resource.ResourceClaim{ObjectMeta: meta.ObjectMeta{Name: pod.Name}, Spec: resource.ResourceClaimSpec{
			Devices: resource.DeviceClaim{Requests: []resource.DeviceRequest{{Name: "gpu", Exactly: exactly}}}}}
		_, err := client.ResourceV1().ResourceClaims(s.namespace).Create(s.ctx, claim, meta.CreateOptions{})
		s.must(err)
	}
	s.waitBound("train", 2)
}

// createRequestingAll makes a gang each of whose pods has its own claim with these devices.
func (s *stand) createRequestingAll(gang world.Gang, devices resource.DeviceClaim) {
	s.Helper()
	members := gang.Members(s.namespace)
	for _, pod := range members {
		claim := &resource.ResourceClaim{ObjectMeta: meta.ObjectMeta{Name: pod.Name}, Spec: resource.ResourceClaimSpec{Devices: devices}}
		_, err := client.ResourceV1().ResourceClaims(s.namespace).Create(s.ctx, claim, meta.CreateOptions{})
		s.must(err)
		pod.Spec.ResourceClaims = []core.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim.Name}}
		for i := range pod.Spec.Containers {
			pod.Spec.Containers[i].Resources.Claims = []core.ResourceClaim{{Name: "gpu"}}
		}
	}
	s.must(gang.CreateGroups(s.ctx, client, s.namespace))
	s.createPods(members...)
}

// publish makes slices, which go with the test.
func (s *stand) publish(made ...*resource.ResourceSlice) {
	s.Helper()
	published := client.ResourceV1().ResourceSlices()
	for _, each := range made {
		kept, err := published.Create(s.ctx, each, meta.CreateOptions{})
		s.must(err)
		s.Cleanup(func() { _ = published.Delete(context.Background(), each.Name, meta.DeleteOptions{}) })
		if len(kept.Spec.SharedCounters) < len(each.Spec.SharedCounters) || countTaints(kept) < countTaints(each) {
			s.Skipf("kube-apiserver %s drops counters or taints of a ResourceSlice", plane.Version())
		}
	}
}

func countTaints(slice *resource.ResourceSlice) int {
	taints := 0
	for _, device := range slice.Spec.Devices {
		taints += len(device.Taints)
	}
	return taints
}

// Four hosts have a device each. A rule taints those of two hosts: a gang of three waits until the rule goes.
func TestRulesTaintDevices(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 4}})
	s.createDeviceClass()
	s.createDevices(s.rack(0, 0), 1)
	driver := deviceDriver
	rules := client.ResourceV1().DeviceTaintRules()
	for _, host := range s.rack(0, 0)[:2] {
		rule := &resource.DeviceTaintRule{ObjectMeta: meta.ObjectMeta{Name: "broken-" + host}, Spec: resource.DeviceTaintRuleSpec{
			DeviceSelector: &resource.DeviceTaintSelector{Driver: &driver, Pool: &host},
			Taint:          resource.DeviceTaint{Key: "example.com/broken", Effect: resource.DeviceTaintEffectNoSchedule}}}
		_, err := rules.Create(s.ctx, rule, meta.CreateOptions{})
		if apierrors.IsNotFound(err) {
			t.Skipf("kube-apiserver %s does not serve DeviceTaintRule of resource.k8s.io/v1", plane.Version())
		}
		s.must(err)
		s.Cleanup(func() { _ = rules.Delete(context.Background(), rule.Name, meta.DeleteOptions{}) })
	}
	s.createClaiming(claimingGang("train", 3))
	plan := s.waitPlan("train", "Pending", "Impossible")
	if !strings.Contains(plan.Message, "1 missing (devices of class gpu.example.com)") {
		t.Errorf("the refusal does not name the class: %s", plan.Message)
	}
	s.gatesKept("train", 3)
	s.must(rules.Delete(s.ctx, "broken-"+s.rack(0, 0)[0], meta.DeleteOptions{}))
	s.waitBound("train", 3)
	for _, pod := range s.pods("train") {
		if pod.Spec.NodeName == s.rack(0, 0)[1] {
			t.Errorf("%s is on a host with a tainted device", pod.Name)
		}
	}
}

// Two hosts have two devices each, and one of these has a taint. A pod that wants all devices of a host fits on the other host alone.
func TestAllDevicesAreOfAHostWithoutTaints(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 2}})
	s.createDeviceClass()
	hosts := s.rack(0, 0)
	tainted := slice(hosts[0], 2)
	tainted.Spec.Devices[1].Taints = []resource.DeviceTaint{{Key: "example.com/broken", Effect: resource.DeviceTaintEffectNoSchedule}}
	s.publish(tainted, slice(hosts[1], 2))
	all := resource.DeviceRequest{Exactly: &resource.ExactDeviceRequest{
		DeviceClassName: deviceDriver, AllocationMode: resource.DeviceAllocationModeAll}}
	s.createRequesting(claimingGang("wide", 2), all)
	s.waitMessage("wide", "has room for 1", "1 missing (all devices of class gpu.example.com)")
	s.gatesKept("wide", 2)
	s.createRequesting(claimingGang("train", 1), all)
	s.waitBound("train", 1)
	if host := s.pods("train")[0].Spec.NodeName; host != hosts[1] {
		t.Errorf("the pod with all devices is on %s", host)
	}
}

// A host has three devices below one root and three below another. Of claims for two of one root it takes two, though it has six devices.
func TestDevicesOfAClaimAgree(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}})
	s.createDeviceClass()
	host := s.rack(0, 0)[0]
	made := slice(host, 6)
	for i := range made.Spec.Devices {
		root := int64(i % 2)
		made.Spec.Devices[i].Attributes["root"] = resource.DeviceAttribute{IntValue: &root}
	}
	s.publish(made)
	root := resource.FullyQualifiedName(deviceDriver + "/root")
	devices := resource.DeviceClaim{
		Requests:    []resource.DeviceRequest{{Name: "gpu", Exactly: &resource.ExactDeviceRequest{DeviceClassName: deviceDriver, Count: 2}}},
		Constraints: []resource.DeviceConstraint{{MatchAttribute: &root}}}
	s.createRequestingAll(claimingGang("wide", 3), devices)
	s.waitMessage("wide", "has room for 2", "1 missing (devices of class gpu.example.com with equal gpu.example.com/root)")
	s.gatesKept("wide", 3)
	s.createRequestingAll(claimingGang("train", 2), devices)
	s.waitBound("train", 2)
}

// partitions are two halves and the whole of one device of a host; the counters that they share are in a slice of their own.
func partitions(host string) []*resource.ResourceSlice {
	pool := resource.ResourcePool{Name: host, Generation: 1, ResourceSliceCount: 2}
	takes := func(units string) []resource.DeviceCounterConsumption {
		return []resource.DeviceCounterConsumption{{CounterSet: "gpu-0", Counters: counters(units)}}
	}
	attributes := func(size int64) map[resource.QualifiedName]resource.DeviceAttribute {
		return map[resource.QualifiedName]resource.DeviceAttribute{"number": {IntValue: &size}}
	}
	return []*resource.ResourceSlice{
		{ObjectMeta: meta.ObjectMeta{Name: "counters-" + host}, Spec: resource.ResourceSliceSpec{Driver: deviceDriver, NodeName: &host, Pool: pool,
			SharedCounters: []resource.CounterSet{{Name: "gpu-0", Counters: counters("8")}}}},
		{ObjectMeta: meta.ObjectMeta{Name: "devices-" + host}, Spec: resource.ResourceSliceSpec{Driver: deviceDriver, NodeName: &host, Pool: pool,
			Devices: []resource.Device{
				{Name: "left", Attributes: attributes(0), ConsumesCounters: takes("4")},
				{Name: "right", Attributes: attributes(0), ConsumesCounters: takes("4")},
				{Name: "whole", Attributes: attributes(1), ConsumesCounters: takes("8")}}}},
	}
}

func counters(units string) map[string]resource.Counter {
	return map[string]resource.Counter{"units": {Value: quantity.MustParse(units)}}
}

// Two hosts have a device each, which is one whole or two halves. Two halves and a whole take both, and leave room for nothing.
func TestPartitionsAreCounted(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 2}})
	s.createDeviceClass()
	for _, host := range s.rack(0, 0) {
		s.publish(partitions(host)...)
	}
	s.createClaiming(claimingGang("wide", 3), withNumber(1)...)
	s.waitMessage("wide", "has room for 2")
	s.gatesKept("wide", 3)
	s.createClaiming(claimingGang("whole", 1), withNumber(1)...)
	s.waitBound("whole", 1)
	s.createClaiming(claimingGang("halves", 2), withNumber(0)...)
	s.waitBound("halves", 2)
	halves := s.pods("halves")
	if halves[0].Spec.NodeName != halves[1].Spec.NodeName || halves[0].Spec.NodeName == s.pods("whole")[0].Spec.NodeName {
		t.Errorf("the halves are on %s and %s", halves[0].Spec.NodeName, halves[1].Spec.NodeName)
	}
	s.createClaiming(claimingGang("late", 1), withNumber(0)...)
	s.waitMessage("late", "has room for 0")
}

// A host has one first device and three others. A gang of two that take the first one, else two others, fits; one of three doesn't.
func TestAlternativesOfSeveralDevicesAreCounted(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 1, Hosts: 1}})
	s.createDeviceClass()
	s.createDevices(s.rack(0, 0), 4)
	others := []resource.DeviceSelector{{CEL: &resource.CELDeviceSelector{
		Expression: fmt.Sprintf("device.attributes[%q].number > 0", deviceDriver)}}}
	request := resource.DeviceRequest{FirstAvailable: []resource.DeviceSubRequest{
		{Name: "first", DeviceClassName: deviceDriver, Selectors: withNumber(0)},
		{Name: "others", DeviceClassName: deviceDriver, Selectors: others, Count: 2},
	}}
	s.createRequesting(claimingGang("wide", 3), request)
	s.waitMessage("wide", "has room for 2")
	s.gatesKept("wide", 3)
	s.createRequesting(claimingGang("train", 2), request)
	s.waitBound("train", 2)
}
