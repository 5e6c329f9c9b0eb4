// Package probe is the screen where models are measured: a form, then the
// probes it comes to as they run, iteration times as they stream in, the
// estimate forming, and the end by the stop rule, by hand or by failure.
package probe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/candidate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/components/line"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/components/table"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/plot"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
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

// Screen is the state of Probe.
type Screen struct {
	screen.Base
	process
	queueing
	th   *theme.Theme
	w, h int

	state  State
	form   Form
	row    int // of the form: a field, a GPU type of a queue, the start, or what goes on elsewhere
	typing bool
	input  line.Line // of the field being typed
	err    string    // of the field being typed, or of the form

	all     matrix.Update  // everything that was started
	at      int            // the row of all that is shown
	follow  bool           // at goes to the newest running row
	update  session.Update // of the shown row
	cells   *table.Table
	kept    map[int]bool // rows that keep running after the stop rule is met
	failure string
	set     *profile.Set // the catalog and the runs; nil until they are read
	renter  Renter       // nil where nothing can be rented
	place   []string
	live    *plot.Live
}

// New returns the form with its defaults. The machines are those that were probed
// in earlier sessions, by SSH destination; asked is what Explore asks.
func New(sh *screen.Shell, start Prober, machines map[string]profile.VMKey, asked func() question.Query) *Screen {
	s := &Screen{
		Base: screen.Base{Shell: sh}, th: sh.Theme, form: Defaults(), live: plot.NewLive(sh.Theme),
		follow: true, cells: table.New(columns(nil, 0, false)), kept: map[int]bool{},
		process: process{prober: start, asked: asked, machines: map[string]profile.VMKey{}},
	}
	maps.Copy(s.machines, machines)
	s.cells.Focused = true
	return s
}

// RentWith has VMs rented by r.
func (s *Screen) RentWith(r Renter) *Screen {
	s.renter = r
	return s
}

// Tab is the action that shows the screen.
func (s *Screen) Tab() keys.Action { return keys.Probe }

// Activate shows the screen with the cursor on a field. A digit meant for a value shows
// it too, and enter starts a probe only on the start line, where nobody gets unawares.
func (s *Screen) Activate() tea.Cmd {
	if s.row >= s.startRow() {
		s.row = 0
	}
	if s.state != Filling {
		return nil
	}
	return tea.Batch(s.askOffers(true), s.look())
}

// Act does what a key means here.
func (s *Screen) Act(a keys.Action) tea.Cmd {
	switch {
	case s.state != Filling && s.several() && s.keyCells(a):
		return nil
	case s.Active():
		return s.keyRun(a)
	case s.state != Filling:
		return s.keyEnded(a)
	}
	return s.keyForm(a)
}

// Typing says whether a field is edited.
func (s *Screen) Typing() screen.Typing {
	if s.typing {
		return screen.TypingLine
	}
	return screen.NotTyping
}

// Key edits the field that is typed.
func (s *Screen) Key(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "enter":
		return s.Act(keys.Enter)
	case "esc":
		return s.Act(keys.Back)
	case "tab":
		if s.isField(vmLabel) {
			s.input.Set(completed(s.set, s.input.Value()))
		}
		return nil
	}
	s.input.Update(msg)
	s.err = ""
	return nil
}

// Paste puts text into the field that is typed.
func (s *Screen) Paste(t string) {
	if s.typing {
		s.input.Type(t)
		s.err = ""
	}
}

// Mouse clicks fields and probes, and scrolls the table of these.
func (s *Screen) Mouse(e pointer.Event) tea.Cmd {
	switch e.Kind {
	case pointer.Click:
		return s.Click(e.X, e.Y)
	case pointer.Wheel:
		if s.state != Filling && s.several() {
			s.moveTo(s.at + e.Steps)
		}
	}
	return nil
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
	f = f.fill()
	f.Model, f.Input = text.Clean(f.Model), plaintext.Clean(f.Input)
	s.state, s.form, s.err, s.failure = Filling, f, "", ""
	s.typing = false
}

// SetModel fills in a model file that was chosen, and goes on to type the
// factory of one that is Python.
func (s *Screen) SetModel(file string) {
	s.form.Model, s.form.Command = text.Clean(file), nil
	s.state, s.row, s.err = Filling, 0, ""
	if !modelFile(file) {
		s.begin(s.form.Model + ":")
	}
}

// Form is what the form says.
func (s *Screen) Form() Form { return s.form.clone() }

// State is where the screen is.
func (s *Screen) State() State { return s.state }

// Active reports whether a probe is under way.
func (s *Screen) Active() bool {
	return s.state == Starting || s.state == Running || s.state == Stopping
}

// Region is where keys act.
func (s *Screen) Region() string {
	switch {
	case s.Active() && s.several():
		return keys.InRunCells
	case s.Active():
		return keys.InRun
	case s.state != Filling && s.several():
		return keys.InEndedCells
	case s.state != Filling:
		return keys.InEnded
	}
	return s.formRegion()
}

// Update shows what the probes have come to.
func (s *Screen) Update(u matrix.Update) {
	if u.Seq < s.all.Seq && s.Active() && s.state != Starting {
		return // a straggler
	}
	s.all = u
	s.show()
	switch {
	case s.update.Err != nil && !s.several(): // of several some may fail, and the rest stands
		s.Fail(s.update.Err)
	case u.Done:
		s.state = Done
	case u.Stopping:
		s.state = Stopping
	case s.state != Stopping:
		s.state = Running
	}
}

// Fail shows why the only probe failed, or could not be started.
func (s *Screen) Fail(err error) {
	s.state, s.failure = Failed, text.Clean(err.Error())
}

// Reset leaves a probe that was discarded and returns to the form.
func (s *Screen) Reset() {
	s.state, s.failure, s.place, s.kept = Filling, "", nil, map[int]bool{}
	s.all, s.at, s.follow = matrix.Update{}, 0, true
	s.show()
}

func (s *Screen) keyRun(a keys.Action) tea.Cmd {
	switch {
	case a == keys.Back:
		s.askDiscard()
	case a == keys.Stop && s.state == Running:
		s.state = Stopping
		return s.tell(Probe.Stop)
	case a == keys.Keep && s.state == Running:
		return s.keep()
	}
	return nil
}

// keep lets what runs now keep running after the stop rule is met; what is started later
// follows it again.
func (s *Screen) keep() tea.Cmd {
	before := len(s.kept)
	for i := range s.all.Rows {
		if s.all.Rows[i].State == matrix.Running {
			s.kept[i] = true
		}
	}
	if len(s.kept) == before {
		return nil
	}
	return s.tell(Probe.KeepRunning)
}

// keyEnded leads from the result back to the form.
func (s *Screen) keyEnded(a keys.Action) tea.Cmd {
	switch a {
	case keys.Enter, keys.Back:
		s.state, s.row, s.err = Filling, 0, ""
	case keys.ProbeThis:
		s.state = Filling
		return s.start()
	}
	return nil
}

// recognise remembers which VM type each probed machine is.
func (s *Screen) recognise(u matrix.Update) {
	for i := range u.Rows {
		r := &u.Rows[i].Update.Run
		if r.InstanceType != "" {
			s.machines[u.Rows[i].Host] = r.VM()
		}
	}
}

// machineOf is the SSH destination, "" being this machine, that was found to be
// of a VM type.
func (s *Screen) machineOf(vm profile.VMKey) (host string, ok bool) {
	var hosts []string
	for host, is := range s.machines {
		if is == vm {
			hosts = append(hosts, host)
		}
	}
	if len(hosts) == 0 {
		return "", false
	}
	return slices.Min(hosts), true // this machine before others
}

// names reports whether the form's model is that of a candidate: mode and batch
// size of another model say nothing about it.
func (f Form) names(c *candidate.Candidate) bool { return strings.HasSuffix(f.Model, ":"+c.Model) }

// probeCandidate opens the form with what was measured for the candidate.
func (s *Screen) probeCandidate(m screen.ProbeCandidate) tea.Cmd {
	if s.Active() {
		return s.Shell.Show(keys.Probe)
	}
	f, said := s.Form(), tea.Cmd(nil)
	if c := m.Candidate; c != nil && m.File == "" {
		if filled, known, note := f.Measuring(c, s.set); known {
			f = filled
			if host, ok := s.machineOf(c.Configuration[0].VM.Key()); ok {
				f = f.at(host)
			}
			if note != "" {
				said = s.Shell.Note(toast.Warn, note)
			}
		}
	}
	s.Reset()
	s.SetForm(f)
	if m.File != "" {
		s.SetModel(m.File)
	}
	return tea.Batch(s.Shell.Show(keys.Probe), said)
}

// probeNext starts the probe of a candidate where it is known what was run and where a
// machine of that VM type is; without one, a VM can be rented. Else the form asks for
// what is missing.
func (s *Screen) probeNext(m screen.ProbeNext) tea.Cmd {
	c := m.Candidate
	switch {
	case s.Active():
		return s.Shell.Show(keys.Probe)
	case c == nil:
		return s.Shell.Note(m.Why.Level, m.Why.Text)
	}
	host, found := s.machineOf(c.Configuration[0].VM.Key())
	f, known, note := s.Form().Measuring(c, s.set)
	if !known {
		f.Model = "" // another one must not be measured in its place
	}
	rents := !found && f.VM != "" && f.USDPerHour != nil && s.renter != nil
	if rents {
		host = rented
	}
	f = f.at(host)
	s.Reset()
	s.SetForm(f)
	show := s.Shell.Show(keys.Probe)
	switch {
	case known && note != "":
		return tea.Batch(show, s.Shell.Note(toast.Warn, note))
	case known && (found || rents):
		return tea.Batch(show, s.Act(keys.ProbeThis))
	case !found && !rents: // nor another machine
		s.AskHost()
	}
	return tea.Batch(show, s.Shell.Note(toast.Good, missing(c, known, found || rents)))
}

// missing says what the next probe of a candidate still wants to be told.
func missing(c *candidate.Candidate, model, machine bool) string {
	what := fmt.Sprintf("next is %s, batch %d, on a %s: ", c.Model, c.BatchSize, c.Configuration[0].VM.InstanceType)
	var wants []string
	if !model {
		wants = append(wants, "name the model")
	}
	if !machine {
		wants = append(wants, "name the VM under where")
	}
	return what + strings.Join(wants, ", and ")
}
