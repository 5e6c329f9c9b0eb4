package library

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/imports"
	"sweetspot/data/intake"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
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

// Close stops an import and waits a while for it to let go of the database; what a
// file holds is taken whole or not at all.
func (s *Screen) Close(bool) {
	if !s.stop() {
		return
	}
	for over := time.After(3 * time.Second); ; {
		select {
		case _, open := <-s.job.changed:
			if !open {
				return
			}
		case <-over:
			return
		}
	}
}

// importFrom imports a file, all files of a folder, or those that match a pattern.
func (s *Screen) importFrom(path string) tea.Cmd {
	if s.importing() {
		return s.Shell.Note(toast.Info, "an import is running: esc on its list stops it")
	}
	ctx, cancel := context.WithCancel(s.Shell.Ctx)
	in := &job{cancel: cancel, changed: make(chan struct{}, 1)}
	s.job = in
	s.SetImport(in.now())
	s.ShowImport()
	ws := s.Shell.Workspace
	return tea.Batch(func() tea.Msg {
		in.run(ctx, ws, path)
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

func (in *job) run(ctx context.Context, ws screen.Workspace, path string) {
	defer close(in.changed)
	defer in.cancel()
	result, err := in.take(ctx, ws, path)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stand.Result, in.stand.Ended = result, true
	if err != nil {
		in.stand.Failure = err.Error()
	}
}

func (in *job) take(ctx context.Context, ws screen.Workspace, path string) (r intake.Result, err error) {
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
	return ws.Import(ctx, found, imports.Options{Progress: progress}, func(f intake.File) {
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
