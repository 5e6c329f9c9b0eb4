package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/workspace"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/background"
	"sweetspot/probes/matrix"
	"sweetspot/probes/request"
)

func newProbeCommand() *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "probe (--model MODEL | -- COMMAND…)",
		Short: "Measure a model or a training script until the answer is precise enough",
		Long: "probe runs a model or an unmodified training script for a few seconds, discards the warm-up, and stops\n" +
			"once the mean iteration time is known well enough. Every iteration time is saved in the profile database.\n\n" +
			"With several batch sizes, precisions and degrees of pruning it probes every combination, the smallest first.\n" +
			"With --json one probe is an indented object; several are written as one object per line (JSON Lines), as each\n" +
			"ends. In a list of hosts, --host here is this machine.",
		Example: "  sweetspot probe -- python3 train.py --epochs 30\n" +
			"  sweetspot probe --model example:fashion-cnn --batch 64,256\n" +
			"  sweetspot probe --model nets.py:resnet18 --input 3x224x224 --mode infer --precision fp32,int8" +
			" --prune 0,0.3,0.5\n" +
			"  sweetspot probe --host me@vm1 --host me@vm2 --max-seconds 60s -- python3 train.py\n" +
			"  sweetspot probe --rent sky --vm aws/us-east-1/g6.xlarge --max-cost 1 -- python3 train.py",
		Args: func(cmd *cobra.Command, args []string) error {
			return f.check(cmd.Flags(), args)
		},
		RunE: f.run,
	}
	f.register(cmd.Flags())
	cmd.AddCommand(newProbeServerCommand())
	return cmd
}

func (f *probeFlags) run(cmd *cobra.Command, args []string) (err error) {
	outliveReaders()
	name, isChild := background.Child()
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !isChild {
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), ends...)
	defer stop()
	r, err := f.request(args)
	if err != nil {
		return err
	}
	cells, err := r.Cells()
	if err != nil {
		return usageError("%w", err)
	}
	w, err := opened(ctx, cmd, database(cmd), workspace.OpenFor)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	set, err := w.Load(ctx)
	if err != nil {
		return err
	}
	if f.rent != "" {
		return f.rentAndProbe(ctx, cmd, r, w.Path(), set)
	}
	if r.On == onSky {
		err = f.onClusters(ctx, &r, set)
	} else {
		err = f.place(&r, set)
	}
	if err != nil {
		return err
	}
	s := request.Environment{Store: w.Store(), VMTypes: set.VMTypes}
	if f.epochs > 0 {
		s.RequiredPrecision = request.ForEpochs(set, float64(r.Spec.Epochs))
	}
	if isChild {
		return serveBackground(ctx, r, s, name, w.Path())
	}
	if err := f.confirm(ctx, cmd, &r, cells, set); err != nil {
		return err
	}
	live := &liveLine{w: cmd.ErrOrStderr(), on: !f.noTUI && !wantsJSON(cmd) && term.IsTerminal(os.Stderr.Fd())}
	p := printer{out: cmd.OutOrStdout(), json: wantsJSON(cmd), path: w.Path(), set: set,
		epochs: func(row matrix.Row) []float64 { return f.estimated(row.Update.Run, r.IsCommand()) },
	}
	if f.detach {
		return p.follow(ctx, live, r)
	}
	s.Output = live
	m, err := startSaying(ctx, cmd.ErrOrStderr(), r, s)
	if err != nil {
		return err
	}
	// The first signal ends the context; after another nothing is waited for.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, ends...)
	go func() {
		for range signals {
			m.Stop()
		}
	}()
	return p.watch(m, live)
}

// startSaying starts the probes, and says of those in a queue how they are followed again.
func startSaying(ctx context.Context, say io.Writer, r request.Request, s request.Environment) (*matrix.Matrix, error) {
	if r.On == "" {
		return r.Start(ctx, s)
	}
	f, err := r.Enqueue(ctx, s)
	if err != nil {
		return nil, err
	}
	key := f.Key()[:shortKey]
	_, _ = fmt.Fprintf(say, "sweetspot: %s in the queue as %s; Ctrl-C ends them, and sweetspot attach %s follows them "+
		"again should this terminal be lost\n", quantity.Several(f.Jobs(), "job"), key, key)
	return f.Matrix, nil
}

// serveBackground runs the probes in the background, where clients can attach.
func serveBackground(ctx context.Context, r request.Request, s request.Environment, name, path string) error {
	m, err := r.Start(ctx, s)
	if err != nil {
		return err
	}
	return background.Serve(m, name, path)
}

// follow starts the probes in the background and shows them until they end or
// the user leaves.
func (p *printer) follow(ctx context.Context, live *liveLine, r request.Request) error {
	c, err := spawn(ctx, p.path, r)
	if err != nil {
		return err
	}
	left := context.AfterFunc(ctx, c.Leave)
	err = p.watch(c, live)
	if left() {
		return errors.Join(c.Err(), err)
	}
	_, _ = fmt.Fprintln(live, "the probe keeps running; sweetspot attach shows it")
	return nil
}

// watch shows a matrix until it ends.
func (p *printer) watch(m background.Matrix, live *liveLine) error {
	for u := range m.Updates() {
		live.show(u)
		var err error
		live.aside(func() { err = p.print(u) })
		if err != nil {
			m.Stop() // nobody reads the output; what was measured is kept
			live.clear()
			m.Wait()
			return err
		}
	}
	live.clear()
	u := m.Wait()
	if err := p.print(u); err != nil {
		return err
	}
	if u.Warning != "" {
		warn(live, u.Warning)
	}
	if err := u.Failure(); err != nil {
		return exitError{exitFailed, err}
	}
	return nil
}

// confirm shows the expected cost of the probes and asks for consent, if they
// cost money and someone can answer.
func (f *probeFlags) confirm(ctx context.Context, cmd *cobra.Command, r *request.Request, cells []matrix.Cell,
	set *profile.Set) error {
	if r.On == onSky {
		return f.confirmClusters(ctx, cmd, r, cells, set)
	}
	if found := r.Place(ctx, set.VMTypes); found != "" {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "sweetspot: "+found)
	}
	if err := r.CheckCap(); err != nil {
		return usageError("%w", err)
	}
	spend := r.Expect(cells)
	if spend.USDHigh == nil || f.yes {
		return nil
	}
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", spend)
	if !term.IsTerminal(os.Stdin.Fd()) {
		if r.Rule.MaxUSD <= 0 && r.Rule.MaxSeconds <= 0 && r.Rule.MaxN <= 0 {
			return usageError("a probe on a machine with a price costs money, and nobody can be asked here; add " +
				"--yes, or a cap (--max-cost, --max-seconds or --max-steps)")
		}
		return nil // whoever set the caps agreed to them
	}
	_, _ = fmt.Fprint(cmd.ErrOrStderr(), "Go on? [y/N] ")
	if isYes(ctx, cmd.InOrStdin()) {
		return nil
	}
	return exitError{exitFailed, errors.New("nothing was probed; answer y, or add --yes, to go on")}
}

// isYes waits for an answer; an interrupt counts as no.
func isYes(ctx context.Context, in io.Reader) bool {
	answers := make(chan string, 1)
	go func() {
		var answer string
		_, _ = fmt.Fscanln(in, &answer)
		answers <- answer
	}()
	select {
	case a := <-answers:
		a = strings.ToLower(a)
		return a == "y" || a == "yes"
	case <-ctx.Done():
		return false
	}
}
