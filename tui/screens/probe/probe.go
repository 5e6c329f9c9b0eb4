// Package probe is the screen where a model is measured: a form, then
// iteration times as they stream in, the estimate forming, and the end by the
// stop rule, by hand or by failure.
package probe

import (
	"sweetspot/engine/plaintext"
	"sweetspot/probes/session"
	"sweetspot/tui/keys"
	"sweetspot/tui/plot"
	"sweetspot/tui/theme"
)

// State is where the screen is.
type State uint8

// The states, in the order of a probe.
const (
	Filling  State = iota // the form
	Starting              // asked for, nothing seen yet
	Running
	Stopping // asked to end at the next step
	Done
	Failed
)

// Effect is what a key asks the program to do.
type Effect uint8

// The effects. Discard wants to be asked about first.
const (
	None Effect = iota
	Start
	Stop
	Keep
	Discard
	PickModel // choose a model file
)

// Screen is the state of Probe. It does nothing outside itself: keys return
// effects, and what happens comes back by Update and Fail.
type Screen struct {
	th   *theme.Theme
	w, h int

	state  State
	form   Form
	row    int // of the form; len(fields) is the start row
	typing bool
	typed  string
	err    string // of the field being typed, or of the form

	update  session.Update
	keeping bool
	failure string
	place   []string
	live    *plot.Live
}

// New returns the form with its defaults.
func New(th *theme.Theme) *Screen {
	return &Screen{th: th, form: Defaults(), live: plot.NewLive(th), row: len(fields)}
}

// SetTheme changes colours and symbols.
func (s *Screen) SetTheme(th *theme.Theme) {
	s.th = th
	s.live.SetTheme(th)
}

// SetSize changes the size in cells.
func (s *Screen) SetSize(w, h int) { s.w, s.h = w, h }

// SetForm fills the form, as when a candidate shall be probed; not while a
// probe runs.
func (s *Screen) SetForm(f Form) {
	if s.Active() {
		return
	}
	f.Model, f.Input = plaintext.Clean(f.Model), plaintext.Clean(f.Input)
	s.state, s.form, s.err, s.failure = Filling, f, "", ""
	s.typing = false
}

// SetModel fills in a model file that was chosen, and goes on to type the
// factory in it.
func (s *Screen) SetModel(file string) {
	s.form.Model = plaintext.Clean(file) + ":"
	s.state, s.row = Filling, 0
	s.begin(s.form.Model)
}

// Form is what the form says.
func (s *Screen) Form() Form { return s.form }

// State is where the screen is.
func (s *Screen) State() State { return s.state }

// Active reports whether a probe is under way.
func (s *Screen) Active() bool {
	return s.state == Starting || s.state == Running || s.state == Stopping
}

// Last is the newest update; its Seq is 0 before the first one.
func (s *Screen) Last() session.Update { return s.update }

// Region is where keys act.
func (s *Screen) Region() string {
	switch {
	case s.Active():
		return keys.InRun
	case s.state != Filling:
		return keys.InEnded
	case s.row == len(fields):
		return keys.InStart
	case fields[s.row].choices != nil:
		return keys.InChoice
	}
	return keys.InForm
}

// SetPlace gives the lines that say where the run stands on Explore.
func (s *Screen) SetPlace(lines []string) { s.place = lines }

// Update shows what the probe has come to.
func (s *Screen) Update(u session.Update) {
	if u.Seq < s.update.Seq && s.Active() && s.state != Starting {
		return // a straggler
	}
	s.update = u
	switch {
	case u.Err != nil:
		s.state, s.failure = Failed, plaintext.Clean(u.Err.Error())
	case u.Done:
		s.state = Done
	case u.Stopping:
		s.state = Stopping
	case s.state != Stopping:
		s.state = Running
	}
	warm := u.Summary.Warmup
	if len(u.Seconds) > 0 {
		warm++ // the first iteration is no steady one either
	}
	s.live.SetData(uint64(u.Seq), u.Seconds, warm, u.Summary.Steady)
}

// Fail shows why a probe couldn't be started.
func (s *Screen) Fail(err error) {
	s.state, s.failure = Failed, plaintext.Clean(err.Error())
}

// Reset leaves a probe that was discarded and returns to the form.
func (s *Screen) Reset() {
	s.state, s.update, s.failure, s.place, s.keeping = Filling, session.Update{}, "", nil, false
	s.live.SetData(0, nil, 0, s.update.Summary.Steady)
}

// Key handles an action.
func (s *Screen) Key(a keys.Action) Effect {
	if s.Active() {
		return s.keyRun(a)
	}
	if s.state == Done || s.state == Failed {
		return s.keyEnded(a)
	}
	return s.keyForm(a)
}

func (s *Screen) keyRun(a keys.Action) Effect {
	switch {
	case a == keys.Back:
		return Discard
	case a == keys.Stop && s.state == Running:
		s.state = Stopping
		return Stop
	case a == keys.Keep && s.state == Running && !s.keeping:
		s.keeping = true
		return Keep
	}
	return None
}

// keyEnded leads from the result back to the form.
func (s *Screen) keyEnded(a keys.Action) Effect {
	switch a {
	case keys.Enter, keys.Back:
		s.state, s.row, s.err = Filling, len(fields), ""
	case keys.ProbeThis:
		s.state = Filling
		return s.start()
	}
	return None
}

func (s *Screen) keyForm(a keys.Action) Effect {
	if s.typing {
		switch a {
		case keys.Enter:
			s.commit()
		case keys.Back:
			s.typing, s.err = false, ""
		}
		return None
	}
	switch a {
	case keys.Up, keys.FocusPrev:
		s.row = max(s.row-1, 0)
	case keys.Down, keys.FocusNext:
		s.row = min(s.row+1, len(fields))
	case keys.Top, keys.PageUp:
		s.row = 0
	case keys.Bottom, keys.PageDown:
		s.row = len(fields)
	case keys.Left, keys.BigLeft:
		s.step(-1)
	case keys.Right, keys.BigRight, keys.Pin:
		s.step(1)
	case keys.ProbeThis:
		return s.start()
	case keys.Open:
		return PickModel
	case keys.Enter:
		return s.enter()
	}
	return None
}

// enter types into a field, steps a choice or starts.
func (s *Screen) enter() Effect {
	switch {
	case s.row == len(fields):
		return s.start()
	case fields[s.row].typed:
		s.begin("")
	default:
		s.step(1)
	}
	return None
}

func (s *Screen) step(n int) {
	if s.row < len(fields) && fields[s.row].choices != nil {
		fields[s.row].choices(&s.form, n)
		s.err = ""
	}
}

func (s *Screen) start() Effect {
	if err := s.form.check(); err != nil {
		s.err = err.Error()
		return None
	}
	form := s.form
	s.Reset()
	s.form, s.state, s.err = form, Starting, ""
	return Start
}

// IsTyping reports whether keys are text for a field.
func (s *Screen) IsTyping() bool { return s.typing }

func (s *Screen) begin(text string) { s.typing, s.typed, s.err = true, text, "" }

// maxTyped bounds what is typed or pasted, in bytes.
const maxTyped = 1024

// Type adds text to the field being typed.
func (s *Screen) Type(t string) {
	if t = plaintext.Clean(t); s.typing && len(s.typed)+len(t) <= maxTyped {
		s.typed += t
		s.err = ""
	}
}

// Backspace takes the last typed character away.
func (s *Screen) Backspace() {
	if r := []rune(s.typed); s.typing && len(r) > 0 {
		s.typed, s.err = string(r[:len(r)-1]), ""
	}
}

// commit takes the typed text over; on an error typing goes on.
func (s *Screen) commit() {
	if err := fields[s.row].read(&s.form, s.typed); err != nil {
		s.err = plaintext.Clean(err.Error())
		return
	}
	s.typing, s.err = false, ""
	s.row = min(s.row+1, len(fields))
}

// Click handles the mouse on a line of the form: it moves there, and on the
// line it is on it does what enter does.
func (s *Screen) Click(_, y int) Effect {
	if s.state != Filling || s.typing {
		return None
	}
	row := y - formTop(s.h)
	if row == len(fields)+1 {
		row-- // a blank line parts the start row
	} else if row >= len(fields) {
		return None
	}
	if row < 0 {
		return None
	}
	if row != s.row {
		s.row = row
		return None
	}
	return s.enter()
}
