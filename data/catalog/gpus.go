package catalog

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

//go:embed gpus.csv
var gpusCSV string

var gpus = sync.OnceValue(func() []profile.GPUSpec {
	out, err := ReadGPUs(strings.NewReader(gpusCSV))
	if err != nil {
		panic("the embedded gpus.csv: " + err.Error()) // a test reads it, so no release gets here
	}
	return out
})

// GPUs returns the data-sheet values of known GPUs; of several with the same
// chip, the most common in clouds comes first. The slice is the caller's; what
// it points to is shared.
func GPUs() []profile.GPUSpec { return slices.Clone(gpus()) }

// GPUColumns is the layout of a CSV of GPU data-sheet values, one row per GPU:
// dense TFLOPS and TOPS, GB, GB/s and watts of one die. An empty cell is
// unknown.
var GPUColumns = []string{
	"gpu", "fp32_tflops", "tf32_tflops", "fp16_tflops", "int8_tops", "memory_gb", "bandwidth_gbs", "tdp_w",
	"source", "as_of",
}

// ReadGPUs reads a CSV in the layout of [GPUColumns].
func ReadGPUs(r io.Reader) ([]profile.GPUSpec, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !slices.Equal(rows[0], GPUColumns) {
		return nil, fmt.Errorf("row 1: a file of GPU values starts with the columns %s", strings.Join(GPUColumns, ","))
	}
	var out []profile.GPUSpec
	seen := map[string]bool{}
	for i, cells := range rows[1:] {
		g, err := gpuSpec(cells)
		switch {
		case err != nil:
			return nil, fmt.Errorf("row %d, %w", i+2, err)
		case g.Name == "" || seen[g.Name]:
			return nil, fmt.Errorf("row %d, column gpu: %q is empty or duplicated", i+2, g.Name)
		}
		seen[g.Name] = true
		out = append(out, g)
	}
	return out, nil
}

func gpuSpec(cells []string) (profile.GPUSpec, error) {
	for i := range cells {
		cells[i] = strings.TrimSpace(plaintext.Clean(cells[i]))
	}
	g := profile.GPUSpec{Name: cells[0], Source: cells[8], AsOf: cells[9]}
	for i, to := range []**float64{&g.FP32TFLOPS, &g.TF32TFLOPS, &g.FP16TFLOPS, &g.INT8TOPS, &g.MemoryGB,
		&g.BandwidthGBs,
		&g.TDPWatts} {
		v, err := positive(cells[i+1])
		if err != nil {
			return g, fmt.Errorf("column %s: %w", GPUColumns[i+1], err)
		}
		*to = v
	}
	return g, nil
}
