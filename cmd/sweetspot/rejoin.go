package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/probes/background"
	"sweetspot/probes/request"
)

// chooseQueued finds a matrix in a queue by its key or the number of one of its runs, or the only
// one there is; nil for none.
func (f *attachFlags) chooseQueued(ctx context.Context, cmd *cobra.Command, running []background.Entry,
	args []string) (*request.Queued, error) {
	db, err := store.OpenExisting(ctx, database(cmd))
	if err != nil {
		return nil, nil // attach says what is wrong with it
	}
	all, err := request.ListQueued(ctx, db)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	path, err := store.Named(database(cmd))
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(q request.Queued) bool { // followed in the background
		return slices.ContainsFunc(running, func(e background.Entry) bool {
			return e.Database == path && slices.Contains(e.Runs, q.Runs[0].ID)
		})
	})
	if len(args) == 0 {
		if len(all) == 1 && len(running) == 0 {
			return &all[0], nil
		}
		if len(all) > 1 && len(running) == 0 {
			return nil, exitError{exitFailed, fmt.Errorf("%d matrices go on without a terminal; sweetspot queue list shows "+
				"their keys, and attach KEY follows one", len(all))}
		}
		return nil, nil
	}
	if q, ok := queuedBy(all, args[0]); ok {
		return q, nil
	}
	id, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return nil, nil
	}
	for i := range all {
		if slices.ContainsFunc(all[i].Runs, func(r store.QueuedRun) bool { return r.ID == id }) {
			return &all[i], nil
		}
	}
	return nil, nil
}

// rejoin follows a matrix in a queue to its end; when ctx ends, it goes on without us.
func (f *attachFlags) rejoin(ctx context.Context, cmd *cobra.Command, q *request.Queued) (err error) {
	if q == nil {
		return nil
	}
	w, err := opened(ctx, cmd, database(cmd), workspace.Open)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	set, err := w.Load(ctx)
	if err != nil {
		return err
	}
	o, err := clusterConfig()
	if err != nil {
		return err
	}
	o.VMTypes = set.VMTypes
	live := &liveLine{w: cmd.ErrOrStderr(), on: !f.noTUI && !wantsJSON(cmd) && term.IsTerminal(os.Stderr.Fd())}
	db, err := w.Writable(ctx)
	if err != nil {
		return err
	}
	m, err := request.Rejoin(context.WithoutCancel(ctx), db, *q, o, live)
	if err != nil {
		return err
	}
	if f.stop {
		m.Stop()
	}
	defer context.AfterFunc(ctx, m.Leave)()
	p := printer{out: cmd.OutOrStdout(), json: wantsJSON(cmd), path: w.Path(), set: set, epochs: ownEpochs, left: ctx}
	err = p.watch(m.Matrix, live)
	if ctx.Err() != nil {
		_, _ = fmt.Fprintf(live.w, "sweetspot: the probes go on there; sweetspot attach %s collects them\n", q.Key[:shortKey])
		return nil
	}
	return err
}
