// Package mlflow reads the runs that MLflow keeps, in files or in an SQLite database
// (MLflow 1 to 3). In files (mlruns) there is a folder for each experiment, in it one for
// each run, whose metrics hold a line "timestamp value step" for each point, the timestamp
// in milliseconds since 1970. A database (mlflow.db, sqlite:///) has the same in tables.
//
// Times, epochs and accuracies follow from the points as in package logged, model,
// data set, batch size and precision from the parameters with the usual names, the
// power of the GPUs from MLflow's system metrics (system/gpu_0_power_usage_watts).
// A run without a parameter for its model is named after its experiment. A run that
// failed or was ended is marked so, one that was deleted is left out. Unknown are the
// GPU (--gpu) and the price. The basis is measured.
package mlflow

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/imports/logged"
	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
)

// Format is how the files of a run are recognised and read.
var Format = source.Format{Name: "mlflow", Title: "MLflow runs", Claims: claims, Group: experiment, Read: read}

// runName is the folder of a run: its ID.
var runName = regexp.MustCompile(`^[0-9a-f]{32}$`)

// place takes the path of a file apart: the folder of the run, "" for that of an
// experiment, and what lies in it.
func place(p string) (run, inside string) {
	parts := strings.Split(p, "/")
	for i := len(parts) - 2; i > 0; i-- {
		if runName.MatchString(parts[i]) {
			return strings.Join(parts[:i+1], "/"), strings.Join(parts[i+1:], "/")
		}
	}
	return "", path.Base(p)
}

func claims(p string, head []byte) bool {
	run, inside := place(p)
	if inside == "meta.yaml" {
		return strings.Contains(string(head), "lifecycle_stage:")
	}
	kind, _, in := strings.Cut(inside, "/")
	return run != "" && in && (kind == "metrics" || kind == "params" || kind == "tags")
}

// experiment is the folder of the experiment that a file belongs to.
func experiment(p string) string {
	if run, _ := place(p); run != "" {
		return path.Dir(run)
	}
	return path.Dir(p)
}

// meta is what is read of meta.yaml, of an experiment or of a run.
type meta struct {
	Name      string `yaml:"name"`
	RunID     string `yaml:"run_id"`
	RunName   string `yaml:"run_name"`
	Lifecycle string `yaml:"lifecycle_stage"`
	Status    any    `yaml:"status"`
	Start     any    `yaml:"start_time"`
}

// filed is a run that is kept in files.
type filed struct {
	stored
	report int // where it is reported
}

func read(files []source.File, given source.Given) []source.Report {
	reports := make([]source.Report, len(files))
	runs := map[string]*filed{}
	var order []*filed
	name := ""
	for i, f := range files {
		reports[i] = source.Report{File: f.Path, Set: &profile.Set{}}
		folder, inside := place(f.Path)
		if folder == "" {
			var m meta
			reports[i].Err = load(f, &m)
			if reports[i].Err == nil && (inside != "meta.yaml" || m.Lifecycle == "") {
				reports[i].Err = f.Wrong("is no file of an MLflow run; import the folder mlruns, or one in it")
			}
			name = cmp.Or(name, source.Text(m.Name))
			reports[i].Note("names the experiment")
			continue
		}
		r := runs[folder]
		if r == nil {
			r = &filed{stored{Run: logged.New(), id: path.Base(folder)}, i}
			runs[folder], order = r, append(order, r)
		}
		if inside == "meta.yaml" {
			r.report = i
		}
		reports[i].Err = r.file(f, inside)
	}
	for _, r := range order {
		report := &reports[r.report]
		switch {
		case report.Err != nil:
		case r.Lifecycle == "deleted":
			report.Note("was deleted in MLflow and is left out")
		case r.Points == 0:
			report.Err = files[r.report].Wrong("the run has no metrics with steps; only those have times")
		default:
			r.Report(report, r.profile(given, name))
		}
	}
	return reports
}

const (
	maxMeta  = 1 << 20
	maxParam = 1 << 16
)

func load(f source.File, m *meta) error {
	text, err := f.Whole(maxMeta)
	if err != nil {
		return err
	}
	if yaml.Unmarshal(text, m) != nil {
		return f.Wrong("is no YAML; is the file cut off?")
	}
	return nil
}

// file reads one file of a run.
func (r *filed) file(f source.File, inside string) error {
	kind, name, _ := strings.Cut(inside, "/")
	switch kind {
	case "metrics":
		return f.Read(func(file io.Reader) error { return r.metric(name, file) })
	case "params":
		text, err := f.Whole(maxParam)
		r.settings.Take(name, strings.TrimSpace(string(text)))
		return err
	case "meta.yaml":
		if err := load(f, &r.meta); err != nil {
			return err
		}
		r.begin(seconds(r.Start))
	}
	return nil
}

// seconds is a time in milliseconds, if it is one.
func seconds(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v) / 1000
	case float64:
		return v / 1000
	}
	return 0
}

// metric reads the points of a metric.
func (r *filed) metric(name string, file io.Reader) error {
	lines := bufio.NewScanner(file)
	lines.Split(wholeLines)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		if len(words) < 2 {
			return &textfile.Error{Row: n, What: "is not a timestamp, a value and a step"}
		}
		at, errAt := strconv.ParseFloat(words[0], 64)
		value, errValue := strconv.ParseFloat(words[1], 64)
		var step int64
		var errStep error
		if len(words) > 2 {
			step, errStep = strconv.ParseInt(words[2], 10, 64)
		}
		if errAt != nil || errValue != nil || errStep != nil {
			return &textfile.Error{Row: n, What: "is not a timestamp, a value and a step"}
		}
		if err := r.point(name, logged.Point{Wall: at / 1000, Step: step, Value: value}); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return &textfile.Error{What: "has a line longer than 64 KiB"}
	}
	return lines.Err()
}

// wholeLines leaves out a last line that is cut off: its last number may be, too.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}
