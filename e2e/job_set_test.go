// Are JobSets placed whole, with the pods of the real controllers?

package e2e

import (
	"fmt"
	"testing"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

const (
	jobLabel           = "jobset.sigs.k8s.io/job-index"
	replicatedJobLabel = "jobset.sigs.k8s.io/replicatedjob-name"
	restartLabel       = "jobset.sigs.k8s.io/restart-attempt"
)

// trainer is a JobSet of a driver and two Jobs of four workers; `workers` are annotations of the template of the
// latter's Jobs, `spec` further lines of the JobSet's.
func trainer(workers, spec string) string {
	pod := template{gang: "train", spec: "restartPolicy: Never"}.at(10)
	return fmt.Sprintf(`
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  %s
  replicatedJobs:
  - name: driver
    template:
      spec:
        backoffLimit: 0
        template:%s
  - name: workers
    replicas: 2
    template:
      metadata: {annotations: {%s}}
      spec:
        parallelism: 4
        completions: 4
        backoffLimit: 0
        template:%s`, spec, pod, workers, pod)
}

// workersRacks checks that the two Jobs of workers are bound whole, each in a different rack.
func (s *stand) workersRacks() {
	s.Helper()
	workers := sorted(s.pods("train"), replicatedJobLabel)["workers"]
	racks := map[string]bool{}
	for job, pods := range sorted(workers, jobLabel) {
		s.holds(differs("bound of Job "+job, len(world.Bound(pods)), 4))
		racks[s.oneRack(pods)] = true
	}
	s.holds(differs("racks", len(racks), 2))
}

// TestJobSet: a set is placed whole or not at all, although its controller makes some pods late, and again after a
// restart.
func TestJobSet(t *testing.T) {
	exclusive := fmt.Sprintf("alpha.jobset.sigs.k8s.io/exclusive-topology: %s", plane.RackLevel)
	t.Run("Exclusive", func(t *testing.T) {
		s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 3, Hosts: 4}, controllers: &plane.ControllerOptions{}})
		s.fill("odd", world.HostName(0, 1, 2))
		// Racks 0 and 2 are whole: the driver fits nowhere but beside rack 1's filler. With that full nothing begins.
		s.fill("rest", world.HostName(0, 1, 0), world.HostName(0, 1, 1), world.HostName(0, 1, 3))
		s.createJobSet(trainer(exclusive, "failurePolicy: {maxRestarts: 1}"))
		s.waitPlanOf("train", "Pending", "NoRoom")
		s.waitTurn()
		s.noneBound("train")
		s.unfill("rest")
		s.waitBound("train", 9)
		s.workersRacks()
		s.waitPlanOf("train", "Bound", "")

		// A worker fails, and the whole set is made anew.
		worker := sorted(s.pods("train"), replicatedJobLabel)["workers"][0]
		s.must(world.End(s.ctx, client, core.PodFailed, worker))
		s.eventually(patience, "the set is restarted and bound", func() string {
			return differs("bound", len(world.Bound(sorted(s.pods("train"), restartLabel)["1"])), 9)
		})
		s.waitBound("train", 9)
		s.workersRacks()
	})
	t.Run("InOrder", func(t *testing.T) {
		s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 2, Hosts: 5}, controllers: &plane.ControllerOptions{}})
		s.fill("odd", world.HostName(0, 0, 0), world.HostName(0, 1, 0))
		// The driver alone would fit; it waits for room for workers that don't exist yet.
		s.createJobSet(trainer("", "startupPolicy: {startupPolicyOrder: InOrder}"))
		s.waitPlanOf("train", "Pending", "NoRoom")
		s.waitTurn()
		s.holds(differs("pods", len(s.pods("train")), 1))
		s.noneBound("train")
		s.deletePod("filler-odd-" + world.HostName(0, 0, 0))
		s.waitBound("train", 9)
		s.waitPlanOf("train", "Bound", "")
	})
}

// A JobSet whose workers come in order is completed by its driver (successPolicy), and its workers are deleted for good.
func TestCompletedJobSetHoldsNoRoom(t *testing.T) {
	s := standOn(t, setup{fabric: world.Fabric{Blocks: 1, Racks: 3, Hosts: 3}, controllers: &plane.ControllerOptions{}})
	s.createJobSet(trainer("", "startupPolicy: {startupPolicyOrder: InOrder}\n  successPolicy: {operator: Any, targetReplicatedJobs: [driver]}"))
	s.waitBound("train", 9)
	driver := sorted(s.pods("train"), replicatedJobLabel)["driver"][0]
	s.must(world.End(s.ctx, client, core.PodSucceeded, driver))
	s.eventually(patience, "the workers are gone", func() string {
		return differs("pods", len(s.pods("train")), 1)
	})
	s.create(world.Flat("next", 9, plane.BlockLevel))
	s.waitBound("next", 9)
}
