package main

import (
	"cmp"
	"fmt"
	"slices"
)

// print shows every load with its ratios to plain pods, to the peers and to the bare calls of the same run.
func (b *bench) print() {
	fmt.Printf("\n%d nodes, whole-host pods, first create to last binding; median of %d\n\n", b.observer.Nodes(), b.rounds)
	fmt.Printf("%-16s %-40s %9s %9s %11s %s%9s %12s   %s\n", "load", "by", "seconds", "/ plain", "/ k-s gates", b.koordinatorColumn("/ Koordinator"), "/ bare", "writes/pod",
		"CPU ms/pod: echelon, scheduler, load generator, API server and etcd (/ plain, / bare)")
	for _, load := range loads {
		for _, lane := range b.lanes() {
			if row := b.of(load.name, lane.name); row != nil {
				b.printRow(row, lane)
			}
		}
		fmt.Println()
	}
	b.printRequests()
}

// printRequests shows what each lane asked of the API server in its median round, for a pod.
func (b *bench) printRequests() {
	for _, load := range loads {
		fmt.Printf("requests for a pod, %s\n", load.name)
		for _, lane := range b.lanes() {
			if row := b.of(load.name, lane.name); row != nil {
				fmt.Printf("%-40s %s\n", lane.name, row.requests.per(row.pods))
			}
		}
		fmt.Println()
	}
}

func (b *bench) printRow(row *result, lane lane) {
	plain, gates, bare := b.of(row.load, lanes[0].name), b.of(row.load, lanes[1].name), b.of(row.load, lane.bareCalls())
	beside := b.koordinatorColumn(ratio(row, b.of(row.load, lane.besideKoordinator())))
	fmt.Printf("%-16s %-40s %9.2f %9s %11s %s%9s %12.2f   %5.2f %5.2f %5.2f %5.2f (%s, %s)\n", row.load, lane.name, row.seconds,
		ratio(row, plain), ratio(row, gates), beside, ratio(row, bare), row.requests.writes()/float64(row.pods), row.cpu.echelon, row.cpu.scheduler, row.cpu.generator, row.cpu.server,
		cpuRatio(row, plain), cpuRatio(row, bare))
	if scattered := b.allScattered(row); scattered > 0 {
		fmt.Printf("%16s %s broke the promise of one domain; gangs of all rounds that it scattered: %d\n", "", lane.name, scattered)
	}
}

// koordinatorColumn is a cell of the column of ratios to Koordinator; only runs with Koordinator have that column.
func (b *bench) koordinatorColumn(text string) string {
	if !b.koordinator {
		return ""
	}
	return fmt.Sprintf("%13s ", text)
}

// allScattered is how many gangs weren't in one domain, in all rounds of a load in a lane.
func (b *bench) allScattered(of *result) int {
	sum := 0
	for _, round := range b.results {
		if round.load == of.load && round.lane == of.lane {
			sum += round.scattered
		}
	}
	return sum
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
