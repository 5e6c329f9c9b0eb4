package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/contract"
	"sweetspot/engine/bill"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/theme"
)

// key hands a key press to whatever has the keys: dialogs first, then text
// being typed, then the table of keys.
func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	action, known := a.keys.Resolve(msg, a.region())
	a.explore.Hover(-1, -1) // a mouse that rests on a plot covers what keys show there
	switch {
	case a.confirm.Visible():
		if id, done := a.confirm.Key(msg.String(), action); done {
			return a.answer(id)
		}
		return nil
	case action == keys.Interrupt:
		return a.quit()
	case a.help.Visible():
		a.help.Key(action)
		return nil
	case a.picker.Visible():
		return a.picked(a.picker.Key(msg.String(), msg.Text))
	case a.export.Visible():
		return a.onExport(msg, action)
	case a.prompt.Visible():
		return a.prompted(a.prompt.Update(msg))
	case a.typing():
		return a.typed(msg)
	case !known:
		return nil
	}
	if why := a.disabled(action); why != "" {
		return a.note(toast.Info, why)
	}
	return a.act(action)
}

// region names where keys act, for the table of keys.
func (a *App) region() string {
	if a.export.Visible() {
		return a.export.Region()
	}
	switch a.screen {
	case keys.Probe:
		return a.probe.Region()
	case keys.Library:
		return a.library.Region()
	case keys.Fleet:
		return a.fleet.Region()
	case keys.Traffic:
		return a.traffic.Region()
	}
	if a.explore.Inspecting() {
		return keys.InInspector
	}
	if a.explore.Crossing() {
		return keys.InCrosshair
	}
	return [...]string{keys.InSliders, keys.InPlot, keys.InPlot, keys.InRanking}[a.explore.Focused()]
}

// disabled says why an action cannot be done now.
func (a *App) disabled(action keys.Action) string {
	switch action {
	case keys.Undo:
		if u := a.undoer(); u != nil && !u.CanUndo() {
			return "nothing to undo"
		}
	case keys.Redo:
		if u := a.undoer(); u != nil && !u.CanRedo() {
			return "nothing to redo"
		}
	case keys.Pick, keys.Export:
		if a.screen == keys.Explore && a.asking {
			return "what is shown answers an older question: wait for the new answer"
		}
		fallthrough
	case keys.Pin, keys.Copy:
		if _, ok := a.explore.Selected(); a.screen == keys.Explore && !ok {
			return "no candidate is selected"
		}
	case keys.Combined:
		if a.explore.Question().Mode == profile.Train {
			return "a training runs on one VM: combinations are for inference"
		}
	case keys.NextChart:
		if a.screen == keys.Traffic && !a.traffic.HasChart() {
			return "there is no room for the chart: widen the terminal"
		}
	case keys.Import, keys.Merge:
		if a.running != nil {
			return "a probe runs and saves here: stop it first"
		}
	case keys.Open:
		switch {
		case a.screen == keys.Fleet || a.screen == keys.Traffic: // opens a trace
		case a.keep.busy:
			return "the database is being changed: open another one when that is done"
		case a.keep.importing():
			return "an import goes on here: esc on its shelf stops it"
		case a.running != nil:
			return "a probe runs and saves here: stop it before opening another database"
		}
	}
	return ""
}

// undoer is a screen whose question can be taken back.
type undoer interface {
	CanUndo() bool
	CanRedo() bool
}

// undoer is the present screen if its question can be taken back.
func (a *App) undoer() undoer {
	switch a.screen {
	case keys.Explore:
		return a.explore
	case keys.Fleet:
		return a.fleet
	case keys.Traffic:
		return a.traffic
	}
	return nil
}

// act does what an action means on the present screen.
func (a *App) act(action keys.Action) tea.Cmd {
	switch action {
	case keys.Explore, keys.Probe, keys.Library:
		a.screen = action
		return nil
	case keys.Fleet:
		return a.toFleet()
	case keys.Traffic:
		return a.toTraffic()
	case keys.Help:
		a.help.Open()
		return nil
	case keys.Quit:
		return a.quit()
	case keys.Open:
		switch a.screen {
		case keys.Fleet:
			return a.openTrace()
		case keys.Traffic:
			return a.openLoad()
		}
		return a.list(a.picker.Open("Open a profile database, or a model to probe", ".", append([]string{".db", ".sqlite", ".sqlite3"}, probe.ModelFiles()...), false))
	case keys.Theme:
		names := theme.Names()
		a.opts.Theme = names[(slices.Index(names, a.th.Name)+1)%len(names)]
		a.dress()
		return a.note(toast.Info, "theme "+a.opts.Theme)
	case keys.Mouse:
		a.mouse = !a.mouse
		return a.note(toast.Info, map[bool]string{true: "mouse on", false: "mouse off: the terminal selects text again"}[a.mouse])
	case keys.Refresh:
		return a.load()
	case keys.NextProbe:
		return a.toNextProbe()
	case keys.ProbeThis:
		if a.screen != keys.Probe {
			return a.toProbe()
		}
	}
	switch a.screen {
	case keys.Probe:
		return a.effect(a.probe.Key(action))
	case keys.Library:
		return a.onLibrary(action)
	case keys.Fleet:
		return a.onFleet(action)
	case keys.Traffic:
		return a.onTraffic(action)
	default:
		return a.onExplore(action)
	}
}

// effect carries out what the Probe screen asks for.
func (a *App) effect(e probe.Effect) tea.Cmd {
	switch e {
	case probe.Start:
		return a.start(a.probe.Form())
	case probe.Confirm:
		a.askPrice()
	case probe.Stop:
		if a.running != nil {
			a.running.Stop()
		}
	case probe.Keep:
		if a.running != nil {
			a.running.KeepRunning()
		}
	case probe.Discard:
		a.askDiscard()
	case probe.PickModel:
		return a.list(a.picker.Open("Choose a model file", ".", probe.ModelFiles(), false))
	case probe.None:
	}
	return nil
}

// askPrice asks once whether the probes may cost what they are expected to.
func (a *App) askPrice() {
	a.answer = func(id string) tea.Cmd {
		if id != confirm.Yes || a.probe.Active() {
			return nil
		}
		return a.effect(a.probe.Begin())
	}
	title, question := a.probe.Price()
	a.confirm.AskYes(title, question, "start")
}

// askDiscard asks whether what runs shall be forgotten.
func (a *App) askDiscard() {
	a.answer = func(id string) tea.Cmd {
		if id == discard && a.running != nil {
			a.running.Cancel()
			if !a.probe.Several() {
				a.probe.Reset()
				a.discarded = true
			}
		}
		return nil
	}
	what, long := "What it has measured so far is forgotten.", "end it and forget it"
	if a.probe.Several() {
		what, long = "What the running one has measured is forgotten, and no other is started; those that are done stay saved.", "end it, forget it, start no more"
	}
	a.confirm.Ask("Discard this probe?", what,
		confirm.Answer{ID: discard, Key: "d", Label: "discard", Long: long},
		confirm.Answer{ID: confirm.Stay, Key: "y", Label: "stay", Long: "let it go on"})
}

// toProbe opens the form for the candidate's mode, batch size and variant.
func (a *App) toProbe() tea.Cmd {
	a.screen = keys.Probe
	if a.probe.Active() {
		return nil
	}
	f := a.probe.Form()
	if i, ok := a.explore.Selected(); ok {
		c := a.explore.Answer().Result.Space.At(i)
		// Mode and batch size of another model say nothing about this one.
		if strings.HasSuffix(f.Model, ":"+c.Model) {
			f = f.For(c)
		}
	}
	a.probe.Reset()
	a.probe.SetForm(f)
	return nil
}

// discard answers that a probe shall be forgotten.
const discard = "discard"

// quit leaves, after asking what becomes of a running probe.
func (a *App) quit() tea.Cmd {
	if a.running == nil {
		return tea.Quit
	}
	leaver, canLeave := a.running.(Leaver)
	a.answer = func(id string) tea.Cmd {
		if a.running == nil {
			return nil
		}
		switch id {
		case confirm.StopAndSave:
			a.leaving = true
			a.running.Stop()
			return a.note(toast.Info, "stopping the probe at its next step…")
		case confirm.Detach:
			return leave(leaver)
		case discard:
			a.leaving = true
			a.running.Cancel()
		}
		return nil
	}
	answers := []confirm.Answer{
		{ID: confirm.StopAndSave, Key: "s", Label: "stop and save", Long: "end it at the next step, keep what it measured"},
		{ID: discard, Key: "d", Label: "discard", Long: "end it and forget it"},
		{ID: confirm.Stay, Key: "y", Label: "stay", Long: "let it go on"},
	}
	if canLeave {
		answers = slices.Insert(answers, 1, confirm.Answer{ID: confirm.Detach, Key: "l", Label: "detach", Long: "leave it running; sweetspot attach shows it again"})
	}
	a.confirm.Ask("A probe is running", "What shall become of it?", answers...)
	return nil
}

// prompted takes what a prompt came to; a filter applies as it is typed.
func (a *App) prompted(o prompt.Outcome) tea.Cmd {
	value := a.prompt.Value()
	if a.prompt.ID == "bill" {
		return a.billed(o, value)
	}
	if o == prompt.Cancelled {
		value = ""
	}
	switch a.prompt.ID {
	case "filter":
		return a.askIf(a.explore.Filter(value))
	case "shelf":
		a.library.Filter(value)
	case "keep":
		return a.keepAnswered(o, value)
	}
	return nil
}

// billed takes over what is paid beside the work once it is typed; what cannot
// be read stays, to be mended.
func (a *App) billed(o prompt.Outcome, words string) tea.Cmd {
	if o != prompt.Accepted {
		return nil
	}
	b, err := bill.Parse(words)
	if err != nil {
		a.prompt.Refuse(err.Error())
		return nil
	}
	return a.askIf(a.explore.Bill(b))
}

// pickOf makes a pick of the selected candidate.
func (a *App) pickOf() (contract.Pick, bool) {
	i, ok := a.explore.Selected()
	if !ok {
		return contract.Pick{}, false
	}
	answer := a.explore.Answer()
	return contract.NewPick(answer.Result, i, time.Now(), a.opts.Version, answer.Tested()), true
}

func (a *App) pick() tea.Cmd {
	p, ok := a.pickOf()
	if !ok {
		return nil
	}
	if !p.Candidate.Feasible {
		return a.note(toast.Warn, "this candidate breaks a limit: loosen it before picking")
	}
	return a.savePick(p)
}
