package imports

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"sweetspot/data/catalog"
	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// completion fills in what the user gave where a file leaves it open. What a
// file says stays, and where the user said otherwise a note tells so.
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
		if m.Dataset == "" {
			m.Dataset = given.Dataset
		}
		if m.Unit == "" {
			m.Unit = given.Unit
		}
	}
	if given.EpochS != nil && len(r.Set.Runs) > 0 && !slices.Contains(epochTimed, r.Format) {
		c.notes["--epoch-time does nothing here: it is for tables of Lightning and Keras"] = true
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
	switch price := priceOf(g, run.GPU); {
	case price == nil:
	case run.USDPerHour == nil:
		run.USDPerHour = price
	case *run.USDPerHour != *price:
		c.kept("price", quantity.Money(*run.USDPerHour)+" an hour")
	}
}

// priceOf is what the user says a machine with such a GPU costs, nil if nothing.
func priceOf(g source.Given, gpu string) *float64 {
	for _, p := range g.Prices {
		if gpu != "" && catalog.SameChip(p.GPU, gpu) {
			return new(p.USDPerHour)
		}
	}
	return g.USDPerHour
}

// kept notes that a file says something itself.
func (c *completion) kept(what, own string) {
	c.notes[fmt.Sprintf("names the %s itself, %s, which stays", what, own)] = true
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

// place puts a run on the VM type that the user named, unless the file names
// one of a cloud or another GPU. A machine without a name gets that of its GPU,
// so that two GPUs are never one machine.
func (c *completion) place(run *profile.Run) {
	if vm := c.given.VM; vm != nil {
		switch {
		case run.Cloud != "" && (run.Cloud != vm.Cloud || run.InstanceType != vm.InstanceType):
			c.kept("VM type", run.Cloud+" "+run.InstanceType)
		case run.Cloud != "":
		case run.GPU != "" && !catalog.SameChip(run.GPU, vm.GPU):
			c.notes[fmt.Sprintf("names the GPU itself, %s, which %s does not have: --vm is left out", run.GPU, vm.InstanceType)] = true
		default:
			on(run, vm)
		}
	}
	if run.GPU == "" {
		return
	}
	if run.GPUCount == 0 {
		run.GPUCount = 1
		c.notes["does not tell the number of GPUs: 1 is taken; --gpu-count tells another"] = true
	}
	if run.Cloud == "" && run.InstanceType == "" {
		run.InstanceType = run.GPU
		if run.GPUCount > 1 {
			run.InstanceType = fmt.Sprintf("%d×%s", run.GPUCount, run.GPU)
		}
	}
}

// on puts a run on a VM type.
func on(run *profile.Run, vm *profile.VMType) {
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
