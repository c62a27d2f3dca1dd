package plane

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// SchedulerProfile is one profile of the stock kube-scheduler.
type SchedulerProfile struct {
	Name       string
	Percentage int // percentageOfNodesToScore; 0: kube-scheduler's own default.
}

// SchedulerOptions says how kube-scheduler runs.
type SchedulerOptions struct {
	Name      string // Names the log and the configuration, if several run; "": kube-scheduler.
	Profiles  []SchedulerProfile
	Extender  *Echelon // nil: none.
	Extenders string   // As its configuration has them; instead of Extender.
	OwnGates  bool     // kube-scheduler's own gang scheduling, for comparison; everywhere else it is stock.
}

// Scheduler is a running kube-scheduler.
type Scheduler struct {
	*Process
	name  string
	plane *Plane
	args  []string
}

// StartScheduler starts kube-scheduler. Tests need not wait until it is ready.
func (p *Plane) StartScheduler(options SchedulerOptions) (*Scheduler, error) {
	kubeconfig, err := p.Kubeconfig(SchedulerUser)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(options.Name, "kube-scheduler")
	path := filepath.Join(p.Logs, name+".yaml")
	if err := os.WriteFile(path, []byte(schedulerConfiguration(kubeconfig, options)), 0o644); err != nil {
		return nil, err
	}
	args := []string{"--config", path, "--secure-port=0"}
	if options.OwnGates {
		args = append(args, "--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true")
	}
	scheduler := &Scheduler{name: name, plane: p, args: args}
	return scheduler, scheduler.Start()
}

// Start starts it again after it was killed.
func (s *Scheduler) Start() error {
	process, err := Run(s.name, s.plane.Logs, Binary("kube-scheduler"), s.args...)
	s.Process = process
	return err
}

func schedulerConfiguration(kubeconfig string, options SchedulerOptions) string {
	var text strings.Builder
	fmt.Fprintf(&text, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %q, qps: 1000, burst: 1000}
leaderElection: {leaderElect: false}
profiles:
`, kubeconfig)
	for _, profile := range options.Profiles {
		fmt.Fprintf(&text, "- schedulerName: %s\n", profile.Name)
		if profile.Percentage > 0 {
			fmt.Fprintf(&text, "  percentageOfNodesToScore: %d\n", profile.Percentage)
		}
	}
	text.WriteString(options.Extenders)
	if echelon := options.Extender; echelon != nil {
		fmt.Fprintf(&text, `extenders:
- {urlPrefix: "http://%s/v1", filterVerb: filter, prioritizeVerb: prioritize, preemptVerb: preempt, weight: 200,
   nodeCacheCapable: true, httpTimeout: 3s, ignorable: false}
- {urlPrefix: "http://%s/v1", bindVerb: bind, nodeCacheCapable: true, httpTimeout: 60s, ignorable: false}
`, echelon.Extender, echelon.Bind)
	}
	return text.String()
}
