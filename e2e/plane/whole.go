package plane

import (
	"context"
	"time"
)

// Whole is a control plane, echelon, and a stock kube-scheduler that calls echelon.
type Whole struct {
	*Plane
	Echelon   *Echelon
	Scheduler *Scheduler
}

// StartWhole starts everything with one profile, default-scheduler; `began` is called for each part before it starts.
func StartWhole(ctx context.Context, began func(part string)) (*Whole, error) {
	const profile = "default-scheduler"
	began("etcd and kube-apiserver")
	p, err := Start(ctx)
	if err != nil {
		return nil, err
	}
	w := &Whole{Plane: p}
	began("echelon")
	w.Echelon, err = p.StartEchelon(EchelonOptions{Profiles: []Profile{{SchedulerName: profile}}})
	if err == nil {
		ready, cancel := context.WithTimeout(ctx, 30*time.Second)
		err = w.Echelon.WaitReady(ready)
		cancel()
	}
	if err == nil {
		began("kube-scheduler")
		w.Scheduler, err = p.StartScheduler(SchedulerOptions{Profiles: []SchedulerProfile{{Name: profile}}, Extender: w.Echelon})
	}
	if err != nil {
		w.Stop()
		return nil, err
	}
	return w, nil
}

// Stop ends everything, clients before servers.
func (w *Whole) Stop() {
	if w.Scheduler != nil && w.Scheduler.Process != nil {
		w.Scheduler.Kill()
	}
	if w.Echelon != nil && w.Echelon.Process != nil {
		_ = w.Echelon.Terminate(5 * time.Second)
	}
	w.Plane.Stop()
}
