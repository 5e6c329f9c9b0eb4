// Package contract holds the JSON and the CSV that scripts rely on: of rankings,
// picks, plans, fleets, traffic and runs. Fields may be added, never renamed or
// given another unit, and unknown is null.
package contract

import (
	"math"
	"slices"

	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// Schema is the version of every JSON object.
const Schema = 1

// Head begins every JSON object.
type Head struct {
	Schema   int      `json:"schema" yaml:"schema"`     // version of this object
	Command  string   `json:"command" yaml:"command"`   // the subcommand
	Warnings []string `json:"warnings" yaml:"warnings"` // sentences on what to know before relying on it
}

// NewHead begins the JSON of a subcommand.
func NewHead(command string, warnings ...string) Head {
	return Head{Schema, command, append([]string{}, warnings...)}
}

// Candidate is a ranked candidate as scripts see it: seconds, US dollars,
// fractions.
type Candidate struct {
	ID            string    `json:"id" yaml:"id"`     // stays the same from call to call
	Rank          *int      `json:"rank" yaml:"rank"` // null where infeasible
	Model         string    `json:"model" yaml:"model"`
	Variant       string    `json:"variant" yaml:"variant"` // unchanged is the model as published
	Precision     *string   `json:"precision" yaml:"precision"`
	Pruning       *Pruning  `json:"pruning" yaml:"pruning"`
	Mode          string    `json:"mode" yaml:"mode"` // train or infer
	Configuration []Part    `json:"configuration" yaml:"configuration"`
	BatchSize     *int      `json:"batch_size" yaml:"batch_size"` // train: of the whole job; infer: per GPU
	Epochs        *float64  `json:"epochs" yaml:"epochs"`         // of a training
	Steps         *float64  `json:"steps" yaml:"steps"`           // of one counted in them, at this batch size
	Units         *float64  `json:"units" yaml:"units"`           // of an inference; tokens of a language model's training
	Purchase      string    `json:"purchase" yaml:"purchase"`     // how the VMs are bought
	Time          Seconds   `json:"time" yaml:"time"`
	Cost          Dollars   `json:"cost" yaml:"cost"`
	Energy        *Amount   `json:"energy,omitempty" yaml:"energy,omitempty"` // where any candidate has it
	Accuracy      *Accuracy `json:"accuracy" yaml:"accuracy"`
	Score         *float64  `json:"score" yaml:"score"`       // weighted mean of value / best value
	TAR           *float64  `json:"tar" yaml:"tar"`           // seconds per unit of accuracy
	CAR           *float64  `json:"car" yaml:"car"`           // US dollars per unit of accuracy
	Relative      Numbers   `json:"relative" yaml:"relative"` // value / best feasible value
	PBest         Numbers   `json:"p_best" yaml:"p_best"`     // probability of being the best; null in a plan
	// others that are as good in the objective of the order; null where ties are not looked for, see ranking.md
	Ties      *int                 `json:"ties" yaml:"ties"`
	TiedWith  []string             `json:"tied_with" yaml:"tied_with"` // ids of these by rising value, at most a hundred
	Feasible  bool                 `json:"feasible" yaml:"feasible"`   // it holds all limits
	Violates  []Violation          `json:"violates" yaml:"violates"`   // what it violates
	Frontier  objective.Each[bool] `json:"frontier" yaml:"frontier"`   // of each objective with the accuracy
	Sources   []int64              `json:"sources" yaml:"sources"`     // runs; below 0: built-in
	Predicted bool                 `json:"predicted" yaml:"predicted"` // no run of its own: the basis says by what
	// to a target accuracy; null for a given number of epochs
	EpochsLow  *float64 `json:"epochs_low" yaml:"epochs_low"`
	EpochsHigh *float64 `json:"epochs_high" yaml:"epochs_high"`
	EpochsWhy  *string  `json:"epochs_why" yaml:"epochs_why"`
	Never      *float64 `json:"never" yaml:"never"` // probability that the target is never reached
	// what a prediction rests on; which pauses are in a training's time
	Why    *string `json:"why" yaml:"why"`
	Tested *Tested `json:"tested" yaml:"tested"`
	// Of a training whose model ran on several numbers of GPUs: the step time on each, and on
	// twice and four times as many; empty otherwise.
	Scaling []ScaledSize `json:"scaling" yaml:"scaling"`
	// Of a combination of VM types: the outcome in whole batches, and where the
	// work divides at will, one of which time and cost repeat.
	WholeBatches *candidate.Outcome `json:"whole_batches" yaml:"whole_batches"`
	Divisible    *candidate.Outcome `json:"divisible" yaml:"divisible"`
	// of the training of a language model by its architecture; left out of other work
	Fit *Fit `json:"fit,omitempty" yaml:"fit,omitempty"`
	// of such a training to a loss; left out of other work
	ToLoss *ToLoss `json:"tokens_to_loss,omitempty" yaml:"tokens_to_loss,omitempty"`
}

// ToLoss is how many tokens a training takes to a loss.
type ToLoss struct {
	Value *float64 `json:"value" yaml:"value"`
	Range `yaml:",inline"`
	Why   string `json:"why" yaml:"why"` // the trainings it rests on
}

// ScaledSize is a training on a number of GPUs, or of processes without.
type ScaledSize struct {
	Workers    int     `json:"workers" yaml:"workers"`       // GPUs or processes, over all VMs
	BatchSize  int     `json:"batch_size" yaml:"batch_size"` // of all of them
	Step       Seconds `json:"step" yaml:"step"`             // time of an iteration
	Efficiency Share   `json:"efficiency" yaml:"efficiency"` // what one does, relative to the smallest number that ran
	Predicted  bool    `json:"predicted" yaml:"predicted"`   // it did not run
}

// Share is an estimate of a fraction.
type Share struct {
	Value *float64 `json:"value" yaml:"value"`
	Range `yaml:",inline"`
}

func newScaling(sizes []candidate.ScaledSize) []ScaledSize {
	out := []ScaledSize{}
	for _, s := range sizes {
		of := ScaledSize{Workers: s.Workers, BatchSize: s.Batch, Step: NewSeconds(s.Step), Predicted: s.Predicted}
		of.Efficiency.Value, of.Efficiency.Range = interval(s.Efficiency)
		out = append(out, of)
	}
	return out
}

// Pruning is what was removed from the model.
type Pruning struct {
	Kind   *string            `json:"kind" yaml:"kind"`     // in words
	Ratio  *float64           `json:"ratio" yaml:"ratio"`   // fraction removed
	Layers map[string]float64 `json:"layers" yaml:"layers"` // fraction removed, by layer
}

// Part is a number of equal VMs, or a machine of one's own: that has a host and
// no instance type.
type Part struct {
	Cloud        *string  `json:"cloud" yaml:"cloud"`
	Region       *string  `json:"region" yaml:"region"`
	InstanceType *string  `json:"instance_type" yaml:"instance_type"` // null of a machine of one's own
	Host         *string  `json:"host" yaml:"host"`                   // of a machine of one's own
	GPU          *string  `json:"gpu" yaml:"gpu"`                     // null also where there is none
	GPUCount     *int     `json:"gpu_count" yaml:"gpu_count"`         // of one VM; 0 where there is none
	Count        int      `json:"count" yaml:"count"`                 // number of such VMs
	USDPerHour   *float64 `json:"usd_per_hour" yaml:"usd_per_hour"`   // of one VM
	PriceFrom    *string  `json:"price_from" yaml:"price_from"`       // source and date of the price
	// of a combination of VM types; null otherwise, as are the next two
	BatchSize *int     `json:"batch_size" yaml:"batch_size"`
	Units     *float64 `json:"units" yaml:"units"`   // of the work, all VMs together
	BusyS     *float64 `json:"busy_s" yaml:"busy_s"` // of the GPU that has most
}

// Range is the 90 % interval of an estimate, and what it is based on.
type Range struct {
	Low   *float64 `json:"low" yaml:"low"`
	High  *float64 `json:"high" yaml:"high"`
	Basis *string  `json:"basis" yaml:"basis"`
}

// PlusMinus writes half the interval as a share of the value, after a blank; "" where it has none.
func (r Range) PlusMinus(value *float64) string {
	if value == nil || r.Low == nil || r.High == nil || !(*value > 0) {
		return ""
	}
	return " " + quantity.PlusMinus((*r.High-*r.Low)/2 / *value)
}

// Seconds is an estimate of time.
type Seconds struct {
	S     *float64 `json:"s" yaml:"s"`
	Range `yaml:",inline"`
}

// NewSeconds is an estimate of time in seconds.
func NewSeconds(e estimate.Estimate) (s Seconds) {
	s.S, s.Range = interval(e)
	return s
}

// Dollars is an estimate of cost.
type Dollars struct {
	USD   *float64 `json:"usd" yaml:"usd"`
	Range `yaml:",inline"`
	Items []bill.Item `json:"items" yaml:"items"` // what it is made of; empty where it is unknown
}

// Accuracy is an estimate of a metric.
type Accuracy struct {
	Metric         string  `json:"metric" yaml:"metric"`
	Value          float64 `json:"value" yaml:"value"`
	Low            float64 `json:"low" yaml:"low"`
	High           float64 `json:"high" yaml:"high"`
	Basis          string  `json:"basis" yaml:"basis"`
	HigherIsBetter bool    `json:"higher_is_better" yaml:"higher_is_better"`
}

// Tested is how far off estimates of the candidate's basis were on the runs of
// the database itself, as fractions of the truth.
type Tested struct {
	N      int      `json:"n" yaml:"n"`           // runs that were predicted
	Median *float64 `json:"median" yaml:"median"` // relative error
	P90    *float64 `json:"p90" yaml:"p90"`       // relative error that nine in ten stay below
}

// Numbers are a number for each objective that is minimized; nil is unknown.
type Numbers = objective.Each[*float64]

// Violation is a broken limit.
type Violation struct {
	Constraint string   `json:"constraint" yaml:"constraint"` // its name
	Limit      *float64 `json:"limit" yaml:"limit"`           // null where a run out of memory is all that is known of it
	Value      *float64 `json:"value" yaml:"value"`
}

// NewCandidate describes candidate i of a result. place is its rank from 1, 0
// where infeasible.
func NewCandidate(r *rank.Result, i, place int, p Chances, tested validate.Tested) Candidate {
	return (&writer{r, tested, p, map[int]string{}}).candidate(i, place)
}

// writer describes candidates of a result.
type writer struct {
	result  *rank.Result
	tested  validate.Tested
	chances Chances
	ids     map[int]string // of those that tied with the last; all name the same ones
}

// id names a candidate that ties with others.
func (w *writer) id(i int) string {
	id, known := w.ids[i]
	if !known {
		id = clean(w.result.Space.At(i).ID)
		w.ids[i] = id
	}
	return id
}

// candidate describes candidate i. place is its rank from 1, 0 where infeasible.
func (w *writer) candidate(i, place int) Candidate {
	r, p := w.result, w.chances
	c, minimized := r.Space.At(i), r.Space.Objectives.Minimized()
	out := Candidate{
		ID: clean(c.ID), Model: clean(c.Model), Variant: clean(c.Variant.Title()),
		Precision: OrNull(clean(c.Variant.Precision)),
		Mode:      string(c.Mode), BatchSize: above0(c.BatchSize), Epochs: c.Epochs, Steps: c.Steps, Units: c.Units,
		Purchase: string(c.Purchase),
		Score:    known(r.Score(i)), TAR: known(r.PerAccuracy(objective.Time, i)),
		CAR:      known(r.PerAccuracy(objective.Cost, i)),
		Feasible: r.Feasible.Has(i), Violates: []Violation{}, Sources: orEmpty(c.Sources), Configuration: []Part{},
	}
	if e := c.EpochsRange; finite(e) && e.Known() {
		out.EpochsLow, out.EpochsHigh, out.EpochsWhy = &e.Low, &e.High, OrNull(clean(c.EpochsWhy))
	}
	out.Never = knownAt(c.Never)
	out.Tested, out.Scaling = newTested(w.tested, c), newScaling(c.Scaling)
	out.WholeBatches, out.Divisible = outcomes(c)
	out.Fit = newFit(c.Fit)
	if to := c.ToLoss; to != nil {
		out.ToLoss = &ToLoss{Why: clean(to.Why)}
		out.ToLoss.Value, out.ToLoss.Range = interval(to.Tokens)
	}
	out.Predicted, out.Why = c.IsPredicted(), OrNull(clean(c.Why))
	out.Time = NewSeconds(c.Time)
	out.Cost.USD, out.Cost.Range = interval(c.Cost)
	out.Cost.Items = newItems(c)
	for _, o := range r.Space.Objectives {
		if field := out.amounts()[o.Name]; field != nil {
			*field = newAmount(o, c.Of(o.Name))
		}
	}
	out.Rank = above0(place)
	out.Ties, out.TiedWith = w.ties(i, place)
	out.Relative = objective.ForEach(minimized, func(o objective.Objective) *float64 {
		if place == 0 {
			return nil
		}
		return relative(r.Space.Values(o.Name)[i], r.Best(o.Name))
	})
	out.PBest = objective.ForEach(minimized, func(o objective.Objective) *float64 {
		if place == 0 {
			return nil
		}
		return known(r.Chance(p[o.Name], o.Name, i))
	})
	out.Frontier = objective.ForEach(minimized, func(o objective.Objective) bool {
		return slices.Contains(r.Frontier(o.Name, objective.Accuracy), i)
	})
	out.Pruning = newPruning(c.Variant.Pruning)
	if q := c.Quality; q != nil && finite(q.Estimate) {
		out.Accuracy = &Accuracy{clean(q.Metric), q.Estimate.Value, q.Estimate.Low, q.Estimate.High,
			q.Estimate.Basis.String(), q.HigherIsBetter}
	}
	for _, p := range c.Configuration {
		out.Configuration = append(out.Configuration, newPart(p))
	}
	if out.Feasible {
		return out
	}
	for _, v := range r.Violations(i) {
		out.Violates = append(out.Violates, Violation{string(v.Constraint), known(v.Limit), knownAt(v.Value)})
	}
	return out
}

// newTested is nil where no run tells how good such an estimate is.
func newTested(t validate.Tested, c *candidate.Candidate) *Tested {
	s, ok := t.For(c)
	if !ok {
		return nil
	}
	return &Tested{s.N, known(s.Median), known(s.P90)}
}

// outcomes are both outcomes of a combination; nil of one VM type.
func outcomes(c *candidate.Candidate) (wholeBatches, divisible *candidate.Outcome) {
	if c.Other == nil {
		return nil, nil
	}
	now := &candidate.Outcome{Seconds: c.Time.Value, USD: c.Cost.Value}
	if c.Divided {
		return c.Other, now
	}
	return now, c.Other
}

func newPruning(p *profile.Pruning) *Pruning {
	if p == nil {
		return nil
	}
	out := &Pruning{OrNull(clean(p.Kind)), p.Ratio, make(map[string]float64, len(p.Layers))}
	for name, ratio := range p.Layers {
		out.Layers[clean(name)] = ratio
	}
	return out
}

func newPart(p candidate.Part) Part {
	vm := p.VM
	out := Part{
		Cloud: OrNull(clean(vm.Cloud)), Region: OrNull(clean(vm.Region)), GPU: OrNull(clean(vm.GPU)),
		Count: p.Count, USDPerHour: p.USDPerHour, PriceFrom: OrNull(clean(p.PriceFrom)),
	}
	if out.Cloud == nil {
		out.Host = OrNull(clean(vm.InstanceType))
	} else {
		out.InstanceType = OrNull(clean(vm.InstanceType))
	}
	if p.BatchSize > 0 {
		out.BatchSize, out.Units, out.BusyS = &p.BatchSize, &p.Units, &p.BusyS
	}
	if !p.GPUUnknown {
		out.GPUCount = &vm.GPUCount
	}
	return out
}

// clean is applied to every text here: what is written goes to terminals,
// spreadsheets and parsers that an escape sequence or a line break would lead
// astray.
func clean(s string) string { return plaintext.Clean(s) }

// above0 is a count whose zero means unknown.
func above0(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func knownAt(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return known(*v)
}

// relative is v over the best, 1 for the best also where that is free.
func relative(v, best float64) *float64 {
	if v == best {
		return new(1.0)
	}
	return known(v / best)
}

// finite reports whether the estimate can be written down at all: an absurd
// workload overflows.
func finite(e estimate.Estimate) bool {
	return known(e.Value) != nil && known(e.Low) != nil && known(e.High) != nil
}

func interval(e estimate.Estimate) (*float64, Range) {
	if !e.Known() || !finite(e) {
		return nil, Range{}
	}
	return &e.Value, Range{&e.Low, &e.High, new(e.Basis.String())}
}
