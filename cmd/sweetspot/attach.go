package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/workspace"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/probes/background"
	"sweetspot/probes/harness"
	"sweetspot/probes/matrix"
	"sweetspot/probes/report"
	"sweetspot/probes/request"
	"sweetspot/probes/session"
)

type attachFlags struct{ stop, noTUI bool }

func newAttachCommand() *cobra.Command {
	var f attachFlags
	cmd := &cobra.Command{
		Use:   "attach [RUN | NAME | KEY]",
		Short: "Show a probe started with --detach, or follow one where it goes on",
		Long: "attach shows the probe that runs in the background, or lists the probes if there are several. Give the\n" +
			"name from that list to show one of them, or a key of queue list to follow probes of any place again: in a\n" +
			"queue, on other hosts or here. Give the number of a run to show its probe, or to report one that has ended.\n" +
			"Press Ctrl-C to leave; the probe keeps running. With --json the output is the same as that of probe.",
		Example: "  sweetspot attach\n  sweetspot attach 528d10\n  sweetspot attach 17 --stop",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("unexpected argument %q: attach takes the number of one run or the name of one probe", args[1])
			}
			return nil
		},
		RunE: f.run,
	}
	cmd.Flags().BoolVar(&f.stop, "stop", false, "stop the probe and save it")
	cmd.Flags().BoolVar(&f.noTUI, "no-tui", false, "print plain output without a line that updates itself")
	return cmd
}

// attachment holds the flags and the workspace of attach.
type attachment struct {
	*attachFlags
	cmd  *cobra.Command
	w    *workspace.Workspace
	set  *profile.Set
	live *liveLine
}

func (f *attachFlags) run(cmd *cobra.Command, args []string) (err error) {
	outliveReaders()
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	running, err := background.List()
	if err != nil {
		return err
	}
	warnClusters(ctx, cmd)
	if queued, err := f.chooseQueued(ctx, cmd, running, args); err != nil || queued != nil {
		return errors.Join(err, f.rejoin(ctx, cmd, queued))
	}
	entry, run, err := choose(running, database(cmd), args)
	if err != nil {
		return err
	}
	if entry == nil && run == 0 {
		return list(cmd, running)
	}
	a := attachment{attachFlags: f, cmd: cmd}
	a.live = &liveLine{w: cmd.ErrOrStderr(), on: !f.noTUI && !wantsJSON(cmd) && term.IsTerminal(os.Stderr.Fd())}
	db := database(cmd)
	if entry != nil {
		db = entry.Database
	}
	if a.w, err = opened(ctx, cmd, db, workspace.Open); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.w.Close()) }()
	if a.set, err = a.w.Load(ctx); err != nil {
		return err
	}
	if entry != nil {
		return a.watch(ctx, entry.Name)
	}
	return a.saved(ctx, run)
}

// choose finds a background probe by its name or the number of one of its runs,
// or the only one; otherwise a run of the database.
func choose(running []background.Entry, db string, args []string) (*background.Entry, int64, error) {
	if len(args) == 0 {
		switch len(running) {
		case 0:
			return nil, 0, exitError{exitFailed, errors.New("no probe is running in the background, and none " +
				"is in a queue; give the number of a run to see it")}
		case 1:
			return &running[0], 0, nil
		}
		return nil, 0, nil
	}
	if i := slices.IndexFunc(running, func(e background.Entry) bool { return e.Name == args[0] }); i >= 0 {
		return &running[i], 0, nil
	}
	id, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || id < 1 {
		return nil, 0, usageError("%q is neither the number of a run nor the name of a background probe",
			plaintext.Clean(args[0]))
	}
	path, err := store.Named(db)
	if err != nil {
		return nil, 0, err
	}
	i := slices.IndexFunc(running, func(e background.Entry) bool {
		return slices.Contains(e.Runs, id) && e.Database == path
	})
	if i >= 0 {
		return &running[i], 0, nil
	}
	return nil, id, nil
}

// probeList is the JSON of several background probes.
type probeList struct {
	contract.Head
	Probes []background.Entry `json:"probes"`
}

// list prints the background probes for the user to choose from.
func list(cmd *cobra.Command, running []background.Entry) error {
	if wantsJSON(cmd) {
		for i := range running {
			running[i].Started = running[i].Started.Truncate(time.Second)
		}
		return printJSON(cmd.OutOrStdout(), probeList{contract.NewHead("attach"), running})
	}
	var b strings.Builder
	for _, e := range running {
		runs := plaintext.Join(e.Runs, ", ", func(id int64) string { return strconv.FormatInt(id, 10) })
		fmt.Fprintf(&b, "%s  since %s  runs %s  in %s\n", e.Name, e.Started.Local().Format("15:04"), runs,
			plaintext.Clean(e.Database))
	}
	fmt.Fprintln(&b, "Several probes are running; sweetspot attach NAME shows one.")
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

func (a *attachment) printer() *printer {
	return &printer{out: a.cmd.OutOrStdout(), json: wantsJSON(a.cmd), path: a.w.Path(), set: a.set, epochs: ownEpochs}
}

// ownEpochs returns the epochs that a script reports, or those that were asked
// for with a model; otherwise the usual ones, as for probe.
func ownEpochs(row matrix.Row) []float64 {
	isModel := row.Batch > 0 // a script sets its own epochs
	if own := row.Update.Run.Epochs; own != nil && !(isModel && *own == harness.DefaultEpochs) {
		return []float64{*own}
	}
	return defaultEpochs
}

// watch shows a background probe until it ends or the user leaves.
func (a *attachment) watch(ctx context.Context, name string) error {
	c, err := background.Dial(name)
	if err != nil {
		return err
	}
	if a.stop {
		c.Stop()
	}
	return showProbe(ctx, c, a.printer(), a.live)
}

// showProbe prints the result of a background probe, as probe does. When ctx
// ends it returns, and the probe goes on.
func showProbe(ctx context.Context, c *background.Client, p *printer, live *liveLine) error {
	defer context.AfterFunc(ctx, c.Leave)()
	var err error
	for u := range c.Updates() {
		live.show(u)
		live.aside(func() { err = errors.Join(err, p.print(u)) })
	}
	live.clear()
	u := c.Wait()
	switch {
	case err != nil:
		return err
	case !u.Done && ctx.Err() != nil:
		_, _ = fmt.Fprintf(live.w, "sweetspot: the probe keeps running; sweetspot attach %s shows it again\n", c.Entry().Name)
		return nil
	case c.Err() != nil:
		return exitError{exitFailed, c.Err()}
	}
	if err := u.Failure(); err != nil {
		return exitError{exitFailed, err}
	}
	return nil
}

// saved reports a run that has ended.
func (a *attachment) saved(ctx context.Context, id int64) error {
	db := a.w.Store()
	if db == nil {
		return exitError{exitFailed, fmt.Errorf("there is no run %d: nothing has been probed here yet; "+
			"start with sweetspot probe, or name another database with --db", id)}
	}
	r, err := db.Record(ctx, id)
	if err != nil {
		return err
	}
	if r.Status == profile.Running {
		return exitError{exitFailed, fmt.Errorf("run %d is running at the terminal it was started from; only probes "+
			"started with --detach can be attached to", id)}
	}
	u, err := report.Saved(ctx, db, id)
	if err != nil {
		return err
	}
	return a.report(asRow(r, u))
}

// asRow returns a recorded run as the only row of a matrix.
func asRow(r store.Record, u session.Update) matrix.Row {
	row := matrix.Row{Cell: matrix.Cell{Mode: u.Run.Mode, Host: request.Host(r.Address)}, State: matrix.Done, Update: u}
	if harness.IsArgv(r.Command) {
		row.Batch = u.Run.BatchSize // with a script these are its own
	}
	return row
}

func (a *attachment) report(row matrix.Row) error {
	if err := a.printer().row([]matrix.Row{row}, 0); err != nil {
		return err
	}
	if row.Update.Err != nil {
		return exitError{exitFailed, row.Update.Err}
	}
	return nil
}
