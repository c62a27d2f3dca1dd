package plane

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Profile is one entry of echelon's `profiles`.
type Profile struct {
	SchedulerName string
	NoNomination  bool
	Packs         bool // Nodes are scored for plain pods.
	Preempt       bool // Pods of lower priority are evicted for its gangs.
	NoGangs       bool // Groups have levels alone, neither minimum nor barrier.
	Conditions    bool // Whether gangs were placed is written on the objects of their groups.
}

// EchelonOptions says how echelon runs.
type EchelonOptions struct {
	Name           string // Prefix of file names, if several run; "": echelon.
	Profiles       []Profile
	BarrierTimeout time.Duration // 0: echelon's default.
	Settle         time.Duration // 0: echelon's default.
	FollowedLease  string        // Its name in LeaseNamespace; "": none is followed.
	OwnLease       string        // One to take, in LeaseNamespace; "": none. Neither: leader.mode none.
	Recording      string        // A folder for `echelon replay`; "": off.
	NoTopologies   bool          // No levels are configured.
	QPS            int           // Writes a second; 0: 2000.
	More           string        // Further lines of the configuration.
	KeepsPushed    bool          // Topologies, in the ConfigMap TopologyStore of LeaseNamespace.
	Binary         string        // "": the program under test.
	Server         *Server       // Where it finds the API server; nil: at kube-apiserver itself.

	SoftDescriptors int // The soft limit that it is started with; 0: ours.
}

// Levels of the fabric, widest first; what echelon is configured with.
const (
	BlockLevel = "topology.kubernetes.io/block"
	RackLevel  = "topology.kubernetes.io/rack"
	HostLevel  = "kubernetes.io/hostname"
)

// TopologyStore is the ConfigMap of LeaseNamespace that may keep pushed topologies.
const TopologyStore = "echelon-topologies"

// Echelon is a running `echelon serve`.
type Echelon struct {
	*Process
	Extender, Bind, Admin string // host:port
	ConfigFile            string

	name    string
	command []string // That serves; nil: the program under test, with ConfigFile.

	softDescriptors int // 0: ours.
	plane           *Plane
	http            *http.Client
}

// StartEchelon starts echelon as a user with only the chart's rights. WaitReady waits until it is ready.
func (p *Plane) StartEchelon(options EchelonOptions) (*Echelon, error) {
	server := Server{URL: p.URL(), CAFile: p.caFile()}
	if options.Server != nil {
		server = *options.Server
	}
	kubeconfig, err := p.kubeconfigAt(EchelonUser, server)
	if err != nil {
		return nil, err
	}
	ports, err := FreePorts(3)
	if err != nil {
		return nil, err
	}
	address := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", ports[i]) }
	name := options.Name
	if name == "" {
		name = "echelon"
	}
	e := &Echelon{Extender: address(0), Bind: address(1), Admin: address(2), name: name, plane: p,
		ConfigFile: filepath.Join(p.Logs, name+".yaml"), softDescriptors: options.SoftDescriptors, http: &http.Client{Timeout: 70 * time.Second}}
	if err := os.WriteFile(e.ConfigFile, []byte(e.configuration(kubeconfig, options)), 0o644); err != nil {
		return nil, err
	}
	if options.Binary != "" {
		e.command = []string{options.Binary, "serve", "--config", e.ConfigFile}
	}
	return e, e.Start()
}

// StartEchelonOn starts echelon with a given configuration and these addresses, by `command` if there is one.
func (p *Plane) StartEchelonOn(configFile, extender, bind, admin string, command ...string) (*Echelon, error) {
	e := &Echelon{Extender: extender, Bind: bind, Admin: admin, name: "echelon", command: command, plane: p, ConfigFile: configFile,
		http: &http.Client{Timeout: 70 * time.Second}}
	return e, e.Start()
}

// Start starts it again after it was killed or has ended, with the same ports and configuration.
func (e *Echelon) Start() error {
	command := e.command
	if command == nil {
		binary, err := EchelonBinary()
		if err != nil {
			return err
		}
		command = []string{binary, "serve", "--config", e.ConfigFile}
	}
	if e.softDescriptors > 0 {
		command = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -Sn %d && exec "$@"`, e.softDescriptors), "sh"}, command...)
	}
	process, err := Run(e.name, e.plane.Logs, command[0], command[1:]...)
	e.Process = process
	return err
}

func (e *Echelon) configuration(kubeconfig string, options EchelonOptions) string {
	var text strings.Builder
	qps := options.QPS
	if qps == 0 {
		qps = 2000
	}
	fmt.Fprintf(&text, `apiVersion: config.echelon.sh/v1alpha1
kind: EchelonConfiguration
clientConnection: {kubeconfig: %q, qps: %d, burst: %d}
extender: {address: %q}
bind: {address: %q}
admin: {address: %q}
`, kubeconfig, qps, qps, e.Extender, e.Bind, e.Admin)
	if options.BarrierTimeout > 0 {
		fmt.Fprintf(&text, "barrier: {timeout: %s}\n", options.BarrierTimeout)
	}
	if options.Settle > 0 {
		fmt.Fprintf(&text, "gang: {settle: %s}\n", options.Settle)
	}
	if options.FollowedLease != "" {
		fmt.Fprintf(&text, "leader: {mode: follow, lease: {namespace: %s, name: %s}}\n", LeaseNamespace, options.FollowedLease)
	}
	if options.OwnLease != "" {
		fmt.Fprintf(&text, "leader: {mode: own, lease: {namespace: %s, name: %s, duration: 3s}}\n", LeaseNamespace, options.OwnLease)
	}
	if options.KeepsPushed {
		fmt.Fprintf(&text, "topologyStore: {namespace: %s, name: %s}\n", LeaseNamespace, TopologyStore)
	}
	if options.Recording != "" {
		fmt.Fprintf(&text, "recording: {directory: %q}\n", options.Recording)
	}
	text.WriteString(options.More)
	if len(options.Profiles) == 0 {
		text.WriteString("profiles: []\n")
	} else {
		text.WriteString("profiles:\n")
	}
	for _, profile := range options.Profiles {
		scores := "none"
		if profile.Packs {
			scores = "pack"
		}
		fmt.Fprintf(&text, "- {schedulerName: %s, nominate: %t, scores: %s, preempt: %t, conditions: %t, gang: %t, topology: true}\n", profile.SchedulerName,
			!profile.NoNomination, scores, profile.Preempt, profile.Conditions, !profile.NoGangs)
	}
	if !options.NoTopologies {
		fmt.Fprintf(&text, "topologies:\n- {name: fabric, levels: [%s, %s, %s]}\n", BlockLevel, RackLevel, HostLevel)
	}
	return text.String()
}

// WaitReady waits until /readyz answers 200.
func (e *Echelon) WaitReady(ctx context.Context) error {
	return e.until(ctx, "ready", func() error {
		status, body, err := e.Get(ctx, "/readyz")
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("/readyz answers %d: %s", status, body)
		}
		return nil
	})
}

// Get sends a GET to the admin port.
func (e *Echelon) Get(ctx context.Context, path string) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.Admin+path, nil)
	if err != nil {
		return 0, "", err
	}
	return e.Do(request)
}

// Post sends bytes to one of echelon's addresses, as kube-scheduler would.
func (e *Echelon) Post(ctx context.Context, address, path string, body []byte) (int, string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", "application/json")
	return e.Do(request)
}

// Do sends a request to one of echelon's ports, and reads the whole answer.
func (e *Echelon) Do(request *http.Request) (int, string, error) {
	response, err := e.http.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

// Metrics returns echelon's metrics.
func (e *Echelon) Metrics(ctx context.Context) (Metrics, error) {
	status, body, err := e.Get(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("/metrics answers %d", status)
	}
	return ParseMetrics(body), nil
}
