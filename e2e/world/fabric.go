// Package world creates the nodes, gangs and pods of a cluster, observes them, and removes them.
package world

import (
	"context"
	"fmt"
	"sync"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
)

// GPU is the resource that makes a pod fill a host.
const GPU = core.ResourceName("nvidia.com/gpu")

// Fabric is a cluster of equal hosts in racks in blocks. Rack names are repeated in every block, since a domain is its
// path. kube-scheduler's own gangs need UniqueRacks, since it compares bare label values.
type Fabric struct {
	Blocks, Racks, Hosts int // Racks in a block, hosts in a rack.
	GPUs                 int // Of a host; 0: 8.
	UniqueRacks          bool
}

// HostName returns the name of the node at a place.
func HostName(block, rack, host int) string { return fmt.Sprintf("b%d-r%d-h%02d", block, rack, host) }

// RackPath is the path of a rack: "b0/r1".
func RackPath(block, rack int) string { return fmt.Sprintf("b%d/r%d", block, rack) }

// Nodes are all nodes of the fabric.
func (f Fabric) Nodes() []*core.Node {
	var nodes []*core.Node
	for block := range f.Blocks {
		for rack := range f.Racks {
			for host := range f.Hosts {
				nodes = append(nodes, f.Node(block, rack, host))
			}
		}
	}
	return nodes
}

// Node is one host, ready for use.
func (f Fabric) Node(block, rack, host int) *core.Node {
	name, gpus := HostName(block, rack, host), f.GPUs
	if gpus == 0 {
		gpus = 8
	}
	rackName := fmt.Sprintf("r%d", rack)
	if f.UniqueRacks {
		rackName = fmt.Sprintf("b%d-r%d", block, rack)
	}
	room := core.ResourceList{
		core.ResourceCPU:    resource.MustParse("64"),
		core.ResourceMemory: resource.MustParse("512Gi"),
		core.ResourcePods:   resource.MustParse("110"),
		GPU:                 *resource.NewQuantity(int64(gpus), resource.DecimalSI),
	}
	return &core.Node{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: map[string]string{
			plane.BlockLevel: fmt.Sprintf("b%d", block), plane.RackLevel: rackName, plane.HostLevel: name,
		}},
		Status: core.NodeStatus{Capacity: room, Allocatable: room, Conditions: []core.NodeCondition{{
			Type: core.NodeReady, Status: core.ConditionTrue, Reason: "KubeletReady",
		}}},
	}
}

// Create makes all nodes of the fabric.
func (f Fabric) Create(ctx context.Context, client kubernetes.Interface) error {
	return CreateNodes(ctx, client, f.Nodes())
}

// CreateNodes makes them all, in parallel.
func CreateNodes(ctx context.Context, client kubernetes.Interface, nodes []*core.Node) error {
	return InParallel(nodes, func(node *core.Node) error {
		_, err := client.CoreV1().Nodes().Create(ctx, node, meta.CreateOptions{})
		return err
	})
}

// InParallel does `work` for every item over a few connections, and returns the first error.
func InParallel[T any](items []T, work func(T) error) error {
	const workers = 8
	queue, failures := make(chan T), make(chan error, workers)
	var group sync.WaitGroup
	for range min(workers, len(items)) {
		group.Go(func() {
			var first error
			for item := range queue {
				if err := work(item); err != nil && first == nil {
					first = err
				}
			}
			if first != nil {
				failures <- first
			}
		})
	}
	for _, item := range items {
		queue <- item
	}
	close(queue)
	group.Wait()
	close(failures)
	return <-failures // nil when there are none.
}
