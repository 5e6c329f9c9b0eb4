package question

import (
	"sweetspot/engine/bill"
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
	Bill           bill.Bill // what is paid in addition to the work
	// Combine adds, in inference, the exact frontier over combinations of VM types.
	Combine bool

	// Predicted asks also for what was not probed.
	Predicted bool

	// Filters, see [Filters]; empty keeps everything.
	BatchSizes []int
	Variants   []string
	Clouds     []string
	GPUs       []string
	// Words keep the candidates whose names hold all of them.
	Words string
}
