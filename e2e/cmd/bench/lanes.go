package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// load describes the pods to place: a number of whole-host pods, in gangs that each need one domain of a level.
type load struct {
	name  string
	pods  int
	gang  int
	level string
}

var loads = []load{
	{name: "32 in a rack", pods: 32, gang: 32, level: plane.RackLevel},
	{name: "128 in a block", pods: 128, gang: 128, level: plane.BlockLevel},
	{name: "1000 by 32", pods: 1000, gang: 32, level: plane.RackLevel},
}

// lane says by what it is done.
type lane struct {
	name     string
	echelon  bool
	ownGates bool
	gated    bool   // Pods come with echelon's scheduling gate.
	unnamed  bool   // Members aren't nominated: one write less, and kube-scheduler looks at all nodes.
	bare     bool   // No scheduler and no echelon: a load generator makes their calls.
	stock    bool   // Beside the bare calls: a kube-scheduler without extender binds, as it would with the cheapest echelon.
	whole    bool   // And bind calls wait for the whole gang, at an extender that costs next to nothing.
	binary   string // Of echelon; "": the one under test.
	skips    map[string]bool

	koordinator bool // Koordinator's scheduler is there instead of kube-scheduler.

	barrier *barrier // While the lane runs, if it is `whole`.
}

var lanes = []lane{
	{name: "plain pods"},
	{name: "kube-scheduler's gates", ownGates: true, skips: map[string]bool{"1000 by 32": true}},
	{name: "echelon, gated", echelon: true, gated: true},
	{name: "echelon, ungated", echelon: true},
	{name: "echelon, gated, not nominated", echelon: true, gated: true, unnamed: true},
	{name: "bare calls, gated", bare: true, gated: true},
	{name: "bare calls, gated, kube-scheduler", bare: true, gated: true, stock: true},
	{name: "bare calls, gated, kube-scheduler, whole", bare: true, gated: true, stock: true, whole: true},
	{name: "bare calls, ungated", bare: true},
	{name: "bare calls, gated, not nominated", bare: true, gated: true, unnamed: true},
}

// lanes are those of every run, and behind them those of other echelons. Koordinator runs right before echelon, so that both
// find the machine alike.
func (b *bench) lanes() []lane {
	all := slices.Clone(lanes)
	if b.koordinator {
		all = slices.Insert(all, slices.IndexFunc(all, func(l lane) bool { return l.echelon }), koordinatorLanes...)
	}
	for other := range strings.SplitSeq(b.beside, ",") {
		for _, lane := range lanes {
			if lane.echelon && other != "" {
				lane.name, lane.binary = fmt.Sprintf("%s (%s)", lane.name, filepath.Base(other)), other
				all = append(all, lane)
			}
		}
	}
	return all
}

// isPlain is true if the pods belong to no gang, which is the baseline.
func (l lane) isPlain() bool { return !l.echelon && !l.ownGates && !l.bare && !l.koordinator }

// bareCalls is the name of the lane that makes the calls of this one; "": there is none.
func (l lane) bareCalls() string {
	for _, other := range lanes {
		if (l.echelon || l.stock) && other.bare && !other.stock && other.gated == l.gated && other.unnamed == l.unnamed {
			return other.name
		}
	}
	return ""
}

// gangs are those of a load; the last one may be smaller.
func (l lane) gangs(load load) []world.Gang {
	var gangs []world.Gang
	for first := 0; first < load.pods; first += load.gang {
		gang := world.Flat(fmt.Sprintf("gang-%d", first/load.gang), min(load.gang, load.pods-first), load.level)
		gang.Pod.Gate = l.gated
		gangs = append(gangs, gang)
	}
	return gangs
}

// names are how the pods of a load are found again.
func (l lane) names(load load) []string {
	if l.isPlain() {
		return []string{"plain"}
	}
	var names []string
	for _, gang := range l.gangs(load) {
		names = append(names, gang.Root.Name)
	}
	return names
}

// create makes the objects of a load over 8 connections: gang after gang, as controllers would.
func (l lane) create(ctx context.Context, client kubernetes.Interface, objects dynamic.Interface, load load) error {
	if l.koordinator {
		return l.createForKoordinator(ctx, client, objects, load)
	}
	if l.isPlain() {
		return world.CreatePods(ctx, client, world.Plain(namespace, "plain", load.pods, world.Pod{}))
	}
	if l.bare {
		return l.createAndBind(ctx, client, load)
	}
	for _, gang := range l.gangs(load) {
		if err := gang.Create(ctx, client, namespace); err != nil {
			return err
		}
	}
	return nil
}
