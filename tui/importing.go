package tui

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
	"sweetspot/tui/screens/library"
	"sweetspot/tui/text"
)

// importing is an import that goes on in a command of its own while another one
// listens to how it stands.
type importing struct {
	cancel  context.CancelFunc
	changed chan struct{} // holds one; closed at the end

	mu    sync.Mutex // guards stand
	stand library.Intake
}

// importMsg says that an import stands otherwise than before.
type importMsg struct{ of *importing }

// drawEvery is how often an import is drawn anew.
const drawEvery = 50 * time.Millisecond

// importing reports whether an import goes on.
func (k *keeping) importing() bool { return k.intake != nil && !k.intake.now().Ended }

// stop stops the import that goes on, if any, and reports whether there was one.
func (k *keeping) stop() bool {
	if !k.importing() {
		return false
	}
	k.intake.cancel()
	return true
}

// end stops an import and waits a while for it to let go of the database; what a
// file holds is taken whole or not at all.
func (k *keeping) end() {
	if !k.stop() {
		return
	}
	for over := time.After(3 * time.Second); ; {
		select {
		case _, open := <-k.intake.changed:
			if !open {
				return
			}
		case <-over:
			return
		}
	}
}

// importFrom imports a file, all files of a folder, or those that match a pattern.
func (a *App) importFrom(path string) tea.Cmd {
	if a.keep.importing() {
		return a.note(toast.Info, "an import goes on: esc on its shelf stops it")
	}
	ctx, cancel := context.WithCancel(a.ctx)
	in := &importing{cancel: cancel, changed: make(chan struct{}, 1)}
	a.keep.intake = in
	a.library.SetIntake(in.now())
	a.library.ShowIntake()
	ws := a.ws
	return tea.Batch(func() tea.Msg {
		in.run(ctx, ws, path)
		return nil
	}, in.listen())
}

// listen waits until an import stands otherwise.
func (in *importing) listen() tea.Cmd {
	return func() tea.Msg {
		if _, goesOn := <-in.changed; goesOn {
			time.Sleep(drawEvery)
		}
		return importMsg{in}
	}
}

func (in *importing) now() library.Intake {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.stand
}

// update changes how the import stands.
func (in *importing) update(change func(*library.Intake)) {
	in.mu.Lock()
	change(&in.stand)
	in.mu.Unlock()
	select {
	case in.changed <- struct{}{}:
	default: // the last change was not heard yet either
	}
}

func (in *importing) run(ctx context.Context, ws Workspace, path string) {
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

func (in *importing) take(ctx context.Context, ws Workspace, path string) (r intake.Result, err error) {
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
		in.update(func(s *library.Intake) { s.Done, s.All = done, all })
	}
	return ws.Import(ctx, found, imports.Options{Progress: progress}, func(f intake.File) {
		in.update(func(s *library.Intake) {
			s.Result.Files = append(s.Result.Files, f)
			s.Result.Runs, s.Result.Imported = s.Result.Runs+f.Runs, s.Result.Imported+f.Imported
		})
	})
}

// imported shows how an import stands, and at its end what came of it.
func (a *App) imported(msg importMsg) tea.Cmd {
	if msg.of != a.keep.intake {
		return nil
	}
	stand := msg.of.now()
	a.library.SetIntake(stand)
	if !stand.Ended {
		return msg.of.listen()
	}
	r := &stand.Result
	said, level := fmt.Sprintf("%s, %s new", quantity.Several(r.Runs, "run"), quantity.Count(float64(r.Imported))), toast.Good
	if over := r.PassedOver(); over != "" {
		said += "; " + over
	}
	if err := r.Failure(); err != nil {
		said, level = text.Clean(err.Error()), toast.Warn
	}
	if stand.Failure != "" {
		said, level = text.Clean(stand.Failure), toast.Bad
	}
	return tea.Batch(a.note(level, said), a.load())
}
