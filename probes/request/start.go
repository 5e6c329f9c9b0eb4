package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sweetspot/data/launch"
	"sweetspot/data/store"
	"sweetspot/engine/advice"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/secret"
	"sweetspot/probes/gpu"
	"sweetspot/probes/harness"
	"sweetspot/probes/hook"
	"sweetspot/probes/identity"
	"sweetspot/probes/load"
	"sweetspot/probes/matrix"
	"sweetspot/probes/metric"
	"sweetspot/probes/modelfile"
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

// untilStopped caps an inference that would run until it is stopped, if the
// user gave no cap: one that never becomes steady must end, too.
const untilStopped = 10 * time.Minute

// telemetryEvery is the interval between readings of the sensors of GPUs and CPUs.
const telemetryEvery = time.Second

// Start begins the probes.
func (r Request) Start(ctx context.Context, s Environment) (*matrix.Matrix, error) {
	if r.isOfJobs() {
		f, err := r.Enqueue(ctx, s)
		if err != nil {
			return nil, err
		}
		return f.Matrix, nil
	}
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
		Description: store.Description{Mode: cmp.Or(r.Spec.Mode, profile.Train), Machine: r.Machine},
	}
	if k := slices.IndexFunc(s.VMTypes, func(vm profile.VMType) bool { return vm.Key() == r.Machine.VM }); k >= 0 {
		o.Claimed = s.VMTypes[k]
	}
	o.Description.Model.Name, o.Named = r.Name, r.Name != "" || !r.IsCommand() // the harness calls it as its factory
	spec, err := r.spec(c), error(nil)
	if caps := o.Rule; !r.IsCommand() && spec.Mode == profile.Infer && spec.Epochs == 0 &&
		caps.MaxN == 0 && caps.MaxSeconds == 0 && caps.MaxUSD == 0 {
		o.Rule.MaxSeconds = untilStopped.Seconds()
	}
	if r.isOfJobs() {
		o.Start, o.Here = inJob, r.placeOf(c).isHere()
	} else if c.Host == "" {
		o.Observe = append(observersHere(os.Getpid), load.Observer(os.Getpid(), telemetryEvery))
	} else if err = r.remotely(&o, c.Host, s.VMTypes); err != nil {
		return o, err
	}
	source, name := modelSource(spec.Model), spec.Name()
	o.Description.Command = r.alone(c)
	if r.IsCommand() {
		r.Command, o.Description.BatchSize = r.batched(c.Batch), c.Batch
		words := secret.Words(r.Command)
		source, name = commandSource(words, r.folderHere(c.Host)), commandName(words)
		o.Description.Command = words
	}
	m := &o.Description.Model
	if m.SourceFile = source; m.Name == "" {
		if m.Name, err = ownName(ctx, s.Store, name, source); err != nil {
			return o, err
		}
	}
	if r.IsCommand() {
		o.NameAfter = nameAfter(s.Store, scriptAt(r.Command) >= 0 || moduleOf(r.Command) != "")
		return r.hooked(o)
	}
	if o.Here {
		o.Dir, _ = filepath.Abs("")
	}
	python := r.Python
	if c.Host != "" {
		python = interpreterThere
	}
	var memory *float64
	if c.Host == "" {
		memory = memoryHere()
	}
	if err := describeFile(&o, &spec, memory); err != nil {
		return o, err
	}
	return session.WithModel(ctx, o, spec, python)
}

// observersHere read the sensors of this machine, on which the probe is of that process and all below it.
func observersHere(process func() int) []session.Observer {
	return []session.Observer{gpu.Observer(process, telemetryEvery), rapl.Observer(rapl.Zones, telemetryEvery)}
}

// hooked completes the options for a script.
func (r Request) hooked(o session.Options) (session.Options, error) {
	var err error
	if o.Adapter, err = r.reader(); err != nil {
		return o, err
	}
	if o.Metrics, err = metric.NewReader(r.AccuracyPattern); err != nil {
		return o, err
	}
	if o.Command, err = secret.Expand(r.Command, os.LookupEnv); err != nil {
		return o, err
	}
	o.Hooked, o.WorkOnly, o.Dir = true, r.Spec.WorkOnly, r.Folder
	switch {
	case r.On == onSky:
		o.Dir = launch.SkyFolder // the copy of the folder
	case r.On == onSlurm && o.Dir == "": // of a file system that the nodes share
		o.Dir, _ = os.Getwd()
	case o.Here: // the agent would begin in the home folder
		o.Dir, _ = filepath.Abs(o.Dir)
	}
	switch {
	case o.Start == nil:
		o.Input = r.Input
	case !o.Here:
		o.Description.Folder, _ = os.Getwd() // not one of that host, which may soon be gone
	}
	o.Files, o.Env = hook.Files(), hook.Env(os.Getenv("PYTHONPATH"))
	if o.Start != nil {
		o.Env = hook.Env("") // the agent has its own path
	}
	o.Env = append(o.Env, hook.End(o.Rule.MaxN)...)
	if r.Spec.Epochs > 0 {
		o.Description.Epochs = new(float64(r.Spec.Epochs))
	}
	return o, nil
}

// remotely completes the options for another host, where the probe ends with the connection.
func (r Request) remotely(o *session.Options, host string, vms []profile.VMType) error {
	h, err := remote.Parse(host)
	if err != nil {
		return err
	}
	d := &o.Description
	d.Machine.Host, d.Address = h.String(), h.String()
	far := remote.Options{Python: r.Python, NoMetadata: r.NoMetadata, Load: telemetryEvery,
		Limit: limit(o.Rule, d.Machine.USDPerHour)}
	o.Place = func(f identity.Facts, m *store.Machine) { fill(f, m, vms) }
	o.Start = func(ctx context.Context, c runner.Command) (session.Process, error) {
		p, err := remote.Start(ctx, h, c, far)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	return nil
}

// Asking the clouds takes up to a second where none answers, so it is done once.
var asked struct {
	sync.Mutex
	by map[bool]identity.Facts // with metadata or without
}

func factsHere(ctx context.Context, metadata bool) identity.Facts {
	asked.Lock()
	defer asked.Unlock()
	f, ok := asked.by[metadata]
	if !ok {
		f = identity.Local(ctx, metadata)
		if asked.by == nil {
			asked.by = map[bool]identity.Facts{}
		}
		asked.by[metadata] = f
	}
	return f
}

// Place fills in this machine's VM type and price, unless the user gave them or
// the probes run elsewhere. The text says what was found and how; "" for
// nothing.
func (r *Request) Place(ctx context.Context, vms []profile.VMType) (words string) {
	if !r.isHere() || known(r.Machine) {
		return ""
	}
	return fill(factsHere(ctx, !r.NoMetadata), &r.Machine, vms)
}

// isHere reports whether some of the probes run on this machine.
func (r Request) isHere() bool {
	return !r.isQueued() && (len(r.Hosts) == 0 || slices.Contains(r.Hosts, ""))
}

// known reports whether the user gave the machine's VM type or price.
func known(m store.Machine) bool { return m.VM.InstanceType != "" || m.USDPerHour != nil }

// fill fills in the VM type if it is certain. A guess is only reported.
func fill(f identity.Facts, m *store.Machine, vms []profile.VMType) (words string) {
	if known(*m) {
		return ""
	}
	found, ok := identity.Resolve(f, vms)
	if !ok {
		return ""
	}
	if found.Certain {
		m.VM = found.VM.Key()
		if price, ok := found.VM.PriceOf(profile.OnDemand); ok {
			m.USDPerHour = &price.USDPerHour
		}
	}
	return found.Words
}

// modelFiles are the suffixes of model files that can be inspected without
// running them.
var modelFiles = []string{".pt", ".pt2", ".onnx"}

// memoryHere is the memory of this machine's largest GPU in GiB; nil where there is
// none, or the user has chosen among them.
func memoryHere() (most *float64) {
	if _, chosen := os.LookupEnv("CUDA_VISIBLE_DEVICES"); chosen {
		return nil
	}
	devices, _, _ := gpu.Devices() // without a driver there are none
	for _, d := range devices {
		if gib := d.MemoryBytes / (1 << 30); most == nil || gib > *most {
			most = &gib
		}
	}
	return most
}

// describeFile reads parameters, work per unit and the input's shape from a
// model file. It rejects a model that cannot fit in the GPU's memory, where that
// is known, before any time is spent on it.
func describeFile(o *session.Options, s *harness.Spec, memory *float64) error {
	if !slices.Contains(modelFiles, strings.ToLower(filepath.Ext(s.Model))) {
		return nil
	}
	facts, err := modelfile.Read(s.Model)
	if err != nil {
		return err
	}
	m := &o.Description.Model
	m.Params, m.FLOPsPerUnit = facts.Params, facts.FLOPsPerUnit
	w := &o.Description.Work
	w.Params, w.FLOPs = facts.Params, facts.FLOPsPerUnit
	w.Activations, w.Layers = facts.Activations, facts.Layers
	if s.TellsItsWork() { // of TorchScript the harness counts what the file does not say
		o.Warnings = append(slices.Clone(o.Warnings), facts.Warnings...)
	}
	if facts.Batch > 0 {
		o.Warnings = append(slices.Clone(o.Warnings), fmt.Sprintf(
			"%s was exported for batches of exactly %d, so that is the only batch size", filepath.Base(s.Model), facts.Batch))
	}
	if s.Input == "" && facts.Input != nil {
		s.Input = list(facts.Input, "x")
	}
	floor := facts.MemoryFloorBytes(s.Batch, cmp.Or(s.Precision, harness.Precisions[0]))
	if floor != nil && memory != nil && *floor > *memory*(1<<30) {
		return fmt.Errorf("%s at batch %d needs at least %s GiB of memory and the GPU has %s GiB; try a smaller batch",
			filepath.Base(s.Model), s.Batch, quantity.Count(*floor/(1<<30)), quantity.Count(*memory))
	}
	return nil
}

// ForQuery returns how precise a run must be for its rank under the query, or
// for another model under [ForEpochs]. With 0 epochs only the query counts.
func ForQuery(set *profile.Set, q question.Query, epochs float64) func(profile.Run) (float64, string) {
	return func(r profile.Run) (float64, string) {
		if r.Model == q.Model && r.Mode == q.Mode || epochs <= 0 {
			return advice.DecisionPrecision(set, q, r)
		}
		return ForEpochs(set, epochs)(r)
	}
}

// ForEpochs returns how precise a run must be for its rank in a training of
// this many epochs: by cost if the run has a price, else by time.
func ForEpochs(set *profile.Set, epochs float64) func(profile.Run) (float64, string) {
	return func(r profile.Run) (float64, string) {
		if r.Mode != profile.Train {
			return 0, ""
		}
		q := question.Query{Workload: question.Workload{Model: r.Model, Mode: r.Mode, Epochs: &epochs,
			Purchase: profile.OnDemand}, Sort: question.ByTime}
		if r.USDPerHour != nil {
			q.Sort = question.ByCost
		}
		return advice.DecisionPrecision(set, q, r)
	}
}
