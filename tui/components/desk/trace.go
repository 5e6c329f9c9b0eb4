package desk

import (
	"context"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
)

// Trace is where the trace comes from that a screen is about. The newest one that
// was asked for counts.
type Trace[T any] struct {
	Read func(ctx context.Context, path string) (T, error) // an empty path makes one up
	loop ask.Loop[read[T]]
}

type read[T any] struct {
	path  string
	trace T
	err   error
}

// Begin makes a trace up unless there is one.
func (t *Trace[T]) Begin(sh *screen.Shell, has bool) tea.Cmd {
	if has || t.loop.Busy() {
		return nil
	}
	return t.open(sh, "")
}

// Choose has a file chosen and read.
func (t *Trace[T]) Choose(sh *screen.Shell, title string, extensions ...string) tea.Cmd {
	return sh.Choose(title, append(extensions, picker.Any), func(path string) tea.Cmd { return t.open(sh, path) })
}

// open reads a trace, and says so; made-up ones are there at once.
func (t *Trace[T]) open(sh *screen.Shell, path string) tea.Cmd {
	if t.Read == nil {
		return nil
	}
	t.loop.Forget()
	find := t.loop.Ask(sh.Ctx, func(ctx context.Context) read[T] {
		trace, err := t.Read(ctx, path)
		return read[T]{path, trace, err}
	})
	if path == "" {
		return find
	}
	return tea.Batch(find, sh.Note(toast.Info, "reading "+text.Clean(filepath.Base(path))+"…"))
}

// Receive takes a trace that was read, and what is said of it; ok is false for
// any other message.
func (t *Trace[T]) Receive(sh *screen.Shell, msg tea.Msg) (trace T, said tea.Cmd, ok bool) {
	r, _, ok := t.loop.Receive(msg)
	switch {
	case !ok:
	case r.err != nil:
		return trace, sh.Fail(r.err), false
	case r.path != "":
		said = sh.Note(toast.Good, "opened "+text.Clean(filepath.Base(r.path)))
	}
	return r.trace, said, ok
}
