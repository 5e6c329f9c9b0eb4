// Package report writes a finished probe as the JSON object that scripts rely
// on and as a few lines of text. Unknown values are null, never 0.
package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/wording"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
	"sweetspot/probes/matrix"
	"sweetspot/probes/runner"
	"sweetspot/probes/session"
)

// Probe is the JSON of a probe.
type Probe struct {
	contract.Head
	Run       *Run     `json:"run"` // null if nothing could be measured
	Estimates []Epochs `json:"estimates"`
}

// notSteady starts the warning that the mean is only rough.
const notSteady = "not steady: "

// Unmeasured reports one probe of several that was skipped or could not start.
func Unmeasured(r matrix.Row) Probe {
	words := fmt.Sprintf("%s: %s, %s", r.Label(), r.State, r.Why)
	return Probe{Head: contract.NewHead("probe", words), Estimates: []Epochs{}}
}

// Run is what was measured. Times in seconds.
type Run struct {
	ID               int64             `json:"id"`
	Status           string            `json:"status"`
	Model            string            `json:"model"`
	Mode             string            `json:"mode"`
	BatchSize        *int              `json:"batch_size"`
	Precision        *string           `json:"precision"`
	Variant          string            `json:"variant"`
	Pruning          *contract.Pruning `json:"pruning"`
	Framework        *string           `json:"framework"` // what ran the network, with its version
	Host             *string           `json:"host"`      // as the user gave it; null for this machine
	Machine          Machine           `json:"machine"`
	VMs              int               `json:"vms"`        // such machines that a training ran on
	WorldSize        *int              `json:"world_size"` // data-parallel ranks, over all of them
	InitS            *float64          `json:"init_s"`
	FirstIterationS  *float64          `json:"first_iteration_s"`
	SteadyIteration  contract.Seconds  `json:"steady_iteration"`
	SteadyS          *Interval         `json:"steady_s"`          // Deprecated: steady_iteration
	IsSteady         bool              `json:"is_steady"`         // otherwise the mean is a rough one
	SteadyN          int               `json:"steady_n"`          // iterations behind the mean
	SteadyIterations int               `json:"steady_iterations"` // Deprecated: steady_n
	P50S             *float64          `json:"p50_s"`
	P90S             *float64          `json:"p90_s"`
	P99S             *float64          `json:"p99_s"`
	Drift            *float64          `json:"drift"`
	WarmupIterations *int              `json:"warmup_iterations"`
	Iterations       int               `json:"iterations"`
	FirstValidationS *float64          `json:"first_validation_s"`
	ValidationS      *float64          `json:"validation_s"`
	PeakMemoryBytes  *float64          `json:"peak_memory_bytes"`
	ReservedBytes    *float64          `json:"peak_reserved_bytes"` // that the framework took; null of saved runs
	Accuracy         *Accuracy         `json:"accuracy"`
	AccuracyFrom     *string           `json:"accuracy_from"` // its name in the script's output; null if not read there
	StoppedBecause   *string           `json:"stopped_because"`
	SpentS           float64           `json:"spent_s"`
	SpentUSD         *float64          `json:"spent_usd"`
	StoppedWords     *string           `json:"stopped_words"`
	Processes        *Processes        `json:"processes"` // for several in fresh processes
	InputWait        *float64          `json:"input_wait"`
	EnergyJPerUnit   *float64          `json:"energy_j_per_unit"`
	AveragePowerW    *float64          `json:"average_power_w"`
	EnergyOf         *string           `json:"energy_of"` // what the sensors cover
	Layers           []store.Layer     `json:"layers"`
	Tuning           *contract.Tuning  `json:"tuning"`        // of a language model's training; null of other work
	LargestBatch     *Largest          `json:"largest_batch"` // if requested instead of times
	ScriptExit       *int              `json:"script_exit"`
	RejectedLines    int               `json:"rejected_lines"`
	Error            *string           `json:"error"`

	unit         string // of work
	accuracyRead string // what was read as the accuracy, in words
	trained      string // how a language model was trained, in words
	look         string // what was counted, where nothing was measured
}

// Largest is the largest batch that fits in memory; FailsAt the smallest that
// was found not to fit, or null.
type Largest struct {
	Fits    int  `json:"fits"`
	FailsAt *int `json:"fails_at"`
}

// Machine is where it was measured.
type Machine struct {
	Host         string   `json:"host"`
	OS           string   `json:"os"`
	CPU          *string  `json:"cpu"`
	CPUs         int      `json:"cpus"`
	GPU          *string  `json:"gpu"`
	GPUCount     *int     `json:"gpu_count"`
	GPUMemGiB    *float64 `json:"gpu_mem_gib"`
	Driver       *string  `json:"driver"`
	CUDA         *string  `json:"cuda"`
	Cloud        *string  `json:"cloud"`
	Region       *string  `json:"region"`
	InstanceType *string  `json:"instance_type"`
	USDPerHour   *float64 `json:"usd_per_hour"`
}

// Interval is a value with its 90 % interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Epochs is the estimate for a number of epochs; cost is null without a price.
type Epochs struct {
	Epochs float64  `json:"epochs"`
	Steps  *float64 `json:"steps"` // where the script counts these
	Time   Seconds  `json:"time"`
	Cost   *Dollars `json:"cost"`
	Why    *string  `json:"why"` // which pauses the time includes, or that none was seen

	pauses bool // the time includes some
}

// Seconds is an estimated time.
type Seconds struct {
	S     float64 `json:"s"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Basis string  `json:"basis"`
}

// Dollars is an estimated cost.
type Dollars struct {
	USD   float64 `json:"usd"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Basis string  `json:"basis"`
}

// Row reports row i of a matrix, a probe that has ended, with its host and
// combined with its earlier repeats.
func Row(rows []matrix.Row, i int, epochs []float64, kinds map[estimate.Basis]profile.Kind) Probe {
	p := New(rows[i].Update, epochs, kinds)
	p.Run.Processes = Repeated(rows, i)
	p.Run.Host = contract.OrNull(rows[i].Host)
	return p
}

// New reports a probe that has ended, with estimates for the numbers of
// epochs.
func New(u session.Update, epochs []float64, kinds map[estimate.Basis]profile.Kind) Probe {
	r, exported := u.Run, contract.NewRun(u.Run)
	p := Probe{Head: contract.NewHead("probe", u.Warnings...), Estimates: []Epochs{}}
	p.Run = &Run{
		VMs: max(r.Count, 1), WorldSize: r.WorldSize,
		ID: r.ID, Status: string(r.Status), Model: r.Model, Mode: string(r.Mode), BatchSize: contract.OrNull(r.BatchSize),
		Precision: contract.OrNull(r.Variant.Precision),
		Variant:   exported.Variant, Pruning: exported.Pruning, Accuracy: accuracy(r), unit: r.Unit,
		Framework: exported.Framework,
		Machine:   machine(u.Machine), InitS: r.InitS, FirstIterationS: r.FirstIterationS,
		SteadyN: u.Summary.N, SteadyIterations: u.Summary.N, WarmupIterations: r.WarmupIterations,
		Iterations:       u.Summary.Total,
		FirstValidationS: r.FirstValidationS, ValidationS: r.ValidationS, PeakMemoryBytes: r.PeakMemoryBytes,
		ReservedBytes:  u.MemoryReservedBytes,
		StoppedBecause: contract.OrNull(u.StoppedBecause), SpentS: u.SpentS, SpentUSD: u.SpentUSD, ScriptExit: u.ScriptExit,
		RejectedLines: u.Rejected,
		AccuracyFrom:  contract.OrNull(u.AccuracyFrom), accuracyRead: u.AccuracyRead,
		StoppedWords: contract.OrNull(u.StoppedWords), InputWait: u.InputWait, EnergyJPerUnit: r.EnergyJPerUnit,
		AveragePowerW: r.AveragePowerW, EnergyOf: contract.OrNull(r.EnergyOf),
		Layers: append([]store.Layer{}, u.Layers...), Tuning: exported.Tuning, trained: wording.Trained(r),
	}
	if r.IsLook() {
		p.Run.look = lookWords(r.Work)
	}
	if u.Limit != nil {
		p.Run.LargestBatch = &Largest{u.Limit.BatchSize, u.Limit.FailsAt}
	}
	if s := u.Summary; s.IsSteady {
		p.Run.IsSteady = true
		p.Run.setSteady(s.Steady)
		p.Run.P50S, p.Run.P90S, p.Run.P99S, p.Run.Drift = &s.P50, &s.P90, &s.P99, &s.Drift
	} else if s.Why != "" && u.Err == nil && u.Limit == nil && !r.IsLook() {
		p.Run.setSteady(s.Steady)
		p.Warnings = append(p.Warnings, notSteady+s.Why)
	}
	if u.Err != nil {
		p.Run.Error = new(u.Err.Error())
		if u.StoppedBecause == session.Interrupted && !strings.HasPrefix(u.StoppedWords, session.CutOff) {
			p.Run.StoppedWords = new(session.ConnectionLost) // whatever was known before
		}
	}
	pauses := training.PausesOf(r)
	for _, n := range epochs {
		if t := training.Training(r, n, kinds); t.Known() {
			e := atEpochs(n, t, r.USDPerHour, max(r.Count, 1))
			if r.Steps != nil {
				e.Steps = new(math.Round(n * *r.IterationsPerEpoch))
			}
			e.Why, e.pauses = contract.OrNull(pauses.Words(n)), pauses.Seen()
			p.Estimates = append(p.Estimates, e)
		}
	}
	return p
}

func (r *Run) setSteady(e estimate.Estimate) {
	r.SteadyIteration, r.SteadyS = contract.NewSeconds(e), interval(e)
}

func atEpochs(n float64, t estimate.Estimate, price *float64, vms int) Epochs {
	e := Epochs{Epochs: n, Time: Seconds{t.Value, t.Low, t.High, t.Basis.String()}}
	if price != nil {
		c := t.Times(*price * float64(vms) / 3600)
		e.Cost = &Dollars{c.Value, c.Low, c.High, c.Basis.String()}
	}
	return e
}

func machine(m store.Machine) Machine {
	out := Machine{
		Host: m.Host, OS: m.OS, CPU: contract.OrNull(m.CPU), CPUs: m.CPUs, GPU: contract.OrNull(m.GPU),
		GPUCount: contract.OrNull(m.GPUCount), GPUMemGiB: m.GPUMemGiB, Driver: contract.OrNull(m.Driver),
		CUDA: contract.OrNull(m.CUDA), Cloud: contract.OrNull(m.VM.Cloud), Region: contract.OrNull(m.VM.Region),
		InstanceType: contract.OrNull(m.VM.InstanceType), USDPerHour: m.USDPerHour,
	}
	if m.NoGPU {
		out.GPUCount = &m.GPUCount
	}
	return out
}

// Saved returns the last update of a run that has ended, from the database.
func Saved(ctx context.Context, db *store.Store, id int64) (session.Update, error) {
	r, err := db.Record(ctx, id)
	if err != nil {
		return session.Update{}, err
	}
	set, err := db.Load(ctx)
	if err != nil {
		return session.Update{}, err
	}
	its, err := db.Iterations(ctx, id)
	if err != nil {
		return session.Update{}, err
	}
	i := slices.IndexFunc(set.Runs, func(run profile.Run) bool { return run.ID == id })
	if i < 0 {
		return session.Update{}, errors.New("the run was deleted meanwhile")
	}
	u := session.Update{
		Seq: 1, Run: set.Runs[i], Machine: r.Machine, Seconds: stepTimes(its),
		SpentUSD: r.SpentUSD,
		Layers:   r.Layers, InputWait: r.InputWait, MemoryBytes: set.Runs[i].PeakMemoryBytes,
		Warnings: r.Warnings, Rejected: r.RejectedLines, Done: true, StoppedBecause: r.StoppedBecause,
		StoppedWords: r.StoppedWords, ScriptExit: r.ScriptExit,
	}
	if r.SpentS != nil {
		u.SpentS = *r.SpentS
	}
	u.Summary = summary(u.Run, u.Seconds)
	if r.Address != "" && u.StoppedBecause == session.Interrupted && u.ScriptExit != nil &&
		*u.ScriptExit == runner.ConnectionLost {
		u.StoppedWords = session.ConnectionLost
	}
	if u.Run.Status == profile.Failed {
		u.Err = errors.New("the probe failed; its log is in the database")
	}
	return u, nil
}

// stepTimes are the times of the synchronous steps: those of the slowest rank.
func stepTimes(its []store.Iteration) []float64 {
	var out []float64
	counts := map[int]int{}
	for _, it := range its {
		i := counts[it.Rank]
		counts[it.Rank]++
		if i < len(out) {
			out[i] = max(out[i], it.Seconds)
		} else {
			out = append(out, it.Seconds)
		}
	}
	return out
}

// summary is the summary saved with the run: iterations after the stop rule was
// met do not change it.
func summary(r profile.Run, seconds []float64) steady.Summary {
	s := steady.Summarise(seconds)
	isRough := !s.IsSteady && s.Steady == r.Steady
	if !r.Steady.Known() || isRough || r.WarmupIterations == nil || len(seconds) < 1+*r.WarmupIterations+r.SteadyN {
		return s
	}
	part := slices.Sorted(slices.Values(seconds[1+*r.WarmupIterations : 1+*r.WarmupIterations+r.SteadyN]))
	s.IsSteady, s.Why = true, ""
	s.Steady, s.N, s.Warmup = r.Steady, r.SteadyN, *r.WarmupIterations
	if r.WarmupExtraS != nil {
		s.WarmupExtra = *r.WarmupExtraS
	}
	if r.SteadyStdDevS != nil {
		s.StdDev = *r.SteadyStdDevS
	}
	if len(part) > 0 {
		s.P50 = estimate.Quantile(part, 0.5)
		s.P90 = estimate.Quantile(part, 0.9)
		s.P99 = estimate.Quantile(part, 0.99)
	}
	return s
}
