// Package plane starts the real programs of a control plane on one machine (etcd, kube-apiserver, kube-scheduler) and
// echelon beside them, and can kill, pause and restart each.
package plane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a program that this process has started. Its output goes to a file. It ends with this process, however
// that ends.
type Process struct {
	Name    string
	LogFile string

	cmd  *exec.Cmd
	done chan struct{}
	err  error // Of Wait; valid once done is closed.
}

// The kernel ends a child with the *thread* that started it. So one thread that never ends starts all children.
var launches = make(chan func())

func init() {
	go func() {
		runtime.LockOSThread()
		for launch := range launches {
			launch()
		}
	}()
}

// Run starts `program`. It appends to a log file of the same name, which so covers restarts.
func Run(name, logDir, program string, args ...string) (*Process, error) {
	process := &Process{Name: name, LogFile: filepath.Join(logDir, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(process.LogFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	fmt.Fprintf(log, "--- %s %s\n", filepath.Base(program), strings.Join(args, " "))
	process.cmd = exec.Command(program, args...)
	process.cmd.Stdout, process.cmd.Stderr = log, log
	// A separate process group: Ctrl-C reaches only us, and we decide the order in which processes end.
	process.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error, 1)
	launches <- func() { started <- process.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		process.err = process.cmd.Wait()
		close(process.done)
	}()
	return process, nil
}

// Signal sends a signal; a process that has ended gets none.
func (p *Process) Signal(signal syscall.Signal) {
	if p.IsRunning() {
		_ = p.cmd.Process.Signal(signal)
	}
}

// Kill is kill -9: returns once the process is gone.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.done
}

// Pause stops the process (SIGSTOP) until Resume.
func (p *Process) Pause() { p.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (p *Process) Resume() { p.Signal(syscall.SIGCONT) }

// Terminate sends SIGTERM. It is an error unless the process ends within `patience`, with status 0.
func (p *Process) Terminate(patience time.Duration) error {
	p.Signal(syscall.SIGCONT)
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		if p.err != nil {
			return fmt.Errorf("%s after SIGTERM: %w", p.Name, p.err)
		}
		return nil
	case <-time.After(patience):
		p.Kill()
		return fmt.Errorf("%s did not end within %s of SIGTERM", p.Name, patience)
	}
}

// PID returns the process ID, which is the same until the process is started again.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// CPU returns the CPU time so far, of the program and of the kernel for it, in hundredths of a second.
func (p *Process) CPU() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
	if err != nil {
		return 0, err
	}
	// The name in parentheses may have spaces; user and system time are the 12th and 13th field behind it.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		part, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += part
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// IsRunning is false once the process has ended, for whatever reason.
func (p *Process) IsRunning() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.done }

// ExitCode is -1 for a process that was killed. Requires: the process has ended.
func (p *Process) ExitCode() int {
	<-p.done
	var exit *exec.ExitError
	if p.err == nil {
		return 0
	}
	if errors.As(p.err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// Tail is the end of the log, at most `bytes` long.
func (p *Process) Tail(bytes int64) string {
	file, err := os.Open(p.LogFile)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > bytes {
		_, _ = file.Seek(-bytes, io.SeekEnd)
	}
	text, _ := io.ReadAll(file)
	return string(text)
}

// until tries `attempt` every few milliseconds until it succeeds, the process ends, or the context does.
func (p *Process) until(ctx context.Context, what string, attempt func() error) error {
	for {
		err := attempt()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended with status %d before it was %s:\n%s", p.Name, p.ExitCode(), what, p.Tail(3000))
		case <-ctx.Done():
			return fmt.Errorf("%s is not %s: %w\n%s", p.Name, what, err, p.Tail(3000))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
