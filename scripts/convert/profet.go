package convert

import (
	"fmt"
	"io/fs"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// profetColumns are the columns of times, the VM types they are of, how many
// of their unit make a second, and the GPU of that type. batch_latency is
// p3.2xlarge.
var profetColumns = []struct {
	column, instance, gpu string
	perSecond             float64
}{
	{"batch_latency", "p3.2xlarge", "V100-SXM2-16GB", 1},
	{"p2.xlarge", "p2.xlarge", "K80", 1e6},
	{"g3s.xlarge", "g3s.xlarge", "M60", 1e6},
	{"g4dn.xlarge", "g4dn.xlarge", "T4", 1e6},
}

// profet reads the iteration times of PROFET: convolutional networks by size of
// their input and batch size, repeated, on four VM types of AWS. Each repeat is
// a run; the size of the input is the variant.
func profet(folder fs.FS) (*profile.Set, error) {
	set := &profile.Set{}
	err := eachRow(folder, "profet_wide.csv", func(row table) error {
		return profetRow(set, row)
	})
	if err != nil {
		return nil, err
	}
	return set, nil
}

func profetRow(set *profile.Set, row table) error {
	batch, ok := row.count("batchsize")
	if !ok {
		return row.wrong("batchsize", "is no batch size")
	}
	name := row.cell("model")
	if name == "" {
		return row.wrong("model", "is no model")
	}
	if _, known := set.Model(name); !known {
		set.Models = append(set.Models, profile.Model{Name: name, Task: "image classification", Unit: "image"})
	}
	size := strings.TrimSuffix(row.cell("dataset"), "dataset")
	for _, c := range profetColumns {
		cell := row.cell(c.column)
		if cell == "" || strings.EqualFold(cell, "nan") {
			continue
		}
		time, ok := row.number(c.column)
		seconds := time / c.perSecond
		if !ok || seconds == 0 {
			return row.wrong(c.column, "is no time")
		}
		set.Runs = append(set.Runs, profile.Run{
			Model: name, Dataset: row.cell("dataset"), Unit: "image", Mode: profile.Train,
			Variant: profile.Variant{Name: strings.TrimSpace(size + " px " + optimizer(row.cell("optimizer")))},
			Cloud:   "aws", InstanceType: c.instance, GPU: c.gpu, GPUCount: 1, Count: 1, BatchSize: batch,
			Steady: estimate.Exact(seconds, estimate.Published), Status: profile.Done, Basis: estimate.Published,
			Source: fmt.Sprintf("PROFET (ddps-lab), %s, %s", row.file, row.cell("exp_name")), AsOf: "2022",
		})
	}
	return nil
}

// optimizer is the part of the variant that names another optimizer than the
// plain one.
func optimizer(name string) string {
	if name == "SGD" {
		return ""
	}
	return name
}
