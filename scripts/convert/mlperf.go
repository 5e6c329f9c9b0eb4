package convert

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// mlperf reads training runs of MLPerf with the marks of their logs: when
// epochs began and evaluations ended, from the start of the timed run. The
// submitter is the cloud and the system the VM type; the version of the rules,
// which change targets and what has to be evaluated when, is the variant. The
// columns are version, submitter, system, acc_per_node, accelerator, benchmark,
// run, init_s, total_s, epochs, epoch_start_rel_s (;) and evals (time:metric;).
// init_s passed before the timed run began and is in no total, so it is left
// out. Every file of the folder that ends in .csv.gz or .csv is read, in order.
func mlperf(folder fs.FS) (*profile.Set, error) {
	names, err := tables(folder)
	if err != nil {
		return nil, err
	}
	set := &profile.Set{}
	for _, name := range names {
		if err := eachRow(unzipped{folder}, name, func(row table) error { return addMLPerf(set, row) }); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// tables are the CSV files of a folder, fs.ErrNotExist if there is none.
func tables(folder fs.FS) ([]string, error) {
	var names []string
	for _, pattern := range []string{"*.csv.gz", "*.csv"} {
		found, err := fs.Glob(folder, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	if len(names) == 0 {
		return nil, fs.ErrNotExist
	}
	slices.Sort(names)
	return names, nil
}

// unzipped is a folder whose .gz files read as what they hold.
type unzipped struct{ fs.FS }

// Open opens a file.
func (u unzipped) Open(name string) (fs.File, error) {
	file, err := u.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return file, err
	}
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	return unzippedFile{file, text}, nil
}

type unzippedFile struct {
	fs.File
	text *gzip.Reader
}

func (f unzippedFile) Read(p []byte) (int, error) { return f.text.Read(p) }

func addMLPerf(set *profile.Set, row table) error {
	run := profile.Run{
		Model: row.cell("benchmark"), Variant: profile.Variant{Name: row.cell("version")}, Mode: profile.Train,
		Cloud: row.cell("submitter"), InstanceType: row.cell("system"), GPU: row.cell("accelerator"), Count: 1,
		Status: profile.Done, Basis: estimate.Measured,
		Source: fmt.Sprintf("MLPerf Training %s, %s, run %s", row.cell("version"), row.file, row.cell("run")),
	}
	if run.Model == "" {
		return row.wrong("benchmark", "is empty")
	}
	var err error
	if run.TotalS, err = mlperfNumber(row, "total_s"); err != nil {
		return err
	}
	if run.Epochs, err = mlperfNumber(row, "epochs"); err != nil {
		return err
	}
	if cell := row.cell("acc_per_node"); cell != "" && cell != "0" {
		gpus, ok := row.count("acc_per_node")
		if !ok {
			return row.wrong("acc_per_node", "is not a number of accelerators")
		}
		run.GPUCount = gpus
	}
	if err := addMarks(&run, row); err != nil {
		return err
	}
	set.Runs = append(set.Runs, run)
	return nil
}

// mlperfNumber is a cell's number, nil for an empty cell.
func mlperfNumber(row table, column string) (*float64, error) {
	if row.cell(column) == "" {
		return nil, nil
	}
	v, ok := row.number(column)
	if !ok {
		return nil, row.wrong(column, "is not a number of at least 0")
	}
	return &v, nil
}

// addMarks reads when epochs began and evaluations ended. A few logs begin an
// epoch twice or out of order: such marks say nothing, so the epochs of the
// run stay unknown.
func addMarks(run *profile.Run, row table) error {
	for mark := range strings.SplitSeq(row.cell("epoch_start_rel_s"), ";") {
		if mark == "" {
			continue
		}
		at, ok := finite(mark)
		if !ok {
			return row.wrong("epoch_start_rel_s", "is no list of seconds")
		}
		run.EpochStartsS = append(run.EpochStartsS, max(0, at))
	}
	for i, at := range run.EpochStartsS {
		if i > 0 && at <= run.EpochStartsS[i-1] {
			run.EpochStartsS = nil
			return nil
		}
	}
	if run.EpochStartsS == nil {
		return nil
	}
	return addEvaluations(run, row)
}

// addEvaluations reads time:metric;… A metric that is not a number, as of a
// training that went astray, is unknown.
func addEvaluations(run *profile.Run, row table) error {
	var metrics []float64
	for mark := range strings.SplitSeq(row.cell("evals"), ";") {
		if mark == "" {
			continue
		}
		when, metric, _ := strings.Cut(mark, ":")
		at, ok := finite(when)
		value, sound := finite(metric)
		if _, err := strconv.ParseFloat(metric, 64); !ok || err != nil {
			return row.wrong("evals", "is no list of time:metric")
		}
		at = max(0, at)
		v := profile.Validation{AtS: &at, Epoch: max(0, run.EpochAt(at))}
		if sound {
			v.Value, metrics = &value, append(metrics, value)
		}
		run.Validations = append(run.Validations, v)
	}
	// A run ends when its metric is good enough, so the last value is better
	// than the first.
	if n := len(metrics); n > 0 {
		for i := range run.Validations {
			run.Validations[i].HigherIsBetter = metrics[n-1] >= metrics[0]
		}
	}
	return nil
}
