// Command cluster leaves a control plane with kube-scheduler and echelon running until Ctrl-C, to try things on.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/kubernetes"

	"echelon.sh/echelon/e2e/plane"
	"echelon.sh/echelon/e2e/world"
)

func main() {
	fabric := world.Fabric{}
	flag.IntVar(&fabric.Blocks, "blocks", 2, "blocks of the fabric")
	flag.IntVar(&fabric.Racks, "racks", 4, "racks in a block")
	flag.IntVar(&fabric.Hosts, "hosts", 16, "hosts in a rack, 8 GPUs each")
	flag.Parse()
	plane.Quiet()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, fabric); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, fabric world.Fabric) error {
	whole, err := plane.StartWhole(ctx, func(part string) { fmt.Printf("starting %s\n", part) })
	if err != nil {
		return err
	}
	defer whole.Stop()
	if err := fabric.Create(ctx, kubernetes.NewForConfigOrDie(whole.Config(plane.AdminUser))); err != nil {
		return err
	}
	kubeconfig, err := whole.Kubeconfig(plane.AdminUser)
	if err != nil {
		return err
	}
	root, err := plane.Repository()
	if err != nil {
		return err
	}
	examples := filepath.Join(root, "examples")
	fmt.Printf(`
%d hosts in %d blocks of %d racks are ready. In another terminal:

  export KUBECONFIG=%s PATH=%s:$PATH
  kubectl get nodes -L %s -L %s
  kubectl apply -f %s
  kubectl apply -f %s
  kubectl get gangplans -o wide
  kubectl get pods -o wide
  curl -s 'http://%s/v1/explain?gang=default/chat'
  curl -s http://%s/metrics

No controller manager runs here, so PodGroups keep their finalizer: delete them with --wait=false.
Logs are in %s. Ctrl-C ends and removes everything.
`, fabric.Blocks*fabric.Racks*fabric.Hosts, fabric.Blocks, fabric.Racks, kubeconfig, plane.BinariesDir(), plane.BlockLevel,
		plane.RackLevel, filepath.Join(examples, "gang.yaml"), filepath.Join(examples, "prefill-decode.yaml"),
		whole.Echelon.Admin, whole.Echelon.Admin, whole.Logs)
	for _, process := range []*plane.Process{whole.Etcd, whole.APIServer, whole.Echelon.Process, whole.Scheduler.Process} {
		go func() {
			select {
			case <-ctx.Done():
			case <-process.Ended():
				fmt.Printf("%s has ended:\n%s", process.Name, process.Tail(2000))
			}
		}()
	}
	<-ctx.Done()
	fmt.Println("\nending")
	return nil
}
