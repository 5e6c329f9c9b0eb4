// Package tensorboard reads the scalars of TensorBoard's event files
// (events.out.tfevents.*, "brain.Event:2"): TFRecord frames with their checksums
// around Event messages, whose values stand as simple_value or, from TensorFlow 2
// and newer writers, as a tensor. Files of one folder, and of the folders train
// and validation in it, are one run.
//
// Every point has a wall clock and a step. From the points of the training's
// loss follow the seconds of a step: the mean of the steady part, pauses between
// two points included, such as evaluations. Keras's epoch_loss counts epochs
// instead: its points are their ends. A tag epoch, as Lightning and the Hugging
// Face Trainer log it, gives the steps of an epoch. The run begins with the
// first event of a file. Unknown are the model (the folder's name is taken), the
// batch size (--batch), the GPU, the price and memory. A file whose last record
// is cut off, as of a training that goes on, is read up to it. The basis is
// measured.
package tensorboard

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Format is how event files are recognised and read.
var Format = source.Format{Name: "tensorboard", Title: "TensorBoard events", Claims: claims,
	Group: training, Read: read}

func claims(p string, head []byte) bool {
	if len(head) >= 12 && masked(head[:8]) == binary.LittleEndian.Uint32(head[8:12]) &&
		bytes.Contains(head[:min(len(head), 200)], []byte("brain.Event:")) {
		return true
	}
	return strings.Contains(path.Base(p), ".tfevents.")
}

// parts are folders that writers make in the folder of a training.
var parts = []string{"train", "validation", "eval", "val", "test"}

func training(p string) string {
	dir := path.Dir(p)
	if slices.Contains(parts, path.Base(dir)) {
		return path.Dir(dir)
	}
	return dir
}

// isValidation reports whether a point is of a validation, by its tag or by the
// folder it is from.
func isValidation(folder, tag string) bool {
	words := strings.FieldsFunc(strings.ToLower(tag), func(r rune) bool { return strings.ContainsRune("_/-.", r) })
	for _, w := range []string{"val", "valid", "validation", "eval", "test"} {
		if slices.Contains(words, w) || (folder == w && !slices.Contains(words, "train")) {
			return true
		}
	}
	return false
}

// point is a scalar as it was logged.
type point struct {
	wall  float64
	step  int64
	value float64
}

// Limits beside those of all formats.
const (
	maxPoints = 5_000_000
	maxTags   = 10_000
)

// run is what the files of a training tell.
type run struct {
	began      float64 // NaN before the first event
	ended      float64
	training   map[string][]point
	validation map[string][]point
	points     int
}

func read(files []source.File, given source.Given) []source.Report {
	reports := make([]source.Report, len(files))
	r := &run{began: math.NaN(), ended: math.NaN(), training: map[string][]point{}, validation: map[string][]point{}}
	first := -1
	for i, f := range files {
		reports[i].File = f.Path
		before := r.points
		cutOff, err := r.file(f)
		if err != nil {
			reports[i].Err = err
			continue
		}
		if cutOff {
			reports[i].Note("the last record is cut off; what stands before it is read")
		}
		reports[i].Set = &profile.Set{}
		if first < 0 && r.points > before {
			first = i
		}
	}
	for i := range reports {
		if reports[i].Err == nil && i != first {
			if first < 0 {
				reports[i].Err = files[i].Wrong("holds no scalars; only those can be imported")
				continue
			}
			reports[i].Note("part of the training of %s", files[first].Base())
		}
	}
	if first >= 0 {
		r.describe(&reports[first], files[first], given)
	}
	return reports
}

// file reads one file, up to a record that is cut off.
func (r *run) file(f source.File) (cutOff bool, err error) {
	folder := strings.ToLower(path.Base(path.Dir(f.Path)))
	isFirst, before := true, r.points
	err = f.Read(func(file io.Reader) error {
		err := records(file, func(data []byte) error {
			e, err := parseEvent(data)
			if err == nil && isFirst && e.version == "" && len(e.scalars) == 0 {
				err = errMessage
			}
			if err != nil {
				return err
			}
			isFirst = false
			return r.add(folder, e)
		})
		if cutOff = errors.Is(err, errCutOff); cutOff {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
	case cutOff && r.points == before:
		err = f.Wrong("is cut off before its first scalar; fetch it again")
	case isFirst:
		err = f.Wrong("the file is empty")
	}
	return cutOff, err
}

func (r *run) add(folder string, e event) error {
	if !(e.wall > 0) || e.wall > 1e11 {
		return nil // a clock of no use
	}
	if !(e.wall >= r.began) {
		r.began = e.wall
	}
	for _, s := range e.scalars {
		if math.IsNaN(s.value) || math.IsInf(s.value, 0) || math.Abs(s.value) > estimate.Largest || e.step < 0 {
			continue
		}
		to := r.training
		if isValidation(folder, s.tag) {
			to = r.validation
		}
		tag := source.Text(s.tag)
		if r.points++; r.points > maxPoints || (len(to) >= maxTags && to[tag] == nil) {
			return &textfile.Error{What: "more than five million scalars or ten thousand tags; log less often"}
		}
		to[tag] = append(to[tag], point{e.wall, e.step, s.value})
		if !(e.wall <= r.ended) {
			r.ended = e.wall
		}
	}
	return nil
}

func (r *run) describe(report *source.Report, f source.File, given source.Given) {
	folder := source.File{Path: training(f.Path)}
	dir := folder.Tail(1)
	if dir == "." {
		dir = ""
	}
	out := profile.Run{
		Model: given.ModelOr(dir), Mode: profile.Train, Count: 1, BatchSize: given.BatchSize, Status: profile.Done,
		Variant: profile.Variant{Precision: given.Precision}, Basis: estimate.Measured, Source: "TensorBoard " +
			folder.Tail(2),
		AsOf: time.Unix(int64(r.began), 0).UTC().Format(time.DateOnly),
	}
	for _, series := range []map[string][]point{r.training, r.validation} {
		for _, points := range series { // several files of a training may hold them
			slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.wall, b.wall) })
		}
	}
	total := source.Between(r.began, r.ended)
	if total > 0 {
		out.TotalS = &total
	}
	if r.startedAgain() {
		out.TotalS = nil
		report.Note("its steps go back, so it was started again, and how long it took in all is unknown")
	} else if !r.byEpochs(&out) {
		r.bySteps(&out)
	}
	r.validations(&out)
	source.LastAccuracy(&out)
	if source.Fractions(&out) {
		report.Note("%s is in percent and taken as a fraction", out.Validations[0].Metric)
	}
	if out.Epochs == nil {
		report.Note("no tag tells the epochs, so how long a training of a number of epochs takes is not known")
	}
	if out.BatchSize == 0 {
		report.Note("the batch size is unknown; --batch tells it")
	}
	report.Set = &profile.Set{Runs: []profile.Run{out}, Models: []profile.Model{{Name: out.Model}}}
}
