package library

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/data/intake"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// job is an import that goes on in a command of its own while another one
// listens to how it stands.
type job struct {
	cancel  context.CancelFunc
	changed chan struct{} // holds one; closed at the end

	mu    sync.Mutex // guards stand
	stand Import
}

// importMsg says that an import stands otherwise than before.
type importMsg struct{ of *job }

// drawEvery is how often an import is redrawn.
const drawEvery = 50 * time.Millisecond

// importing reports whether an import goes on.
func (s *Screen) importing() bool { return s.job != nil && !s.job.now().Ended }

// stop stops the import that goes on, if any, and reports whether there was one.
func (s *Screen) stop() bool {
	if !s.importing() {
		return false
	}
	s.job.cancel()
	return true
}

// Close stops an import and waits for it to let go of the database; what a file
// holds is taken whole or not at all.
func (s *Screen) Close(ctx context.Context, _ bool) {
	for open := s.stop(); open; {
		select {
		case _, open = <-s.job.changed:
		case <-ctx.Done():
			return
		}
	}
}

// importFrom imports a file, all files of a folder, or those that match a pattern.
// Of a single table in no known format it asks what the columns hold.
func (s *Screen) importFrom(path string) tea.Cmd { return s.importWith(path, nil) }

// importWith is importFrom for a table with known columns.
func (s *Screen) importWith(path string, columns *source.Mapping) tea.Cmd {
	if s.importing() {
		return s.Shell.Note(toast.Info, "an import is running: esc on its list stops it")
	}
	ctx, cancel := context.WithCancel(s.Shell.Ctx)
	in := &job{cancel: cancel, changed: make(chan struct{}, 1)}
	s.job, s.mapping = in, nil
	s.SetImport(in.now())
	s.ShowImport()
	ws := s.Shell.Workspace
	return tea.Batch(func() tea.Msg {
		in.run(ctx, ws, path, columns)
		return nil
	}, in.listen())
}

// listen waits until an import stands otherwise.
func (in *job) listen() tea.Cmd {
	return func() tea.Msg {
		if _, goesOn := <-in.changed; goesOn {
			time.Sleep(drawEvery)
		}
		return importMsg{in}
	}
}

func (in *job) now() Import {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.stand
}

// update changes how the import stands.
func (in *job) update(change func(*Import)) {
	in.mu.Lock()
	change(&in.stand)
	in.mu.Unlock()
	select {
	case in.changed <- struct{}{}:
	default: // the last change was not heard yet either
	}
}

func (in *job) run(ctx context.Context, ws screen.Workspace, path string, columns *source.Mapping) {
	defer close(in.changed)
	defer in.cancel()
	result, err := in.take(ctx, ws, path, columns)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stand.Result, in.stand.Ended = result, true
	if err != nil {
		in.stand.Failure = err.Error()
	}
}

func (in *job) take(ctx context.Context, ws screen.Workspace, path string, columns *source.Mapping) (r intake.Result,
	err error) {
	paths, err := imports.Matching(path)
	if err != nil {
		return r, err
	}
	found, err := imports.Files(paths)
	if err != nil {
		return r, err
	}
	if len(found.Files) == 0 {
		return r, errors.New("there are no files in " + filepath.Base(path))
	}
	if columns == nil && len(found.Files) == 1 {
		if ask := asking(path, found.Files[0]); ask != nil {
			in.update(func(i *Import) { i.ask = ask })
			return r, nil
		}
	}
	for file, n := range found.Named {
		if short, err := filepath.Rel(filepath.Dir(path), n.Path); err == nil {
			n.Path = short
		}
		n.InFolder = n.InFolder || len(paths) > 1 // a pattern matches more than logs, as a folder holds it
		found.Named[file] = n
	}
	progress := func(done, all int) {
		in.update(func(i *Import) { i.Done, i.All = done, all })
	}
	options := imports.Options{Progress: progress, Given: source.Given{Mapping: columns}}
	return ws.Import(ctx, found, options, func(f intake.File) {
		in.update(func(s *Import) {
			s.Result.Files = append(s.Result.Files, f)
			s.Result.Runs, s.Result.Imported = s.Result.Runs+f.Runs, s.Result.Imported+f.Imported
		})
	})
}

// imported shows how an import stands, and at its end what came of it.
func (s *Screen) imported(msg importMsg) tea.Cmd {
	if msg.of != s.job {
		return nil
	}
	stand := msg.of.now()
	s.SetImport(stand)
	if !stand.Ended {
		return msg.of.listen()
	}
	if stand.ask != nil {
		s.mapping = stand.ask
		return s.Shell.Note(toast.Info, "the format is unknown: say what the columns hold")
	}
	r := &stand.Result
	said, level := fmt.Sprintf("%s, %s new", quantity.Several(r.Runs, "run"),
		quantity.Count(float64(r.Imported))), toast.Good
	if over := r.PassedOver(); over != "" {
		said += "; " + over
	}
	if err := r.Failure(); err != nil {
		said, level = text.Clean(err.Error()), toast.Warn
	}
	if stand.Failure != "" {
		said, level = text.Clean(stand.Failure), toast.Bad
	}
	return tea.Batch(s.Shell.Note(level, said), s.Shell.Reload())
}

// Import is how an import stands.
type Import struct {
	Done, All int // files; All is 0 while they are being found
	Ended     bool
	Result    intake.Result // so far
	Failure   string        // that ended it, "" for none
	ask       *mapping      // what it needs to know, nil for nothing
}

// SetImport shows how an import stands, in a list of its own. Once it has ended,
// the files that one should look at come first.
func (s *Screen) SetImport(in Import) {
	s.progress = &in
	files := in.Result.Files
	if in.Ended {
		files = slices.Clone(files)
		slices.SortStableFunc(files, func(a, b intake.File) int { return concern(a) - concern(b) })
	}
	l := s.lists[Imports]
	l.all = supply{n: len(files), id: func(i int) int64 { return int64(i) },
		row: func(i int) *row { return fileRow(int64(i), &files[i]) }}
	l.refresh(s.filter)
}

// ShowImport turns to the list of the import.
func (s *Screen) ShowImport() {
	if s.progress != nil {
		s.current = Imports
	}
}

// concern orders files: bad ones, those with warnings, the rest.
func concern(f intake.File) int {
	switch {
	case f.Error != nil:
		return 0
	case len(f.Warnings) > 0:
		return 1
	}
	return 2
}

func fileRow(id int64, f *intake.File) *row {
	r := &row{id: id, words: append([]string{f.File}, f.Warnings...),
		numbers: map[string]float64{"runs": float64(f.Runs), "new": float64(f.Imported)},
		cells: map[string]string{"file": f.File, "format": "—", "runs": strconv.Itoa(f.Runs),
			"new": strconv.Itoa(f.Imported), "says": strings.Join(f.Warnings, "; ")}}
	if f.Format != nil {
		r.cells["format"] = *f.Format
	}
	switch {
	case f.Error != nil:
		r.cells["became"], r.cells["says"] = "not read", *f.Error
		r.words = []string{f.File, *f.Error}
	case f.Imported > 0:
		r.cells["became"] = "imported"
	case f.Runs > 0:
		r.cells["became"] = "known"
	default:
		r.cells["became"] = "no runs"
	}
	return r
}

// headline says how far the import is, or what it came to.
func (in *Import) headline(th *theme.Theme) string {
	r := &in.Result
	came := fmt.Sprintf("%s, %s new", quantity.Several(r.Runs, "run"), quantity.Count(float64(r.Imported)))
	switch {
	case in.ask != nil:
		return th.Dim.Render("nothing is imported yet")
	case !in.Ended && in.All == 0:
		return th.Dim.Render("looking for files" + th.Symbols.Ellipsis)
	case !in.Ended:
		return th.Key.Render(fmt.Sprintf("%s of %s", quantity.Count(float64(in.Done)), quantity.Several(in.All, "file"))) +
			th.Dim.Render(" · "+came+" · esc stops")
	}
	words := []string{came}
	if in.Failure != "" {
		words = []string{in.Failure, came}
	}
	if n := len(r.Bad); n > 0 {
		words = append(words, th.Bad.Render(quantity.Several(n, "file")+" not read"))
	}
	for _, c := range r.ByFormat() {
		words = append(words, fmt.Sprintf("%s: %s, %s", c.Format, quantity.Several(c.Files, "file"),
			quantity.Several(c.Runs, "run")))
	}
	if over := r.PassedOver(); over != "" {
		words = append(words, over)
	}
	return th.Dim.Render(strings.Join(words, " · "))
}
