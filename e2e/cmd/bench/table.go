package main

import (
	"cmp"
	"fmt"
	"slices"
)

// print shows every load with its ratio to the floor and to the peer of the same run.
func (b *bench) print() {
	fmt.Printf("\n%d nodes, whole-host pods, first create to last binding; median of %d\n\n", b.observer.Nodes(), b.rounds)
	fmt.Printf("%-16s %-24s %9s %9s %10s %12s\n", "load", "by", "seconds", "/ plain", "/ k-s gates", "writes/pod")
	for _, load := range loads {
		floor, peer := b.of(load.name, lanes[0].name), b.of(load.name, lanes[1].name)
		for _, lane := range lanes {
			row := b.of(load.name, lane.name)
			if row == nil {
				continue
			}
			fmt.Printf("%-16s %-24s %9.2f %9s %10s %12.2f\n", load.name, lane.name, row.seconds, ratio(row, floor), ratio(row, peer), row.writes)
		}
		fmt.Println()
	}
}

// of is the median round of a load in a lane, nil when it wasn't run.
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
	return &rounds[len(rounds)/2]
}

func ratio(row, reference *result) string {
	if reference == nil || row.lane == reference.lane {
		return ""
	}
	return fmt.Sprintf("%.2f", row.seconds/reference.seconds)
}
