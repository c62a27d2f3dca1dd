// Koordinator's scheduler, built from its module and started in kube-scheduler's place, for comparison.

package plane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	rbac "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	koordinatorVersion = "v1.8.0" // That of e2e/koordinator/go.mod.

	// KoordinatorProfile is the schedulerName of pods that Koordinator's scheduler places.
	KoordinatorProfile = "koord-scheduler"
)

func koordinatorFolder() string {
	return filepath.Join(filepath.Dir(filepath.Dir(BinariesDir())), "controllers", "koordinator-"+koordinatorVersion)
}

// InstallKoordinator makes Koordinator's custom resources, and grants its scheduler the use of them. Both stay.
func (p *Plane) InstallKoordinator(ctx context.Context) error {
	crds, err := filepath.Glob(filepath.Join(koordinatorFolder(), "crds", "*.yaml"))
	if err != nil || len(crds) == 0 {
		return fmt.Errorf("%s is incomplete: run ./dev bench e2e -koordinator", koordinatorFolder())
	}
	if err := p.ApplyCRDs(ctx, crds...); err != nil {
		return err
	}
	return p.grantKoordinator(ctx)
}

// grantKoordinator lets kube-scheduler's user work with Koordinator's kinds, too. So both schedulers get the same share of
// the API server, which goes by user.
func (p *Plane) grantKoordinator(ctx context.Context) error {
	client := kubernetes.NewForConfigOrDie(p.Config(AdminUser)).RbacV1()
	object := meta.ObjectMeta{Name: "koordinator"}
	role := &rbac.ClusterRole{ObjectMeta: object, Rules: []rbac.PolicyRule{{Verbs: []string{"*"}, Resources: []string{"*"}, APIGroups: []string{
		"scheduling.koordinator.sh", "scheduling.sigs.k8s.io", "quota.koordinator.sh", "slo.koordinator.sh", "topology.node.k8s.io"}}}}
	if _, err := client.ClusterRoles().Create(ctx, role, meta.CreateOptions{}); ignoreExisting(err) != nil {
		return err
	}
	binding := &rbac.ClusterRoleBinding{ObjectMeta: object, RoleRef: rbac.RoleRef{APIGroup: rbac.GroupName, Kind: "ClusterRole", Name: object.Name},
		Subjects: []rbac.Subject{{Kind: "User", Name: SchedulerUser, APIGroup: rbac.GroupName}}}
	_, err := client.ClusterRoleBindings().Create(ctx, binding, meta.CreateOptions{})
	return ignoreExisting(err)
}

func ignoreExisting(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// StartKoordinator starts Koordinator's scheduler, which needs what InstallKoordinator makes, and layers. It may send as many
// requests as kube-scheduler may here. Its Kubernetes release nominates the members of a gang that wait for each other, a
// write for each pod, unless this is switched off.
func (p *Plane) StartKoordinator(nominates bool) (*Process, error) {
	kubeconfig, err := p.Kubeconfig(SchedulerUser)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(p.Logs, "koordinator.yaml")
	if err := os.WriteFile(path, []byte(koordinatorConfiguration(kubeconfig)), 0o644); err != nil {
		return nil, err
	}
	return Run("koord-scheduler", p.Logs, filepath.Join(koordinatorFolder(), "manager"), "--config", path, "--port=0", "--secure-port=0",
		"--enable-network-topology-manager", fmt.Sprintf("--feature-gates=NominatedNodeNameForExpectation=%t", nominates))
}

// koordinatorConfiguration has kube-scheduler's plugins and that of gangs, at the points of Koordinator's own configuration,
// and nothing else: its other plugins only cost time where no pod uses them. For the same reason nothing notes in each pod
// how large its gang is (preBind), which is a write for each pod that nothing reads.
func koordinatorConfiguration(kubeconfig string) string {
	const gangs = "{enabled: [{name: Coscheduling}]}"
	return fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %q, qps: 1000, burst: 1000}
leaderElection: {leaderElect: false}
profiles:
- schedulerName: %s
  plugins:
    preEnqueue: %[3]s
    preFilter: %[3]s
    postFilter: {disabled: [{name: "*"}], enabled: [{name: Coscheduling}, {name: DefaultPreemption}]}
    preScore: %[3]s
    score: %[3]s
    reserve: %[3]s
    permit: %[3]s
    preBind: {disabled: [{name: DefaultPreBind}]}
    postBind: %[3]s
  pluginConfig:
  - name: Coscheduling
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: CoschedulingArgs
      awareNetworkTopology: true
`, kubeconfig, KoordinatorProfile, gangs)
}
