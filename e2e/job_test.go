// Is a Job placed whole, with the pods of the real controller, in each way in which it can declare a gang?

package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// TestJob: a plain Job of eight pods is placed whole in one rack, however it declares the gang. Pods of a scale-up join
// them there.
func TestJob(t *testing.T) {
	for _, row := range []struct {
		name     string
		options  plane.ControllerOptions
		template template
		job      string // A line of the Job's spec.
	}{
		{name: "ByLabels", template: template{labels: "echelon.sh/gang: ring",
			annotations: `echelon.sh/gang-minimum: "8", echelon.sh/gang-required-topology: ` + plane.RackLevel,
			spec:        fmt.Sprintf("schedulingGates: [{name: %s}]\n  restartPolicy: Never", world.Gate)}},
		{name: "ByItsScheduling", options: plane.ControllerOptions{JobWorkloads: true}, template: template{spec: "restartPolicy: Never"},
			job: fmt.Sprintf("scheduling: {schedulingPolicy: {gang: {minCount: 8}}, schedulingConstraints: {topology: [{key: %s}]}}", plane.RackLevel)},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.options.JobWorkloads {
				skipWithoutPodGroups(t)
			}
			s := standOn(t, setup{fabric: world.Fabric{Blocks: 2, Racks: 2, Hosts: 10}, controllers: &row.options})
			for block := range 2 { // Seven hosts are left in every rack.
				for rack := range 2 {
					s.fill(fmt.Sprintf("odd-%d-%d", block, rack), s.rack(block, rack)[:3]...)
				}
			}
			row.template.gang = "ring"
			s.createObject(jobs, fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: ring}
spec:
  parallelism: 8
  completions: 8
  completionMode: Indexed
  %s
  template:%s`, row.job, row.template.at(6)))
			s.eventually(patience, "its pods are there", func() string { return differs("pods", len(s.pods("ring")), 8) })
			s.eventually(patience, "it is refused", func() string {
				for _, plan := range world.ListGangPlans(s.ctx, objects, s.namespace) {
					if plan.Reason == "NoRoom" || plan.Reason == "Impossible" {
						return ""
					}
				}
				return "it isn't"
			})
			s.waitTurn()
			s.noneBound("ring")
			s.unfill("odd-1-0")
			s.waitBound("ring", 8)
			home := s.oneRack(s.pods("ring"))
			if home != world.RackPath(1, 0) {
				t.Errorf("it is in %s", home)
			}

			// Two more fit into the rack, and a third waits for it though others have room.
			s.patchObject(jobs, "ring", `{"spec":{"parallelism":11,"completions":11}}`)
			s.waitBound("ring", 10)
			s.eventually(patience, "its pods are there", func() string { return differs("pods", len(s.pods("ring")), 11) })
			s.waitTurn()
			s.holds(s.bound("ring", 10))
			if rack := s.oneRack(s.pods("ring")); rack != home {
				t.Errorf("from %s to %s", home, rack)
			}

			// One ends, and there is its host.
			s.must(world.End(s.ctx, client, core.PodSucceeded, s.pods("ring")[0]))
			s.waitBound("ring", 11)
			s.oneRack(s.pods("ring"))
		})
	}
}
