// Package catalog holds VM types and their prices: the built-in ones and those
// that a user imports or writes. Each price has a source and a date; README.md
// says what is built in and what was left out.
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

//go:embed vm_types.csv
var builtinCSV string

//go:embed market.csv
var marketCSV string

var (
	builtin = sync.OnceValue(func() []profile.VMType { return embedded("vm_types.csv", builtinCSV, Read) })
	market  = sync.OnceValue(func() []profile.VMType {
		return join(withPricesOf, builtin(), embedded("market.csv", marketCSV, Read))
	})
)

func embedded[T any](name, text string, read func(io.Reader) ([]T, error)) []T {
	out, err := read(strings.NewReader(text))
	if err != nil {
		panic("the embedded " + name + ": " + err.Error()) // a test reads it, so this cannot happen in a release
	}
	return out
}

// Builtin returns the VM types of the studies that sweetspot implements, for
// comparison with published numbers, ordered by cloud, region and instance
// type. The slice is the caller's; its prices are shared and must not be
// changed.
func Builtin() []profile.VMType { return slices.Clone(builtin()) }

// Market returns all known VM types: those of the studies and newer ones of
// five clouds, with the prices of both. The slice is the caller's, like that of
// [Builtin].
func Market() []profile.VMType { return slices.Clone(market()) }

// withPricesOf is a VM type with the prices of both lists.
func withPricesOf(a, b profile.VMType) profile.VMType {
	a.Prices = slices.Concat(a.Prices, b.Prices)
	return a
}

//go:embed gpus.csv
var gpusCSV string

var gpus = sync.OnceValue(func() []profile.GPUSpec { return embedded("gpus.csv", gpusCSV, ReadGPUs) })

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
