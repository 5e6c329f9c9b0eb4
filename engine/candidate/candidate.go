// Package candidate turns profiles into candidates for a workload: which VM type,
// batch size and variant, bought how, with what is known of their time, cost and
// accuracy.
package candidate

import (
	"math"

	"sweetspot/engine/bill"
	"sweetspot/engine/curve"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/training"
)

// Part is a number of equal VMs of a candidate's configuration.
type Part struct {
	VM         profile.VMType
	GPUUnknown bool // whether the VM has any GPU: no catalog lists it, and no run says
	Count      int
	USDPerHour *float64 // of one VM, for the candidate's purchase option
	PriceFrom  string   // source and date of the price
	PriceAsOf  string   // the date alone, as the source has it; "" is unknown
	// PriceSpread is the standard deviation, in the logarithm, of the quotes
	// there are for the VM type and purchase option; 0 where there is but one,
	// or all are the same: the price is then taken as quoted.
	PriceSpread float64
	// Of a combination of VM types: what all VMs of this type do of the work, at
	// which batch size, and how long the busiest of their GPUs works, in seconds.
	BatchSize    int
	Units, BusyS float64
}

// Outcome is a time and what it costs.
type Outcome struct {
	Seconds float64 `json:"s" yaml:"s"`
	USD     float64 `json:"usd" yaml:"usd"`
}

// Quality is the estimate of a candidate's accuracy, with its metric.
type Quality struct {
	Metric         string
	Estimate       estimate.Estimate // in [0,1] for fractions
	HigherIsBetter bool
}

// Candidate is a variant on a configuration, at a batch size, bought one way,
// with what is known of its time, cost and accuracy.
type Candidate struct {
	ID            string
	Model         string
	Variant       profile.Variant
	Mode          profile.Mode
	Configuration []Part
	BatchSize     int
	Epochs        *float64
	Steps         *float64 // iterations of a training whose script counts them
	FixedSteps    bool     // as many at every batch size
	Units         *float64
	Purchase      profile.Purchase

	Time   estimate.Estimate // seconds until all is done
	Cost   estimate.Estimate // US dollars; unknown without a price
	Energy estimate.Estimate // kilowatt-hours of all that is done; unknown where none was measured
	Parts  bill.Parts        // what the cost is made of
	// Slowdown is by how much interruptions of spot VMs stretch the work; unknown
	// where there are none.
	Slowdown estimate.Estimate
	Quality  *Quality

	// Other is, of a combination of VM types, the outcome in whole batches where
	// Time and Cost are those of work that divides at will, or the other way round.
	Other   *Outcome
	Divided bool // the former

	OverMemory *Violation // the GPU's memory does not hold it
	Fit        *Fit       // of the training of a language model; else nil
	ToLoss     *ToLoss    // of such a training to a loss; else nil
	Sources    []int64    // runs it rests on
	AsPrinted  bool       // a published total of unknown epochs
	FromWork   bool       // a time told by the network's work alone
	FromEpochs bool       // a training's time, predicted from the first epochs of a run
	Schedule   string     // how the work of a training's steps changes, in words, where its time is less sure for it
	// FollowsSizes says that the time is of that schedule, whose sizes are known.
	FollowsSizes bool
	Live         bool // rests on a probe that is still running
	// Of a training to a target accuracy: what its number of epochs rests on,
	// its interval, and the probability that the target is never reached, nil
	// where that is unknown.
	EpochsWhy   string
	EpochsRange estimate.Estimate
	Never       *float64
	// Scaling is, of a training that ran on several numbers of workers, how it goes on each
	// and on more, by rising number.
	Scaling []ScaledSize
	Why     string // what a prediction rests on, and which pauses a training's time holds

	TimeByEpochs, CostByEpochs, EnergyByEpochs *training.Line    // over epochs, where known
	timed                                      estimate.Basis    // of the iteration time
	watts                                      estimate.Estimate // predicted mean power of one VM
	Cell                                       int               // timing cell; candidates of one cell err together
	Probe                                      Probe
	Prediction                                 *curve.Prediction // of a training to a target accuracy
	Errors                                     []CellError       // of a combination of VM types: cells and their parts
}

// Probe is what a probe of a candidate takes, and what it can tell.
type Probe struct {
	IterationS float64  // seconds of one, expected
	StartupS   *float64 // seconds until the first steady one; nil where unknown
	Sigma      float64  // of the time, in the logarithm, as far as a probe can reduce it
}

// SeveralCells is the cell of a candidate whose time rests on several.
const SeveralCells = -1

// CellError is the part that a timing cell has in the uncertainty of a candidate, as
// a standard deviation of the logarithm.
type CellError struct {
	Cell  int32
	Sigma float64
}

// USDPerHour is the price of the whole configuration; nil where a part has none.
func (c *Candidate) USDPerHour() *float64 {
	var sum float64
	for _, p := range c.Configuration {
		if p.USDPerHour == nil {
			return nil
		}
		sum += float64(p.Count) * *p.USDPerHour
	}
	return &sum
}

// Violation is a limit a candidate breaks. Value is nil where it is unknown,
// which does not satisfy a limit. Limit is NaN where a run out of memory is all
// that is known of it.
type Violation struct {
	Constraint question.Constraint
	Limit      float64
	Value      *float64
}

// Of is the candidate's estimate of an objective.
func (c *Candidate) Of(o objective.Name) estimate.Estimate {
	switch {
	case o == objective.Time:
		return c.Time
	case o == objective.Cost:
		return c.Cost
	case o == objective.Energy:
		return c.Energy
	case o == objective.Accuracy && c.Quality != nil:
		return c.Quality.Estimate
	}
	return estimate.Estimate{}
}

// Line is the value of an objective over the workload's length: epochs in
// training, or steps where as many are asked of all, units in inference (where the start-up, if any, is spread over
// them). ok is false where no length is known.
func (c *Candidate) Line(o objective.Name) (line training.Line, ok bool) {
	e := c.Of(o)
	switch by := c.ByEpochs(o); {
	case by != nil:
		return *by, true
	case c.Units != nil && *c.Units > 0 && e.Known():
		return training.Line{Slope: e.Value / *c.Units}, true
	}
	return training.Line{}, false
}

// Length is how long the candidate's work is in the unit of a workload: its epochs, steps or units;
// ok is false where that is not known.
func (c *Candidate) Length(w question.Workload) (at float64, ok bool) {
	switch {
	case c.FixedSteps:
		return *c.Steps, true
	case c.Epochs != nil:
		return w.InLengthUnit(*c.Epochs), true
	case c.Units != nil:
		return *c.Units, true
	}
	return 0, false
}

// ByEpochs is the value of an objective over the epochs of a training, over its steps where
// as many are asked of all; nil where that is not known.
func (c *Candidate) ByEpochs(o objective.Name) (line *training.Line) {
	switch o {
	case objective.Time:
		line = c.TimeByEpochs
	case objective.Cost:
		line = c.CostByEpochs
	case objective.Energy:
		line = c.EnergyByEpochs
	}
	if line != nil && c.FixedSteps {
		return &training.Line{At0: line.At0, Slope: line.Slope * *c.Epochs / *c.Steps}
	}
	return line
}

// Alongside reports whether two candidates differ in the batch size alone.
func (c *Candidate) Alongside(o *Candidate) bool {
	return len(c.Configuration) == 1 && len(o.Configuration) == 1 && sameVariant(c.Variant, o.Variant) &&
		c.Configuration[0].VM.Key() == o.Configuration[0].VM.Key() && c.Configuration[0].Count == o.Configuration[0].Count
}

// IsPredicted reports whether the candidate rests on no run of its own.
// Its time may be weaker known than that: by the epochs it takes to a target.
func (c *Candidate) IsPredicted() bool { return IsPrediction(c.Timing()) }

// IsPrediction reports whether a candidate rests on no run of its own by the basis of its
// [Candidate.Timing].
func IsPrediction(timing estimate.Basis) bool { return timing >= estimate.OtherBatch }

// Timing is the basis of the iteration time behind the candidate's.
func (c *Candidate) Timing() estimate.Basis {
	if c.timed == estimate.Unknown {
		return c.Time.Basis
	}
	return c.timed
}

// Sigma is the standard deviation of the logarithm of what the objective is by.
func (c *Candidate) Sigma(o objective.Name) float64 {
	switch {
	case o != objective.Time && o != objective.Cost:
		return c.Of(o).LogSigma()
	case o == objective.Time || len(c.Configuration) != 1:
		return c.Time.LogSigma()
	}
	return math.Hypot(c.Time.LogSigma(), c.Configuration[0].PriceSpread)
}
