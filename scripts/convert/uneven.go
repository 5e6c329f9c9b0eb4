package convert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// readUneven reads two tables of trainings whose epochs may be unequal work:
// dawnbench.csv, entries of DAWNBench, which pass through the importer of these, and
// nanogpt.csv, validations of speedruns. Who submitted a training is its cloud, as in
// MLPerf: those of one submitter share their script.
func readUneven(ctx context.Context, files []source.File) (*profile.Set, error) {
	set := &profile.Set{}
	for _, f := range files {
		err := source.Table(f, ',', func(row *source.Row) error {
			if row.Has("entry") {
				return row.Need("entry", "marks_epoch:seconds:top1")
			}
			return row.Need("record", "steps", "marks_step:seconds")
		}, func(row *source.Row) error {
			if row.Has("entry") {
				return dawnbenchEntry(ctx, set, row)
			}
			return speedrun(set, row)
		})
		if err != nil {
			return nil, err
		}
	}
	source.NameModels(set)
	return set, nil
}

// dawnbenchEntry writes a row as the two files that it was, and imports them.
func dawnbenchEntry(ctx context.Context, set *profile.Set, row *source.Row) error {
	entry := row.Text("entry")
	var table strings.Builder
	table.WriteString("epoch\thours\ttop1Accuracy\n")
	for mark := range strings.SplitSeq(row.Raw("marks_epoch:seconds:top1"), ";") {
		cells := strings.Split(mark, ":")
		if len(cells) != 3 {
			return row.Wrong("marks are not a list of epoch:seconds:top1")
		}
		seconds, err := strconv.ParseFloat(cells[1], 64)
		if err != nil {
			return row.Wrong("marks are not a list of epoch:seconds:top1")
		}
		fmt.Fprintf(&table, "%s\t%v\t%s\n", cells[0], seconds/3600, cells[2])
	}
	about, err := json.Marshal(map[string]string{
		"model": row.Text("model"), "hardware": row.Text("hardware"), "framework": row.Text("framework"),
	})
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix("/"+entry, path.Ext(entry))
	files := []source.File{inMemory(stem+".json", about), inMemory(stem+".tsv", []byte(table.String()))}
	return imports.Read(ctx, files, imports.Options{Format: "dawnbench"}, func(report source.Report) error {
		if report.Err != nil {
			return errors.Join(row.Wrong("it is no entry of DAWNBench"), report.Err)
		}
		for _, run := range report.Set.Runs {
			run.Cloud, _, _ = strings.Cut(path.Base(entry), "_")
			set.Runs = append(set.Runs, run)
		}
		return nil
	})
}

func inMemory(name string, text []byte) source.File {
	return source.File{Path: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	}}
}

// speedrun reads a row of modded-nanogpt, whose epochs are the steps between two
// validations. Steps after the last whole one are left out.
func speedrun(set *profile.Set, row *source.Row) error {
	run := profile.Run{
		Model: row.Text("record"), Dataset: "FineWeb", Unit: "token", Mode: profile.Train, Cloud: "modded-nanogpt",
		InstanceType: "8×H100", GPU: "H100", GPUCount: 8, Status: profile.Done, Basis: estimate.Published,
		Source: "modded-nanogpt " + row.Text("record") + ", run " + row.Text("run"),
	}
	each := 0.0 // steps
	var ends []float64
	for mark := range strings.SplitSeq(row.Raw("marks_step:seconds"), ";") {
		at, seconds, _ := strings.Cut(mark, ":")
		step, known := source.Number(at)
		s, sound := source.Number(seconds)
		if !known || !sound || step == nil || s == nil {
			return row.Wrong("marks are not a list of step:seconds")
		}
		switch {
		case *step == 0:
			run.EpochStartsS = []float64{math.Max(0, *s)}
			continue
		case each == 0:
			each = *step
		}
		if *step == each*float64(len(ends)+1) {
			ends = append(ends, *s)
		}
	}
	if n := len(ends); n > 0 {
		if run.EpochStartsS == nil {
			run.EpochStartsS = []float64{0}
		}
		run.EpochStartsS = append(run.EpochStartsS, ends[:n-1]...)
		run.TotalS, run.Epochs = &ends[n-1], new(float64(n))
	}
	set.Runs = append(set.Runs, run)
	return nil
}
