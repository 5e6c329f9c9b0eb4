// Package wandb reads the logs of Weights & Biases: the .wandb file that every run
// writes (wandb/offline-run-*/run-*.wandb, wandb 0.13 to 0.31), online or offline, and
// a run's history as CSV with the columns _step and _timestamp or _runtime, as its API
// exports it, the CSV of a chart and that of the table of runs, as the web page exports
// them. The CSV layouts follow scripts in public repositories that read such exports.
//
// A log holds every point with its step and wall clock, the configuration, what the
// machine is and what its sensors said. Times, epochs and accuracies follow from the
// points as in package logged, model, data set, batch size and precision from the
// configuration with the usual names, the GPU from the environment, its power from
// gpu.0.powerWatts. A run without a model in its configuration is named after its
// project. A log whose end is missing, as of a run that goes on, is read up to it.
// Unknown is the price. The basis is measured.
package wandb

import (
	"errors"
	"io"
	"path"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"sweetspot/data/imports/logged"
	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// Log is how the log of a run is recognised and read.
var Log = source.Format{Name: "wandb", Title: "Weights & Biases log", Claims: claims, Read: source.Alone(readLog)}

func claims(p string, head []byte) bool {
	return strings.HasPrefix(string(head), ident[:4]) || path.Ext(p) == ".wandb"
}

// run is what a log tells.
type run struct {
	*logged.Run
	settings          logged.Settings
	id, name, project string
	exit              *int64 // nil where the run goes on or was killed
	err               error
}

func readLog(f source.File, given source.Given) source.Report {
	r := run{Run: logged.New()}
	report := source.Report{File: f.Path}
	cutOff := false
	err := f.Read(func(file io.Reader) error {
		err := records(file, func(record []byte) error {
			fields(record, r.record)
			return r.err
		})
		if cutOff = errors.Is(err, errCutOff); cutOff {
			return nil
		}
		return err
	})
	switch {
	case cutOff && r.Points > 0:
		report.Note("the log is cut off, as of a run that goes on; what stands before it is read")
	case cutOff:
		report.Err = f.Wrong("is cut off before its first point; fetch it again")
	case err != nil:
		report.Err = err
	case r.Points == 0:
		report.Err = f.Wrong("the run logged no numbers; only those have times")
	}
	if report.Err != nil {
		return report
	}
	out := r.settings.Run(given, r.project, r.name)
	out.Source = strings.TrimSpace("Weights & Biases " + r.id + " " + r.name)
	switch {
	case r.exit == nil:
		out.Status = profile.Interrupted
	case *r.exit != 0:
		out.Status = profile.Failed
	}
	r.Report(&report, out)
	return report
}

// record reads one field of a record, which has one of what a record can be.
func (r *run) record(n protowire.Number, f field) {
	if f.kind != protowire.BytesType {
		return
	}
	switch n {
	case recordHistory:
		r.history(f.bytes)
	case recordConfig:
		r.config(f.bytes)
	case recordStats:
		r.stats(f.bytes)
	case recordExit:
		r.exit = new(int64(0))
		fields(f.bytes, func(n protowire.Number, f field) {
			if n == exitCode && f.kind == protowire.VarintType {
				*r.exit = int64(f.bits)
			}
		})
	case recordRun:
		fields(f.bytes, r.started)
	case recordEnvironment:
		fields(f.bytes, r.environment)
	}
}

// started reads what the run is.
func (r *run) started(n protowire.Number, f field) {
	switch {
	case f.kind != protowire.BytesType:
	case n == runID:
		r.id = source.Text(string(f.bytes))
	case n == runProject:
		r.project = source.Text(string(f.bytes))
	case n == runName:
		r.name = source.Text(string(f.bytes))
	case n == runConfig:
		r.config(f.bytes)
	case n == runTime:
		if at := timestamp(f.bytes); at > 0 && at < logged.LatestWall {
			r.Begin(at)
		}
	}
}

func (r *run) environment(n protowire.Number, f field) {
	switch {
	case n == environmentGPU && f.kind == protowire.BytesType:
		r.settings.GPU = source.Text(string(f.bytes))
	case n == environmentGPUs && f.kind == protowire.VarintType && f.bits <= 1024:
		r.settings.GPUs = int(f.bits)
	}
}

func (r *run) config(data []byte) {
	fields(data, func(n protowire.Number, f field) {
		if n == configUpdate && f.kind == protowire.BytesType {
			it := parseItem(f.bytes)
			r.settings.Take(it.key, it.text)
		}
	})
}

// history adds the points that were logged at one step.
func (r *run) history(data []byte) {
	p := logged.Point{Step: -1}
	var items []item
	fields(data, func(n protowire.Number, f field) {
		switch {
		case f.kind != protowire.BytesType:
		case n == historyStep:
			fields(f.bytes, func(n protowire.Number, f field) {
				if n == stepNum && f.kind == protowire.VarintType {
					p.Step = int64(f.bits)
				}
			})
		case n == historyItem:
			switch it := parseItem(f.bytes); it.key {
			case "_timestamp":
				p.Wall = it.v
			case "_step":
				p.Step = wholeStep(it.v)
			case "_runtime", "_wandb", "":
			default:
				items = append(items, it)
			}
		}
	})
	for _, it := range items {
		p.Value = it.v
		if err := r.Add(it.key, logged.IsValidation("", it.key), p); err != nil {
			r.err = err
		}
	}
}

// wholeStep is a step; -1 where it is none.
func wholeStep(v float64) int64 {
	if v >= 0 && v < 1<<53 {
		return int64(v)
	}
	return -1
}

var gpuPower = regexp.MustCompile(`^(?:system\.)?gpu\.([0-9]+)\.powerWatts$`)

func (r *run) stats(data []byte) {
	fields(data, func(n protowire.Number, f field) {
		if n != statsItem || f.kind != protowire.BytesType {
			return
		}
		it := item{}
		fields(f.bytes, func(n protowire.Number, f field) {
			switch {
			case n == itemKey:
				it.key = string(f.bytes)
			case n == itemJSON && f.kind == protowire.BytesType:
				it.json(f.bytes)
			}
		})
		if gpu := gpuPower.FindStringSubmatch(it.key); gpu != nil {
			r.AddPower(gpu[1], it.v)
		}
	})
}

// History is how an exported history is recognised and read.
var History = source.Format{Name: "wandb-history", Rows: true, Title: "history of Weights & Biases",
	Claims: func(_ string, head []byte) bool {
		names := source.Header(head, ',')
		return source.HaveAll(names, "_step", "_timestamp") || source.HaveAll(names, "_step", "_runtime")
	},
	Read: source.Alone(readHistory)}

// notMetrics are the columns of a history that are none.
var notMetrics = map[string]bool{"": true, "_step": true, "_timestamp": true, "_runtime": true}

func readHistory(f source.File, given source.Given) source.Report {
	r := run{Run: logged.New()}
	report := source.Report{File: f.Path, Set: &profile.Set{}}
	report.Err = source.Table(f, ',', nil, func(row *source.Row) error {
		at, step := row.Positive("_timestamp"), row.Raw("_step")
		if r.Undated = !row.Has("_timestamp"); r.Undated {
			if at = row.Number("_runtime"); at != nil {
				at = new(*at + afterStart)
			}
		}
		n, ok := source.Number(step)
		if at == nil || !(*at > 0) || !ok || n == nil {
			return row.Wrong("has no time or no _step")
		}
		r.Begin(*at)
		for _, column := range row.Columns() {
			v, ok := source.Number(row.Raw(column))
			if notMetrics[column] || !ok || v == nil {
				continue
			}
			p := logged.Point{Wall: *at, Step: wholeStep(*n), Value: *v}
			if err := r.Add(column, logged.IsValidation("", column), p); err != nil {
				return err
			}
		}
		return nil
	})
	if report.Err == nil && r.Points == 0 {
		report.Err = f.Wrong("holds no points")
	}
	if report.Err == nil {
		out := r.settings.Run(given, f.Stem())
		out.Source = "Weights & Biases " + f.Base()
		r.Report(&report, out)
	}
	return report
}
