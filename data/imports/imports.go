// Package imports reads measurements of other programs as runs of sweetspot.
// Every format has a package of its own, which says which versions and columns
// it reads and what they lack; that stays unknown and is never 0. Files that
// belong together are read together, and a file that cannot be read does not
// affect the others.
//
// Importing is repeatable: runs name the format and the file, not the time of
// import, so that a profile database recognises them by content.
package imports

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sweetspot/data/imports/aiperf"
	"sweetspot/data/imports/dawnbench"
	"sweetspot/data/imports/guidellm"
	"sweetspot/data/imports/keras"
	"sweetspot/data/imports/lightning"
	"sweetspot/data/imports/mlflow"
	"sweetspot/data/imports/mllog"
	"sweetspot/data/imports/optimum"
	"sweetspot/data/imports/profiles"
	"sweetspot/data/imports/source"
	"sweetspot/data/imports/tensorboard"
	"sweetspot/data/imports/timm"
	"sweetspot/data/imports/trainer"
	"sweetspot/data/imports/triton"
	"sweetspot/data/imports/vllm"
	"sweetspot/data/imports/wandb"
	"sweetspot/data/imports/wide"
	"sweetspot/data/imports/zeus"
	"sweetspot/engine/plaintext"
)

// Formats lists the readable formats in the order in which they are tried: the
// most specific come first.
var Formats = []source.Format{
	wandb.Log, wandb.History, wandb.Chart, wandb.Runs, mlflow.Format, mlflow.Store,
	profiles.CSV, profiles.JSON, timm.Format, mllog.Format, mllog.Epochs, triton.PerfAnalyzer, triton.ModelAnalyzer,
	trainer.Format, optimum.Format, vllm.Format, guidellm.Format, aiperf.Format,
	tensorboard.Format, zeus.Format, wide.Format, dawnbench.Format, lightning.Format, keras.Format,
}

// Find returns the format with a name.
func Find(name string) (source.Format, error) {
	var names []string
	for _, f := range Formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return source.Format{}, fmt.Errorf("%s is not a format; known are %s", plaintext.Quote(name),
		strings.Join(names, ", "))
}

// Detect recognises the format of a file by its beginning.
func Detect(f source.File) (format source.Format, err error) {
	head, err := f.Beginning()
	if err != nil {
		return format, err
	}
	i := slices.IndexFunc(Formats, func(x source.Format) bool { return x.Claims(f.Path, head) })
	for _, x := range Formats {
		if i >= 0 || x.Opens == nil {
			continue
		}
		if found, err := x.Opens(f, head); found || err != nil {
			return x, err
		}
	}
	switch {
	case i >= 0:
		return Formats[i], nil
	case len(bytes.TrimSpace(head)) == 0:
		return format, f.Wrong("the file is empty")
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return format, &Unrecognised{f, "is an SQLite database, but not one of MLflow; sweetspot merge takes " +
			"databases of this program"}
	}
	if bytes.IndexByte(head, 0) < 0 { // a text
		for _, x := range Formats {
			if len(x.Marks) == 0 {
				continue
			}
			if found, err := f.Holds(x.Marks); found || err != nil {
				return x, err
			}
		}
	}
	return format, &Unrecognised{f, cmp.Or(wide.Advice(f, head), "the format is unknown; give it with --format")}
}

// Options say how files are read.
type Options struct {
	Format string // "" or auto: by their content
	Given  source.Given
	// Progress, if not nil, is called with the number of files done and of all files.
	Progress func(done, all int)
}

// Read reads files and passes each one's report to take, those that belong
// together in succession. It ends early if take fails or the context ends.
func Read(ctx context.Context, files []source.File, o Options, take func(source.Report) error) error {
	named, err := o.named()
	if err != nil {
		return err
	}
	files = slices.Clone(files)
	for i := range files {
		files[i] = until(ctx, files[i])
	}
	done := 0
	pass := func(reports []source.Report) error {
		for _, r := range reports {
			if err := ctx.Err(); err != nil {
				return err // which may be why a file could not be read
			}
			if err := take(r); err != nil {
				return err
			}
		}
		if done += len(reports); o.Progress != nil {
			o.Progress(done, len(files))
		}
		return ctx.Err()
	}
	groups, failed := arrange(ctx, files, named)
	if err := pass(failed); err != nil {
		return err
	}
	for _, g := range groups {
		if err := pass(g.read(o.Given)); err != nil {
			return err
		}
	}
	return nil
}

// named is the format in the options; nil for any.
func (o Options) named() (*source.Format, error) {
	switch {
	case o.Format != "" && !strings.EqualFold(o.Format, "auto"):
		f, err := Find(o.Format)
		return &f, err
	case o.Given.Mapping != nil:
		return &wide.Format, nil
	}
	return nil, nil
}

// group is files that are read together.
type group struct {
	format source.Format
	files  []source.File
}

// arrange groups the files by format and by what belongs together, in the order
// of each group's first file, and reports those without a format.
func arrange(ctx context.Context, files []source.File, named *source.Format) (groups []*group, failed []source.Report) {
	at := map[string]*group{}
	for _, f := range files {
		if ctx.Err() != nil {
			return groups, failed
		}
		format, err := formatOf(f, named)
		if err != nil {
			failed = append(failed, source.Failed(f, err))
			continue
		}
		key := format.Name + "\x00" + f.Path
		if format.Group != nil {
			key = format.Name + "\x01" + format.Group(f.Path)
		}
		if at[key] == nil {
			at[key] = &group{format: format}
			groups = append(groups, at[key])
		}
		at[key].files = append(at[key].files, f)
	}
	return groups, failed
}

// formatOf is the given format, else that of the file's content.
func formatOf(f source.File, named *source.Format) (source.Format, error) {
	if named != nil {
		return *named, nil
	}
	return Detect(f)
}

// Unrecognised is the error for a file of an unknown format.
type Unrecognised struct {
	File source.File
	What string // what may help
}

// Error returns one sentence.
func (e *Unrecognised) Error() string { return e.File.Base() + ": " + e.What }

// read reads the group and fills in what the user gave.
func (g *group) read(given source.Given) []source.Report {
	ends := make([]lineEnd, len(g.files))
	if g.format.Rows {
		for i := range g.files {
			g.files[i] = ends[i].watch(g.files[i])
		}
	}
	reports := g.format.Read(g.files, given)
	for i := range reports {
		r := &reports[i]
		r.File = cmp.Or(r.File, g.files[min(i, len(g.files)-1)].Path)
		r.Format = g.format.Name
		if r.Err == nil && len(r.Set.Runs) > source.MaxRuns {
			r.Err = g.files[min(i, len(g.files)-1)].Wrong("more than %d runs; split the file", source.MaxRuns)
		}
		if r.Err != nil {
			r.Set = nil
			continue
		}
		source.NameModels(r.Set)
		complete(r, given)
		if i < len(ends) && ends[i].lacks {
			r.Note("its last row has no line end: if the file is cut off there, its last number may be wrong")
		}
	}
	return reports
}
