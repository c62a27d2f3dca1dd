// Command bench measures gangs end to end on 5,000 nodes, in one run: the same kube-scheduler without any extender (plain),
// with its own gang scheduling switched on (the peer), and with echelon; and the bare calls, where a load generator makes those
// of echelon and kube-scheduler, and neither runs. Koordinator's scheduler takes part if asked for. It measures from the first
// create to the last binding that a watch shows, and the CPU that each program took for it. It prints a table; nothing passes
// or fails here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

const (
	namespace = "default"
	profile   = "default-scheduler"
)

func main() {
	b := &bench{only: regexp.MustCompile(""), onlyLoads: regexp.MustCompile("")}
	flag.IntVar(&b.rounds, "rounds", 3, "how often each load is run; the median counts")
	flag.IntVar(&b.fabric.Racks, "racks", 10, "racks in each of 10 blocks, 50 hosts each")
	flag.Func("lane", "only lanes whose name matches this regular expression, or plain pods", func(text string) (err error) {
		b.only, err = regexp.Compile(text)
		return err
	})
	flag.Func("load", "only loads whose name matches this regular expression", func(text string) (err error) {
		b.onlyLoads, err = regexp.Compile(text)
		return err
	})
	flag.StringVar(&b.beside, "beside", "", "other echelons, by comma: their lanes take turns with those of this one")
	flag.BoolVar(&b.koordinator, "koordinator", false, "lanes of Koordinator's scheduler, with the same gangs")
	flag.Parse()
	plane.Quiet()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := b.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type bench struct {
	rounds      int
	only        *regexp.Regexp
	onlyLoads   *regexp.Regexp
	beside      string
	koordinator bool
	fabric      world.Fabric
	plane       *plane.Plane
	client      kubernetes.Interface
	objects     dynamic.Interface
	observer    *world.Observer
	results     []result
}

// result is one round of one load in one lane.
type result struct {
	load, lane string
	pods       int
	scattered  int // Gangs outside of the one domain that they need.
	seconds    float64
	requests   requests
	cpu        usage // Milliseconds per pod.
}

func (b *bench) run(ctx context.Context) error {
	// Rack names are unique: kube-scheduler's own gates compare bare label values.
	b.fabric.Blocks, b.fabric.Hosts, b.fabric.UniqueRacks = 10, 50, true
	var err error
	if b.plane, err = plane.Start(ctx); err != nil {
		return err
	}
	defer b.plane.Stop()
	config := b.plane.Config(plane.AdminUser)
	b.objects = dynamic.NewForConfigOrDie(config)
	// As controllers and kubelets do: else the API server would encode every event as JSON, for us alone.
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON
	b.client = kubernetes.NewForConfigOrDie(config)
	if b.observer, err = world.Observe(ctx, b.client); err != nil {
		return err
	}
	if b.koordinator { // Before all lanes: the API server shall be the same one for each of them.
		if err := b.plane.InstallKoordinator(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "creating %d nodes\n", len(b.fabric.Nodes()))
	if err := b.fabric.Create(ctx, b.client); err != nil {
		return err
	}
	// All lanes in every round, so that a machine that becomes slower affects all lanes alike.
	for range b.rounds {
		for _, lane := range b.lanes() {
			if !b.only.MatchString(lane.name) && !lane.isPlain() {
				continue
			}
			if err := b.drive(ctx, lane); err != nil {
				return fmt.Errorf("%s: %w", lane.name, err)
			}
		}
	}
	b.print()
	return nil
}

// drive runs all loads of one lane once, with a fresh kube-scheduler (and echelon), if the lane has them.
func (b *bench) drive(ctx context.Context, lane lane) error {
	var echelon *plane.Echelon
	var err error
	options := plane.SchedulerOptions{Profiles: []plane.SchedulerProfile{{Name: profile}}, OwnGates: lane.ownGates}
	if lane.unnamed {
		options.Profiles[0].Percentage = 100 // Else the planned node may not be among those that it looks at.
	}
	if lane.echelon {
		echelon, err = b.plane.StartEchelon(plane.EchelonOptions{Profiles: []plane.Profile{{SchedulerName: profile, NoNomination: lane.unnamed}}, Binary: lane.binary})
		if err != nil {
			return err
		}
		defer echelon.Kill()
		ready, cancel := context.WithTimeout(ctx, time.Minute)
		err = echelon.WaitReady(ready)
		cancel()
		if err != nil {
			return err
		}
		options.Extender = echelon
	}
	if lane.whole {
		if lane.barrier, err = startBarrier(b.client); err != nil {
			return err
		}
		defer lane.barrier.stop()
		options.Extenders = lane.barrier.extenders()
	}
	measured := processes{server: []*plane.Process{b.plane.APIServer, b.plane.Etcd}}
	if echelon != nil {
		measured.echelon = echelon.Process
	}
	if !lane.bare || lane.stock {
		scheduler, stop, err := b.startScheduler(ctx, lane, options)
		if err != nil {
			return err
		}
		defer stop()
		measured.scheduler = scheduler
	}
	// The lists of those that have just started keep the API server busy, and no pod pays for them later.
	select {
	case <-time.After(3 * time.Second):
	case <-ctx.Done():
		return ctx.Err()
	}
	warm := load{name: "warm-up", pods: 32, gang: 32, level: plane.RackLevel}
	if _, err := b.once(ctx, lane, warm, measured); err != nil {
		return err
	}
	for _, load := range loads {
		if lane.skips[load.name] || !b.onlyLoads.MatchString(load.name) {
			continue
		}
		done, err := b.once(ctx, lane, load, measured)
		if err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
		fmt.Fprintf(os.Stderr, "%-24s %-16s %6.2f s\n", lane.name, load.name, done.seconds)
		b.results = append(b.results, done)
	}
	return nil
}

// once creates one load, waits until its last pod is bound, and clears it away again.
func (b *bench) once(ctx context.Context, lane lane, load load, measured processes) (result, error) {
	before, err := b.requests(ctx)
	if err != nil {
		return result{}, err
	}
	used, err := measured.usage()
	if err != nil {
		return result{}, err
	}
	begin := time.Now()
	if err := lane.create(ctx, b.client, b.objects, load); err != nil {
		return result{}, err
	}
	for bound := 0; bound < load.pods; {
		changed := b.observer.Changed()
		bound = 0
		for _, gang := range lane.names(load) {
			bound += len(world.Bound(b.observer.Pods(namespace, gang)))
		}
		if bound == load.pods {
			break
		}
		select {
		case <-changed:
			// A look at every change of a thousand pods would itself be a load. The times are those of the events.
			time.Sleep(50 * time.Millisecond)
		case <-ctx.Done():
			return result{}, ctx.Err()
		case <-time.After(2 * time.Minute):
			return result{}, fmt.Errorf("%d of %d pods are bound and nothing moves", bound, load.pods)
		}
	}
	var last time.Time
	for _, gang := range lane.names(load) {
		if _, seen := b.observer.Span(b.observer.Pods(namespace, gang)); seen.After(last) {
			last = seen
		}
	}
	now, err := measured.usage()
	if err != nil {
		return result{}, err
	}
	after, err := b.requests(ctx)
	if err != nil {
		return result{}, err
	}
	for _, fault := range b.observer.Faults() {
		return result{}, fmt.Errorf("%s", fault)
	}
	done := result{load: load.name, lane: lane.name, pods: load.pods, seconds: last.Sub(begin).Seconds(), requests: after.since(before), cpu: now.since(used).per(load.pods),
		scattered: b.scattered(lane, load)}
	return done, b.clear(ctx)
}

func (b *bench) clear(ctx context.Context) error {
	if err := world.ClearNamespace(ctx, b.objects, namespace); err != nil {
		return err
	}
	if b.koordinator {
		if err := world.ClearKoordinator(ctx, b.objects, namespace); err != nil {
			return err
		}
	}
	for {
		changed := b.observer.Changed()
		if b.observer.Count() == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
