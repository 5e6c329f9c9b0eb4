package memory

import (
	"math"
	"reflect"

	"sweetspot/engine/estimate"
)

// Peak is the most that the tensors of a job took of a GPU, in bytes, as PyTorch's allocator
// counted them. What CUDA and NCCL hold is not among them.
type Peak struct {
	Job   Job
	Bytes float64
}

// corrected is the need of a job where a peak was measured of the same network, tuned by the
// same method. By how much the count of that job is off, that of another is taken to be off as
// well; what is unsure in it is halved, on a scale of logarithms: kernels, versions and what the
// framework copies are the same, and how they grow with the batch is not known. The job itself
// takes what it took, and a larger one no less.
func (j Job) corrected(n Need, p Peak) Need {
	own := counted(p.Job)
	count := own.Total.Value - own.of("framework").Value
	if !(p.Bytes > 0) || !(count > 0) {
		return n
	}
	ratio, framework := p.Bytes/count, n.of("framework")
	value, low, high := n.Total.Value-framework.Value, n.Total.Low-framework.Low, n.Total.High-framework.High
	e := estimate.Estimate{Value: value * ratio, Low: ratio * math.Sqrt(low*value), High: ratio * math.Sqrt(high*value),
		Basis: estimate.Transferred}
	exact := estimate.Estimate{Value: p.Bytes, Low: p.Bytes, High: p.Bytes * (1 + fragmented), Basis: estimate.Measured}
	switch j.compared(p.Job) {
	case same:
		e = exact
	case smaller:
		e.Value, e.Low, e.High = min(e.Value, exact.Value), min(e.Low, exact.Value), min(e.High, exact.High)
	case larger:
		e.Value, e.Low, e.High = max(e.Value, exact.Value), max(e.Low, exact.Low), max(e.High, exact.High)
	}
	n.Total = estimate.Estimate{Value: e.Value + framework.Value, Low: e.Low + framework.Low,
		High: e.High + framework.High, Basis: e.Basis}
	return n
}

// of is the part of a name.
func (n Need) of(name string) (p Part) {
	for _, p := range n.Parts {
		if p.Name == name {
			return p
		}
	}
	return p
}

// size is how a job's need compares with another's.
type size int

const (
	unlike  size = iota // by more than its batch and sequences
	same                // in all
	smaller             // neither batch nor sequences are larger
	larger              // or neither smaller
)

func (j Job) compared(o Job) size {
	alike := o
	alike.MicroBatch, alike.Tuning.Sequence, alike.Measured = j.MicroBatch, j.Tuning.Sequence, j.Measured
	if alike.Architecture.Name = j.Architecture.Name; len(j.Tuning.Targets)+len(alike.Tuning.Targets) == 0 {
		alike.Tuning.Targets = j.Tuning.Targets
	}
	batch, sequence := j.MicroBatch-o.MicroBatch, j.Tuning.Sequence-o.Tuning.Sequence
	switch {
	case !reflect.DeepEqual(alike, j):
		return unlike
	case batch == 0 && sequence == 0:
		return same
	case batch <= 0 && sequence <= 0:
		return smaller
	case batch >= 0 && sequence >= 0:
		return larger
	}
	return unlike
}
