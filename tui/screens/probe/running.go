package probe

import (
	"cmp"
	"context"
	"maps"

	tea "charm.land/bubbletea/v2"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/probes/background"
	"sweetspot/probes/matrix"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/screen"
	"sweetspot/tui/state"
	"sweetspot/tui/text"
)

// Probe is a probe that runs, or several that were started as one.
type Probe interface {
	Updates() <-chan matrix.Update // closed after the last one
	Stop()                         // stop and save at the next step; asked again, at once
	KeepRunning()                  // past the stop rule
	Cancel()                       // stop and forget
}

// Detacher is a [Probe] that goes on without this program. Leave lets go of it
// and returns when nothing more is needed of this process; its updates need
// not be read any more.
type Detacher interface{ Leave() }

// Prober starts the probes of what the form says, to be saved in the
// workspace. What is asked on Explore says how precise they must be. ctx ends
// when the program is left before they have started, and after they have been
// stopped or left; a hang-up alone does not end it.
type Prober func(ctx context.Context, w screen.Workspace, f Form, asked question.Query) (Probe, error)

// Compile-time checks that a real matrix can be a [Probe], and one in a process
// of its own a [Detacher] too.
var (
	_ Probe    = (*matrix.Matrix)(nil)
	_ Probe    = (*background.Client)(nil)
	_ Detacher = (*background.Client)(nil)
)

// process is what goes on outside the screen.
type process struct {
	prober  Prober
	asked   func() question.Query // on Explore
	running Probe                 // nil while none runs
	leaving bool                  // quit when the probe has ended
	left    bool                  // the probe goes on without the program
	// discarded: the only probe was given up, and its last updates don't matter.
	discarded bool
	machines  map[string]profile.VMKey // SSH destination → what it was found to be
	// A start that has been asked for, and how to give it up.
	starting    chan startedMsg
	awaited     string // what it does, in words; "" for nothing that takes long
	endStarting context.CancelFunc
}

// Messages of probes.
type (
	startedMsg struct {
		probe Probe
		err   error
	}
	updateMsg struct {
		probe  Probe
		update matrix.Update
		open   bool
	}
	leftMsg struct{} // the probe goes on without this program
)

// Receive takes what probes come to, and candidates to probe.
func (s *Screen) Receive(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case startedMsg:
		s.starting = nil
		if msg.err != nil {
			s.Fail(msg.err)
			return s.Shell.Fail(msg.err)
		}
		s.running = msg.probe
		return listen(msg.probe)
	case updateMsg:
		return s.probed(msg)
	case leftMsg:
		s.running, s.left = nil, true
		return tea.Quit
	case screen.Standing:
		s.place = msg.Lines
	case screen.Opened:
		s.set, s.goesOn = nil, nil
	case screen.Loaded:
		return s.loaded(msg)
	case rentsMsg:
		return s.plannedQueued(msg)
	case lookAgainMsg:
		return s.look()
	case plannedMsg:
		return s.planned(msg)
	case rentedMsg:
		return s.rentedNow(msg)
	case screen.ProbeCandidate:
		return s.probeCandidate(msg)
	case screen.ProbeNext:
		return s.probeNext(msg)
	}
	if o, again, ok := s.asks.Receive(msg); ok {
		if s.offeredNow(o); again {
			return s.askOffers(true)
		}
	} else if l, again, ok := s.looks.Receive(msg); ok {
		if again {
			return s.look()
		}
		return s.lookedNow(l)
	}
	return nil
}

// loaded takes in what the database holds, and, of one just opened, looks for what goes
// on elsewhere.
func (s *Screen) loaded(msg screen.Loaded) tea.Cmd {
	first := s.set == nil
	if s.set = msg.Set; !first {
		return nil
	}
	s.opening, s.waited = true, 0
	return s.look()
}

// startProbes begins the form's probes. Their context is not the program's: what
// becomes of them when that ends is decided in [Screen.Close].
func (s *Screen) startProbes(f Form) tea.Cmd {
	ws, prober, asked, words := s.Shell.Workspace, s.prober, s.asked(), ""
	if f.IsQueued() {
		words = "submitting " + quantity.Several(f.size().hosts, "job") + " to " + text.Clean(f.where())
	}
	return s.await(words, func(ctx context.Context) (Probe, error) { return prober(ctx, ws, f, asked) })
}

// await waits until a probe has begun; the words say what that takes.
func (s *Screen) await(words string, begin func(ctx context.Context) (Probe, error)) tea.Cmd {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Shell.Ctx))
	s.starting, s.awaited, s.endStarting = make(chan startedMsg, 1), words, cancel
	result := s.starting
	return func() tea.Msg {
		p, err := begin(ctx)
		m := startedMsg{p, err}
		result <- m // for a program that has ended in the meantime
		return m
	}
}

// listen waits for the next state of a probe.
func listen(p Probe) tea.Cmd {
	return func() tea.Msg {
		u, open := <-p.Updates()
		return updateMsg{p, u, open}
	}
}

// probed shows a probe's newest state here and on Explore.
func (s *Screen) probed(msg updateMsg) tea.Cmd {
	switch {
	case msg.probe != s.running:
		return nil
	case !msg.open:
		return s.ended()
	}
	s.recognise(msg.update)
	cmds := []tea.Cmd{listen(msg.probe)}
	if s.discarded {
		return cmds[0]
	}
	s.Update(msg.update)
	if runs := rankable(msg.update); len(runs) > 0 {
		cmds = append(cmds, s.Shell.Tell(screen.Measured{Runs: runs}))
	}
	return tea.Batch(cmds...)
}

// rankable are the runs that can be ranked already.
func rankable(u matrix.Update) []profile.Run {
	var out []profile.Run
	for i := range u.Rows {
		if run := u.Rows[i].Update.Run; run.Model != "" && run.Steady.Known() {
			out = append(out, run)
		}
	}
	return out
}

func (s *Screen) ended() tea.Cmd {
	s.running, s.discarded = nil, false
	var said tea.Cmd
	if s.Shell.Question.Visible() { // what it asked about the probe is settled
		s.Shell.Question.Close()
		said = s.Shell.Note(toast.Info, s.became())
	}
	if s.leaving {
		return tea.Quit
	}
	return tea.Batch(said, s.Shell.Tell(screen.Measured{}), s.Shell.Reload(), s.look())
}

// became says what became of a probe that ended while something was asked about it.
func (s *Screen) became() string {
	switch {
	case s.state == Failed:
		return "the question is settled: the probe failed meanwhile"
	case s.several():
		return "the question is settled: the probes have ended meanwhile, and those that finished are saved"
	}
	return "the question is settled: the probe has ended meanwhile, and its result is saved"
}

// askPrice asks once whether the probes may cost what they are expected to, or do what the
// words say.
func (s *Screen) askPrice(words string) {
	title, question := s.Price()
	question = cmp.Or(words, question)
	s.Shell.Confirm(title, question, func(id string) tea.Cmd {
		if id != confirm.Yes || s.Active() {
			return nil
		}
		return s.Begin()
	}, confirm.Answer{ID: confirm.Yes, Key: "y", Label: "start"},
		confirm.Answer{ID: confirm.Stay, Key: "n", Label: "no"})
}

// discard answers that a probe shall be forgotten.
const discard = "discard"

func discardAnswer(key, long string) confirm.Answer {
	return confirm.Answer{ID: discard, Key: key, Label: "discard", Long: long}
}

var stayAnswer = confirm.Answer{ID: confirm.Stay, Key: "n", Label: "stay", Long: "keep it running"}

// askDiscard asks whether what runs shall be forgotten.
func (s *Screen) askDiscard() {
	what, long := "What it has measured so far is lost.", "discard what it has measured"
	switch {
	case s.inQueue():
		what, long = "What the running probes have measured is lost, and their jobs are cancelled. Finished probes stay "+
			"saved.", "discard what they have measured; cancel their jobs"
	case s.several():
		what, long = "What the running probe has measured is lost, and no other probe starts. Finished probes stay saved.",
			"discard what it has measured; start no other"
	}
	s.Shell.Confirm("Discard this probe?", what, func(id string) tea.Cmd {
		if id != discard || s.running == nil {
			return nil
		}
		if !s.several() {
			s.Reset()
			s.discarded = true
		}
		return s.tell(Probe.Cancel)
	}, discardAnswer("y", long), stayAnswer)
}

// tell tells the running probe something in a command: while it starts another one
// of several, it listens only later.
func (s *Screen) tell(what func(Probe)) tea.Cmd {
	p := s.running
	if p == nil {
		return nil
	}
	return func() tea.Msg {
		what(p)
		return nil
	}
}

// Status says that a probe runs, or that all of them wait in a queue.
func (s *Screen) Status() string {
	switch {
	case s.running == nil:
		return ""
	case s.ending():
		return "ending"
	case s.allQueued():
		return "queued"
	}
	return "probing"
}

// Busy is why another database can't be opened now.
func (s *Screen) Busy() string {
	if s.running != nil {
		return "a probe is running and saves here: stop it first"
	}
	return ""
}

// Remember keeps which VM type each probed machine is, and the queue.
func (s *Screen) Remember(session *state.State) {
	session.Machines, session.Queue = maps.Clone(s.machines), s.named
}
