package request

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/quantity"
	"sweetspot/probes/harness"
	"sweetspot/probes/modelfile"
	"sweetspot/probes/session"
)

// modelFiles are the suffixes of model files that can be inspected without
// running them.
var modelFiles = []string{".pt", ".pt2", ".onnx"}

// describeFile reads parameters, work per unit and the input's shape from a
// model file. It rejects a model that cannot fit in the GPU's memory before any
// time is spent on it.
func describeFile(o *session.Options, s *harness.Spec) error {
	if !slices.Contains(modelFiles, strings.ToLower(filepath.Ext(s.Model))) {
		return nil
	}
	facts, err := modelfile.Read(s.Model)
	if err != nil {
		return err
	}
	m := &o.Description.Model
	m.Params, m.FLOPsPerUnit = facts.Params, facts.FLOPsPerUnit
	for _, w := range facts.Warnings {
		o.Warnings = append(slices.Clone(o.Warnings), w)
	}
	if s.Input == "" && facts.Input != nil {
		s.Input = shape(facts.Input)
	}
	floor, memory := facts.MemoryFloorBytes(s.Batch, s.Precision), o.Description.Machine.GPUMemGiB
	if floor != nil && memory != nil && *floor > *memory*(1<<30) {
		return fmt.Errorf("%s at batch %d needs at least %s GiB of memory and the GPU has %s GiB; try a smaller batch",
			filepath.Base(s.Model), s.Batch, quantity.Count(*floor/(1<<30)), quantity.Count(*memory))
	}
	return nil
}

// shape writes the sizes of one sample as 3x224x224.
func shape(sizes []int) string {
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, "x")
}
