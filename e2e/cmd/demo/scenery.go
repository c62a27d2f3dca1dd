package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	core "k8s.io/api/core/v1"

	"echelon.sh/echelon/e2e/world"
)

var fabric = world.Fabric{Blocks: 2, Racks: 4, Hosts: 16}

// How many hosts of each rack are free at first. Block 0 hasn't room for the service at all; in block 1 only one way
// works: the decode replicas in the racks with 8 and 9, the prefill replicas in those with 4.
var freeHosts = [][]int{{2, 6, 7, 3}, {4, 8, 4, 9}}

// furnish makes the hosts, and occupies some of them. Free hosts are scattered over their rack, in every run the same.
func (s *show) furnish(ctx context.Context) error {
	if err := fabric.Create(ctx, s.client); err != nil {
		return err
	}
	var taken []string
	for block, racks := range freeHosts {
		for rack, free := range racks {
			for i := range fabric.Hosts - free {
				host := (i*7 + rack*5 + block*3) % fabric.Hosts // 7 and 16 have no common factor: each host once.
				taken = append(taken, world.HostName(block, rack, host))
			}
		}
	}
	if err := world.CreatePods(ctx, s.client, world.Fillers(namespace, "others", taken)); err != nil {
		return err
	}
	return s.until(ctx, 20*time.Second, "hosts and pods are seen", func() bool {
		return s.observer.Nodes() == len(fabric.Nodes()) && len(s.observer.Pods(namespace, "others")) == len(taken)
	})
}

// members returns the pods of the example, which have none of the tests' labels.
func (s *show) members(prefix string) []*core.Pod {
	return slices.DeleteFunc(s.observer.Pods(namespace, ""), func(pod *core.Pod) bool { return !strings.HasPrefix(pod.Name, prefix) })
}

func took(since time.Time) string { return seconds(time.Since(since)) }

func seconds(duration time.Duration) string {
	return fmt.Sprintf("%6.2f s", max(0, duration.Seconds()))
}
