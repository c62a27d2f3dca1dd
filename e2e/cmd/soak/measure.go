package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

// sample is one measurement of echelon's process.
type sample struct {
	seconds, resident, threads, descriptors, broken float64
}

type samples []sample

// Only memory may grow, by this much an hour, since allocators settle slowly.
const (
	growthPerHour = 32 << 20
	spread        = 16 // Descriptors: connections of kube-scheduler come and go with its binds.
)

func (s samples) last() string {
	if len(s) == 0 {
		return ""
	}
	now := s[len(s)-1]
	return fmt.Sprintf("%.1f MB, %.0f threads, %.0f descriptors", now.resident/(1<<20), now.threads, now.descriptors)
}

// settled returns the samples of the second half: by then every buffer has reached its largest size.
func (s samples) settled() samples { return s[len(s)/2:] }

// slope returns the growth of the resident memory in bytes per second, by least squares.
func (s samples) slope() float64 {
	var x, y, xx, xy float64
	n := float64(len(s))
	for _, at := range s {
		x += at.seconds
		y += at.resident
		xx += at.seconds * at.seconds
		xy += at.seconds * at.resident
	}
	if divisor := n*xx - x*x; divisor > 0 {
		return (n*xy - x*y) / divisor
	}
	return 0
}

func (s samples) span(of func(sample) float64) (least, most float64) {
	for i, at := range s {
		value := of(at)
		if i == 0 || value < least {
			least = value
		}
		most = max(most, value)
	}
	return least, most
}

func (s samples) report() string {
	if len(s) < 4 {
		return "too few samples"
	}
	settled := s.settled()
	least, most := settled.span(func(s sample) float64 { return s.resident })
	fewest, threads := settled.span(func(s sample) float64 { return s.threads })
	low, high := settled.span(func(s sample) float64 { return s.descriptors })
	return fmt.Sprintf("%d samples; second half: resident %.1f to %.1f MB, slope %+.2f MB an hour; threads %.0f to %.0f; descriptors %.0f to %.0f",
		len(s), least/(1<<20), most/(1<<20), settled.slope()*3600/(1<<20), fewest, threads, low, high)
}

func (s samples) faults() []string {
	if len(s) < 4 {
		return []string{"too few samples"}
	}
	var faults []string
	settled := s.settled()
	// Over a short time a slope says little: what was gained counts, too.
	gained := settled[len(settled)-1].resident - settled[0].resident
	if settled.slope()*3600 > growthPerHour && gained > 4<<20 {
		faults = append(faults, "resident memory grows")
	}
	if least, most := settled.span(func(s sample) float64 { return s.threads }); least != most {
		faults = append(faults, "the number of threads changes")
	}
	if least, most := settled.span(func(s sample) float64 { return s.descriptors }); most-least > spread {
		faults = append(faults, "the number of descriptors grows")
	}
	if s[len(s)-1].broken > 0 {
		faults = append(faults, "echelon counted violations of its own invariants")
	}
	return faults
}

// explained maps log lines that a healthy echelon may write to the reason. Any other line is unexpected.
var explained = []struct{ part, why string }{
	{" serve --config ", "the line that says what was started"},
	{" was silent for ", "a kind without events whose bookmark comes late; its watch goes on from where it was"},
}

// unexplainedLines returns the unexpected lines above info, and lines that aren't log lines. It also counts the
// explained ones.
func unexplainedLines(path string) (lines []string, counted map[string]int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	counted = map[string]int{}
	scanner := bufio.NewScanner(file)
next:
	for scanner.Scan() {
		line := scanner.Text()
		if fields := strings.Fields(line); len(fields) > 1 && fields[1] == "info" {
			continue
		}
		for _, row := range explained {
			if strings.Contains(line, row.part) {
				counted[row.why]++
				continue next
			}
		}
		lines = append(lines, line)
	}
	return lines, counted, scanner.Err()
}

// churn draws the gangs of one round, which are the same in every run.
type churn struct{ random *rand.Rand }

func newChurn() *churn { return &churn{rand.New(rand.NewPCG(1, 2))} }

// gangs returns gangs that fit together, however they are drawn and placed: two blocks of 64 hosts are free.
func (c *churn) gangs() []world.Gang {
	var gangs []world.Gang
	for i := range 1 + c.random.IntN(4) {
		name := fmt.Sprintf("gang-%d", i)
		gang := world.Flat(name, 1+c.random.IntN(16), plane.RackLevel)
		if i == 0 {
			gang = world.Flat(name, 20+c.random.IntN(13), plane.BlockLevel)
		}
		if c.random.IntN(3) == 0 {
			gang = gang.Ungated()
		}
		gangs = append(gangs, gang)
	}
	return gangs
}
