// Command soak creates and deletes gangs on a real control plane for a while. It fails if echelon's memory, threads or
// descriptors grow, if its log has unexpected lines, or if a gang isn't bound whole.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

func main() {
	minutes := flag.Float64("minutes", 30, "how long")
	flag.Parse()
	plane.Quiet()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, time.Duration(*minutes*float64(time.Minute))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type soak struct {
	whole    *plane.Whole
	client   kubernetes.Interface
	objects  dynamic.Interface
	observer *world.Observer
	random   *churn
	samples  samples
	gangs    int // Bound whole and removed again.
	pods     int
}

func run(ctx context.Context, length time.Duration) error {
	whole, err := plane.StartWhole(ctx, func(part string) { fmt.Fprintln(os.Stderr, "starting", part) })
	if err != nil {
		return err
	}
	defer whole.Stop()
	config := whole.Config(plane.AdminUser)
	s := &soak{whole: whole, client: kubernetes.NewForConfigOrDie(config), objects: dynamic.NewForConfigOrDie(config), random: newChurn()}
	if s.observer, err = world.Observe(ctx, s.client); err != nil {
		return err
	}
	if err := (world.Fabric{Blocks: 2, Racks: 4, Hosts: 16}).Create(ctx, s.client); err != nil {
		return err
	}
	begin := time.Now()
	said := begin
	for time.Since(begin) < length {
		if err := s.round(ctx); err != nil {
			return errors.Join(err, s.verdict())
		}
		if err := s.sample(ctx, time.Since(begin)); err != nil {
			return err
		}
		if time.Since(said) > time.Minute {
			said = time.Now()
			fmt.Fprintf(os.Stderr, "%4.0f s: %d gangs, %d pods, %s\n", time.Since(begin).Seconds(), s.gangs, s.pods, s.samples.last())
		}
	}
	fmt.Printf("%d gangs of %d pods in all were bound whole and removed in %s\n", s.gangs, s.pods, length)
	return s.verdict()
}

// round is a namespace with a few gangs in it, bound whole and removed again. A gang that fits nowhere is among them.
func (s *soak) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	namespace := fmt.Sprintf("soak-%d", s.gangs)
	object := &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespace}}
	if _, err := s.client.CoreV1().Namespaces().Create(ctx, object, meta.CreateOptions{}); err != nil {
		return err
	}
	gangs := s.random.gangs()
	for _, gang := range gangs {
		if err := gang.Create(ctx, s.client, namespace); err != nil {
			return err
		}
	}
	impossible := world.Flat("impossible", 17, plane.RackLevel)
	if err := impossible.Create(ctx, s.client, namespace); err != nil {
		return err
	}
	for _, gang := range gangs {
		if err := s.until(ctx, fmt.Sprintf("%s/%s is bound", namespace, gang.Root.Name), func() bool {
			return len(world.Bound(s.observer.Pods(namespace, gang.Root.Name))) == gang.Size()
		}); err != nil {
			return err
		}
		s.gangs++
		s.pods += gang.Size()
	}
	if len(world.Bound(s.observer.Pods(namespace, "impossible"))) > 0 {
		return fmt.Errorf("%s: a gang that fits nowhere is bound", namespace)
	}
	if faults := s.observer.Faults(); len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	if err := world.ClearNamespace(ctx, s.objects, namespace); err != nil {
		return err
	}
	return s.until(ctx, "the pods are gone", func() bool { return s.observer.Count() == 0 })
}

func (s *soak) until(ctx context.Context, what string, holds func() bool) error {
	for {
		changed := s.observer.Changed()
		if holds() {
			return nil
		}
		if !s.whole.Echelon.IsRunning() {
			return fmt.Errorf("echelon ended with status %d:\n%s", s.whole.Echelon.ExitCode(), s.whole.Echelon.Tail(3000))
		}
		select {
		case <-changed:
		case <-time.After(time.Second):
		case <-ctx.Done():
			return fmt.Errorf("not yet: %s: %w\n%s", what, ctx.Err(), s.whole.Echelon.Tail(3000))
		}
	}
}

func (s *soak) sample(ctx context.Context, at time.Duration) error {
	metrics, err := s.whole.Echelon.Metrics(ctx)
	if err != nil {
		return err
	}
	s.samples = append(s.samples, sample{
		seconds: at.Seconds(), resident: metrics.Sum("process_resident_memory_bytes"),
		threads: metrics.Sum("process_threads"), descriptors: metrics.Sum("process_open_fds"),
		broken: metrics.Sum("echelon_invariant_violations_total")})
	return nil
}

// verdict prints the measurements. It returns an error if something grew, or if the log has an unexpected line.
func (s *soak) verdict() error {
	fmt.Println(s.samples.report())
	faults := s.samples.faults()
	unexplained, counted, err := unexplainedLines(s.whole.Echelon.LogFile)
	if err != nil {
		faults = append(faults, err.Error())
	}
	for why, count := range counted {
		fmt.Printf("%d lines in echelon's log: %s\n", count, why)
	}
	fmt.Printf("%d unexplained lines in echelon's log\n", len(unexplained))
	if len(unexplained) > 0 {
		faults = append(faults, "echelon's log says:\n"+strings.Join(unexplained[:min(len(unexplained), 20)], "\n"))
	}
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return nil
}
