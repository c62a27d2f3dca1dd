package e2e

import (
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// planUID returns the UID of a gang's GangPlan.
func (s *stand) planUID(gang string) string {
	s.Helper()
	plan, err := objects.Resource(world.GangPlans).Namespace(s.namespace).Get(s.ctx, gang, meta.GetOptions{})
	s.must(err)
	return string(plan.GetUID())
}

// An orphan is deleted after ten seconds. The gangs of an echelon with other profiles are no orphans.
func TestEchelonsWithOtherProfilesLeaveEachOthersPlansAlone(t *testing.T) {
	s := standOn(t, setup{fabric: wide})
	s.create(world.Flat("ours", 16, plane.RackLevel))
	s.waitBound("ours", 16)
	s.waitPlan("ours", "Bound", "")
	for _, other := range []plane.EchelonOptions{
		{Name: "second", Profiles: []plane.Profile{{SchedulerName: "other-scheduler"}}},
		{Name: "exporter", More: "export: {kind: KueueTopology, name: fabric}\n"},
	} {
		echelon, err := shared.StartEchelon(other)
		s.must(err)
		t.Cleanup(echelon.Kill)
	}
	theirs := world.Flat("theirs", 4, plane.RackLevel)
	theirs.Pod.Scheduler = "other-scheduler"
	s.create(theirs)
	s.waitPlan("theirs", "Held", "")
	before := map[string]string{"ours": s.planUID("ours"), "theirs": s.planUID("theirs")}
	for end := time.Now().Add(14 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		for gang, uid := range before {
			if now := s.planUID(gang); now != uid {
				t.Fatalf("the GangPlan of %s was deleted and written again", gang)
			}
		}
	}
}
