package probe

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/text"
)

// Left are probes that go on without this program.
type Left struct {
	Key      string
	Form     Form // what they were started with, as far as it is known
	Probes   int
	Since    time.Time
	Followed bool // by another sweetspot

	Background bool // one in the background follows them, which can be watched
}

// where they go on, in words.
func (l Left) where() string {
	switch {
	case l.Background:
		return "in the background"
	case l.Form.IsQueued():
		return "in " + l.Form.On
	}
	return "on " + plaintext.Join(l.Form.fill().Hosts, ", ", hostName)
}

// words say what goes on: "12 probes of train.py in slurm (5f0a12)".
func (l Left) words() string {
	return quantity.Several(l.Probes, "probe") + " of " + l.Form.name() + " " + l.where() + " (" + short(l.Key) + ")"
}

// short is enough of a key to name it.
func short(key string) string {
	const digits = 6
	return plaintext.Clean(key[:min(len(key), digits)])
}

// lookedFor is what goes on elsewhere.
type lookedFor struct {
	all []Left
	err error
}

// lookAgainMsg has what goes on looked for again.
type lookAgainMsg struct{}

// settling is when one who followed and was killed no longer counts as following.
const settling = 12 * time.Second

// look asks what goes on elsewhere.
func (s *Screen) look() tea.Cmd {
	if s.queues == nil {
		return nil
	}
	queues, ws := s.queues, s.Shell.Workspace
	return s.looks.Ask(s.Shell.Ctx, func(ctx context.Context) lookedFor {
		all, err := queues.Left(ctx, ws)
		return lookedFor{all, err}
	})
}

// lookedNow lists what goes on. Just opened, the program follows it if it is the only.
func (s *Screen) lookedNow(l lookedFor) tea.Cmd {
	opening := s.opening
	s.opening = false
	if l.err != nil {
		return s.Shell.Fail(l.err)
	}
	if p, ok := s.running.(Queued); ok {
		l.all = slices.DeleteFunc(l.all, func(x Left) bool { return x.Key == p.Key() })
	}
	start := s.startRow()
	s.goesOn = l.all
	if s.row > start {
		s.row = min(s.row, s.lastRow())
	}
	switch {
	case !opening || len(s.goesOn) == 0 || s.running != nil || s.Active():
		return nil
	case len(s.goesOn) > 1:
		return s.Shell.Note(toast.Info, "probes go on in "+quantity.Several(len(s.goesOn), "place")+
			"; the form of Probe ends with them, and enter there follows them")
	case s.goesOn[0].Followed:
		if s.opening = s.waited < mostWaits; !s.opening {
			return nil
		}
		s.waited++ // it may have been killed a moment ago
		return s.Shell.After(settling, func(time.Time) tea.Msg { return lookAgainMsg{} })
	}
	only := s.goesOn[0]
	return tea.Batch(s.attach(only), s.Shell.Note(toast.Good, "follows "+text.Clean(only.words())+" again"))
}

// mostWaits is how often the only one is looked at again.
const mostWaits = 2

// attach follows what goes on elsewhere.
func (s *Screen) attach(l Left) tea.Cmd {
	s.Reset()
	s.form, s.state, s.err, s.row = l.Form.fill(), Starting, "", 0
	s.goesOn = slices.DeleteFunc(slices.Clone(s.goesOn), func(x Left) bool { return x.Key == l.Key })
	queues, ws := s.queues, s.Shell.Workspace
	return s.await("reading what was measured "+text.Clean(l.where()), func(ctx context.Context) (Probe, error) {
		return queues.Follow(ctx, ws, l)
	})
}

// leftLine is a line of the form for what goes on elsewhere.
func (s *Screen) leftLine(l Left, here bool, w int) string {
	th := s.th
	mark := " "
	if here {
		mark = th.Knob.Render(th.Symbols.Here)
	}
	note := "since " + l.Since.Local().Format("15:04")
	if l.Followed {
		note = "another sweetspot follows it"
	}
	words := th.Key.Render("follow") + " " + text.Clean(l.words())
	words = text.Truncate(words, max(w-text.Width(note)-6, 20), th.Symbols.Ellipsis)
	line := text.Fit(" "+mark+" "+words+"  "+th.Dim.Render(note), w)
	if here {
		return th.Selected.Over(line)
	}
	return line
}

// leftWords are where the probes went that were left.
func leftWords(p Probe) string {
	q, ok := p.(Queued)
	if !ok {
		return "The probe keeps running. sweetspot attach shows it again."
	}
	return "The probes go on. sweetspot follows them again, and so does sweetspot attach " + short(q.Key()) +
		"."
}

// inQueue reports whether what is shown is in a queue.
func (s *Screen) inQueue() bool {
	_, ok := s.running.(Queued)
	return ok || s.form.IsQueued()
}
