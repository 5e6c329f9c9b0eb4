package tui

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
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/text"
)

// keeping is what goes on with the database: changes are made one after the
// other, in the order they were asked for, and taken back the other way round.
type keeping struct {
	changes  []undo
	waiting  []func() tea.Cmd
	busy     bool
	answer   func(value string) tea.Cmd // what the prompt's answer leads to
	choosing func(path string) tea.Cmd  // what the picker's choice leads to; nil opens it
	intake   *importing                 // that goes on, or the last; nil before one
	show     int64                      // a run that the cursor goes to once it is read
}

// undo takes a change back and says so; run is one that the cursor goes to, 0 for
// none.
type undo func(ctx context.Context, ws Workspace) (said string, run int64, err error)

// keptMsg says what became of a change.
type keptMsg struct {
	ws    Workspace
	said  string
	level toast.Level
	undo  undo // nil where it can't be taken back
	run   int64
}

// forget lets go of another database's changes.
func (k *keeping) forget() { k.changes, k.waiting, k.answer = nil, nil, nil }

// change makes a change once those before it are made. do is called in a command.
func (a *App) change(do func(ctx context.Context, ws Workspace) (said string, back undo, err error)) tea.Cmd {
	return a.inTurn(func() tea.Cmd {
		ctx, ws := a.ctx, a.ws
		return func() tea.Msg {
			said, back, err := do(ctx, ws)
			if err != nil {
				return keptMsg{ws, err.Error(), toast.Bad, nil, 0}
			}
			return keptMsg{ws, said, toast.Good, back, 0}
		}
	})
}

func (a *App) inTurn(start func() tea.Cmd) tea.Cmd {
	if a.keep.busy {
		a.keep.waiting = append(a.keep.waiting, start)
		return nil
	}
	a.keep.busy = true
	return start()
}

// receiveKeeping takes what changes and imports bring back.
func (a *App) receiveKeeping(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case keptMsg:
		return a.kept(msg)
	case importMsg:
		return a.imported(msg)
	}
	return nil
}

func (a *App) kept(msg keptMsg) tea.Cmd {
	a.keep.busy = false
	if msg.undo != nil && msg.ws == a.ws {
		a.keep.changes = append(a.keep.changes, msg.undo)
	}
	if msg.run != 0 {
		a.keep.show = msg.run
	}
	said := a.note(msg.level, msg.said)
	if len(a.keep.waiting) == 0 {
		return tea.Batch(said, a.load())
	}
	next := a.keep.waiting[0]
	a.keep.waiting = a.keep.waiting[1:]
	return tea.Batch(said, a.inTurn(next))
}

// undoKept takes the last change back; without one of this session it brings back
// what was deleted last.
func (a *App) undoKept() tea.Cmd {
	return a.inTurn(func() tea.Cmd {
		ctx, ws := a.ctx, a.ws
		take := undeleting(0)
		if n := len(a.keep.changes); n > 0 {
			take, a.keep.changes = a.keep.changes[n-1], a.keep.changes[:n-1]
		}
		return func() tea.Msg {
			said, run, err := take(ctx, ws)
			if err != nil {
				return keptMsg{ws, err.Error(), toast.Bad, nil, 0}
			}
			return keptMsg{ws, said, toast.Info, nil, run}
		}
	})
}

// undeleting brings back a deletion; 0 is the last one.
func undeleting(deletion int64) undo {
	return func(ctx context.Context, ws Workspace) (string, int64, error) {
		back, err := ws.Undelete(ctx, deletion)
		switch r, p := back.Runs, back.Picks; {
		case err != nil:
			return "", 0, err
		case len(r) == 1:
			return fmt.Sprintf("run %d is back as it was", r[0]), r[0], nil
		case len(r) > 1:
			return quantity.Several(len(r), "run") + " are back as they were", r[0], nil
		case len(p) == 1:
			return "the pick is back as it was", 0, nil
		case len(p) > 1:
			return quantity.Several(len(p), "pick") + " are back as they were", 0, nil
		}
		return "nothing to undo", 0, nil
	}
}

const builtIn = "this belongs to the built-in library, which cannot be changed"

// keepUp does what a key of Library means for the database.
func (a *App) keepUp(action keys.Action) tea.Cmd {
	if a.set == nil {
		return nil // what is shown is of another database
	}
	switch action {
	case keys.Delete:
		return a.delete()
	case keys.Rename:
		return a.rename()
	case keys.Annotate:
		return a.annotate()
	case keys.Undo:
		return a.undoKept()
	case keys.Import:
		a.keep.choosing = a.importFrom
		return a.list(a.picker.OpenSeveral("Import logs and tables", "."))
	case keys.Merge:
		a.keep.choosing = a.merge
		return a.list(a.picker.Open("Merge another profile database into this one", ".", []string{".db", ".sqlite", ".sqlite3", picker.Any}, false))
	case keys.Backup:
		return a.backup()
	}
	return nil
}

// ownRuns are the user's runs of a model; of any mode where none is named.
func (a *App) ownRuns(model string, mode profile.Mode) (runs []*profile.Run) {
	for i := range a.set.Runs {
		if r := &a.set.Runs[i]; r.ID > 0 && r.Model == model && (mode == "" || r.Mode == mode) {
			runs = append(runs, r)
		}
	}
	return runs
}

// onModel is the user's runs of the model under the cursor.
func (a *App) onModel(mode bool) []*profile.Run {
	q, ok := a.library.Question()
	if !ok {
		return nil
	}
	if !mode {
		q.Mode = ""
	}
	return a.ownRuns(q.Model, q.Mode)
}

func (a *App) delete() tea.Cmd {
	if p, ok := a.library.Pick(); ok {
		return a.deleting(store.PickTable, "the pick of "+text.Clean(p.CreatedAt.Local().Format("2006-01-02 15:04")), p.ID)
	}
	if r := a.library.Run(); r != nil {
		if r.ID <= 0 {
			return a.note(toast.Info, builtIn)
		}
		return a.deleting(store.RunTable, fmt.Sprintf("run %d of %s", r.ID, r.Model), r.ID)
	}
	q, ok := a.library.Question()
	if !ok {
		return nil
	}
	runs := a.onModel(true)
	if len(runs) == 0 {
		return a.note(toast.Info, builtIn)
	}
	ids := make([]int64, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	return a.deleting(store.RunTable, fmt.Sprintf("%s of %s in %s mode", quantity.Several(len(ids), "run"), q.Model, q.Mode), ids...)
}

// deleting deletes, and shows the list without what goes at once, so that the
// same key means the next row.
func (a *App) deleting(of store.Table, what string, ids ...int64) tea.Cmd {
	a.showWithout(of, ids)
	it := "it"
	if len(ids) > 1 {
		it = "them"
	}
	return a.change(func(ctx context.Context, ws Workspace) (string, undo, error) {
		deletion, err := ws.Delete(ctx, of, ids...)
		return "deleted " + what + ": u brings " + it + " back", undeleting(deletion), err
	})
}

// showWithout shows the shelves without some rows until they are read again.
func (a *App) showWithout(of store.Table, ids []int64) {
	gone := make(map[int64]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	set, picks := *a.set, a.picks
	if of == store.PickTable {
		picks = without(picks, func(p *store.Pick) bool { return gone[p.ID] })
	} else {
		set.Runs = without(set.Runs, func(r *profile.Run) bool { return gone[r.ID] })
	}
	a.set, a.picks = &set, picks
	a.library.SetContent(a.ws.Label(), a.ws.Path(), a.set, a.picks)
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
func (a *App) askFor(label, value string, do func(value string) tea.Cmd) {
	a.keep.answer = do
	a.prompt.Ask("keep", label, value)
}

func (a *App) keepAnswered(o prompt.Outcome, value string) tea.Cmd {
	if o != prompt.Accepted || a.keep.answer == nil {
		return nil
	}
	return a.keep.answer(strings.TrimSpace(value))
}

// rename asks for a run's model and variant, or for a model's name.
func (a *App) rename() tea.Cmd {
	r := a.library.Run()
	if r == nil {
		return a.renameModel()
	}
	if r.ID <= 0 {
		return a.note(toast.Info, builtIn)
	}
	to := store.RunName{Run: r.ID, Model: r.Model, Variant: r.Variant.Name}
	a.askFor(fmt.Sprintf("model of run %d:", r.ID), to.Model, func(model string) tea.Cmd {
		to.Model = model
		a.askFor(fmt.Sprintf("variant of run %d (empty: as published):", to.Run), to.Variant, func(variant string) tea.Cmd {
			to.Variant = variant
			return a.renaming(fmt.Sprintf("run %d is now %s", to.Run, named(to)), to)
		})
		return nil
	})
	return nil
}

func (a *App) renameModel() tea.Cmd {
	runs := a.onModel(false)
	if len(runs) == 0 {
		return a.note(toast.Info, builtIn)
	}
	a.askFor(fmt.Sprintf("name of the model (%s):", quantity.Several(len(runs), "run")), runs[0].Model, func(model string) tea.Cmd {
		to := make([]store.RunName, len(runs))
		for i, r := range runs {
			to[i] = store.RunName{Run: r.ID, Model: model, Variant: r.Variant.Name}
		}
		return a.renaming(fmt.Sprintf("%s now of %s", quantity.Several(len(to), "run"), text.Clean(model)), to...)
	})
	return nil
}

func (a *App) renaming(said string, to ...store.RunName) tea.Cmd {
	return a.change(func(ctx context.Context, ws Workspace) (string, undo, error) {
		was, err := ws.Rename(ctx, to)
		return said + ": u takes it back", func(ctx context.Context, ws Workspace) (string, int64, error) {
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

func (a *App) annotate() tea.Cmd {
	of, id, note := store.RunTable, int64(0), ""
	if p, ok := a.library.Pick(); ok {
		of, id, note = store.PickTable, p.ID, p.Note
	} else if r := a.library.Run(); r != nil {
		id, note = r.ID, r.Note
	} else {
		return nil
	}
	if id <= 0 {
		return a.note(toast.Info, builtIn)
	}
	what := fmt.Sprintf("%s %d", strings.TrimSuffix(string(of), "s"), id)
	a.askFor("note on "+what+":", note, func(value string) tea.Cmd {
		return a.change(func(ctx context.Context, ws Workspace) (string, undo, error) {
			was, err := ws.Annotate(ctx, of, id, value)
			said := "noted on " + what
			if value == "" {
				said = "the note on " + what + " is gone"
			}
			return said + ": u takes it back", func(ctx context.Context, ws Workspace) (string, int64, error) {
				_, err := ws.Annotate(ctx, of, id, was)
				run := int64(0)
				if of == store.RunTable {
					run = id
				}
				return what + " has its note of before", run, err
			}, err
		})
	})
	return nil
}

func (a *App) backup() tea.Cmd {
	own := a.ws.Path()
	name := strings.TrimSuffix(own, filepath.Ext(own)) + "-" + time.Now().Format("2006-01-02-1504") + ".db"
	a.askFor("back up to:", name, func(path string) tea.Cmd {
		return a.change(func(ctx context.Context, ws Workspace) (string, undo, error) {
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
func (a *App) merge(path string) tea.Cmd {
	name := filepath.Base(path)
	return tea.Batch(a.note(toast.Info, "merging "+text.Clean(name)+"…"), a.inTurn(func() tea.Cmd {
		ctx, ws := a.ctx, a.ws
		return func() tea.Msg {
			m, err := ws.Merge(ctx, path)
			if err != nil {
				return keptMsg{ws, err.Error(), toast.Bad, nil, 0}
			}
			level := toast.Good
			if len(m.Warnings) > 0 {
				level = toast.Warn
			}
			return keptMsg{ws, strings.Join(append([]string{"merged " + name + ": " + m.String()}, m.Warnings...), "; "), level, nil, 0}
		}
	}))
}

// picked follows what the picker came to.
func (a *App) picked(e picker.Event) tea.Cmd {
	switch {
	case e.Load != "":
		return a.list(e.Load)
	case e.Chosen != "":
		return a.chosen(e.Chosen)
	case e.Closed:
		a.keep.choosing = nil
	}
	return nil
}
