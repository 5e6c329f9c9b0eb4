package catalog

import (
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"

	"sweetspot/data/textfile"
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
	t := textfile.NewTable(r)
	if err := t.Header("a file of GPU values", ""); err != nil {
		return nil, err
	}
	if !slices.Equal(t.Columns(), GPUColumns) {
		return nil, t.Wrong("a file of GPU values starts with the columns %s", strings.Join(GPUColumns, ","))
	}
	var out []profile.GPUSpec
	seen := map[string]bool{}
	err := t.Each(func() error {
		g := profile.GPUSpec{
			Name: t.Text("gpu"), FP32TFLOPS: figure(t, "fp32_tflops"), TF32TFLOPS: figure(t, "tf32_tflops"),
			FP16TFLOPS: figure(t, "fp16_tflops"), INT8TOPS: figure(t, "int8_tops"), MemoryGB: figure(t, "memory_gb"),
			BandwidthGBs: figure(t, "bandwidth_gbs"), TDPWatts: figure(t, "tdp_w"), Source: t.Text("source"),
			AsOf: t.Text("as_of"),
		}
		if g.Name == "" || seen[g.Name] {
			return t.Fail("gpu", "%s is empty or duplicated", plaintext.Quote(g.Name))
		}
		seen[g.Name] = true
		out = append(out, g)
		return nil
	})
	return out, err
}
