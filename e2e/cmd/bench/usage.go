package main

import (
	"syscall"

	"echelon.sh/echelon/e2e/plane"
)

// processes are those whose CPU is measured.
type processes struct {
	echelon   *plane.Process // nil: there is none.
	scheduler *plane.Process
	server    []*plane.Process // API server and etcd.
}

// usage is CPU time in milliseconds, of the program and of the kernel for it. The load generator is this program: it creates
// and observes the pods, and makes the bare calls.
type usage struct{ echelon, scheduler, server, generator float64 }

// parts are the fields, for what is done to each of them.
func (u *usage) parts() []*float64 {
	return []*float64{&u.echelon, &u.scheduler, &u.server, &u.generator}
}

func (p processes) usage() (usage, error) {
	var sum usage
	for _, part := range []struct {
		process *plane.Process
		to      *float64
	}{{p.echelon, &sum.echelon}, {p.scheduler, &sum.scheduler}, {p.server[0], &sum.server}, {p.server[1], &sum.server}} {
		if part.process == nil {
			continue
		}
		used, err := part.process.CPU()
		if err != nil {
			return usage{}, err
		}
		*part.to += float64(used.Milliseconds())
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return usage{}, err
	}
	sum.generator = float64(own.Utime.Nano()+own.Stime.Nano()) / 1e6
	return sum, nil
}

func (u usage) since(before usage) usage {
	for i, part := range u.parts() {
		*part -= *before.parts()[i]
	}
	return u
}

func (u usage) per(pods int) usage {
	for _, part := range u.parts() {
		*part /= float64(pods)
	}
	return u
}
