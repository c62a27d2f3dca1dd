// Package e2e shows on a real control plane (etcd, kube-apiserver and a stock kube-scheduler) what a user of echelon
// can rely on. Each test is named for the property that it proves. One etcd and one kube-apiserver serve all tests, one
// after another. Every test starts its own kube-scheduler and echelon and, if needed, the controllers of Jobs,
// LeaderWorkerSets and JobSets.
package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	scheduling "k8s.io/api/scheduling/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// What all tests share; set by TestMain.
var (
	shared   *plane.Plane
	client   kubernetes.Interface
	objects  dynamic.Interface
	observer *world.Observer
)

// Priority classes that every test may use.
const (
	lowPriority  = "low"
	highPriority = "high"
)

func TestMain(m *testing.M) {
	plane.Quiet()
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func run(m *testing.M) (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	if shared, err = plane.StartAudited(ctx); err != nil {
		return 1, err
	}
	defer shared.Stop()
	if world.ServesPodGroups = plane.Minor() >= 37; !world.ServesPodGroups {
		world.Dialects = world.Dialects[1:] // The first one is theirs.
	}
	config := shared.Config(plane.AdminUser)
	client, objects = kubernetes.NewForConfigOrDie(config), dynamic.NewForConfigOrDie(config)
	if observer, err = world.Observe(ctx, client); err != nil {
		return 1, err
	}
	for name, value := range map[string]int32{lowPriority: 10, highPriority: 1000} {
		class := &scheduling.PriorityClass{ObjectMeta: meta.ObjectMeta{Name: name}, Value: value}
		if _, err := client.SchedulingV1().PriorityClasses().Create(ctx, class, meta.CreateOptions{}); err != nil {
			return 1, err
		}
	}
	return m.Run(), nil
}
