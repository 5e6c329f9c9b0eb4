package question

import (
	"sweetspot/engine/bill"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Workload is what is to be done, and among which candidates to look.
type Workload struct {
	Model          string
	Mode           profile.Mode
	Unit           string   // what one unit of work is, for words: image
	Epochs         *float64 // training; nil: as many as the source of each run needed
	TargetAccuracy *float64 // training; epochs follow from the measured validations
	Units          float64  // inference: how many units W
	Purchase       profile.Purchase
	MaxCount       int       // most VMs of one type in inference
	Bill           bill.Bill // what is paid beside the work
	// Combine adds, in inference, the exact frontier over combinations of VM types.
	Combine bool

	// Predicted asks also for what was not probed. Predictor, which knows it, adds
	// the candidates; nil adds none.
	Predicted bool
	Predictor Predictor

	// Filters, see [Filters]; empty keeps everything.
	BatchSizes []int
	Variants   []string
	Clouds     []string
	GPUs       []string
	// Words keep the candidates whose names hold all of them.
	Words string
}

// Predictor answers for what nobody measured.
type Predictor interface {
	// Iteration is the time in seconds of a steady iteration of a variant on so
	// many GPUs of a VM type, and what it rests on in words; unknown where
	// nothing can be said.
	Iteration(model string, v profile.Variant, vm profile.VMType, gpus, batch int) (seconds estimate.Estimate, why string)
}
