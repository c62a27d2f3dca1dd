package main

import (
	"cmp"
	"fmt"
	"slices"
)

// print shows every load with its ratios to plain pods, to the peer and to the bare calls of the same run.
func (b *bench) print() {
	fmt.Printf("\n%d nodes, whole-host pods, first create to last binding; median of %d\n\n", b.observer.Nodes(), b.rounds)
	fmt.Printf("%-16s %-34s %9s %9s %11s %9s %12s   %s\n", "load", "by", "seconds", "/ plain", "/ k-s gates", "/ bare", "writes/pod",
		"CPU ms/pod: echelon, kube-scheduler, load generator, API server and etcd (/ plain, / bare)")
	for _, load := range loads {
		plain, peer := b.of(load.name, lanes[0].name), b.of(load.name, lanes[1].name)
		for _, lane := range b.lanes() {
			row := b.of(load.name, lane.name)
			if row == nil {
				continue
			}
			bare := b.of(load.name, lane.bareCalls())
			fmt.Printf("%-16s %-34s %9.2f %9s %11s %9s %12.2f   %5.2f %5.2f %5.2f %5.2f (%s, %s)\n", load.name, lane.name, row.seconds,
				ratio(row, plain), ratio(row, peer), ratio(row, bare), row.writes, row.cpu.echelon, row.cpu.scheduler, row.cpu.generator, row.cpu.server,
				cpuRatio(row, plain), cpuRatio(row, bare))
		}
		fmt.Println()
	}
}

// of is the median round of a load in a lane, with the median CPU of all its rounds; nil when there is none.
func (b *bench) of(load, lane string) *result {
	var rounds []result
	for _, result := range b.results {
		if result.load == load && result.lane == lane {
			rounds = append(rounds, result)
		}
	}
	if len(rounds) == 0 {
		return nil
	}
	slices.SortFunc(rounds, func(a, b result) int { return cmp.Compare(a.seconds, b.seconds) })
	middle := rounds[len(rounds)/2]
	for i, part := range middle.cpu.parts() {
		var all []float64
		for j := range rounds {
			all = append(all, *rounds[j].cpu.parts()[i])
		}
		slices.Sort(all)
		*part = all[len(all)/2]
	}
	return &middle
}

func cpuRatio(row, reference *result) string {
	if reference == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", row.cpu.server/reference.cpu.server)
}

func ratio(row, reference *result) string {
	if reference == nil || row.lane == reference.lane {
		return ""
	}
	return fmt.Sprintf("%.2f", row.seconds/reference.seconds)
}
