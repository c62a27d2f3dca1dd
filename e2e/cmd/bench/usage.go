package main

import "echelon.sh/echelon/e2e/plane"

// processes are those whose CPU is measured.
type processes struct {
	echelon   *plane.Process // nil: there is none.
	scheduler *plane.Process
	server    []*plane.Process // API server and etcd.
}

// usage is CPU time in milliseconds, of the program and of the kernel for it.
type usage struct{ echelon, scheduler, server float64 }

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
	return sum, nil
}

func (u usage) since(before usage) usage {
	return usage{u.echelon - before.echelon, u.scheduler - before.scheduler, u.server - before.server}
}

func (u usage) per(pods int) usage {
	n := float64(pods)
	return usage{u.echelon / n, u.scheduler / n, u.server / n}
}
