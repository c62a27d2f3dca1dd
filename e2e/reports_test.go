// Does what only reports delay what a gang waits for?

package e2e

import (
	"fmt"
	"testing"
	"time"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// reported counts the gangs whose GangPlan has been written.
func (s *stand) reported(gangs []world.Gang) (count int) {
	for _, gang := range gangs {
		if plan := world.ReadGangPlan(s.ctx, objects, s.namespace, gang.Root.Name); plan != nil && plan.Phase != "" {
			count++
		}
	}
	return count
}

// At twenty writes a second the GangPlans of 200 gangs that lack members take twenty seconds. Among them waits the first
// GangPlan of a gang whose pods come only then. Its commit must not wait for it.
func TestCommitBesideManyReports(t *testing.T) {
	s := standOn(t, setup{fabric: wide, later: true})
	var err error
	s.echelon, err = shared.StartEchelon(plane.EchelonOptions{QPS: 20, Profiles: []plane.Profile{{SchedulerName: defaultScheduler}}})
	s.must(err)
	s.waitReady()
	s.startScheduler()
	var lacking []world.Gang
	for number := range 200 {
		gang := world.Flat(fmt.Sprintf("lacking-%d", number), 1, plane.RackLevel)
		gang.Root.Minimum = 2
		lacking = append(lacking, gang)
	}
	s.must(world.InParallel(lacking, func(gang world.Gang) error { return gang.Create(s.ctx, client, s.namespace) }))
	wanted := world.Flat("wanted", 8, plane.RackLevel)
	s.must(wanted.CreateGroups(s.ctx, client, s.namespace))
	pods := wanted.Members(s.namespace)
	s.createPods(pods[0])
	time.Sleep(time.Second) // Now its own report waits behind those of the others.
	s.createPods(pods[1:]...)
	s.waitBound("wanted", 8)
	if reported := s.reported(lacking); reported == len(lacking) {
		t.Errorf("the gang was bound only after all %d reports", reported)
	}
	s.waitPlan("wanted", "Bound", "")
}
