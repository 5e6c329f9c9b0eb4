package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// complete fills in what the user gave where a file leaves it open. A GPU or VM
// that a file names stays.
func complete(r *source.Report, given source.Given) {
	kept := map[string]bool{}
	for i := range r.Set.Runs {
		run := &r.Set.Runs[i]
		if given.Dataset != "" && run.Dataset == "" {
			run.Dataset = given.Dataset
		}
		if given.Unit != "" && run.Unit == "" {
			run.Unit = given.Unit
		}
		if given.USDPerHour != nil && run.USDPerHour == nil {
			run.USDPerHour = given.USDPerHour
		}
		if given.GPUCount > 0 && run.GPUCount == 0 {
			run.GPUCount = given.GPUCount
		}
		if given.GPU != "" {
			if run.GPU == "" {
				run.GPU = given.GPU
			} else if run.GPU != given.GPU {
				kept[run.GPU] = true
			}
		}
		if !place(run, given) {
			kept[run.GPU] = true
		}
	}
	for i := range r.Set.Models {
		m := &r.Set.Models[i]
		if m.Dataset == "" {
			m.Dataset = given.Dataset
		}
		if m.Unit == "" {
			m.Unit = given.Unit
		}
	}
	for _, gpu := range slices.Sorted(maps.Keys(kept)) {
		r.Note("names the GPU itself, %s, which stays", gpu)
	}
}

// place puts a run on the VM type that the user named, unless the file names
// one of a cloud or another GPU, which ok tells. A machine without a name gets
// that of its GPU, so that two GPUs are never one machine.
func place(run *profile.Run, given source.Given) (ok bool) {
	ok = true
	if vm := given.VM; vm != nil && run.Cloud == "" {
		if ok = run.GPU == "" || chip(run.GPU) == chip(vm.GPU); ok {
			run.Cloud, run.Region, run.InstanceType = vm.Cloud, vm.Region, vm.InstanceType
			if run.GPU == "" {
				run.GPU = vm.GPU
			}
			if run.GPUCount == 0 {
				run.GPUCount = vm.GPUCount
			}
			if run.GPUMemGiB == nil {
				run.GPUMemGiB = vm.GPUMemGiB
			}
		}
	}
	if run.GPU != "" && run.GPUCount == 0 {
		run.GPUCount = 1
	}
	if run.Cloud == "" && run.InstanceType == "" && run.GPU != "" {
		run.InstanceType = run.GPU
		if run.GPUCount > 1 {
			run.InstanceType = fmt.Sprintf("%d×%s", run.GPUCount, run.GPU)
		}
	}
	return ok
}

// chip is the word of a GPU's name that tells its chip: V100 of Tesla
// V100-SXM2-16GB.
func chip(gpu string) string {
	for word := range strings.FieldsFuncSeq(strings.ToUpper(gpu), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }) {
		if word != "NVIDIA" && word != "TESLA" && word != "GEFORCE" && word != "AMD" {
			return word
		}
	}
	return ""
}
