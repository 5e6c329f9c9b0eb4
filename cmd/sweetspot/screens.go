package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"

	"github.com/spf13/cobra"

	"sweetspot/data/store"
	"sweetspot/data/workload"
	"sweetspot/data/workspace"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/probes/background"
	"sweetspot/probes/harness"
	"sweetspot/probes/request"
	"sweetspot/tui"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// screenFlags are the flags of the terminal program.
type screenFlags struct {
	theme, python    string
	symbols          theme.Symbols
	fps              int
	noMouse, noState bool
	detach           bool
}

func (f *screenFlags) register(cmd *cobra.Command) {
	f.registerLook(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.python, "python", "", "Python that has PyTorch, for probes")
	fl.BoolVar(&f.detach, "detach", false, "keep probes running when the terminal is lost; see sweetspot attach")
	fl.BoolVar(&f.noState, "no-state", false, "neither read nor write the saved session")
}

// registerLook registers what any screens are drawn by.
func (f *screenFlags) registerLook(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.Var(flagOf(&f.theme, func(s string) (string, error) { return s, theme.Valid(s) }, ""), "theme",
		"colour theme: okabe-ito, light, dark, mono or high-contrast (default: "+
			"follows the terminal's background)")
	fl.Var(flagOf(&f.symbols, theme.SymbolSet, "braille"), "symbols", "characters to draw with: braille, block or ascii")
	fl.Var(flagOf(&f.fps, parseFPS, "30"), "fps", "frames per second, at most; fewer for a slow connection")
	fl.BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
}

// memoryLimit is the memory use in bytes above which garbage is collected more
// often: screens also run on shared login nodes.
const memoryLimit = 300 << 20

// runScreens opens everything that can fail before it takes over the terminal.
func runScreens(ctx context.Context, db string, f screenFlags) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	options, statePath, err := f.options()
	if err != nil {
		return err
	}
	w, err := workspace.Open(ctx, db)
	if err != nil {
		return err
	}
	options.Workspace = w
	options.Notice = cmp.Or(append([]string{options.Notice}, w.Warnings()...)...)
	remembered, err := tui.Run(ctx, options)
	if !f.noState && statePath != "" {
		if saveErr := state.Save(statePath, remembered); saveErr != nil && err == nil {
			err = fmt.Errorf("the session was not saved: %w", saveErr)
		}
	}
	return err
}

func parseFPS(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err == nil && (n < 1 || n > 120) {
		err = fmt.Errorf("%q is not between 1 and 120", s)
	}
	return n, err
}

func (f screenFlags) options() (o tui.Options, statePath string, err error) {
	table, err := keyTable()
	if err != nil {
		return o, "", err
	}
	o = tui.Options{
		Open: open, Probe: prober(f.python, f.detach), Rent: renter, Queues: queues{f.python, true},
		Traces: readJobs, Loads: readRequests,
		Keys: table, Theme: f.theme,
		NoColor: os.Getenv("NO_COLOR") != "", Symbols: f.symbols,
		NoMouse: f.noMouse, FPS: f.fps, Version: version(), State: state.State{LogAxes: true},
	}
	if f.noState {
		return o, "", nil
	}
	statePath, err = state.Path()
	if err != nil {
		o.Notice = "the session will not be saved: " + err.Error()
		return o, "", nil
	}
	if o.State, err = state.Load(statePath); err != nil {
		o.Notice = err.Error()
	}
	return o, statePath, nil
}

// keyTable is the key table with the user's changes from the config file.
func keyTable() (*keys.Table, error) {
	path, remapped, err := state.Keys()
	if err != nil {
		return nil, err
	}
	table, err := keys.Default().Remap(remapped)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return table, nil
}

func readJobs(_ context.Context, path string) (workload.Jobs, error) { return workload.ReadJobs(path) }

func readRequests(_ context.Context, path string) (workload.Requests, error) {
	return workload.ReadRequests(path)
}

func open(ctx context.Context, path string) (screen.Workspace, error) {
	return workspace.Open(ctx, path)
}

// prober starts the probes that the form describes; if detached, in a process of
// their own.
func prober(python string, detach bool) probe.Prober {
	return func(ctx context.Context, ws screen.Workspace, f probe.Form, asked question.Query) (probe.Probe, error) {
		w, db, err := writable(ctx, ws)
		if err != nil {
			return nil, err
		}
		set, err := w.Load(ctx)
		if err != nil {
			return nil, err
		}
		r := requested(f, python)
		if vm, err := profile.FindVMType(set.VMTypes, f.VM); f.VM != "" && !f.IsQueued() && err == nil {
			r.Machine.VM = vm.Key()
		}
		s := request.Environment{Store: db, VMTypes: set.VMTypes, RequiredPrecision: request.ForQuery(set, asked,
			float64(f.Epochs))}
		if r.On != "" {
			if r, err = inQueue(ctx, r, set); err != nil {
				return nil, err
			}
			followed, err := r.Enqueue(ctx, s)
			if err != nil {
				return nil, err
			}
			return leaving{followed}, nil
		}
		if detach {
			r.Detach = true
			return spawn(ctx, w.Path(), r)
		}
		return r.Start(ctx, s)
	}
}

// writable is the workspace of the screens, with its database to write to.
func writable(ctx context.Context, ws screen.Workspace) (*workspace.Workspace, *store.Store, error) {
	w, ok := ws.(*workspace.Workspace)
	if !ok {
		return nil, nil, fmt.Errorf("%s cannot be written to", ws.Path())
	}
	db, err := w.Writable(ctx)
	return w, db, err
}

// spawn starts a background process for the request.
func spawn(ctx context.Context, db string, r request.Request) (*background.Client, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	name, err := background.Spawn(ctx, append([]string{own, "probe", "--db=" + db}, r.Argv()...), nil)
	if err != nil {
		return nil, err
	}
	return background.Dial(name)
}

// requested is the request of a form.
func requested(f probe.Form, python string) request.Request {
	axes := f.Axes()
	r := request.Request{
		Command: f.Command, Folder: f.Folder, Batches: axes.Batches, Precisions: axes.Precisions,
		Repeats: axes.Repeats, Hosts: axes.Hosts,
		Python: python, Rule: f.Rule(), Machine: store.Machine{USDPerHour: f.USDPerHour},
		Spec: harness.Spec{Mode: f.Mode, Epochs: f.Epochs},
	}
	if f.IsQueued() { // which finds hosts with prices itself
		r.On, r.GPUs, r.Hosts, r.Machine = f.On, f.GPUs, nil, store.Machine{}
		r.Rule.USDPerHour = nil
	}
	if f.OfCommand() {
		if !r.IsElsewhere() {
			r.Python = "" // a command has its own
		}
		return r
	}
	r.Folder, r.Prune = "", f.Prune
	r.Spec.Model, r.Spec.Input, r.Spec.TrainSize = f.Model, f.Input, int(f.TrainSize)
	if f.Mode == profile.Infer {
		// the form's epochs are those of the whole training; an inference runs
		// until the answer is precise enough
		r.Spec.Epochs = 0
	}
	return r
}
