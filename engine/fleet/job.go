// Package fleet places a trace of jobs on reserved VMs and rents on-demand ones
// for what does not fit: the provider's side of ApproxDNN (Nabavinejad et al.
// 2019). Package approx computes the offers for reduced precision; this one finds
// which jobs can be made one, and where they would run.
package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Job is one row of a job trace.
type Job struct {
	SubmitS   float64 // seconds on the trace's clock
	RuntimeS  float64 // seconds at full precision, above 0
	DeadlineS float64 // seconds on the trace's clock; NaN where the trace states none
	GPUs      int     // at least 1, all at once
	Model     string  // "" where the trace names none
}

// HasDeadline reports whether the trace states a deadline.
func (j *Job) HasDeadline() bool { return !math.IsNaN(j.DeadlineS) }

// Load describes a synthetic trace. Jobs arrive as a Poisson process whose rate
// varies over the day; runtimes are log-normal; the number of GPUs is drawn by
// weight.
type Load struct {
	Jobs    int
	PerHour float64 // mean rate of submissions
	Swing   float64 // in [0,1]: amplitude of the daily variation of the rate, relative to its mean
	MedianS float64 // of the runtime at full precision, in seconds
	Sigma   float64 // standard deviation of its logarithm
	GPUs    []Share // empty: one each
}

// Share is a number of GPUs and how often jobs need it.
type Share struct {
	GPUs   int
	Weight float64
}

// Usual is a load of single-GPU jobs around the clock that keeps about twenty VMs
// busy. Its median runtime is chosen so that the candidates of a fleet of twenty
// take 3.5 h on average, as the study's do (on-demand cost over price and number
// of candidates).
func Usual(jobs int) Load {
	return Load{Jobs: jobs, PerHour: 8, Swing: 0.5, MedianS: 1.1 * 3600, Sigma: 1.3}
}

// String states the distributions.
func (l Load) String() string {
	words := fmt.Sprintf("%s, submitted at random at %g an hour (±%.0f %% over the day), runtimes log-normal with "+
		"median %s and sigma %g",
		quantity.Several(l.Jobs, "job"), l.PerHour, 100*l.Swing, quantity.Duration(l.MedianS), l.Sigma)
	if len(l.GPUs) == 0 {
		return words + ", one GPU each"
	}
	total := l.weights()
	return words + ", GPUs: " + plaintext.Join(l.GPUs, ", ", func(s Share) string {
		return fmt.Sprintf("%d %s", s.GPUs, quantity.Percent(s.Weight/total))
	})
}

const day = 24 * 3600

// Generate makes the jobs of a load, in the order of submission. Equal seeds make
// equal jobs.
func (l Load) Generate(seed uint64) []Job {
	random := rand.New(rand.NewPCG(seed, 0x6c6f6164)) // "load"
	jobs := make([]Job, l.Jobs)
	now := 0.0
	for i := range jobs {
		// Thinning (Lewis and Shedler, 1979): arrivals at the highest rate, each kept
		// with the probability rate / highest rate.
		for {
			now += random.ExpFloat64() / (l.PerHour * (1 + l.Swing)) * 3600
			if random.Float64()*(1+l.Swing) <= 1+l.Swing*math.Sin(2*math.Pi*now/day) {
				break
			}
		}
		jobs[i] = Job{
			SubmitS: now, RuntimeS: l.MedianS * math.Exp(l.Sigma*random.NormFloat64()),
			DeadlineS: math.NaN(), GPUs: l.gpus(random.Float64()),
		}
	}
	return jobs
}

// weights is the sum of all.
func (l Load) weights() (total float64) {
	for _, s := range l.GPUs {
		total += s.Weight
	}
	return total
}

func (l Load) gpus(u float64) int {
	total := l.weights()
	for _, s := range l.GPUs {
		if u -= s.Weight / total; u < 0 {
			return s.GPUs
		}
	}
	return 1
}

// Range is a uniform distribution. Equal ends are one value.
type Range struct{ Low, High float64 }

func (r Range) at(u float64) float64 { return r.Low + u*(r.High-r.Low) }

// Terms complete what a trace does not state.
type Terms struct {
	// Deadline of jobs without one, in runtimes after submission: the study's is 1.5
	// to 3.
	Deadline Range
	// Tightness scales the time that deadlines leave, stated ones too; 1 leaves
	// them as they are.
	Tightness float64
	// Ratio of reduced to full runtime for jobs whose model has none, 0.75 to 1 in
	// the study; with EveryRatio for all jobs.
	Ratio      Range
	EveryRatio bool
	Speed      float64 // reduced runtimes are multiplied by it: 0.9 takes 10 % off; 1 leaves them
	Mix        Mix     // models of jobs that name none; empty leaves them without
}

// Task is a job with everything that is drawn for it.
type Task struct {
	SubmitS, FullS, ReducedS, DeadlineS float64 // seconds, as of [Job]
	Accuracy, ReducedAccuracy           float64 // in [0,1]; NaN where unknown
	Draw                                float64 // the user's decision, see approx.Candidate
	GPUs                                int32
	Kind                                int32 // index in the mix; -1 for a model that is not in it
}

// Draws are the random numbers of the jobs of a trace, in [0,1). All terms use the
// same ones (common random numbers), so that a changed term changes nothing else.
type Draws [][4]float64

// The columns of [Draws].
const (
	modelDraw = iota
	ratioDraw
	deadlineDraw
	decisionDraw
)

// NewDraws draws for n jobs. Equal seeds give equal numbers, and longer traces
// begin like shorter ones.
func NewDraws(n int, seed uint64) Draws {
	random := rand.New(rand.NewPCG(seed, 0x666c656574)) // "fleet"
	draws := make(Draws, n)
	for i := range draws {
		for k := range draws[i] {
			draws[i][k] = random.Float64()
		}
	}
	return draws
}

// Prepare completes jobs into tasks. There must be as many draws as jobs. The
// slice reuses into where that is long enough.
func Prepare(into []Task, jobs []Job, draws Draws, t Terms) []Task {
	into = into[:0]
	for i := range jobs {
		into = append(into, t.task(&jobs[i], &draws[i]))
	}
	return into
}

func (t *Terms) task(j *Job, draw *[4]float64) Task {
	at := t.Mix.pick(draw[modelDraw])
	if j.Model != "" {
		at = t.Mix.Find(j.Model)
	}
	kind := unknownKind
	if at >= 0 {
		kind = t.Mix[at]
	}
	ratio := kind.Ratio
	if t.EveryRatio || math.IsNaN(ratio) {
		ratio = t.Ratio.at(draw[ratioDraw])
	}
	left := t.Deadline.at(draw[deadlineDraw]) * j.RuntimeS
	if j.HasDeadline() {
		left = j.DeadlineS - j.SubmitS
	}
	return Task{
		SubmitS: j.SubmitS, FullS: j.RuntimeS, ReducedS: j.RuntimeS * ratio * t.Speed,
		DeadlineS: j.SubmitS + left*t.Tightness,
		Accuracy:  kind.Accuracy, ReducedAccuracy: kind.ReducedAccuracy, Draw: draw[decisionDraw], GPUs: int32(j.GPUs),
		Kind: int32(at),
	}
}

// Kind is a model that jobs run, as it is at full and at reduced precision.
type Kind struct {
	Model  string
	Weight float64 // how often it is drawn, relative to the others; 0 is never, but a job may name it
	// Ratio is the runtime at reduced precision over that at full; NaN where
	// unknown.
	Ratio float64
	// Accuracies in [0,1]; NaN where unknown.
	Accuracy, ReducedAccuracy float64
	Basis                     string // where the numbers are from
}

// Mix is the models of a workload.
type Mix []Kind

// Find is the place of a model in the mix, -1 where it is not in it.
func (m Mix) Find(model string) int {
	return slices.IndexFunc(m, func(k Kind) bool { return k.Model == model })
}

// pick is the place at a share u in [0,1) of all weights, -1 without any.
func (m Mix) pick(u float64) int {
	total := 0.0
	for i := range m {
		total += m[i].Weight
	}
	u *= total
	for i := range m {
		if u < m[i].Weight {
			return i
		}
		u -= m[i].Weight
	}
	return -1
}

// unknownKind is a model of which nothing is known.
var unknownKind = Kind{Ratio: math.NaN(), Accuracy: math.NaN(), ReducedAccuracy: math.NaN()}

// fullPrecisions from the widest on; a model's full precision is the first that
// it was run or validated in.
var fullPrecisions = []string{"fp64", "fp32", "tf32", "bf16", "fp16"}

const reducedPrecision = "int8"

// MixOf is the mix of the models, each network of its own being one, that were validated or
// run in inference both at a full precision and in INT8, unpruned, all equally frequent:
// the ratio is the median over what was timed at both on the same machine at the same
// batch size, NaN where nothing was.
func MixOf(set *profile.Set) Mix {
	runs := map[string]map[string][]*profile.Run{} // by model, by precision
	var models []string
	for i := range set.Runs {
		r := &set.Runs[i]
		if r.Variant.Pruning != nil || r.Mode != profile.Infer {
			continue
		}
		name := strings.TrimSpace(r.Model + " " + r.Variant.Network())
		if runs[name] == nil {
			runs[name] = map[string][]*profile.Run{}
			models = append(models, name)
		}
		p := strings.ToLower(r.Variant.Precision)
		runs[name][p] = append(runs[name][p], r)
	}
	var mix Mix
	for _, model := range models {
		of := runs[model]
		at := slices.IndexFunc(fullPrecisions, func(p string) bool { return len(of[p]) > 0 })
		if at < 0 || len(of[reducedPrecision]) == 0 {
			continue
		}
		full, reduced := of[fullPrecisions[at]], of[reducedPrecision]
		k := Kind{Model: model, Weight: 1, Accuracy: accuracyOf(full), ReducedAccuracy: accuracyOf(reduced)}
		var pairs int
		k.Ratio, pairs = ratioOf(full, reduced)
		k.Basis = "accuracies in " + fullPrecisions[at] + " and int8"
		if a := reduced[0].Accuracy; a != nil {
			k.Basis += " " + a.Basis.String()
		}
		if pairs > 0 {
			k.Basis += ", ratio from " + quantity.Several(pairs, "timed pair")
		}
		mix = append(mix, k)
	}
	return mix
}

// accuracyOf is the accuracy of the runs that say one that can be a fraction.
func accuracyOf(runs []*profile.Run) float64 {
	for _, r := range runs {
		if a := r.Accuracy; a != nil && a.HigherIsBetter && a.Value >= 0 && a.Value <= 1 {
			return a.Value
		}
	}
	return math.NaN()
}

func ratioOf(full, reduced []*profile.Run) (ratio float64, pairs int) {
	var ratios []float64
	for _, f := range full {
		for _, r := range reduced {
			same := f.VM() == r.VM() && f.GPU == r.GPU && f.GPUCount == r.GPUCount && f.Count == r.Count &&
				f.BatchSize == r.BatchSize
			if same && f.Steady.Known() && r.Steady.Known() {
				ratios = append(ratios, r.Steady.Value/f.Steady.Value)
			}
		}
	}
	if len(ratios) == 0 {
		return math.NaN(), 0
	}
	slices.Sort(ratios)
	return estimate.Quantile(ratios, 0.5), len(ratios)
}
