// Package tui is the terminal program: one Bubble Tea model at the root,
// screens and components below it that are plain structs. Update touches no
// disk and waits for nothing; commands touch no state.
package tui

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
	"sweetspot/probes/background"
	"sweetspot/probes/matrix"
	"sweetspot/tui/components/confirm"
	"sweetspot/tui/components/exportdialog"
	"sweetspot/tui/components/helpoverlay"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/prompt"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screens/explore"
	"sweetspot/tui/screens/fleet"
	"sweetspot/tui/screens/library"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/screens/traffic"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// Options are what the program is started with.
type Options struct {
	Workspace Workspace
	Open      Opener
	Probe     Prober
	Traces    TraceReader
	Loads     LoadReader
	Keys      *keys.Table
	Theme     string // name; "" follows the terminal's background
	NoColor   bool
	Symbols   theme.Symbols
	NoMouse   bool
	FPS       int // 0 is the default
	State     state.State
	Version   string
	Today     time.Time // what prices are old by; zero is now
	Notice    string    // something to say at the start
}

// App is the root model.
type App struct {
	ctx  context.Context
	opts Options
	keys *keys.Table
	th   *theme.Theme
	dark bool
	w, h int

	screen  keys.Action // one of tabs
	explore *explore.Screen
	probe   *probe.Screen
	fleet   fleetDesk
	traffic trafficDesk
	library *library.Screen

	ws      Workspace
	set     *profile.Set // as last read
	picks   []store.Pick
	version int64

	asking   bool // Explore's question is being answered
	askAgain bool // and has changed meanwhile
	asked    int  // number of the question being answered, for the clock

	running Probe         // nil while none runs
	live    []profile.Run // of the running probes, shown on Explore beside the set
	leaving bool          // quit when the probe has ended
	left    bool          // the probe goes on without the program
	// discarded: the only probe was given up, and its last words don't matter.
	discarded bool
	machines  map[string]profile.VMKey // SSH destination → what it was found to be
	// A start that has been asked for, and how to give it up.
	starting    chan startedMsg
	endStarting context.CancelFunc

	help    helpoverlay.Overlay
	confirm confirm.Dialog
	answer  func(id string) tea.Cmd // what the dialog's answer leads to
	picker  picker.Picker
	keep    keeping
	prompt  prompt.Prompt
	export  exportdialog.Dialog
	toast   toast.Toast
	mouse   bool

	after func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // the clock: tea.Tick
}

// New returns the program before its first message.
func New(ctx context.Context, o Options) *App {
	a := &App{ctx: ctx, opts: o, keys: o.Keys, ws: o.Workspace, dark: true, mouse: !o.NoMouse, screen: keys.Explore, after: tea.Tick}
	if a.keys == nil {
		a.keys = keys.Default()
	}
	a.th = a.theme()
	q := state.Question{Sort: "cost", CostWeight: 0.5, Purchase: profile.OnDemand}
	if o.State.Question != nil {
		q = *o.State.Question
	}
	if a.machines = maps.Clone(o.State.Machines); a.machines == nil {
		a.machines = map[string]profile.VMKey{}
	}
	today := o.Today
	if today.IsZero() {
		today = time.Now()
	}
	a.explore = explore.New(a.th, q, o.State.LogAxes, today)
	a.probe = probe.New(a.th)
	a.fleet = fleetDesk{Screen: fleet.New(a.th)}
	a.traffic = trafficDesk{Screen: traffic.New(a.th)}
	a.library = library.New(a.th)
	return a
}

func (a *App) theme() *theme.Theme {
	return theme.New(a.opts.Theme, a.dark, a.opts.NoColor).WithSymbols(a.opts.Symbols)
}

// State is what is worth remembering for the next session.
func (a *App) State() state.State {
	s := state.State{LogAxes: a.explore.LogAxes(), Machines: a.machines}
	if q := a.explore.Question(); q.Model != "" {
		s.Question = &q
	}
	return s
}

// Init asks for everything the first frame needs.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{a.load()}
	if a.opts.Theme == "" || a.opts.Theme == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if a.opts.Notice != "" {
		cmds = append(cmds, a.note(toast.Warn, a.opts.Notice))
	}
	return tea.Batch(cmds...)
}

// Update is the only place where state changes.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		if dark := msg.IsDark(); dark != a.dark {
			a.dark = dark
			a.dress()
		}
	case tea.KeyPressMsg:
		return a, a.key(msg)
	case tea.PasteMsg:
		return a, a.paste(msg)
	case tea.MouseMsg:
		return a, a.mouseAt(msg)
	default:
		return a, a.receive(msg)
	}
	return a, nil
}

// receive takes what commands bring back.
func (a *App) receive(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loadedMsg:
		return a.loaded(msg)
	case testedMsg:
		if msg.set == a.set {
			a.explore.SetTested(msg.tested)
		}
	case openedMsg:
		return a.opened(msg)
	case versionMsg:
		if msg.ws != a.ws {
			return nil
		}
		if msg.version >= 0 && msg.version != a.version && a.running == nil {
			return tea.Batch(a.load(), a.poll())
		}
		return a.poll()
	case answerMsg:
		return a.answered(msg)
	case lateMsg:
		if a.asking && msg.asked == a.asked {
			a.explore.SetLate(true)
		}
	case startedMsg:
		return a.started(msg)
	case probeMsg:
		return a.probed(msg)
	case leftMsg:
		a.running, a.left = nil, true
		return tea.Quit
	case listingMsg:
		if path, ok := a.picker.SetListing(msg.listing); ok {
			return a.chosen(path)
		}
	case noteMsg:
		cmds := []tea.Cmd{a.note(msg.level, msg.text)}
		if msg.reload {
			cmds = append(cmds, a.load())
		}
		return tea.Batch(cmds...)
	case expireMsg:
		a.toast.Expire(msg.seq)
	case previewMsg:
		a.export.SetPreview(msg.preview)
	case wroteMsg:
		return a.wrote(msg)
	case copyMsg:
		return a.copied(msg)
	default:
		return tea.Batch(a.receiveFleet(msg), a.receiveTraffic(msg), a.receiveKeeping(msg))
	}
	return nil
}

func (a *App) loaded(msg loadedMsg) tea.Cmd {
	if msg.ws != a.ws {
		return nil
	}
	if msg.err != nil {
		return a.note(toast.Bad, msg.err.Error())
	}
	first := a.set == nil
	a.set, a.picks, a.version = msg.set, msg.picks, msg.version
	a.library.SetContent(a.ws.Label(), a.ws.Path(), a.set, a.picks)
	a.library.Show(a.keep.show)
	a.keep.show = 0
	a.fleet.SetVMTypes(a.set.VMTypes)
	a.traffic.SetSet(a.set)
	cmds := []tea.Cmd{a.showSet(), a.test()}
	if first {
		cmds = append(cmds, a.poll())
	}
	return tea.Batch(cmds...)
}

// showSet asks Explore's question of the set.
func (a *App) showSet() tea.Cmd {
	if a.set == nil {
		return nil
	}
	a.giveSet()
	return a.ask()
}

// giveSet gives Explore the set with the running probes' runs in it.
func (a *App) giveSet() {
	set := a.set
	if len(a.live) > 0 {
		fresh := &profile.Set{Runs: a.live}
		for i := range a.live {
			r := &a.live[i]
			fresh.Models = append(fresh.Models, profile.Model{Name: r.Model, Unit: r.Unit, Dataset: r.Dataset})
		}
		set = set.Merge(fresh)
		set.Runs = withoutDuplicates(set.Runs, a.live)
	}
	a.explore.SetSet(set)
}

// withoutDuplicates drops the stored copies of the live runs, which come last.
func withoutDuplicates(runs, live []profile.Run) []profile.Run {
	isLive := make(map[int64]bool, len(live))
	for i := range live {
		isLive[live[i].ID] = true
	}
	stored := runs[:len(runs)-len(live)]
	out := make([]profile.Run, 0, len(runs))
	for i := range stored {
		if !isLive[stored[i].ID] {
			out = append(out, stored[i])
		}
	}
	return append(out, runs[len(stored):]...)
}

// answered shows an answer, and asks on where the question has changed since.
func (a *App) answered(msg answerMsg) tea.Cmd {
	a.asking = false
	a.explore.Receive(msg.answer)
	if !a.askAgain {
		a.explore.SetLate(false)
	}
	if len(a.live) > 0 {
		a.probe.SetPlace(a.explore.LivePlace())
	}
	if !a.askAgain {
		return nil
	}
	a.askAgain = false
	return a.ask()
}

func (a *App) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		return a.note(toast.Bad, msg.err.Error())
	}
	old := a.ws
	a.ws, a.set = msg.ws, nil
	a.keep.forget()
	return tea.Batch(a.load(), a.note(toast.Good, "opened "+a.ws.Label()), func() tea.Msg {
		_ = old.Close()
		return nil
	})
}

func (a *App) started(msg startedMsg) tea.Cmd {
	a.starting = nil
	if msg.err != nil {
		a.probe.Fail(msg.err)
		return a.note(toast.Bad, msg.err.Error())
	}
	a.running = msg.probe
	return listen(msg.probe)
}

// chosen uses the file the picker came to: a model for the form, a trace, or
// a database.
func (a *App) chosen(path string) tea.Cmd {
	if take := a.keep.choosing; take != nil {
		a.keep.choosing = nil
		return take(path)
	}
	if a.screen == keys.Fleet {
		return a.readTrace(path)
	}
	if a.screen == keys.Traffic {
		return a.readLoad(path)
	}
	if slices.Contains(probe.ModelFiles(), filepath.Ext(path)) {
		cmd := a.toProbe()
		a.probe.SetModel(path)
		return cmd
	}
	return a.open(path)
}

// probed shows a probe's newest state on Probe and on Explore.
func (a *App) probed(msg probeMsg) tea.Cmd {
	if msg.probe != a.running {
		return nil
	}
	if !msg.open {
		return a.probeEnded()
	}
	if !a.discarded {
		a.probe.Update(msg.update)
	}
	a.recognise(msg.update)
	cmds := []tea.Cmd{listen(msg.probe)}
	if runs := measuredRuns(msg.update); len(runs) > 0 && !a.discarded {
		first := len(a.live) == 0
		a.live = runs
		if first && a.set != nil {
			a.giveSet() // so that Explore knows what the run says of itself
			if a.explore.Turn(questionOf(&runs[0])); a.screen != keys.Probe {
				cmds = append(cmds, a.note(toast.Info, "now asking about "+runs[0].Model+": u goes back"))
			}
		}
		cmds = append(cmds, a.showSet())
	}
	return tea.Batch(cmds...)
}

// measuredRuns are the runs that can be ranked already.
func measuredRuns(u matrix.Update) []profile.Run {
	var out []profile.Run
	for i := range u.Rows {
		if run := u.Rows[i].Update.Run; run.Model != "" && run.Steady.Known() {
			out = append(out, run)
		}
	}
	return out
}

func (a *App) probeEnded() tea.Cmd {
	a.running, a.live, a.discarded = nil, nil, false
	a.confirm.Close() // what it asked about the probe is settled
	if a.leaving {
		return tea.Quit
	}
	return a.load()
}

// Compile-time checks that a real matrix can be a [Probe], and one in a process
// of its own a [Leaver] too.
var (
	_ Probe  = (*matrix.Matrix)(nil)
	_ Probe  = (*background.Client)(nil)
	_ Leaver = (*background.Client)(nil)
)
