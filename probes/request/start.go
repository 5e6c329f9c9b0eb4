package request

import (
	"context"
	"errors"
	"io"
	"time"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/gpu"
	"sweetspot/probes/hook"
	"sweetspot/probes/matrix"
	"sweetspot/probes/rapl"
	"sweetspot/probes/remote"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

// interpreterThere stands for the Python of another host that has PyTorch.
const interpreterThere = "{sweetspot-python}"

// Environment is what a request needs from its caller.
type Environment struct {
	Store   *store.Store
	VMTypes []profile.VMType // of the catalog
	Output  io.Writer        // gets the scripts' output; may be nil
	// RequiredPrecision returns how precise a run must be for its purpose; may
	// be nil.
	RequiredPrecision func(profile.Run) (float64, string)
}

// telemetryEvery is the interval between readings of the sensors of GPUs and CPUs.
const telemetryEvery = time.Second

// Start begins the probes.
func (r Request) Start(ctx context.Context, s Environment) (*matrix.Matrix, error) {
	cells, err := r.Cells()
	if err != nil {
		return nil, err
	}
	r.Place(ctx, s.VMTypes)
	if err := r.CheckCap(); err != nil {
		return nil, err
	}
	return matrix.Start(ctx, matrix.Options{
		Cells: cells, MaxUSD: r.Rule.MaxUSD,
		Probe: func(ctx context.Context, c matrix.Cell) (session.Options, error) { return r.session(ctx, c, s) },
	})
}

// CheckCap rejects a cap in dollars on this machine while its price is unknown;
// see [Request.Place]. Other hosts may report theirs once connected.
func (r Request) CheckCap() error {
	if r.Rule.MaxUSD > 0 && r.Machine.USDPerHour == nil && r.isHere() {
		return errors.New("a cap in dollars (--max-cost) needs the price of this machine; add --price, or --vm with " +
			"its VM type")
	}
	return nil
}

// session returns the options of one cell's session.
func (r Request) session(ctx context.Context, c matrix.Cell, s Environment) (session.Options, error) {
	o := session.Options{
		Rule: r.Rule, KeepRunning: r.KeepRunning, Store: s.Store, Output: s.Output, RequiredPrecision: s.RequiredPrecision,
		Description: store.Description{Mode: r.mode(), Machine: r.Machine},
	}
	o.Description.Model.Name = r.Name
	var err error
	if c.Host == "" {
		o.Observe = []session.Observer{gpu.Observer(telemetryEvery), rapl.Observer(rapl.Zones, telemetryEvery)}
	} else if err = r.remotely(&o, c.Host, s.VMTypes); err != nil {
		return o, err
	}
	if r.IsCommand() {
		return r.hooked(ctx, o)
	}
	python := r.Python
	if c.Host != "" {
		python = interpreterThere
	}
	spec := r.spec(c)
	d := &o.Description
	d.Model.SourceFile = modelSource(spec.Model)
	if d.Model.Name == "" {
		if d.Model.Name, err = ownName(ctx, s.Store, spec.Name(), d.Model.SourceFile); err != nil {
			return o, err
		}
	}
	if err := describeFile(&o, &spec); err != nil {
		return o, err
	}
	return session.WithModel(ctx, o, spec, python)
}

// hooked completes the options for a script.
func (r Request) hooked(ctx context.Context, o session.Options) (session.Options, error) {
	read, err := r.reader()
	if err != nil {
		return o, err
	}
	o.Command, o.Hooked = r.Command, true
	o.Adapter = read
	o.Files, o.Env = hook.Files(), hook.Env()
	if o.Start != nil {
		o.Env = hook.EnvBefore("") // that host has its own path
	}
	d := &o.Description
	d.Model.SourceFile = commandSource(r.Command)
	if d.Model.Name == "" {
		if d.Model.Name, err = ownName(ctx, o.Store, commandName(r.Command), d.Model.SourceFile); err != nil {
			return o, err
		}
	}
	if r.Spec.Epochs > 0 {
		d.Epochs = new(float64(r.Spec.Epochs))
	}
	return o, nil
}

// remotely completes the options for another host.
func (r Request) remotely(o *session.Options, host string, vms []profile.VMType) error {
	h, err := remote.Parse(host)
	if err != nil {
		return err
	}
	far := remote.Options{Python: r.Python, NoMetadata: r.NoMetadata}
	if r.Detach {
		far.Spool = remote.NewSpool()
		if far.Memo, err = memo(o.Rule, o.KeepRunning); err != nil {
			return err
		}
	}
	far.Limit = limit(o.Rule, o.Description.Machine.USDPerHour)
	d := &o.Description
	d.Machine.Host, d.Address, d.Spool = h.String(), h.String(), far.Spool
	o.Place = func(f facts, m *store.Machine) { place(f, m, vms) }
	var process *remote.Process
	o.Start = func(ctx context.Context, c runner.Command) (session.Process, error) {
		var err error
		if process, err = remote.Start(ctx, h, c, far); err != nil {
			return nil, err
		}
		return process, nil
	}
	if r.Detach {
		o.AfterSave = func(ctx context.Context) error {
			if !process.Collected() {
				return nil // it goes on there, for attach
			}
			return remote.Forget(ctx, h, far.Spool)
		}
	}
	return nil
}
