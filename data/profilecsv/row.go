package profilecsv

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/data/catalog"
	"sweetspot/data/shellwords"
	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// field is a column that holds one field of a run or its model as it is: a text,
// a number or a count.
type field struct {
	column string
	of     any // *string, **float64, or *int, **int
}

func fields(m *profile.Model, r *profile.Run) []field {
	return []field{
		{"model", &r.Model}, {"dataset", &r.Dataset}, {"unit", &r.Unit}, {"task", &m.Task},
		{"folder", &r.Folder}, {"network", &r.Work.Network}, {"input", &r.Work.Input},
		{"params", &r.Work.Params}, {"flops_per_unit", &r.Work.FLOPs}, {"activations_per_unit", &r.Work.Activations},
		{"layers", &r.Work.Layers}, {"state_bytes", &r.Work.StateBytes},
		{"variant", &r.Variant.Name}, {"precision", &r.Variant.Precision},
		{"cloud", &r.Cloud}, {"region", &r.Region}, {"instance_type", &r.InstanceType}, {"gpu", &r.GPU},
		{"gpu_count", &r.GPUCount}, {"gpu_mem_gib", &r.GPUMemGiB}, {"world_size", &r.WorldSize},
		{"usd_per_hour", &r.USDPerHour},
		{"batch_size", &r.BatchSize}, {"epochs", &r.Epochs}, {"steps", &r.Steps},
		{"schedule", &r.Schedule},
		{"iterations_per_epoch", &r.IterationsPerEpoch},
		{"train_size", &r.TrainSize}, {"init_s", &r.InitS}, {"first_iteration_s", &r.FirstIterationS},
		{"startup_s", &r.StartupS}, {"steady_stddev_s", &r.SteadyStdDevS}, {"steady_n", &r.SteadyN},
		{"warmup_iterations", &r.WarmupIterations}, {"first_validation_s", &r.FirstValidationS},
		{"validation_s", &r.ValidationS}, {"exit_s", &r.ExitS}, {"total_s", &r.TotalS}, {"total_stddev_s", &r.TotalStdDevS},
		{"total_n", &r.TotalN}, {"energy_j_per_unit", &r.EnergyJPerUnit}, {"average_power_w", &r.AveragePowerW},
		{"energy_of", &r.EnergyOf}, {"power_limit_w", &r.PowerLimitW}, {"peak_memory_bytes", &r.PeakMemoryBytes},
		{"source", &r.Source}, {"as_of", &r.AsOf}, {"note", &r.Note},
	}
}

// ErrNumber refuses a number that no quantity of a run has.
var ErrNumber = errors.New("has a number that is negative or too large")

// Decode sets what is a column of its own from JSON values by the same names. null
// and what is not there stay unknown.
func Decode(values map[string]json.RawMessage, r *profile.Run) error {
	for _, f := range fields(&profile.Model{}, r) {
		if v, ok := values[f.column]; ok {
			if err := json.Unmarshal(v, f.of); err != nil {
				return err
			}
		}
		switch of := f.of.(type) {
		case *string:
			*of = textfile.Text(*of)
		case **float64:
			if *of != nil && !textfile.IsQuantity(**of) {
				return ErrNumber
			}
		case *int:
			*of = max(*of, 0)
		}
	}
	return nil
}

func (r reader) row() (m profile.Model, run profile.Run) {
	for _, f := range fields(&m, &run) {
		switch of := f.of.(type) {
		case *string:
			*of = r.Cell(f.column)
		case **float64:
			*of = r.NotNegative(f.column)
		case *int:
			*of = r.Count(f.column)
		case **int:
			if r.Cell(f.column) != "" {
				*of = new(r.Count(f.column))
			}
		}
	}
	m.Name, m.Dataset, m.Unit = run.Model, run.Dataset, run.Unit
	run.Variant.Name = profile.VariantOfTitle(run.Variant.Name)
	if run.Cloud == "" {
		run.InstanceType = cmp.Or(run.InstanceType, r.Cell("host"))
	}
	run.Variant.Precision, run.Variant.Pruning = strings.ToLower(run.Variant.Precision), r.pruning()
	if run.Variant.IsModel() {
		m.Params, m.FLOPsPerUnit = run.Work.Params, run.Work.FLOPs
	}
	run.Mode, run.Status, run.Basis = r.mode(), r.status(), r.basis()
	run.Count, run.NoGPU = r.Whole("count", 1), run.GPUCount == 0 && r.Cell("gpu_count") != ""
	switch {
	case run.Model == "":
		_ = r.Fail("model", "is empty; every run needs a model name")
	case run.Count == 0:
		_ = r.Fail("count", "a run needs at least 1 VM; leave it empty for 1")
	case run.StartupS != nil && (run.InitS != nil || run.FirstIterationS != nil):
		_ = r.Fail("startup_s", "only applies if init_s and first_iteration_s are unknown; leave it empty")
	case run.AsOf != "" && !catalog.IsDate(run.AsOf):
		_ = r.Fail("as_of", "%s is not a date; write 2021-02-28, 2021-02 or 2021", plaintext.Quote(run.AsOf))
	}
	run.WarmupExtraS = r.Number("warmup_extra_s")
	run.Command = r.command("command")
	for p := range strings.FieldsSeq(r.Cell("packages")) {
		if !profile.IsPackage(p) {
			_ = r.Fail("packages", "%s is no package with its version, such as numpy==1.26.4", plaintext.Quote(p))
		}
		run.Packages = append(run.Packages, p)
	}
	tuning, err := profile.ParseTuning(r.Cell("tuning"))
	if err != nil {
		_ = r.Fail("tuning", "%v", err)
	}
	run.Tuning = tuning
	if run.Sizes, err = profile.ParseSizes(r.Cell("sizes")); err != nil {
		_ = r.Fail("sizes", "%v", err)
	}
	run.Serving = r.serving("serving")
	run.Steady = r.steady(run)
	run.Accuracy = r.accuracy(run.Basis)
	run.EpochStartsS = r.rising("epoch_starts_s")
	run.Validations = r.validations(run)
	run.Pauses = r.pauses("pauses")
	return m, run
}

func (r reader) serving(column string) *profile.Serving {
	s, err := profile.ParseServing(r.Cell(column))
	if err != nil {
		_ = r.Fail(column, "%s", err.Error())
	}
	return s
}

func (r reader) command(column string) []string {
	words, err := shellwords.Split(r.Cell(column))
	if err != nil {
		_ = r.Fail(column, "%s: %v", plaintext.Quote(r.Cell(column)), err)
	}
	return words
}

func (r reader) pruning() *profile.Pruning {
	p := profile.Pruning{Kind: r.Cell("pruning_kind"), Ratio: r.fraction("pruning"), Layers: r.layers("pruning_layers")}
	if p.Kind == "" && p.Ratio == nil && p.Layers == nil {
		return nil
	}
	return &p
}

func (r reader) mode() profile.Mode {
	switch m := profile.Mode(strings.ToLower(r.Cell("mode"))); m {
	case profile.Train, profile.Infer:
		return m
	case "":
		_ = r.Fail("mode", "is empty; write train or infer")
	default:
		_ = r.Fail("mode", "%s is neither train nor infer", plaintext.Quote(string(m)))
	}
	return ""
}

func (r reader) basis() estimate.Basis {
	word := strings.ToLower(r.Cell("basis"))
	if word == "" {
		_ = r.Fail("basis", "is empty; give the basis of the row: measured, published, reconstructed, other-batch, "+
			"transferred "+
			"or spec")
		return estimate.Unknown
	}
	b, err := estimate.ParseBasis(word)
	if err != nil {
		_ = r.Fail("basis", "%s", err.Error())
	}
	return b
}

func (r reader) status() profile.Status {
	s := profile.Status(strings.ToLower(r.Cell("status")))
	if s == "" {
		return profile.Done
	}
	if !slices.Contains([]profile.Status{profile.Done, profile.OutOfMemory, profile.Failed, profile.Interrupted}, s) {
		_ = r.Fail("status", "%s is not one of done, oom, failed, interrupted", plaintext.Quote(string(s)))
	}
	return s
}

// steady returns the steady iteration time with the given interval, else with
// the t-interval of its spread, else as a bare number that the engine widens by
// the usual spread of its basis.
func (r reader) steady(run profile.Run) estimate.Estimate {
	v := r.NotNegative("steady_iteration_s")
	if v == nil {
		return estimate.Estimate{}
	}
	if *v == 0 {
		_ = r.Fail("steady_iteration_s", "is 0; leave it empty if it is unknown")
	} else if !estimate.Plausible(*v) {
		_ = r.Fail("steady_iteration_s", "%g s is too short to be measured; leave it empty if it is unknown", *v)
	}
	low, high := r.NotNegative("steady_low_s"), r.NotNegative("steady_high_s")
	switch {
	case low != nil && high != nil:
		if *low > *v || *high < *v {
			_ = r.Fail("steady_low_s", "the interval %g to %g does not contain steady_iteration_s %g", *low, *high, *v)
		}
		return estimate.Estimate{Value: *v, Low: *low, High: *high, Basis: run.Basis}
	case low != nil || high != nil:
		_ = r.Fail("steady_low_s", "steady_low_s and steady_high_s go together; give both or neither")
	case run.SteadyStdDevS != nil && run.SteadyN >= 2:
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(run.SteadyN - 1)}.Quantile(0.95)
		return estimate.Around(*v, t**run.SteadyStdDevS/math.Sqrt(float64(run.SteadyN)), run.Basis)
	}
	return estimate.Exact(*v, run.Basis)
}

func (r reader) accuracy(basis estimate.Basis) *profile.Accuracy {
	v := r.NotNegative("accuracy")
	metric, higher := r.Cell("metric"), r.boolean("higher_is_better")
	stddev := r.NotNegative("accuracy_stddev")
	if v == nil {
		return nil
	}
	if higher == nil {
		_ = r.Fail("higher_is_better", "is empty although there is an accuracy; write true or false")
		return nil
	}
	if *higher && *v > 1 && (metric == "" || profile.IsFraction(metric)) {
		_ = r.Fail("accuracy", "%g is above 1; write a fraction, %g for %g %%", *v, *v/100, *v)
	}
	return &profile.Accuracy{Metric: metric, Value: *v, StdDev: stddev, HigherIsBetter: *higher, Basis: basis}
}
