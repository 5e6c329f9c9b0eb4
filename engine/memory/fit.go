package memory

import (
	"fmt"

	"sweetspot/engine/quantity"
	"sweetspot/engine/transformer"
)

// Verdict is whether a training fits a GPU's memory.
type Verdict string

// The verdicts. What only may fit is not counted on.
const (
	Fits    Verdict = "fits"     // the upper end of its need does
	MayFit  Verdict = "may fit"  // only a part of the interval does
	TooMuch Verdict = "too much" // the lower end does not
)

// Judge tells whether so many bytes of each GPU hold the training.
func (n Need) Judge(has float64) Verdict {
	switch {
	case n.Total.High <= has:
		return Fits
	case n.Total.Low <= has:
		return MayFit
	}
	return TooMuch
}

// fits reports whether the job does in any case.
func (j Job) fits(has float64) bool { return Of(j).Judge(has) == Fits }

// mostSequences bounds the search for a micro-batch, mostTokens that for a sequence.
const (
	mostSequences = 1 << 12
	mostTokens    = 1 << 20
)

// LargestBatch is the most sequences at once on each GPU that fit its bytes; 0 where not
// even one does.
func LargestBatch(j Job, has float64) int {
	return largest(mostSequences, func(n int) bool {
		j.MicroBatch = n
		return j.fits(has)
	})
}

// LargestSequence is the longest sequence, one on each GPU, that fits its bytes, no longer
// than the network was made for; 0 where none fits.
func LargestSequence(j Job, has float64) int {
	j.MicroBatch = 1
	most := mostTokens
	if p := j.Architecture.MaxPositions; p > 0 && p < most {
		most = p
	}
	return largest(most, func(n int) bool {
		j.Tuning.Sequence = n
		return j.fits(has)
	})
}

// largest is the greatest number up to most for which a condition holds that holds for all
// smaller ones; 0 where it holds for none.
func largest(most int, holds func(n int) bool) int {
	low, high := 0, most+1
	for low+1 < high {
		if n := low + (high-low)/2; holds(n) {
			low = n
		} else {
			high = n
		}
	}
	return low
}

// WouldFit are changes, each enough alone, after which one sequence on each GPU fits its
// bytes, such as "QLoRA"; empty where none of them is.
func WouldFit(j Job, has float64) (changes []string) {
	j.MicroBatch = 1
	try := func(words string, change func(j *Job)) {
		with := j
		if change(&with); with.fits(has) {
			changes = append(changes, words)
		}
	}
	t := j.Tuning
	if !t.Again() {
		try("checkpointing", func(j *Job) { j.Tuning.Checkpointing = transformer.Always })
	}
	if n := LargestSequence(j, has); n >= leastSequence && n < t.Sequence {
		changes = append(changes, fmt.Sprintf("sequences of %s tokens", quantity.Count(float64(n))))
	}
	if t.Method == transformer.Full && t.Optimizer == transformer.AdamW {
		try("8-bit AdamW", func(j *Job) { j.Tuning.Optimizer = transformer.AdamW8bit })
	}
	if t.Method == transformer.Full {
		try("LoRA", func(j *Job) { j.Tuning = j.Tuning.By(transformer.LoRA) })
	}
	if t.Method != transformer.QLoRA {
		try("QLoRA", func(j *Job) { j.Tuning = j.Tuning.By(transformer.QLoRA) })
	}
	for gpus := 2; gpus <= 16; gpus *= 2 {
		if with := j; gpus > j.GPUs {
			with.GPUs, with.Tuning.Sharding = gpus, transformer.Zero3
			if with.fits(has) {
				return append(changes, fmt.Sprintf("%d such GPUs with ZeRO-3 or FSDP", gpus))
			}
		}
	}
	return changes
}

// leastSequence is the shortest that is advised.
const leastSequence = 256
