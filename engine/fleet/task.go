package fleet

import (
	"math"
	"math/rand/v2"
)

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
		at = t.Mix.find(j.Model)
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
