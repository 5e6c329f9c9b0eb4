package wandb

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sweetspot/data/imports/logged"
	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Chart is how the points of a chart are recognised and read that the web page exports as
// CSV: the X axis, and for each run and metric the columns "RUN - METRIC", "RUN -
// METRIC__MIN" and "RUN - METRIC__MAX".
var Chart = source.Format{Name: "wandb-chart", Rows: true, Title: "chart of Weights & Biases", Claims: isChart,
	Read: source.Alone(readChart)}

// The X axes of a chart, and whether each is a time, in seconds.
var axes = map[string]bool{
	"Step": false, "Relative Time (Process)": true, "Relative Time (Wall)": true, "Wall Time": true,
}

func isChart(_ string, head []byte) bool {
	names := source.Header(head, ',')
	if len(names) < 2 {
		return false
	}
	_, known := axes[names[0]]
	return known && !slices.ContainsFunc(names[1:], func(n string) bool { return !strings.Contains(n, " - ") })
}

const least, most = "__MIN", "__MAX"

// chart is the runs of a chart by their names.
type chart struct {
	axis  string
	runs  map[string]*logged.Run
	order []string
	means int // cells left out
}

func readChart(f source.File, given source.Given) source.Report {
	c := chart{runs: map[string]*logged.Run{}}
	report := source.Report{File: f.Path}
	report.Err = source.Table(f, ',', func(header *source.Row) error {
		for _, name := range header.Columns() {
			if _, known := axes[name]; known && c.axis == "" {
				c.axis = name
			}
		}
		return header.Need(cmp.Or(c.axis, "Step"))
	}, c.row)
	if report.Err != nil {
		return report
	}
	var several logged.Several
	for _, name := range c.order {
		if r := c.runs[name]; r.Points > 0 {
			out := logged.Settings{}.Run(given, name)
			out.Source = strings.TrimSpace("Weights & Biases " + name + " " + f.Base())
			several.Add(r, out)
		}
	}
	if several.Len() == 0 {
		report.Err = f.Wrong("has no point of a single run with both its step and its time; let the X axis be Relative " +
			"Time (Process), without grouping, and export it again")
		return report
	}
	if c.means > 0 {
		report.Note("%s left out that hold the mean of several points or runs", quantity.Several(c.means, "cell"))
	}
	several.Report(&report)
	return report
}

// row takes the points at one place of the X axis.
func (c *chart) row(row *source.Row) error {
	x, ok := source.Number(row.Raw(c.axis))
	if !ok || x == nil {
		return row.Wrong("has no %s", c.axis)
	}
	for _, column := range row.Columns() {
		at := strings.LastIndex(column, " - ")
		if at < 0 || strings.HasSuffix(column, least) || strings.HasSuffix(column, most) {
			continue
		}
		name, metric := source.Text(column[:at]), column[at+len(" - "):]
		value := c.value(row, column)
		if value == nil || notMetrics[metric] {
			continue
		}
		p, dated, ok := c.place(row, column[:at], *x)
		if !ok {
			continue
		}
		r := c.runs[name]
		if r == nil {
			r = logged.New()
			r.Undated = !dated
			c.runs[name], c.order = r, append(c.order, name)
		}
		p.Value = *value
		if err := r.Add(metric, logged.IsValidation("", metric), p); err != nil {
			return err
		}
	}
	return nil
}

// afterStart is where a clock begins that counts from the start of a run: a point at 0
// would be one without a time.
const afterStart = 1

// place is the step and the time of a run at a place of the X axis; ok is false where one
// is unknown.
func (c *chart) place(row *source.Row, run string, x float64) (p logged.Point, dated, ok bool) {
	step, at := &x, &x
	relative := c.axis != "Wall Time"
	if axes[c.axis] {
		step = c.value(row, run+" - _step")
	} else if at = c.value(row, run+" - _timestamp"); at != nil {
		relative = false
	} else {
		at = c.value(row, run+" - _runtime")
	}
	if step == nil || at == nil {
		return p, false, false
	}
	p = logged.Point{Wall: *at, Step: wholeStep(*step)}
	if relative {
		p.Wall += afterStart
	}
	return p, !relative, true
}

// value is a cell that is of one point of one run; nil for any other.
func (c *chart) value(row *source.Row, column string) *float64 {
	v, ok := source.Number(row.Raw(column))
	if !ok || v == nil {
		return nil
	}
	for _, end := range []string{least, most} {
		if bound, ok := source.Number(row.Raw(column + end)); ok && bound != nil && *bound != *v {
			c.means++
			return nil
		}
	}
	return v
}

// Runs is how the table of runs is recognised and read that the web page exports as CSV:
// a row for each run, with its state, how long it took, its configuration and the last
// values of its metrics. It has no step times.
var Runs = source.Format{Name: "wandb-runs", Rows: true, Title: "runs of Weights & Biases",
	Claims: func(_ string, head []byte) bool {
		return source.HaveAll(source.Header(head, ','), "Name", "State", "Runtime")
	},
	Read: source.Alone(readRuns)}

func readRuns(f source.File, given source.Given) source.Report {
	set, without := &profile.Set{}, 0
	err := source.Table(f, ',', func(header *source.Row) error { return header.Need("Name", "State", "Runtime") },
		func(row *source.Row) error {
			total := row.Positive("Runtime")
			if len(set.Runs) >= source.MaxRuns {
				return row.Wrong("more than %d runs; split the file", source.MaxRuns)
			}
			if total == nil {
				without++
				return nil
			}
			run := described(row, given)
			run.TotalS = total
			set.Runs = append(set.Runs, run)
			return nil
		})
	report := source.Found(f, set, err, "holds no run with a Runtime")
	if report.Err == nil {
		if without > 0 {
			report.Note("%s without a Runtime left out", quantity.Several(without, "run"))
		}
		report.Note("a table of runs has no step times, only how long each run took; the log of a run (.wandb) has them")
	}
	return report
}

// described is the run in a row, without its time.
func described(row *source.Row, given source.Given) profile.Run {
	var s logged.Settings
	var metrics []string
	for _, column := range row.Columns() {
		value := row.Text(column)
		switch column {
		case "GPU Type":
			s.GPU = value
		case "GPU Count":
			s.GPUs, _ = strconv.Atoi(value)
		default:
			s.Take(column, value)
			if v, ok := source.Number(value); ok && v != nil && logged.IsValidation("", column) {
				metrics = append(metrics, column)
			}
		}
	}
	s.GPUs = min(max(s.GPUs, 0), 1024)
	run := s.Run(given, row.Text("Name"))
	run.Mode, run.Count, run.Basis, run.Status = profile.Train, 1, estimate.Measured, state(row.Text("State"))
	run.Source = "Weights & Biases " + row.Text("Name")
	if id := cmp.Or(row.Text("ID"), row.Text("Created")); id != "" { // names are not unique
		run.Source += " " + id
	}
	if day, err := time.Parse(time.DateOnly, row.Cell("Created")[:min(10, len(row.Cell("Created")))]); err == nil {
		run.AsOf = day.Format(time.DateOnly)
	}
	if run.Status != profile.Done {
		run.Epochs = nil // it did not train all of them
	}
	if best := source.BestMetric(metrics); best != "" {
		v, _ := source.Number(row.Text(best))
		run.Accuracy = &profile.Accuracy{Metric: best, Value: *v, HigherIsBetter: source.HigherIsBetter(best),
			Basis: run.Basis}
		source.Fractions(&run)
	}
	return run
}

// state is the project's word for that of Weights & Biases.
func state(s string) profile.Status {
	switch strings.ToLower(s) {
	case "finished":
		return profile.Done
	case "failed":
		return profile.Failed
	}
	return profile.Interrupted // crashed, killed, running
}
