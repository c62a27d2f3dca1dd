// Command demo shows in less than a minute what echelon does on a real control plane. A service of gangs is placed
// whole in the only block where it fits, and a gang that cannot fit gets a reason.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

func main() {
	plane.Quiet()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// show is what every scene needs.
type show struct {
	whole      *plane.Whole
	client     kubernetes.Interface
	objects    dynamic.Interface
	observer   *world.Observer
	kubeconfig string
	paint      painter
}

const namespace = "default"

func run(ctx context.Context) error {
	s := &show{paint: newPainter()}
	begin := time.Now()
	s.title("A real control plane on this machine")
	last, part := begin, ""
	tell := func(next string) {
		if part != "" {
			fmt.Printf("  %-46s %s\n", part, s.paint.dim(took(last)))
		}
		last, part = time.Now(), next
	}
	var err error
	if s.whole, err = plane.StartWhole(ctx, tell); err != nil {
		return err
	}
	defer s.whole.Stop()
	config := s.whole.Config(plane.AdminUser)
	s.client, s.objects = kubernetes.NewForConfigOrDie(config), dynamic.NewForConfigOrDie(config)
	if s.kubeconfig, err = s.whole.Kubeconfig(plane.AdminUser); err != nil {
		return err
	}
	tell(fmt.Sprintf("%d hosts of 8 GPUs, some of them taken", len(fabric.Nodes())))
	if s.observer, err = world.Observe(ctx, s.client); err != nil {
		return err
	}
	if err := s.furnish(ctx); err != nil {
		return err
	}
	tell("")
	s.drawFabric()
	for _, scene := range []func(context.Context) error{s.service, s.tooLarge} {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("\n%s\n", s.paint.dim("all of it took "+strings.TrimSpace(took(begin))+"; ./dev cluster leaves one running to try things on"))
	return nil
}

// service submits examples/prefill-decode.yaml and shows where it went.
func (s *show) service(ctx context.Context) error {
	root, err := plane.Repository()
	if err != nil {
		return err
	}
	s.title("A service of gangs: 2 prefill replicas of 4 hosts, 2 decode replicas of 8, each in one rack, all in one block")
	fmt.Printf("  $ kubectl apply -f examples/prefill-decode.yaml\n")
	begin := time.Now()
	out, err := s.kubectl(ctx, "apply", "-f", filepath.Join(root, "examples", "prefill-decode.yaml"))
	if err != nil {
		return fmt.Errorf("kubectl apply: %w\n%s", err, out)
	}
	applied := time.Now()
	pods := func() []*core.Pod { return s.members("chat-") }
	if err := s.until(ctx, 30*time.Second, "all 24 pods are bound", func() bool { return len(world.Bound(pods())) == 24 }); err != nil {
		return err
	}
	first, last := s.observer.Span(pods())
	fmt.Printf("    %-44s %s\n", fmt.Sprintf("%d objects created by kubectl", strings.Count(out, "\n")), s.paint.dim(seconds(applied.Sub(begin))))
	fmt.Printf("    %-44s %s\n", "last pod created to last pod bound", s.paint.dim(seconds(last.Sub(s.observer.LastArrival(pods())))))
	fmt.Printf("    %-44s %s\n\n", "first pod bound to last pod bound", s.paint.dim(seconds(last.Sub(first))))
	s.drawFabric()
	s.drawLandings(pods())
	return s.showPlans(ctx, "chat")
}

// tooLarge submits a gang that has no room and shows what a user reads then.
func (s *show) tooLarge(ctx context.Context) error {
	s.title("A gang without room: 10 hosts in one rack")
	if err := world.Flat("dream", 10, plane.RackLevel).Create(ctx, s.client, namespace); err != nil {
		return err
	}
	var plan *world.GangPlan
	err := s.until(ctx, 20*time.Second, "the gang is refused", func() bool {
		plan = world.ReadGangPlan(ctx, s.objects, namespace, "dream")
		return plan != nil && plan.Reason != "" && plan.Reason != "Incomplete"
	})
	if err != nil {
		return err
	}
	if err := s.showPlans(ctx); err != nil {
		return err
	}
	fmt.Printf("  why: %s\n", s.paint.bold(plan.Message))
	bound := len(world.Bound(s.observer.Pods(namespace, "dream")))
	fmt.Printf("  %s\n", s.paint.dim(fmt.Sprintf("%d of 10 pods are bound, and kube-scheduler was never troubled with them", bound)))
	return nil
}

// showPlans prints the output of `kubectl get gangplans`.
func (s *show) showPlans(ctx context.Context, names ...string) error {
	arguments := append([]string{"get", "gangplans"}, names...)
	for _, name := range names { // The word Bound in the table is what the reader shall see.
		err := s.until(ctx, 10*time.Second, "the GangPlan says so", func() bool {
			plan := world.ReadGangPlan(ctx, s.objects, namespace, name)
			return plan != nil && plan.Phase == "Bound"
		})
		if err != nil {
			return err
		}
	}
	out, err := s.kubectl(ctx, arguments...)
	if err != nil {
		return fmt.Errorf("kubectl: %w\n%s", err, out)
	}
	fmt.Printf("\n  $ kubectl %s\n", strings.Join(arguments, " "))
	for line := range strings.Lines(out) {
		fmt.Print("    ", line)
	}
	fmt.Println()
	return nil
}

func (s *show) kubectl(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, plane.Binary("kubectl"), append([]string{"--kubeconfig", s.kubeconfig}, arguments...)...)
	command.Env = append(os.Environ(), "HOME="+s.whole.Dir) // Its caches go with the rest.
	out, err := command.CombinedOutput()
	return string(out), err
}

// until waits for a condition, and checks it at every change of a pod.
func (s *show) until(ctx context.Context, within time.Duration, what string, holds func() bool) error {
	deadline := time.After(within)
	for {
		changed := s.observer.Changed()
		if holds() {
			return nil
		}
		select {
		case <-changed:
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("after %s not yet: %s\n%s", within, what, s.whole.Echelon.Tail(3000))
		}
	}
}
