package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/arrivals"
	"sweetspot/data/contract"
	"sweetspot/data/workload"
	"sweetspot/engine/batching"
	"sweetspot/engine/profile"
	"sweetspot/tui/screens/traffic"
)

// placed is a shelf whose database is in a folder.
type placed struct {
	shelf
	dir string
}

func (s *placed) Path() string { return filepath.Join(s.dir, "profiles.db") }

// probed is a workspace beside which a server's log is, as probe server writes it.
func probed(t testing.TB) *placed {
	t.Helper()
	s := &placed{shelf{set: published(t)}, t.TempDir()}
	server := batching.Server{Times: batching.Times{StepS: 0.012, PromptS: 5e-5, PairS: 1e-10, SequenceS: 1e-4},
		Settings: batching.Settings{MaxSequences: 64, TokenBudget: 2048, CacheTokens: batching.Unlimited}}
	requests := batching.Synthetic(batching.Lengths{Input: 200, Output: 10, Spread: 0.5}, 16, 10, 7)
	out, err := batching.Simulate(requests, server)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(workload.LogFolder(s.Path()), 0o700); err != nil {
		t.Fatal(err)
	}
	name := workload.LogName("lab/llama-3.1-8b", time.Date(2026, 11, 20, 9, 30, 0, 0, time.Local))
	file, err := os.Create(filepath.Join(workload.LogFolder(s.Path()), name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := arrivals.WriteLog(file, out.Observe(requests)); err != nil {
		t.Fatal(err)
	}
	return s
}

func (d *driver) tokens() *traffic.Tokens { return d.app.screens[3].(*traffic.Screen).Tokens }

// serve chooses the language model that was probed.
func (d *driver) serve() {
	d.t.Helper()
	d.press("4", "m", "l", "l", "a", "m", "a", "enter")
	if d.tokens().Shown == nil {
		d.t.Fatalf("no answer:\n%s", d.screen())
	}
}

func TestTokenFrames(t *testing.T) {
	d := drive(t, 120, 40, probed(t))
	d.serve()
	q := d.tokens().Question()
	q.VM, q.APIInput, q.APIOutput = "p3.2xlarge", 0.1, 0.4
	d.run(d.tokens().Change("prices", q))
	d.press("tab", "down")
	for _, size := range []struct{ w, h int }{{200, 50}, {120, 40}, {80, 24}, {50, 15}, {39, 9}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
			d.exact()
			golden.RequireEqual(t, []byte(d.screen()))
		})
	}
}

// Limits, load and prices change what a replica holds and what it costs; undo takes them back.
func TestTokensScrub(t *testing.T) {
	if testing.Short() {
		t.Skip("TestTokensOfLoads computes in the background by the same calls")
	}
	d := drive(t, 120, 40, probed(t))
	d.serve()
	if s := d.screen(); !strings.Contains(s, "lab-llama-3.1-8b") || !strings.Contains(s, "One replica holds") ||
		!strings.Contains(s, "n: a VM type") {
		t.Fatalf("not the probed server:\n%s", s)
	}
	most := func() float64 {
		if m := d.tokens().Shown.Described.MostPerSecond.Value; m != nil {
			return *m
		}
		return 0
	}
	first, loose := d.tokens().Question(), most()
	d.press("down", "enter", "1", "5", "m", "s", "enter")
	if q := d.tokens().Question(); q.TPOTS != 0.015 || !(most() < loose) {
		t.Errorf("at a TPOT of %g s one replica holds %g, before %g", q.TPOTS, most(), loose)
	}
	d.press("down", "down", "enter", "4", "0", "0", "enter")
	if n := d.tokens().Shown.Described.Load.Replicas; n < 2 {
		t.Errorf("400 times the load needs %d replica", n)
	}
	d.press("down", "enter", "2", ".", "5", "enter", "down", "enter", ".", "1", "enter")
	d.press("down", "enter", ".", "4", "enter")
	if s := d.screen(); !strings.Contains(s, "as given") || !strings.Contains(s, "the API") {
		t.Errorf("no prices:\n%s", s)
	}
	d.exact()
	for range 5 {
		d.press("u")
	}
	if q := d.tokens().Question(); q != first {
		t.Errorf("undo leads to %+v, not %+v", q, first)
	}
	d.press("n", "p", "3", ".", "2", "x", "enter")
	if q := d.tokens().Question(); q.VM != "p3.2xlarge" || !strings.Contains(d.screen(), "reserved") {
		t.Errorf("the VM type is %q:\n%s", q.VM, d.screen())
	}
	d.press("V")
	if s := d.screen(); !strings.Contains(s, "by load") {
		t.Errorf("the chart does not turn:\n%s", s)
	}
	d.press("0")
	if q := d.tokens().Question(); q != first {
		t.Errorf("cleared it asks %+v", q)
	}
	d.press("enter")
	d.press("esc")
}

// Another trace is served; one that is no trace is refused and loses nothing.
func TestTokensOpenATrace(t *testing.T) {
	ws := probed(t)
	d := drive(t, 120, 40, ws)
	d.serve()
	path := filepath.Join(ws.dir, "trace.csv")
	d.openTrace(path, "time_s,input_tokens,output_tokens\n0,100,10\n1,50,20\n3,9,9\n")
	if got := d.tokens().Shown.Described.Trace; got.Requests != 3 || got.Input != 159 {
		t.Errorf("the trace is %+v", got)
	}
	d.openTrace(path, "nonsense\n1\n")
	if got := d.tokens().Shown.Described.Trace; got.Requests != 3 || !strings.Contains(d.screen(), "no time column") {
		t.Errorf("the trace is %+v:\n%s", got, d.screen())
	}
	d.openTrace(path, "time_s,input_tokens,output_tokens\n2,100,10\n2,50,20\n")
	if s := d.screen(); d.tokens().Shown.Described.Most != nil || !strings.Contains(s, "arrive at once") {
		t.Errorf("requests at once have a load:\n%s", s)
	}
	d.exact()
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// openTrace opens a file with a trace.
func (d *driver) openTrace(path, trace string) {
	d.t.Helper()
	write(d.t, path, trace)
	d.press("o")
	for _, r := range path {
		d.send(press(string(r)))
	}
	d.press("enter")
}

// A log that no server can be fitted to says why, and the other models stay.
func TestTokensOfABadLog(t *testing.T) {
	ws := probed(t)
	logs, err := workload.ServerLogs(ws.Path())
	if err != nil || len(logs) != 1 || logs[0].Model != "lab-llama-3.1-8b" {
		t.Fatalf("%v, %v", logs, err)
	}
	write(t, logs[0].Path, `{"arrival_s":1,"input_tokens":5,"output_tokens":5}`+"\n")
	d := drive(t, 120, 40, ws)
	d.press("4", "m", "l", "l", "a", "m", "a", "enter")
	if s := d.screen(); !strings.Contains(s, "no lengths, or no times of first and last") || d.tokens().Shown != nil {
		t.Errorf("a log without times:\n%s", s)
	} else if strings.Contains(s, " . ╮") {
		t.Errorf("a server without a name has one:\n%s", s)
	}
	d.exact()
	if d.press("e"); !strings.Contains(d.screen(), "nothing is answered yet") {
		t.Errorf("without an answer something can be written:\n%s", d.screen())
	}
	if d.press("m", "n", "o", " ", "m", "o", "enter"); !strings.Contains(d.screen(), "paragon") {
		t.Errorf("no way back:\n%s", d.screen())
	}
}

// What is served stays where another log is none.
func TestTokensStayBesideABadLog(t *testing.T) {
	d := drive(t, 120, 40, probed(t))
	d.serve()
	before := d.tokens().Shown
	path := filepath.Join(t.TempDir(), "bad.jsonl")
	write(t, path, "{}\n")
	d.press("m", "o", "p", "e", "n", "enter")
	for _, r := range path {
		d.send(press(string(r)))
	}
	d.press("enter")
	if s := d.screen(); d.tokens().Shown != before || !strings.Contains(s, "bad.jsonl: ") ||
		!strings.Contains(s, "One replica holds") {
		t.Errorf("after a bad log:\n%s", s)
	}
	d.exact()
	d.press("right")
	if d.tokens().Shown == before {
		t.Error("a slider does nothing after a bad log")
	}
}

// Without a server the chooser says where step times come from.
func TestTokensOfNoServer(t *testing.T) {
	d := drive(t, 120, 40, &shelf{set: published(t)})
	d.press("4", "m")
	if s := d.screen(); !strings.Contains(s, "none yet: sweetspot probe server URL") {
		t.Errorf("%s", s)
	}
}

func TestTokensAreWritten(t *testing.T) {
	ws := probed(t)
	t.Chdir(ws.dir)
	d := drive(t, 120, 40, ws)
	d.serve()
	d.press("e")
	d.name("mine.json")
	data, err := os.ReadFile(filepath.Join(ws.dir, "mine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var l contract.LLM
	if err := json.Unmarshal(data, &l); err != nil || len(l.Loads) != len(batching.Shares) || l.MostPerSecond.Low == nil ||
		l.Server.FittedTo == nil {
		t.Errorf("%v: %s", err, data)
	}
}

// Loads in the database are a server too: one whose step times are fitted to them, or, where it has but
// one, made to meet it.
func TestTokensOfLoads(t *testing.T) {
	server := batching.Server{Times: batching.Times{StepS: 0.012, PromptS: 5e-5, SequenceS: 1e-4},
		Settings: batching.Settings{MaxSequences: 64, TokenBudget: 2048, CacheTokens: batching.Unlimited}}
	set := published(t)
	for k, rate := range []float64{1, 10, 30, 60} {
		requests := batching.Synthetic(batching.Lengths{Input: 200, Output: 40, Spread: 0.3}, 300, rate, 7)
		l, err := batching.Serve(requests, server, 1, batching.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		set.Runs = append(set.Runs, profile.Run{ID: int64(9000 + k), Model: "lab/mixtral", Mode: profile.Infer, GPU: "H100",
			GPUCount: 1, Status: profile.Done, Serving: &profile.Serving{PerSecond: &rate, Requests: len(requests),
				Input: float64(l.Input) / 300, Output: float64(l.Output) / 300, Generated: new(float64(l.Output) / l.SpanS),
				TTFT: &profile.Spread{P50: &l.Latencies.TTFT.P50}, TPOT: &profile.Spread{P50: &l.Latencies.TPOT.P50}}})
	}
	other := set.Runs[len(set.Runs)-1]
	other.ID, other.GPU = 9100, "A10G"
	set.Runs = append(set.Runs, other)
	d := drive(t, 120, 40, &shelf{set: set})
	d.press("4", "m", "a", "1", "0", "g", "enter")
	if s := d.tokens().Shown; s == nil || s.Described.Server.From == nil || *s.Described.Server.From != "H100" {
		t.Errorf("of one load:\n%s", d.screen())
	}
	d.press("m", "h", "1", "0", "0", "enter")
	if s := d.screen(); d.tokens().Shown == nil || !strings.Contains(s, "mixtral on H100") ||
		!strings.Contains(s, "One replica holds") {
		t.Errorf("no answer:\n%s", s)
	}
}
