package imports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// completion fills in the user's values where a file has none. A file's own
// values take precedence; a note says where the user's differ.
type completion struct {
	given source.Given
	notes map[string]bool
}

func complete(r *source.Report, given source.Given) {
	c := &completion{given, map[string]bool{}}
	for i := range r.Set.Runs {
		c.run(&r.Set.Runs[i])
	}
	for i := range r.Set.Models {
		m := &r.Set.Models[i]
		m.Dataset = cmp.Or(m.Dataset, given.Dataset)
		if m.Unit == "" {
			m.Unit = given.Unit
		}
	}
	if given.EpochS != nil && len(r.Set.Runs) > 0 && !slices.Contains(epochTimed, r.Format) {
		c.notes["--epoch-time has no effect here: it is for tables of Lightning and Keras"] = true
	}
	r.Notes = append(r.Notes, slices.Sorted(maps.Keys(c.notes))...)
}

// epochTimed are the formats that may lack the time of an epoch.
var epochTimed = []string{"lightning", "keras"}

func (c *completion) run(run *profile.Run) {
	if source.Unknown(run.GPU) {
		if run.InstanceType == run.GPU {
			run.InstanceType = ""
		}
		run.GPU = ""
	}
	g := c.given
	if g.Model != "" && run.Model != g.Model {
		c.kept("model", run.Model)
	}
	c.text("data set", &run.Dataset, g.Dataset)
	c.text("unit", &run.Unit, g.Unit)
	c.text("precision", &run.Variant.Precision, g.Precision)
	c.text("GPU", &run.GPU, g.GPU)
	c.count("batch size", &run.BatchSize, g.BatchSize)
	c.count("number of GPUs", &run.GPUCount, g.GPUCount)
	c.place(run)
	switch price := g.Prices.Of(run.GPU); {
	case price == nil:
	case run.USDPerHour == nil:
		run.USDPerHour = price
	case *run.USDPerHour != *price:
		c.kept("price", quantity.Money(*run.USDPerHour)+" an hour")
	}
}

// kept notes that a file's own value takes precedence.
func (c *completion) kept(what, own string) {
	c.notes[fmt.Sprintf("states the %s itself, %s, which takes precedence", what, own)] = true
}

func (c *completion) text(what string, own *string, given string) {
	switch {
	case given == "" || *own == given:
	case *own == "":
		*own = given
	default:
		c.kept(what, *own)
	}
}

func (c *completion) count(what string, own *int, given int) {
	switch {
	case given == 0 || *own == given:
	case *own == 0:
		*own = given
	default:
		c.kept(what, strconv.Itoa(*own))
	}
}

// place assigns a run to the user's VM type, unless the file names a cloud's VM
// type or another GPU. A machine without a name is named after its GPU, so that
// different GPUs are different machines.
func (c *completion) place(run *profile.Run) {
	if vm := c.given.VM; vm != nil {
		switch {
		case run.Cloud != "" && (run.Cloud != vm.Cloud || run.InstanceType != vm.InstanceType):
			c.kept("VM type", run.Cloud+" "+run.InstanceType)
		case run.Cloud != "":
		case run.GPU != "" && profile.ParseGPUName(run.GPU).Chip != profile.ParseGPUName(vm.GPU).Chip:
			c.notes[fmt.Sprintf("states the GPU itself, %s, which %s does not have: --vm is ignored", run.GPU,
				vm.InstanceType)] = true
		default:
			on(run, vm)
		}
	}
	if run.GPU == "" {
		return
	}
	if run.GPUCount == 0 {
		run.GPUCount = 1
		c.notes["does not state the number of GPUs, so 1 is assumed; use --gpu-count to change it"] = true
	}
	if run.Cloud == "" && run.InstanceType == "" {
		run.InstanceType = run.GPU
		if run.GPUCount > 1 {
			run.InstanceType = fmt.Sprintf("%d×%s", run.GPUCount, run.GPU)
		}
	}
}

// on assigns a run to a VM type.
func on(run *profile.Run, vm *profile.VMType) {
	run.Cloud, run.Region, run.InstanceType = vm.Cloud, vm.Region, vm.InstanceType
	run.GPU = cmp.Or(run.GPU, vm.GPU)
	if run.GPUCount == 0 {
		run.GPUCount, run.NoGPU = vm.GPUCount, vm.GPUCount == 0
	}
	run.GPUMemGiB = cmp.Or(run.GPUMemGiB, vm.GPUMemGiB)
}
