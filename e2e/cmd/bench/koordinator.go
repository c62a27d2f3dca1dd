// How Koordinator takes part in the benchmark, and whether gangs are where they have to be.

package main

import (
	"context"
	"slices"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// koordinatorLanes are those of the peer that plans a whole gang at once, as echelon does.
var koordinatorLanes = []lane{
	{name: "Koordinator", koordinator: true},
	{name: "Koordinator, not nominated", koordinator: true, unnamed: true},
}

// besideKoordinator is the name of Koordinator's lane that nominates as this one does.
func (l lane) besideKoordinator() string {
	return koordinatorLanes[slices.IndexFunc(koordinatorLanes, func(peer lane) bool { return peer.unnamed == l.unnamed })].name
}

// startScheduler starts the scheduler of a lane, kube-scheduler or Koordinator's, and says how it ends.
func (b *bench) startScheduler(ctx context.Context, lane lane, options plane.SchedulerOptions) (*plane.Process, func(), error) {
	if lane.koordinator {
		return b.startKoordinator(ctx, lane)
	}
	scheduler, err := b.plane.StartScheduler(options)
	if err != nil {
		return nil, nil, err
	}
	return scheduler.Process, scheduler.Kill, nil
}

// startKoordinator also makes the levels that Koordinator reads. They go when it ends, since echelon would read them, too.
func (b *bench) startKoordinator(ctx context.Context, lane lane) (*plane.Process, func(), error) {
	if err := world.CreateKoordinatorLayers(ctx, b.objects); err != nil {
		return nil, nil, err
	}
	removeLayers := func() { _ = world.RemoveKoordinatorLayers(context.WithoutCancel(ctx), b.objects) }
	scheduler, err := b.plane.StartKoordinator(!lane.unnamed)
	if err != nil {
		removeLayers()
		return nil, nil, err
	}
	return scheduler, func() { scheduler.Kill(); removeLayers() }, nil
}

// createForKoordinator makes the same gangs as for other lanes, as Koordinator knows gangs.
func (l lane) createForKoordinator(ctx context.Context, client kubernetes.Interface, objects dynamic.Interface, load load) error {
	for _, gang := range l.gangs(load) {
		if err := gang.CreateForKoordinator(ctx, client, objects, namespace); err != nil {
			return err
		}
	}
	return nil
}

// scattered is how many gangs of a load aren't in one domain of their level. Bare calls and plain pods promise none.
func (b *bench) scattered(lane lane, load load) int {
	if lane.bare || lane.isPlain() {
		return 0
	}
	scattered := 0
	for _, gang := range lane.names(load) {
		domains := map[string]bool{}
		for _, pod := range b.observer.Pods(namespace, gang) {
			block, rack := b.observer.Place(pod.Spec.NodeName)
			if load.level == plane.BlockLevel {
				domains[block] = true
			} else {
				domains[rack] = true
			}
		}
		if len(domains) != 1 {
			scattered++
		}
	}
	return scattered
}
