// Package convert turns sets of measurements that others published into the
// Profile CSV. A set is a folder with the files it was published as; what a
// set lacks stays unknown.
package convert

import (
	"errors"
	"io/fs"

	"sweetspot/engine/profile"
)

// Set is one published set of measurements.
type Set struct {
	Name string // of its folder, and of the CSV file made from it
	// Read reads the folder. Its error is fs.ErrNotExist where the set is not there.
	Read func(folder fs.FS) (*profile.Set, error)
}

// Sets lists those that can be read.
func Sets() []Set {
	return []Set{
		{"mlperf", mlperf},
		{"profet", profet},
		{"zeus", zeus},
	}
}

// Absent reports whether an error of Read says that the set is not there.
func Absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
