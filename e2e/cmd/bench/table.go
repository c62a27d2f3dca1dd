package main

import "fmt"

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

func (b *bench) of(load, lane string) *result {
	for i := range b.results {
		if b.results[i].load == load && b.results[i].lane == lane {
			return &b.results[i]
		}
	}
	return nil
}

func ratio(row, reference *result) string {
	if reference == nil || row == reference {
		return ""
	}
	return fmt.Sprintf("%.2f", row.seconds/reference.seconds)
}
