// Package keras reads tables of Keras's CSVLogger (Keras 2 and 3): epoch, from
// 0, and the metrics of each in the order of their names, those of a validation
// with val_ before them. Cells are separated by commas, or as the logger was
// told by semicolons or tabs. What is missing is NA, lists stand as text.
//
// The table has no time: --epoch-time gives the seconds of an epoch, and without
// it only epochs and validations are known. Unknown are also the model (the
// file's name is taken), the batch size (--batch), the GPU and the price. The
// basis is measured.
package keras

import (
	"slices"
	"strings"

	"sweetspot/data/imports/curvelog"
	"sweetspot/data/imports/source"
)

// Format is how tables of the CSVLogger are recognised and read.
var Format = source.Format{Name: "keras", Rows: true, Title: "Keras CSVLogger", Claims: claims,
	Read: source.Alone(read)}

func claims(_ string, head []byte) bool {
	names := source.Header(head, separator(head))
	return len(names) > 1 && names[0] == "epoch" && !slices.Contains(names, "step") &&
		slices.ContainsFunc(names, func(n string) bool { return n == "loss" || strings.HasPrefix(n, "val_") })
}

// separator is what the logger was told to write between cells.
func separator(head []byte) rune {
	for _, s := range []rune{';', '\t'} {
		if names := source.Header(head, s); len(names) > 1 && names[0] == "epoch" {
			return s
		}
	}
	return ','
}

// times are what a callback of the user's may add.
var times = []string{"epoch_time", "epoch_seconds", "epoch_duration", "time_per_epoch"}

func read(f source.File, given source.Given) source.Report {
	r := source.Report{File: f.Path}
	head, err := f.Beginning()
	if err != nil {
		r.Err = err
		return r
	}
	l := curvelog.Log{TimeColumns: times, Title: "Keras CSVLogger", Tail: 1, Separator: separator(head)}
	l.Run.Model, l.Run.BatchSize, l.Run.Variant.Precision = given.ModelOr(f.Stem()), given.BatchSize, given.Precision
	l.Read(&r, f, given)
	return r
}
