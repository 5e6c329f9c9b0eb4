package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/contract"
	builtin "sweetspot/data/library"
	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/screens/explore"
	"sweetspot/tui/screens/fleet"
	"sweetspot/tui/screens/library"
	"sweetspot/tui/screens/probe"
	"sweetspot/tui/screens/traffic"
	"sweetspot/tui/state"
	"sweetspot/tui/theme"
)

// shelf is a workspace in memory: the library's published profiles.
type shelf struct {
	keepsNothing
	set   *profile.Set
	picks []store.Pick
}

func (s *shelf) Label() string                               { return "built-in library" }
func (s *shelf) Path() string                                { return "/data/profiles.db" }
func (s *shelf) Load(context.Context) (*profile.Set, error)  { return s.set, nil }
func (s *shelf) Version(context.Context) (int64, error)      { return 1, nil }
func (s *shelf) Picks(context.Context) ([]store.Pick, error) { return s.picks, nil }
func (s *shelf) Close() error                                { return nil }
func (s *shelf) SavePick(_ context.Context, p contract.Pick) error {
	query, err := json.Marshal(p.Query)
	if err != nil {
		return err
	}
	candidate, err := json.Marshal(p.Candidate)
	s.picks = append(s.picks, store.Pick{ID: 1, Name: p.Candidate.ID, CreatedAt: time.Unix(0, 0), Query: query,
		Candidate: candidate})
	return err
}

// published is what the studies published: the library without the opening question and
// runs measured by this program, which come and go with every release.
func published(t testing.TB) *profile.Set {
	t.Helper()
	set, err := builtin.Load()
	if err != nil {
		t.Fatal(err)
	}
	out := &profile.Set{VMTypes: set.VMTypes, GPUs: set.GPUs, Kinds: set.Kinds}
	for _, m := range set.Models {
		if m.Name != question.Opening {
			out.Models = append(out.Models, m)
		}
	}
	for _, r := range set.Runs {
		if r.Basis != estimate.Measured && r.Model != question.Opening {
			out.Runs = append(out.Runs, r)
		}
	}
	return out
}

// driver runs an App without a terminal: every command at once, in order.
type driver struct {
	t    testing.TB
	app  *App
	late chan tea.Msg // of commands that take longer than a test waits
	goes bool         // something goes on for as long as the test lets it

	prober probe.Prober // what starts probes
}

// The screens.
func (d *driver) explore() *explore.Screen { return d.app.screens[0].(*explore.Screen) }
func (d *driver) probe() *probe.Screen     { return d.app.screens[1].(*probe.Screen) }
func (d *driver) fleet() *fleet.Screen     { return d.app.screens[2].(*fleet.Screen) }
func (d *driver) traffic() *traffic.VMs    { return d.app.screens[3].(*traffic.Screen).VMs }
func (d *driver) library() *library.Screen { return d.app.screens[4].(*library.Screen) }

// drive opens on the question about CaffeNet that most tests are of, without any limit.
func drive(t testing.TB, w, h int, ws screen.Workspace) *driver {
	t.Helper()
	q := question.Default()
	q.Model, q.Mode = "CaffeNet", profile.Infer
	return driveOn(t, w, h, ws, &q)
}

// driveOn opens on a question that was asked in an earlier session; nil is a first one.
func driveOn(t testing.TB, w, h int, ws screen.Workspace, asked *question.Query) *driver {
	t.Helper()
	symbols, err := theme.SymbolSet("braille")
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, late: make(chan tea.Msg, 64)}
	d.prober = func(context.Context, screen.Workspace, probe.Form, question.Query) (probe.Probe, error) {
		return nil, errors.New("no Python here")
	}
	start := func(ctx context.Context, w screen.Workspace, f probe.Form, asked question.Query) (probe.Probe, error) {
		return d.prober(ctx, w, f, asked)
	}
	d.app = New(context.Background(), Options{Workspace: ws, Probe: start, Traces: madeUp, Loads: madeUpLoad,
		Symbols: symbols, Theme: "dark", Version: "test", Today: time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC),
		State: state.State{LogAxes: true, Question: asked}})
	d.app.shell.After = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil } // nothing expires in a test
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	d.run(d.app.Init())
	return d
}

// send gives a message to Update and runs what comes of it.
func (d *driver) send(msg tea.Msg) {
	_, cmd := d.app.Update(msg)
	d.run(cmd)
}

// run runs a command unless it waits for the clock, as a poll does.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	result := make(chan tea.Msg, 1)
	wait := 20 * time.Second // a slow machine does not hang
	if d.probe().Status() != "" || d.goes {
		wait = 500 * time.Millisecond // listening to a probe waits for its next word
	}
	go func() { result <- cmd() }()
	select {
	case msg := <-result:
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				d.run(c)
			}
		} else if msg != nil {
			d.send(msg)
		}
	case <-time.After(wait):
		go func() { d.late <- <-result }()
	}
}

// settle waits until the screen has changed by messages of slow commands.
func (d *driver) settle(before string) {
	d.t.Helper()
	deadline := time.After(5 * time.Second)
	for d.screen() == before {
		select {
		case msg := <-d.late:
			d.send(msg)
		case <-deadline:
			d.t.Fatalf("nothing moved:\n%s", before)
		}
	}
}

// press presses keys by name.
func (d *driver) press(names ...string) {
	for _, name := range names {
		d.send(press(name))
	}
}

func press(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "enter": tea.KeyEnter,
		"tab": tea.KeyTab, "esc": tea.KeyEscape, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
	}
	if code, ok := special[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func (d *driver) screen() string { return ansi.Strip(d.app.View().Content) }

// exact fails unless the frame fills the terminal and nothing sticks out.
func (d *driver) exact() {
	d.t.Helper()
	lines := strings.Split(d.app.View().Content, "\n")
	if len(lines) != d.app.h {
		d.t.Errorf("%d lines on a terminal of %d", len(lines), d.app.h)
	}
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > d.app.w {
			d.t.Errorf("line %d has %d cells of %d: %q", i+1, w, d.app.w, ansi.Strip(l))
		}
	}
}

func TestFrames(t *testing.T) {
	for _, size := range []struct{ w, h int }{{200, 50}, {120, 40}, {80, 24}, {50, 15}, {39, 9}} {
		for _, screen := range []string{"1", "2", "3", "4", "5"} {
			t.Run(fmt.Sprintf("%dx%d/%s", size.w, size.h, screen), func(t *testing.T) {
				d := drive(t, size.w, size.h, &shelf{set: published(t)})
				d.press(screen)
				d.exact()
				golden.RequireEqual(t, []byte(d.screen()))
			})
		}
	}
}

// TestStyledFrame holds colours too, once.
func TestStyledFrame(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	golden.RequireEqual(t, []byte(d.app.View().Content))
}

func TestEveryKeyAtEverySizeLeavesAnExactFrame(t *testing.T) {
	sizes := []struct{ w, h int }{{80, 24}, {20, 5}, {200, 50}, {120, 40}, {64, 18}, {50, 15}, {40, 10}}
	if testing.Short() {
		sizes = sizes[:2] // a race depends on the key, not on the size
	}
	for _, size := range sizes {
		d := drive(t, size.w, size.h, &shelf{set: published(t)})
		for _, screen := range []string{"1", "2", "3", "4", "5"} {
			for _, b := range keys.Default().Bindings() {
				switch b.Action {
				case keys.Quit, keys.Interrupt, keys.ProbeThis, keys.Open:
					continue
				}
				d.press(screen)
				d.send(press(b.Keys[0]))
				d.exact()
				d.press("esc")
			}
		}
	}
}

func TestScrubbingChangesPlotsAndRanking(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	if !strings.Contains(d.screen(), "168 of 168") {
		t.Fatalf("not the library's CaffeNet:\n%s", d.screen())
	}
	for _, moves := range [][]string{{"]", "]", "]"}, {"down", "["}, {"down", "[", "["}, {"down", "]"}, {"down", "]"}} {
		before := d.screen()
		d.press(moves...)
		if after := d.screen(); after == before {
			t.Errorf("%v changed nothing:\n%s", moves, after)
		}
	}
	constrained := d.screen()
	d.press("u", "u", "u", "u", "u")
	if !strings.Contains(d.screen(), "168 of 168") {
		t.Errorf("undo did not lead back:\n%s", d.screen())
	}
	d.press("U", "U", "U", "U", "U")
	if d.screen() != constrained {
		t.Errorf("redo did not lead forth:\n%s", d.screen())
	}
}

func TestTypedLimitAndNothingFeasible(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("down", "enter", "0", ".", "0", "1", "enter")
	if s := d.screen(); !strings.Contains(s, "0 of 168") || !strings.Contains(s, "cost rules out all 168") {
		t.Errorf("a budget of one cent:\n%s", s)
	}
}

func TestFilterAndModels(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("/", "g", "3", "enter")
	if s := d.screen(); !strings.Contains(s, "84 of 84") || strings.Contains(s, "p2.xlarge") {
		t.Errorf("filter g3:\n%s", s)
	}
	d.press("m", "enter")
	if s := d.screen(); !strings.Contains(s, "CIFAR-10/ResNet-50 · train") {
		t.Errorf("next model:\n%s", s)
	}
	d.press("5", "down", "down", "down", "down", "enter")
	if s := d.screen(); !strings.Contains(s, "seismic/FCN · train") || !strings.Contains(s, "crossovers") &&
		!strings.Contains(s, "epochs") {
		t.Errorf("from the library to a model:\n%s", s)
	}
}

func TestPickAndExport(t *testing.T) {
	ws := &shelf{set: published(t)}
	d := drive(t, 120, 40, ws)
	d.press("x")
	if len(ws.picks) != 1 {
		t.Fatalf("%d picks kept", len(ws.picks))
	}
	d.press("5", "tab", "tab", "tab", "e")
	if s := d.screen(); !strings.Contains(s, "Export") || !strings.Contains(s, "model: CaffeNet") {
		t.Errorf("a kept pick is not exported:\n%s", s)
	}
}

// fakeProbe sends what a test gives it; the real one is driven end to end.
type fakeProbe struct {
	updates  chan matrix.Update
	stopped  bool
	keepsOn  bool
	canceled bool
}

func (p *fakeProbe) Updates() <-chan matrix.Update { return p.updates }
func (p *fakeProbe) Stop()                         { p.stopped = true }
func (p *fakeProbe) KeepRunning()                  { p.keepsOn = true }
func (p *fakeProbe) Cancel()                       { p.canceled = true }

func update(seq int, steadyS float64, done bool) matrix.Update {
	summary := steady.Summary{N: 40, Steady: estimate.Around(steadyS, steadyS/50, estimate.Measured), IsSteady: true}
	run := profile.Run{
		ID: 7, Model: "tiny", Mode: profile.Train, Unit: "image", InstanceType: "host", BatchSize: 64, Epochs: new(3.0),
		IterationsPerEpoch: new(100.0),
		Steady:             summary.Steady, FirstIterationS: new(1.0), Status: profile.Running, Basis: estimate.Measured,
	}
	if done {
		run.Status = profile.Done
	}
	u := session.Update{Seq: seq, Run: run, Seconds: []float64{1, steadyS, steadyS}, Summary: summary,
		Done: done, SpentS: 6}
	row := matrix.Row{State: matrix.Running, Update: u}
	if done {
		row.State = matrix.Done
	}
	return matrix.Update{Seq: seq, Rows: []matrix.Row{row}, Done: done, SpentS: 6}
}

func TestARunningProbeMovesOnExplore(t *testing.T) {
	p := &fakeProbe{updates: make(chan matrix.Update, 4)}
	ws := &shelf{set: published(t)}
	d := drive(t, 120, 40, ws)
	d.prober = func(context.Context, screen.Workspace, probe.Form, question.Query) (probe.Probe, error) {
		return p, nil
	}
	p.updates <- update(1, 0.1, false)
	d.press("2", "p", "1")
	first := d.screen()
	if !strings.Contains(first, "tiny · train as long as each source did") || !strings.Contains(first, "probing") {
		t.Fatalf("the probe's candidate is not on Explore:\n%s", first)
	}
	p.updates <- update(2, 0.2, false)
	d.settle(first)
	d.press("q")
	if s := d.screen(); !strings.Contains(s, "stop and save") {
		t.Fatalf("quit did not ask:\n%s", s)
	}
	d.press("n")
	if p.stopped || p.canceled {
		t.Error("staying ended the probe")
	}
	d.press("q", "s")
	if !p.stopped {
		t.Error("stop and save did not stop")
	}
}

func TestStaleAnswersAreDropped(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	_, cmd := d.app.Update(press("]"))
	old := answerOf(cmd)
	d.send(old)
	d.press("]")
	now := d.screen()
	d.send(old)
	if d.screen() != now {
		t.Error("an older answer replaced a newer one")
	}
}
