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
	"encoding/binary"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"sweetspot/data/imports/logged"
	"sweetspot/data/imports/source"
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

// run is what the files of a training tell.
type run struct{ *logged.Run }

func read(files []source.File, given source.Given) []source.Report {
	reports := make([]source.Report, len(files))
	r := run{logged.New()}
	first := -1
	for i, f := range files {
		reports[i].File = f.Path
		before := r.Points
		cutOff, err := r.file(f)
		if err != nil {
			reports[i].Err = err
			continue
		}
		if cutOff {
			reports[i].Note("the last record is cut off; what stands before it is read")
		}
		reports[i].Set = &profile.Set{}
		if first < 0 && r.Points > before {
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
func (r run) file(f source.File) (cutOff bool, err error) {
	folder := strings.ToLower(path.Base(path.Dir(f.Path)))
	isFirst, before := true, r.Points
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
	case cutOff && r.Points == before:
		err = f.Wrong("is cut off before its first scalar; fetch it again")
	case isFirst:
		err = f.Wrong("the file is empty")
	}
	return cutOff, err
}

func (r run) add(folder string, e event) error {
	if !(e.wall > 0) || e.wall > logged.LatestWall {
		return nil // a clock of no use
	}
	r.Begin(e.wall)
	for _, s := range e.scalars {
		p := logged.Point{Wall: e.wall, Step: e.step, Value: s.value}
		if err := r.Add(s.tag, logged.IsValidation(folder, s.tag), p); err != nil {
			return err
		}
	}
	return nil
}

func (r run) describe(report *source.Report, f source.File, given source.Given) {
	folder := source.File{Path: training(f.Path)}
	dir := folder.Tail(1)
	if dir == "." {
		dir = ""
	}
	r.Report(report, profile.Run{
		Model: given.ModelOr(dir), BatchSize: given.BatchSize, Variant: profile.Variant{Precision: given.Precision},
		Source: "TensorBoard " + folder.Tail(2),
	})
}
