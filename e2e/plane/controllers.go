// The controllers that create pods, built from their modules and started beside the control plane.

package plane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Releases of the controllers; those of e2e/controllers/go.mod.
const (
	leaderWorkerSetVersion = "v0.9.0"
	jobSetVersion          = "v0.12.0"
)

// ControllerOptions says how the controllers run.
type ControllerOptions struct {
	JobWorkloads bool // The Job controller makes a Workload and a PodGroup of each Job (WorkloadWithJob).
}

// Controllers create pods for other objects: kube-controller-manager, and the managers of LeaderWorkerSet and JobSet
// with their webhooks.
type Controllers struct {
	Manager, LeaderWorkerSet, JobSet *Process

	hooks *hooks
}

// StartControllers installs the custom resources of the controllers, starts the controllers, and registers their
// webhooks. The custom resources stay.
func (p *Plane) StartControllers(ctx context.Context, options ControllerOptions) (*Controllers, error) {
	c := &Controllers{hooks: &hooks{plane: p}}
	err := c.start(ctx, p, options)
	if err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Controllers) start(ctx context.Context, p *Plane, options ControllerOptions) error {
	kubeconfig, err := p.Kubeconfig(AdminUser)
	if err != nil {
		return err
	}
	if c.LeaderWorkerSet, err = c.startManager(ctx, p, "lws", leaderWorkerSetVersion, "config.lws.x-k8s.io/v1alpha1"); err != nil {
		return err
	}
	if c.JobSet, err = c.startManager(ctx, p, "jobset", jobSetVersion, "config.jobset.x-k8s.io/v1alpha1"); err != nil {
		return err
	}
	args := []string{"--kubeconfig=" + kubeconfig, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=1000", "--kube-api-burst=1000"}
	controllers := "--controllers=job-controller,statefulset-controller,garbage-collector-controller"
	if Minor() >= 37 {
		controllers += ",podgroup-protection-controller"
		gates := "--feature-gates=GenericWorkload=true"
		if options.JobWorkloads {
			gates += ",WorkloadWithJob=true"
		}
		args = append(args, gates)
	}
	// The last to start: its garbage collector looks for new kinds every 30 s only. Controllers that would touch nodes,
	// namespaces or pods of nobody aren't among them.
	c.Manager, err = Run("kube-controller-manager", p.Logs, Binary("kube-controller-manager"), append(args, controllers)...)
	return err
}

// startManager starts one of the managers that e2e/controllers builds, with a configuration file of that API version.
func (c *Controllers) startManager(ctx context.Context, p *Plane, name, version, configuration string) (*Process, error) {
	folder := filepath.Join(filepath.Dir(filepath.Dir(BinariesDir())), "controllers", name+"-"+version)
	crds, err := filepath.Glob(filepath.Join(folder, "crds", "*.yaml"))
	if err != nil || len(crds) == 0 {
		return nil, fmt.Errorf("%s is incomplete: run ./dev build", folder)
	}
	if err := p.ApplyCRDs(ctx, crds...); err != nil {
		return nil, err
	}
	kubeconfig, err := p.Kubeconfig(AdminUser)
	if err != nil {
		return nil, err
	}
	ports, err := FreePorts(2)
	if err != nil {
		return nil, err
	}
	certificates := filepath.Join(p.Logs, name+"-certificates")
	if err := writeCertificate(certificates); err != nil {
		return nil, err
	}
	path := filepath.Join(p.Logs, name+".yaml")
	text := fmt.Sprintf(`apiVersion: %s
kind: Configuration
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
metrics: {bindAddress: "0"}
health: {healthProbeBindAddress: "127.0.0.1:%d"}
webhook: {host: 127.0.0.1, port: %d, certDir: %q}
`, configuration, ports[0], ports[1], certificates)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return nil, err
	}
	process, err := Run(name, p.Logs, filepath.Join(folder, "manager"), "--kubeconfig="+kubeconfig, "--config="+path)
	if err != nil {
		return nil, err
	}
	return process, c.hooks.register(ctx, process, name, filepath.Join(folder, "webhooks.yaml"),
		fmt.Sprintf("https://127.0.0.1:%d", ports[1]), filepath.Join(certificates, "tls.crt"))
}

// Stop removes the webhooks and ends the controllers. The objects that they created stay.
func (c *Controllers) Stop() {
	c.hooks.remove()
	for _, process := range c.processes() {
		process.Kill()
	}
}

// Tell returns the end of each controller's log.
func (c *Controllers) Tell() string {
	var text strings.Builder
	for _, process := range c.processes() {
		fmt.Fprintf(&text, "%s's log ends:\n%s\n", process.Name, process.Tail(2000))
	}
	return text.String()
}

func (c *Controllers) processes() []*Process {
	var all []*Process
	for _, process := range []*Process{c.JobSet, c.LeaderWorkerSet, c.Manager} {
		if process != nil {
			all = append(all, process)
		}
	}
	return all
}
