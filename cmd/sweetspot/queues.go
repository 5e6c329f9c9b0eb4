package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/profile"
	"sweetspot/probes/background"
	"sweetspot/probes/harness"
	"sweetspot/probes/queue"
	"sweetspot/probes/request"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
)

// queues are the engines that the screens can queue probes with, and what goes on without
// them.
type queues struct {
	python string
	rents  bool // those that rent are among them
}

func (q queues) Names() []string {
	if q.rents {
		return []string{"slurm", onSky}
	}
	return []string{"slurm"}
}

func (queues) Offers(ctx context.Context, w screen.Workspace, on string) ([]queue.Offer, error) {
	o, err := clusterConfig()
	if err != nil {
		return nil, err
	}
	if on == onSky {
		set, err := w.Load(ctx)
		if err != nil {
			return nil, err
		}
		o.VMTypes = set.VMTypes
	}
	e, err := request.EngineOn(on, o)
	if err != nil {
		return nil, err
	}
	return e.Offers(ctx)
}

// Rents says which clusters SkyPilot would begin; a Slurm cluster rents nothing.
func (q queues) Rents(ctx context.Context, w screen.Workspace, f probe.Form) (string, error) {
	if f.On != onSky {
		return "", nil
	}
	set, err := w.Load(ctx)
	if err != nil {
		return "", err
	}
	r, err := inQueue(ctx, requested(f, q.python), set)
	if err != nil {
		return "", err
	}
	cells, err := r.Cells()
	if err != nil {
		return "", err
	}
	rented, err := r.Rent(cells, set.VMTypes)
	if err != nil {
		return "", err
	}
	return rented.String(), nil
}

// inQueue completes a request of the form for its queue.
func inQueue(ctx context.Context, r request.Request, set *profile.Set) (request.Request, error) {
	e, err := clusterConfig()
	if err != nil {
		return r, err
	}
	r.Slurm, r.Sky = e.Slurm, e.Sky
	if r.On == onSky {
		err = (&probeFlags{folder: r.Folder}).onClusters(ctx, &r, set)
	}
	return r, err
}

// Left are the probes of the workspace that run in the background, and those in queues and on hosts that
// nobody there follows.
func (queues) Left(ctx context.Context, ws screen.Workspace) (all []probe.Left, err error) {
	w, ok := ws.(*workspace.Workspace)
	if !ok || w.Store() == nil {
		return nil, nil // nothing was ever probed
	}
	running, err := background.List()
	if err != nil {
		return nil, err
	}
	running = slices.DeleteFunc(running, func(e background.Entry) bool { return e.Database != w.Path() })
	for _, e := range running {
		l := probe.Left{Key: e.Name, Probes: len(e.Runs), Since: e.Started, Background: true}
		if l.Form, _, err = formOf(ctx, w.Store(), e.Runs); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	queued, err := request.ListQueued(ctx, w.Store())
	if err != nil {
		return nil, err
	}
	for _, q := range unwatched(queued, running) {
		l, err := leftIn(ctx, w.Store(), q)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// unwatched are the matrices that no process in the background follows.
func unwatched(all []request.Queued, running []background.Entry) []request.Queued {
	return slices.DeleteFunc(all, func(q request.Queued) bool {
		return slices.ContainsFunc(running, func(e background.Entry) bool { return slices.Contains(e.Runs, q.Runs[0].ID) })
	})
}

func leftIn(ctx context.Context, db *store.Store, q request.Queued) (l probe.Left, err error) {
	l = probe.Left{Key: q.Key, Probes: len(q.Runs)}
	l.Since, _ = time.Parse(time.RFC3339, q.Runs[0].StartedAt)
	var runs []int64
	var gpus []string
	for _, j := range q.Jobs() {
		runs = append(runs, j.Runs...)
		if !slices.Contains(gpus, j.GPU) {
			gpus = append(gpus, j.GPU)
		}
	}
	if l.Form, l.Followed, err = formOf(ctx, db, runs); err != nil {
		return l, err
	}
	rule := q.Rule()
	if l.Form.Hosts = q.Hosts(); len(l.Form.Hosts) == 0 {
		l.Form.On, l.Form.GPUs = q.On()[0], gpus
	}
	l.Form.Target, l.Form.MaxSeconds, l.Form.MaxUSD = rule.Target, rule.MaxSeconds, rule.MaxUSD
	return l, nil
}

// formOf is the form that the runs were started with, as far as they say, and whether one
// of them is being followed.
func formOf(ctx context.Context, db *store.Store, runs []int64) (f probe.Form, followed bool, err error) {
	f = probe.Defaults()
	f.MaxSeconds = 0
	var batches []int
	for i, id := range runs {
		r, err := db.Record(ctx, id)
		if err != nil {
			return f, false, err
		}
		followed = followed || r.Status == profile.Running
		if !slices.Contains(batches, r.BatchSize) && r.BatchSize > 0 {
			batches = append(batches, r.BatchSize)
		}
		if i > 0 {
			continue
		}
		f.Mode, f.Folder = r.Mode, r.Folder
		if !harness.IsArgv(r.Command) {
			f.Command = r.Command
			continue
		}
		for _, word := range r.Command {
			if model, ok := strings.CutPrefix(word, "--model="); ok {
				f.Model = model
			}
		}
	}
	if f.OfCommand() {
		f.OfScript = batches
	} else {
		f.Batches = batches
	}
	return f, followed, nil
}

func (queues) Follow(ctx context.Context, ws screen.Workspace, l probe.Left) (probe.Probe, error) {
	if l.Background {
		return background.Dial(l.Key)
	}
	w, db, err := writable(ctx, ws)
	if err != nil {
		return nil, err
	}
	all, err := request.ListQueued(ctx, db)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(q request.Queued) bool { return q.Key == l.Key })
	if i < 0 {
		return nil, fmt.Errorf("the probes %s have been followed to their end meanwhile; their runs are in the database",
			l.Key)
	}
	o, err := clusterConfig()
	if err != nil {
		return nil, err
	}
	set, err := w.Load(ctx)
	if err != nil {
		return nil, err
	}
	o.VMTypes = set.VMTypes
	f, err := request.Rejoin(ctx, db, all[i], o, nil)
	if err != nil {
		return nil, err
	}
	return leaving{f}, nil
}

// leaving waits, when it is left, until what was read is saved.
type leaving struct{ *request.Followed }

func (l leaving) Leave() {
	l.Followed.Leave()
	l.Wait()
}

var _ probe.Queued = leaving{}
