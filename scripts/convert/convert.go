// Package convert reads sets of measurements that others published, each a folder
// with the files it was published as, through the readers that also import them.
package convert

import (
	"context"
	"errors"
	"hash/crc32"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// Set is one published set of measurements.
type Set struct {
	Name   string // of its folder, and of the CSV file made from it
	format string // of its files
	files  []string
	given  source.Given
	refine func(*profile.Set) // what was read; nil leaves it as it is
	// read reads files that are in no format that is imported.
	read func(context.Context, []source.File) (*profile.Set, error)
}

// Sets lists those that can be read.
func Sets() []Set {
	return []Set{
		{Name: "mlperf", format: "mlperf-epochs", files: []string{"*.csv.gz", "*.csv"}},
		{Name: "profet", format: "wide", files: []string{"profet_wide.csv"}},
		{
			Name: "zeus", format: "zeus", files: []string{"summary_train.csv", "summary_power_*.csv"},
			given: source.Given{Prices: zeusPrices}, refine: keepHighestLimits,
		},
		{Name: "uneven", files: []string{"dawnbench.csv", "nanogpt.csv.gz", "nanogpt.csv"}, read: readUneven},
		{
			Name: "timm", format: "timm", files: []string{"benchmark-*.csv", "results-imagenet.csv"},
			refine: keepFewNetworks,
		},
	}
}

// zeusPrices are those of a VM with one such GPU: AWS p3.2xlarge in us-east-1,
// Azure NC6s v2 in East US.
var zeusPrices = profile.Prices{
	ByGPU: []profile.GPUPrice{{GPU: "V100", USDPerHour: 3.06}, {GPU: "P100", USDPerHour: 2.07}},
}

// Absent reports whether an error of Read says that the set is not there.
func Absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Read reads the set's folder. Its error is fs.ErrNotExist where the set is not
// there; others name the file and what is wrong in it.
func (s Set) Read(ctx context.Context, folder string) (*profile.Set, error) {
	var files []source.File
	for _, pattern := range s.files {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			files = append(files, imports.File(path))
		}
	}
	if len(files) == 0 {
		return nil, fs.ErrNotExist
	}
	if s.read != nil {
		return s.read(ctx, files)
	}
	set := &profile.Set{}
	options := imports.Options{Format: s.format, Given: s.given}
	err := imports.Read(ctx, files, options, func(report source.Report) error {
		if report.Err != nil {
			return report.Err
		}
		for _, m := range report.Set.Models {
			if _, known := set.Model(m.Name); !known {
				set.Models = append(set.Models, m)
			}
		}
		set.Runs = append(set.Runs, report.Set.Runs...)
		return nil
	})
	if err == nil && s.refine != nil {
		s.refine(set)
	}
	return set, err
}

// networksPerKept is how many networks there are for each that is kept: leaving out each
// of a thousand in turn, with a fit to all others for each, takes hours.
const networksPerKept = 10

// keepFewNetworks keeps all runs of some networks, which their names draw.
func keepFewNetworks(set *profile.Set) {
	set.Runs = slices.DeleteFunc(set.Runs, func(r profile.Run) bool {
		return crc32.ChecksumIEEE([]byte(r.Variant.Network()))%networksPerKept != 0
	})
}

// keepHighestLimits keeps, of the runs of a batch size on one GPU under several
// power limits, the one under the highest, as a run of the GPU as it is sold.
func keepHighestLimits(set *profile.Set) {
	type cell struct {
		model, variant, gpu string
		batch               int
	}
	best := map[cell]int{}
	kept := set.Runs[:0]
	for _, r := range set.Runs {
		if r.GPU == "" { // a training, whose GPU and power limit are unknown
			kept = append(kept, r)
			continue
		}
		at := cell{r.Model, r.Variant.Name, r.GPU, r.BatchSize}
		i, seen := best[at]
		switch {
		case !seen:
			best[at], kept = len(kept), append(kept, r)
		case limitOf(r) > limitOf(kept[i]):
			kept[i] = r
		}
	}
	for i := range kept {
		kept[i].PowerLimitW = nil
	}
	set.Runs = kept
}

// limitOf is the power limit that a run was under: none is the highest.
func limitOf(r profile.Run) float64 {
	if r.PowerLimitW == nil {
		return math.Inf(1)
	}
	return *r.PowerLimitW
}
