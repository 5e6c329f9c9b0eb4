package profile

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
)

// GPUSpec holds the published figures of a GPU: dense ones, without sparsity, of one
// die where a board holds several. Nil is not published or not known.
type GPUSpec struct {
	Name       string
	FP32TFLOPS *float64
	// OwnFP32TFLOPS is the part of it that lanes do which do no integers besides; nil is all.
	OwnFP32TFLOPS *float64
	TF32TFLOPS    *float64
	FP16TFLOPS    *float64 // FP16 and BF16 with FP32 sums, in tensor cores where there are any
	INT8TOPS      *float64
	MemoryGB      *float64
	BandwidthGBs  *float64 // of its memory, GB/s
	TDPWatts      *float64
	// Architecture is its maker's name for the generation, such as "Turing"; "" is unknown.
	Architecture string
	// BaseMHz is the clock that it keeps under any load, BoostMHz that of the peaks.
	BaseMHz, BoostMHz *float64
	Source, AsOf      string
}

// GPUSpec finds the figures of a GPU by its name in a catalog or as its driver
// gives it: "A100-SXM4-40GB", "NVIDIA A100 80GB PCIe", "a100". Of several that
// are of the same chip the one with most in common is taken, of equals the
// first of the list.
func (s *Set) GPUSpec(name string) (GPUSpec, bool) {
	n := ParseGPUName(name)
	best, shared := -1, 0
	for i, g := range s.GPUs {
		own := ParseGPUName(g.Name)
		if own.Chip == "" || own.model() != n.model() {
			continue
		}
		same := 1
		if own.Form != "" && strings.HasPrefix(own.Form, n.Form) && n.Form != "" {
			same++
		}
		if own.Memory == n.Memory {
			same++
		}
		if same > shared {
			best, shared = i, same
		}
	}
	if best < 0 {
		return GPUSpec{}, false
	}
	return s.GPUs[best], true
}

// FindVMType returns the VM type that a user calls name: an instance type, or
// cloud/region/type where several regions or clouds have it. Regions of a
// cloud with the same on-demand price are as good as one; the first is taken.
func FindVMType(vms []VMType, name string) (VMType, error) {
	var found []VMType
	for _, v := range vms {
		full := v.Cloud + "/" + v.Region + "/" + v.InstanceType
		if strings.EqualFold(v.InstanceType, name) || strings.EqualFold(full, name) {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 1 || (len(found) > 1 && sameCloudAndPrice(found)):
		return found[0], nil
	case len(found) == 0:
		return VMType{}, fmt.Errorf("there is no VM type %s in the catalog; give --price for a machine that is in none",
			plaintext.Quote(name))
	}
	return VMType{}, fmt.Errorf("%s is in several places; name one of %s", plaintext.Quote(name),
		plaintext.Join(found, ", ", func(v VMType) string { return v.Cloud + "/" + v.Region + "/" + v.InstanceType }))
}

func sameCloudAndPrice(vms []VMType) bool {
	first, known := vms[0].PriceOf(OnDemand)
	for _, v := range vms[1:] {
		price, ok := v.PriceOf(OnDemand)
		if v.Cloud != vms[0].Cloud || !known || !ok || price.USDPerHour != first.USDPerHour {
			return false
		}
	}
	return true
}

// Parts of names of metrics: those that count the units that are right, and other
// fractions.
var (
	countWords    = []string{"acc", "accuracy", "top1", "top5", "match", "em"}
	fractionWords = []string{"f1", "auc", "auroc", "precision", "recall", "iou", "miou", "map", "dice"}
)

// IsFraction says from a metric's name that it is a fraction, so that a value
// above 1 is one in percent. What is counted in a unit of its own, BLEU or WER,
// is none.
func IsFraction(metric string) bool { return isCount(metric) || HasWord(metric, fractionWords...) }

// IsLoss says from a metric's name that it is a loss, which is no accuracy that a
// training could be asked to reach.
func IsLoss(metric string) bool { return HasWord(metric, "loss") }

// isCount says from a metric's name that it is the fraction of the units that are
// right, so that chance spreads it as a binomial. A mean over units, as mAP or DICE,
// has a spread that the units do not tell.
func isCount(metric string) bool {
	words := metricWords(metric)
	for i, w := range words {
		if w == "top" && i+1 < len(words) && strings.Trim(words[i+1], "0123456789") == "" {
			return true // top-5
		}
	}
	return HasWord(metric, countWords...)
}

// HasWord reports whether one of the words is a part of the metric's name.
func HasWord(metric string, words ...string) bool {
	return slices.ContainsFunc(metricWords(metric), func(part string) bool { return slices.Contains(words, part) })
}

func metricWords(metric string) []string {
	return strings.FieldsFunc(strings.ToLower(metric), func(r rune) bool { return strings.ContainsRune("_/-. :@()", r) })
}

// Contradicted says what a measured run had in place of the GPU that its VM type has in
// the catalog, such as "no GPU": its user named the wrong VM type, or the framework could
// not use the GPU. It is "" where nothing contradicts.
func (r Run) Contradicted(vm VMType) string {
	switch {
	case r.Basis != estimate.Measured || vm.GPU == "" || r.Cloud == "":
		return ""
	case r.NoGPU:
		return "no GPU"
	case r.GPU != "" && r.GPU != vm.GPU && !ParseGPUName(vm.GPU).SameChip(ParseGPUName(r.GPU)):
		return r.GPU
	}
	return ""
}

// AsFound is the set with the runs whose VM type their machine contradicts as runs of a
// machine of its own, without a price: "g4dn.xlarge with no GPU". They say nothing of the
// VM type.
func (s *Set) AsFound() *Set {
	gpus := map[VMKey]VMType{}
	for _, vm := range s.VMTypes {
		gpus[VMKey{Cloud: vm.Cloud, InstanceType: vm.InstanceType}] = vm
	}
	out := s
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.Cloud == "" || r.Basis != estimate.Measured {
			continue
		}
		found := r.Contradicted(gpus[VMKey{Cloud: r.Cloud, InstanceType: r.InstanceType}])
		if found == "" {
			continue
		}
		if out == s {
			out = &Set{}
			*out = *s
			out.Runs = slices.Clone(s.Runs)
		}
		own := &out.Runs[i]
		own.Cloud, own.Region, own.USDPerHour = "", "", nil
		own.InstanceType += " with " + found
	}
	return out
}
