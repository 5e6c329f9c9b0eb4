package library

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
)

const builtIn = "this belongs to the built-in library, which cannot be changed"

// ownRuns are the user's runs of a model; of any mode where none is named.
func (s *Screen) ownRuns(model string, mode profile.Mode) (runs []*profile.Run) {
	for i := range s.set.Runs {
		if r := &s.set.Runs[i]; r.ID > 0 && r.Model == model && (mode == "" || r.Mode == mode) {
			runs = append(runs, r)
		}
	}
	return runs
}

// onModel is the user's runs of the model under the cursor.
func (s *Screen) onModel(mode bool) []*profile.Run {
	q, ok := s.Question()
	if !ok {
		return nil
	}
	if !mode {
		q.Mode = ""
	}
	return s.ownRuns(q.Model, q.Mode)
}

func (s *Screen) delete() tea.Cmd {
	if p, ok := s.Pick(); ok {
		return s.deleting(store.PickTable, "the pick of "+text.Clean(p.CreatedAt.Local().Format("2006-01-02 15:04")), p.ID)
	}
	if r := s.Run(); r != nil {
		if r.ID <= 0 {
			return s.Shell.Note(toast.Info, builtIn)
		}
		return s.deleting(store.RunTable, fmt.Sprintf("run %d of %s", r.ID, r.Model), r.ID)
	}
	q, ok := s.Question()
	if !ok {
		return nil
	}
	runs := s.onModel(true)
	if len(runs) == 0 {
		return s.Shell.Note(toast.Info, builtIn)
	}
	ids := make([]int64, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	return s.deleting(store.RunTable, fmt.Sprintf("%s of %s in %s mode", quantity.Several(len(ids), "run"), q.Model,
		q.Mode), ids...)
}

// deleting deletes, and shows the list without what goes at once, so that the
// same key means the next row.
func (s *Screen) deleting(of store.Table, what string, ids ...int64) tea.Cmd {
	s.showWithout(of, ids)
	it := "it"
	if len(ids) > 1 {
		it = "them"
	}
	return s.change(func(ctx context.Context, ws screen.Workspace) (string, undo, error) {
		deletion, err := ws.Delete(ctx, of, ids...)
		return "deleted " + what + ": u brings " + it + " back", undeleting(deletion), err
	})
}

// showWithout shows the lists without some rows until they are read again.
func (s *Screen) showWithout(of store.Table, ids []int64) {
	gone := make(map[int64]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	set, picks := *s.set, s.picks
	if of == store.PickTable {
		picks = without(picks, func(p *store.Pick) bool { return gone[p.ID] })
	} else {
		set.Runs = without(set.Runs, func(r *profile.Run) bool { return gone[r.ID] })
	}
	s.setContent(&set, picks)
}

func without[T any](all []T, gone func(*T) bool) []T {
	kept := make([]T, 0, len(all))
	for i := range all {
		if !gone(&all[i]) {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// askFor asks for a line of text and does something with it.
func (s *Screen) askFor(label, value string, do func(value string) tea.Cmd) {
	s.Shell.Line.Ask(prompt.Question{Label: label, Value: value, Accept: func(value string) (tea.Cmd, error) {
		return do(strings.TrimSpace(value)), nil
	}})
}

// rename asks for a run's model and variant, or for a model's name.
func (s *Screen) rename() tea.Cmd {
	r := s.Run()
	if r == nil {
		return s.renameModel()
	}
	if r.ID <= 0 {
		return s.Shell.Note(toast.Info, builtIn)
	}
	to := store.RunName{Run: r.ID, Model: r.Model, Variant: r.Variant.Name}
	s.askFor(fmt.Sprintf("model of run %d:", r.ID), to.Model, func(model string) tea.Cmd {
		to.Model = model
		s.askFor(fmt.Sprintf("variant of run %d (empty: as published):", to.Run), to.Variant, func(variant string) tea.Cmd {
			to.Variant = variant
			return s.renaming(fmt.Sprintf("run %d is now %s", to.Run, named(to)), to)
		})
		return nil
	})
	return nil
}

func (s *Screen) renameModel() tea.Cmd {
	runs := s.onModel(false)
	if len(runs) == 0 {
		return s.Shell.Note(toast.Info, builtIn)
	}
	s.askFor(fmt.Sprintf("name of the model (%s):", quantity.Several(len(runs), "run")), runs[0].Model,
		func(model string) tea.Cmd {
			to := make([]store.RunName, len(runs))
			for i, r := range runs {
				to[i] = store.RunName{Run: r.ID, Model: model, Variant: r.Variant.Name}
			}
			return s.renaming(fmt.Sprintf("%s now of %s", quantity.Several(len(to), "run"), text.Clean(model)), to...)
		})
	return nil
}

func (s *Screen) renaming(said string, to ...store.RunName) tea.Cmd {
	return s.change(func(ctx context.Context, ws screen.Workspace) (string, undo, error) {
		was, err := ws.Rename(ctx, to)
		return said + ": u undoes it", func(ctx context.Context, ws screen.Workspace) (string, int64, error) {
			_, err := ws.Rename(ctx, was)
			if len(was) == 1 {
				return fmt.Sprintf("run %d is %s again", was[0].Run, named(was[0])), was[0].Run, err
			}
			return quantity.Several(len(was), "run") + " have their names again", 0, err
		}, err
	})
}

// named is a run's model and variant in a sentence.
func named(n store.RunName) string {
	if n.Variant == "" {
		return text.Clean(n.Model)
	}
	return text.Clean(n.Model + " " + n.Variant)
}

func (s *Screen) annotate() tea.Cmd {
	of, id, note := store.RunTable, int64(0), ""
	if p, ok := s.Pick(); ok {
		of, id, note = store.PickTable, p.ID, p.Note
	} else if r := s.Run(); r != nil {
		id, note = r.ID, r.Note
	} else {
		return nil
	}
	if id <= 0 {
		return s.Shell.Note(toast.Info, builtIn)
	}
	what := fmt.Sprintf("%s %d", strings.TrimSuffix(string(of), "s"), id)
	s.askFor("note on "+what+":", note, func(value string) tea.Cmd {
		return s.change(func(ctx context.Context, ws screen.Workspace) (string, undo, error) {
			was, err := ws.Annotate(ctx, of, id, value)
			said := "note saved with " + what
			if value == "" {
				said = "note of " + what + " removed"
			}
			return said + ": u undoes it", func(ctx context.Context, ws screen.Workspace) (string, int64, error) {
				_, err := ws.Annotate(ctx, of, id, was)
				run := int64(0)
				if of == store.RunTable {
					run = id
				}
				return what + " has its earlier note again", run, err
			}, err
		})
	})
	return nil
}

func (s *Screen) backup() tea.Cmd {
	own := s.Shell.Workspace.Path()
	name := strings.TrimSuffix(own, filepath.Ext(own)) + "-" + time.Now().Format("2006-01-02-1504") + ".db"
	s.askFor("back up to:", name, func(path string) tea.Cmd {
		return s.change(func(ctx context.Context, ws screen.Workspace) (string, undo, error) {
			if path == "" {
				return "", nil, fmt.Errorf("a backup needs the name of a file")
			}
			size, err := ws.Backup(ctx, path)
			if full, e := filepath.Abs(path); e == nil {
				path = full
			}
			return fmt.Sprintf("backed up %s to %s", quantity.Bytes(size), path), nil, err
		})
	})
	return nil
}

// merge takes over another database.
func (s *Screen) merge(path string) tea.Cmd {
	name := filepath.Base(path)
	return tea.Batch(s.Shell.Note(toast.Info, "merging "+text.Clean(name)+"…"), s.inTurn(func() work {
		return func(ctx context.Context, ws screen.Workspace) changedMsg {
			m, err := ws.Merge(ctx, path)
			level := toast.Good
			if len(m.Warnings) > 0 {
				level = toast.Warn
			}
			words := append([]string{"merged " + name + ": " + m.String()}, m.Warnings...)
			return changedMsg{said: strings.Join(words, "; "), level: level, err: err}
		}
	}))
}

// changes are what the user does to the database: one after the other, in the
// order they were asked for, and taken back the other way round.
type changes struct {
	done    []undo
	waiting []func() work
	busy    bool
}

// undo takes a change back and says so; run is one that the cursor goes to, 0 for
// none.
type undo func(ctx context.Context, ws screen.Workspace) (said string, run int64, err error)

// changedMsg says what became of a change.
type changedMsg struct {
	ws    screen.Workspace
	said  string
	level toast.Level
	undo  undo // nil where it can't be taken back
	run   int64
	err   error
}

// work makes or takes back a change, in a command.
type work func(ctx context.Context, ws screen.Workspace) changedMsg

// change makes a change once those before it are made.
func (s *Screen) change(do func(ctx context.Context, ws screen.Workspace) (said string, back undo, err error)) tea.Cmd {
	made := func(ctx context.Context, ws screen.Workspace) changedMsg {
		said, back, err := do(ctx, ws)
		return changedMsg{said: said, undo: back, level: toast.Good, err: err}
	}
	return s.inTurn(func() work { return made })
}

// inTurn does some work once the one before it is done; start is called then.
func (s *Screen) inTurn(start func() work) tea.Cmd {
	if s.changes.busy {
		s.changes.waiting = append(s.changes.waiting, start)
		return nil
	}
	s.changes.busy = true
	ctx, ws, do := s.Shell.Ctx, s.Shell.Workspace, start()
	return func() tea.Msg {
		m := do(ctx, ws)
		if m.ws = ws; m.err != nil {
			m = changedMsg{ws: ws, said: m.err.Error(), level: toast.Bad}
		}
		return m
	}
}

func (s *Screen) changed(msg changedMsg) tea.Cmd {
	s.changes.busy = false
	if msg.undo != nil && msg.ws == s.Shell.Workspace {
		s.changes.done = append(s.changes.done, msg.undo)
	}
	if msg.run != 0 {
		s.show = msg.run
	}
	said := s.Shell.Note(msg.level, msg.said)
	if len(s.changes.waiting) == 0 {
		return tea.Batch(said, s.Shell.Reload())
	}
	next := s.changes.waiting[0]
	s.changes.waiting = s.changes.waiting[1:]
	return tea.Batch(said, s.inTurn(next))
}

// undo takes the last change back; without one of this session it brings back
// what was deleted last.
func (s *Screen) undo() tea.Cmd {
	return s.inTurn(func() work {
		take := undeleting(0)
		if n := len(s.changes.done); n > 0 {
			take, s.changes.done = s.changes.done[n-1], s.changes.done[:n-1]
		}
		return func(ctx context.Context, ws screen.Workspace) changedMsg {
			said, run, err := take(ctx, ws)
			return changedMsg{said: said, run: run, level: toast.Info, err: err}
		}
	})
}

// undeleting brings back a deletion; 0 is the last one.
func undeleting(deletion int64) undo {
	return func(ctx context.Context, ws screen.Workspace) (string, int64, error) {
		back, err := ws.Undelete(ctx, deletion)
		switch r, p := back.Runs, back.Picks; {
		case err != nil:
			return "", 0, err
		case len(r) == 1:
			return fmt.Sprintf("run %d is restored", r[0]), r[0], nil
		case len(r) > 1:
			return quantity.Several(len(r), "run") + " are restored", r[0], nil
		case len(p) == 1:
			return "the pick is restored", 0, nil
		case len(p) > 1:
			return quantity.Several(len(p), "pick") + " are restored", 0, nil
		}
		return "nothing to undo", 0, nil
	}
}
