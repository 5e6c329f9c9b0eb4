package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"sweetspot/data/workspace"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/probes/harness"
	"sweetspot/probes/report"
	"sweetspot/probes/session"
)

type probeFlags struct {
	model, input, mode, precision, data, optimizer string
	batch                                          []int
	epochs, trainSize                              string
	maxSeconds, maxCost, target                    string
	maxSteps                                       int
	python, price, vm                              string
	noTUI, keepRunning                             bool
}

func newProbeCommand() *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "probe (--model FILE.py:FACTORY | -- COMMAND…)",
		Short: "Measure a model on this machine until the answer is precise enough",
		Long: "probe runs a model for seconds, cuts off the warm-up, and stops by itself once the mean iteration time is\n" +
			"known well enough. Every iteration time is saved in the profile database.",
		Example: "  sweetspot probe --model example:fashion-cnn --batch 64,256\n" +
			"  sweetspot probe --model nets.py:resnet18 --input 3x224x224 --batch 32 --vm p3.2xlarge\n" +
			"  sweetspot probe --max-seconds 60s -- python3 train.py",
		Args: func(cmd *cobra.Command, args []string) error { return f.check(cmd.ArgsLenAtDash(), args) },
		RunE: f.run,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.model, "model", "", "the model to run: file.py:factory, or example:fashion-cnn")
	fl.StringVar(&f.input, "input", "", "shape of one input sample, 3x224x224")
	fl.IntSliceVar(&f.batch, "batch", []int{128}, "batch size; of several, each is probed in turn")
	fl.StringVar(&f.precision, "precision", "", "arithmetic precision: fp32, tf32, bf16 or fp16 (default fp32)")
	fl.StringVar(&f.mode, "mode", "train", "whether to train or infer")
	fl.StringVar(&f.epochs, "epochs", "", "epochs of the training, also those to estimate (default 10; estimates 5, 10 and 20); of an inference, passes over the data (default: until it is stopped)")
	fl.StringVar(&f.data, "data", "", "what the model is fed: auto, fashion-mnist or synthetic (default auto: a dataset that fits)")
	fl.StringVar(&f.trainSize, "train-size", "", "units in your training set, where the input is synthetic")
	fl.StringVar(&f.optimizer, "optimizer", "", "optimizer of the training: sgd or adam (default sgd)")
	fl.StringVar(&f.maxSeconds, "max-seconds", "", "stop after this long at the latest, 90s or 5m (default: none; 10m for an inference without any cap)")
	fl.StringVar(&f.maxCost, "max-cost", "", "stop after this many dollars at the latest; needs a price")
	fl.IntVar(&f.maxSteps, "max-steps", 0, "stop after this many iterations at the latest")
	fl.StringVar(&f.target, "precision-target", "0.02", "relative half-width of the mean's 90 % interval to reach (0.02 or 2%)")
	fl.BoolVar(&f.keepRunning, "keep-running", false, "let the script run to its end however precise the answer is; caps still hold")
	fl.StringVar(&f.python, "python", "", "Python that has PyTorch (default: $SWEETSPOT_PYTHON, python3, /usr/bin/python3)")
	fl.StringVar(&f.price, "price", "", "price of this machine in dollars an hour")
	fl.StringVar(&f.vm, "vm", "", "this machine is that VM type of the catalog (p3.2xlarge, or aws/us-east-1/p3.2xlarge)")
	fl.BoolVar(&f.noTUI, "no-tui", false, "plain output only, no line that redraws itself")
	return cmd
}

func (f *probeFlags) check(dash int, args []string) error {
	switch {
	case len(args) > 0 && dash != 0:
		return usageError("%q is no flag: put the command to probe after --", args[0])
	case len(args) > 0 && f.model != "":
		return usageError("--model and a command after -- exclude each other: the command runs its own model")
	case len(args) == 0 && f.model == "":
		return usageError("nothing to probe: give --model file.py:factory, --model example:fashion-cnn, or a command after --")
	case len(f.batch) == 0:
		return usageError("--batch names no batch size")
	case len(args) > 0 && len(f.batch) > 1:
		return usageError("--batch with several sizes needs --model: a command sets its own batch size")
	}
	return nil
}

// plan is what the flags mean.
type plan struct {
	options session.Options
	spec    harness.Spec // where there is no command
	epochs  []float64    // to estimate
}

func (f *probeFlags) run(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	p, err := f.plan(args)
	if err != nil {
		return err
	}
	w, err := workspace.OpenFor(ctx, database(cmd))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	set, err := w.Load(ctx)
	if err != nil {
		return err
	}
	if err := f.place(&p.options, set); err != nil {
		return err
	}
	p.options.Store = w.Store()
	for _, batch := range f.batch {
		p.spec.Batch = batch
		result, err := f.probe(ctx, cmd, p, args, set)
		if err != nil {
			return err
		}
		if wantsJSON(cmd) {
			err = printJSON(cmd.OutOrStdout(), result)
		} else {
			err = result.Write(cmd.OutOrStdout(), w.Path())
		}
		if err != nil {
			return err
		}
		if result.Run.Error != nil {
			return exitError{exitFailed, errors.New(*result.Run.Error)}
		}
		if ctx.Err() != nil {
			break // the user stopped it: the other batch sizes too
		}
	}
	return nil
}

// probe runs one session to its end.
func (f *probeFlags) probe(ctx context.Context, cmd *cobra.Command, p plan, args []string, set *profile.Set) (report.Probe, error) {
	o := p.options
	if len(args) == 0 {
		var cleanup func()
		var err error
		if o, cleanup, err = session.WithModel(ctx, o, p.spec, f.python); err != nil {
			return report.Probe{}, err
		}
		defer cleanup()
		warn(cmd.ErrOrStderr(), o.Warnings...)
	} else {
		o.Command = args
		o.Description.Model.Name = commandName(args)
	}
	live := &liveLine{w: cmd.ErrOrStderr(), on: !f.noTUI && !wantsJSON(cmd) && term.IsTerminal(os.Stderr.Fd())}
	o.Output = live
	s, err := session.Start(ctx, o)
	if err != nil {
		return report.Probe{}, err
	}
	for u := range s.Updates() {
		live.show(u)
	}
	live.clear()
	return report.New(s.Wait(), p.epochs, set.Kinds), nil
}

func (f *probeFlags) plan(args []string) (plan, error) {
	p := plan{epochs: []float64{5, 10, 20}}
	p.options.KeepRunning = f.keepRunning
	mode, err := parseMode(f.mode)
	if err != nil {
		return p, err
	}
	mode = cmp.Or(mode, profile.Train)
	p.options.Description.Mode = mode
	p.spec = harness.Spec{
		Model: f.model, Mode: mode, Input: strings.ToLower(f.input), Precision: strings.ToLower(f.precision),
		Data: harness.Data(strings.ToLower(f.data)), Optimizer: strings.ToLower(f.optimizer),
	}
	if p.options.Rule, err = f.rule(); err != nil {
		return p, err
	}
	var trainSize *float64
	if err := readNumbers(numberFlag{"train-size", f.trainSize, quantity.ParseCount, &trainSize}); err != nil {
		return p, err
	}
	if trainSize != nil {
		p.spec.TrainSize = int(*trainSize)
	}
	if f.epochs != "" {
		n, err := quantity.ParseCount(f.epochs)
		if err != nil || n < 1 {
			return p, usageError("--epochs %q is no number of epochs", f.epochs)
		}
		p.spec.Epochs, p.epochs = int(n), []float64{n}
		if len(args) > 0 {
			p.options.Description.Epochs = &n
		}
	}
	if len(args) > 0 {
		return p, nil
	}
	for _, batch := range f.batch {
		s := p.spec
		s.Batch = batch
		if batch == 0 {
			return p, usageError("--batch 0: a batch holds at least one sample")
		}
		if _, err := s.Resolve(); err != nil {
			return p, usageError("%w", err)
		}
	}
	return p, nil
}

func (f *probeFlags) rule() (steady.Rule, error) {
	rule := steady.DefaultRule()
	rule.MaxN = f.maxSteps
	var target, seconds, usd *float64
	flags := []numberFlag{
		{"precision-target", f.target, quantity.ParseFraction, &target},
		{"max-seconds", f.maxSeconds, parseSeconds, &seconds},
		{"max-cost", f.maxCost, quantity.ParseMoney, &usd},
	}
	if err := readNumbers(flags...); err != nil {
		return rule, err
	}
	for i, to := range []*float64{&rule.Target, &rule.MaxSeconds, &rule.MaxUSD} {
		switch v := *flags[i].to; {
		case v == nil:
		case *v <= 0:
			return rule, usageError("--%s %s: must be above 0", flags[i].name, flags[i].text)
		default:
			*to = *v
		}
	}
	if f.maxSteps < 0 {
		return rule, usageError("--max-steps %d: must be above 0", f.maxSteps)
	}
	return rule, nil
}

// parseSeconds reads a duration, and a bare number as seconds, which the
// flag's name says.
func parseSeconds(s string) (float64, error) {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		s += "s"
	}
	return quantity.ParseDuration(s)
}

// place says which VM type this machine is and what it costs.
func (f *probeFlags) place(o *session.Options, set *profile.Set) error {
	m := &o.Description.Machine
	if f.vm != "" {
		vm, err := profile.FindVMType(set.VMTypes, f.vm)
		if err != nil {
			return usageError("--vm: %w", err)
		}
		m.VM = vm.Key()
		if price, ok := vm.PriceOf(profile.OnDemand); ok {
			m.USDPerHour = &price.USDPerHour
		}
	}
	if err := readNumbers(numberFlag{"price", f.price, quantity.ParseMoney, &m.USDPerHour}); err != nil {
		return err
	}
	if o.Rule.MaxUSD > 0 && m.USDPerHour == nil {
		return usageError("--max-cost needs the price of this machine: add --price or --vm")
	}
	return nil
}

// commandName is what a command's model is called until its events say.
func commandName(args []string) string {
	i := slices.IndexFunc(args, func(a string) bool { return strings.HasSuffix(a, ".py") })
	if i < 0 {
		return filepath.Base(args[0])
	}
	return strings.TrimSuffix(filepath.Base(args[i]), ".py")
}
