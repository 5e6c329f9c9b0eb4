package profilecsv

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

func (r *reader) model() profile.Model {
	m := profile.Model{
		Name: r.text("model"), Dataset: r.text("dataset"), Task: r.text("task"), Unit: r.text("unit"),
		Params: r.number("params"), FLOPsPerUnit: r.number("flops_per_unit"),
	}
	if m.Name == "" {
		r.fail("model", "is empty; every run needs a model name")
	}
	return m
}

func (r *reader) run() profile.Run {
	run := profile.Run{
		Model: r.text("model"), Dataset: r.text("dataset"), Unit: r.text("unit"),
		Variant: r.variant(), Mode: r.mode(),
		Cloud: r.text("cloud"), Region: r.text("region"), InstanceType: r.text("instance_type"),
		GPU: r.text("gpu"), GPUCount: r.count("gpu_count", 0), GPUMemGiB: r.number("gpu_mem_gib"),
		Count: r.count("count", 1), USDPerHour: r.number("usd_per_hour"),
		BatchSize: r.count("batch_size", 0), Epochs: r.number("epochs"),
		IterationsPerEpoch: r.number("iterations_per_epoch"), TrainSize: r.number("train_size"),
		InitS: r.number("init_s"), FirstIterationS: r.number("first_iteration_s"), StartupS: r.number("startup_s"),
		SteadyStdDevS: r.number("steady_stddev_s"), SteadyN: r.count("steady_n", 0),
		WarmupIterations: r.count("warmup_iterations", 0),
		FirstValidationS: r.number("first_validation_s"), ValidationS: r.number("validation_s"),
		TotalS: r.number("total_s"), TotalStdDevS: r.number("total_stddev_s"), TotalN: r.count("total_n", 0),
		EnergyJPerUnit: r.number("energy_j_per_unit"), AveragePowerW: r.number("average_power_w"),
		EnergyOf: r.text("energy_of"), PowerLimitW: r.number("power_limit_w"),
		PeakMemoryBytes: r.number("peak_memory_bytes"),
		Status:          r.status(), Basis: r.basis(),
		Source: r.text("source"), AsOf: r.date("as_of"), Note: r.text("note"),
	}
	if run.Count == 0 {
		r.fail("count", "a run needs at least 1 VM; leave it empty for 1")
	}
	if run.StartupS != nil && (run.InitS != nil || run.FirstIterationS != nil) {
		r.fail("startup_s", "only applies if init_s and first_iteration_s are unknown; leave it empty")
	}
	if extra := r.signed("warmup_extra_s"); extra != nil {
		run.WarmupExtraS = *extra
	}
	run.Steady = r.steady(run)
	run.Accuracy = r.accuracy(run.Basis)
	run.EpochStartsS = r.rising("epoch_starts_s")
	run.Validations = r.validations(run)
	run.Pauses = r.pauses("pauses")
	return run
}

func (r *reader) variant() profile.Variant {
	v := profile.Variant{Name: r.text("variant"), Precision: strings.ToLower(r.text("precision"))}
	p := profile.Pruning{Kind: r.text("pruning_kind"), Ratio: r.fraction("pruning"), Layers: r.layers("pruning_layers")}
	if p.Kind != "" || p.Ratio != nil || p.Layers != nil {
		v.Pruning = &p
	}
	return v
}

func (r *reader) mode() profile.Mode {
	switch m := profile.Mode(strings.ToLower(r.text("mode"))); m {
	case profile.Train, profile.Infer:
		return m
	case "":
		r.fail("mode", "is empty; write train or infer")
	default:
		r.fail("mode", "%s is neither train nor infer", plaintext.Quote(string(m)))
	}
	return ""
}

func (r *reader) basis() estimate.Basis {
	word := strings.ToLower(r.text("basis"))
	if word == "" {
		r.fail("basis", "is empty; give the basis of the row: measured, published, reconstructed, other-batch, transferred "+
			"or spec")
		return estimate.Unknown
	}
	b, err := estimate.ParseBasis(word)
	if err != nil {
		r.fail("basis", "%s", err.Error())
	}
	return b
}

func (r *reader) status() profile.Status {
	s := profile.Status(strings.ToLower(r.text("status")))
	if s == "" {
		return profile.Done
	}
	if !slices.Contains([]profile.Status{profile.Done, profile.OutOfMemory, profile.Failed, profile.Interrupted}, s) {
		r.fail("status", "%s is not one of done, oom, failed, interrupted", plaintext.Quote(string(s)))
	}
	return s
}

// steady returns the steady iteration time with the given interval, else with
// the t-interval of its spread, else as a bare number that the engine widens by
// the usual spread of its basis.
func (r *reader) steady(run profile.Run) estimate.Estimate {
	v := r.number("steady_iteration_s")
	if v == nil {
		return estimate.Estimate{}
	}
	if *v == 0 {
		r.fail("steady_iteration_s", "is 0; leave it empty if it is unknown")
	}
	low, high := r.number("steady_low_s"), r.number("steady_high_s")
	switch {
	case low != nil && high != nil:
		if *low > *v || *high < *v {
			r.fail("steady_low_s", "the interval %g to %g does not contain steady_iteration_s %g", *low, *high, *v)
		}
		return estimate.Estimate{Value: *v, Low: *low, High: *high, Basis: run.Basis}
	case low != nil || high != nil:
		r.fail("steady_low_s", "steady_low_s and steady_high_s go together; give both or neither")
	case run.SteadyStdDevS != nil && run.SteadyN >= 2:
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(run.SteadyN - 1)}.Quantile(0.95)
		return estimate.Around(*v, t**run.SteadyStdDevS/math.Sqrt(float64(run.SteadyN)), run.Basis)
	}
	return estimate.Exact(*v, run.Basis)
}

func (r *reader) accuracy(basis estimate.Basis) *profile.Accuracy {
	v := r.number("accuracy")
	metric, higher := r.text("metric"), r.boolean("higher_is_better")
	stddev := r.number("accuracy_stddev")
	if v == nil {
		return nil
	}
	if higher == nil {
		r.fail("higher_is_better", "is empty although there is an accuracy; write true or false")
		return nil
	}
	if *higher && *v > 1 && (metric == "" || profile.IsFraction(metric)) {
		r.fail("accuracy", "%g is above 1; write a fraction, %g for %g %%", *v, *v/100, *v)
	}
	return &profile.Accuracy{Metric: metric, Value: *v, StdDev: stddev, HigherIsBetter: *higher, Basis: basis}
}
