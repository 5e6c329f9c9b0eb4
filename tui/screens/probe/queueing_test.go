package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/engine/question"
	"sweetspot/probes/queue"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/theme"
)

// noon is when the fake queue is asked.
var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// fakeQueues is a queue of three GPU types, of which one is in use and one has no price.
type fakeQueues struct {
	offers   []queue.Offer
	err      error
	asked    []string
	left     []Left
	followed []string
	probe    Probe
	rents    string
}

func newFakeQueues() *fakeQueues {
	return &fakeQueues{offers: []queue.Offer{
		{GPU: "a100", Nodes: 2, Count: 4, Partitions: []string{"main", "urgent"}, USDPerHour: new(2.5), Starts: noon},
		{GPU: "h100", Nodes: 1, Count: 8, Partitions: []string{"hopper"}, Starts: noon.Add(12 * time.Minute)},
		{GPU: "v100", Count: 2, Partitions: []string{"main"}, USDPerHour: new(0.8), NoStart: "its nodes are drained"},
	}}
}

func (*fakeQueues) Names() []string { return []string{"slurm", "sky"} }
func (q *fakeQueues) Rents(context.Context, screen.Workspace, Form) (string, error) {
	return q.rents, q.err
}
func (q *fakeQueues) Offers(_ context.Context, _ screen.Workspace, on string) ([]queue.Offer, error) {
	q.asked = append(q.asked, on)
	return q.offers, q.err
}
func (q *fakeQueues) Left(context.Context, screen.Workspace) ([]Left, error) { return q.left, q.err }
func (q *fakeQueues) Follow(_ context.Context, _ screen.Workspace, l Left) (Probe, error) {
	q.followed = append(q.followed, l.Key)
	return q.probe, q.err
}

// queuedProbe goes on in a queue when it is left.
type queuedProbe struct {
	quitting
	left bool
}

func (p *queuedProbe) Leave()      { p.left = true }
func (p *queuedProbe) Key() string { return "5f0a12cdef001122" }

// queueable is the form of a program with queues.
func queueable(t *testing.T, q Queues) *Screen {
	t.Helper()
	s, _ := placed(t)
	s.WithQueues(q, "")
	return s
}

// answer gives the screen what a command brings, and what comes of that; clocks stand still.
func answer(s *Screen, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, one := range msg {
			answer(s, one)
		}
	default:
		if next := s.Receive(msg); s.running == nil { // what runs is not waited for
			answer(s, next)
		}
	}
	s.there.asked = noon
}

// where types a place into the form.
func where(t *testing.T, s *Screen, typed string) {
	t.Helper()
	at(t, s, "where")
	s.Act(keys.Enter)
	s.input.Set(typed)
	answer(s, s.Act(keys.Enter))
}

func TestWhereIsSteppedThroughTheQueues(t *testing.T) {
	q := newFakeQueues()
	s := queueable(t, q)
	at(t, s, "where")
	for _, c := range []struct {
		key  keys.Action
		want string
	}{{keys.Right, "slurm"}, {keys.Right, "sky"}, {keys.Right, ""}, {keys.Left, "sky"}, {keys.Pin, ""}} {
		answer(s, s.Act(c.key))
		if got := s.Form().On; got != c.want || s.form.IsQueued() != (c.want != "") {
			t.Fatalf("%s leads to %q, not %q", c.key, got, c.want)
		}
	}
	if !slices.Equal(q.asked, []string{"slurm", "sky"}) { // what is known is not asked again
		t.Errorf("asked %q", q.asked)
	}
	where(t, s, "slurm:me@login")
	if got := exact(t, s); !strings.Contains(got, "slurm at me@login") || s.Form().On != "slurm:me@login" {
		t.Errorf("on %q:\n%s", s.Form().On, got)
	}
	at(t, s, "where")
	answer(s, s.Act(keys.Left))
	if answer(s, s.Act(keys.Right)); s.Form().On != "slurm:me@login" { // the login host is not lost
		t.Errorf("on %q", s.Form().On)
	}
	where(t, s, "me@vm,here")
	if f := s.Form(); f.IsQueued() || !slices.Equal(f.Hosts, []string{"me@vm", ""}) || s.offers() != nil {
		t.Errorf("hosts lead to %+v", f)
	}
	for _, wrong := range []string{"slurm:", "slurm:-oProxyCommand=x", "slurm:a b", "sky:\x1b[2J"} {
		if where(t, s, wrong); !strings.Contains(s.err, "names no login host") || strings.Contains(s.err, "\x1b") {
			t.Errorf("%q: %q", wrong, s.err)
		}
		s.Act(keys.Back)
	}
}

func TestGPUTypesAreTaken(t *testing.T) {
	q := newFakeQueues()
	s := queueable(t, q)
	if s.checkQueue() != nil {
		t.Error("no queue is refused")
	}
	where(t, s, "slurm")
	if s.Act(keys.ProbeThis); !strings.Contains(s.err, "no GPU type is chosen") {
		t.Errorf("refused with %q", s.err)
	}
	s.row = len(fields)
	if s.Region() != keys.InOffer {
		t.Error("the GPU types are in " + s.Region())
	}
	for _, c := range []struct {
		row int
		key keys.Action
		to  string
	}{{1, keys.Pin, "h100"}, {0, keys.Enter, "a100 h100"}, {0, keys.Right, "a100:2 h100"}, {0, keys.Right, "a100:3 h100"},
		{0, keys.BigRight, "a100:4 h100"}, {0, keys.Right, "a100:4 h100"}, {0, keys.Left, "a100:3 h100"},
		{1, keys.Pin, "a100:3"},
		{1, keys.Left, "a100:3 h100"}, {1, keys.Left, "a100:3 h100"}, {2, keys.Pin, "a100:3 h100 v100"}} {
		s.row = len(fields) + c.row
		answer(s, s.Act(c.key))
		if got := strings.Join(s.Form().GPUs, " "); got != c.to {
			t.Fatalf("%s on row %d leads to %q, not %q", c.key, c.row, got, c.to)
		}
	}
	s.form.Batches = []int{32, 64}
	want := "2 batch sizes × 3 GPU types = 6 probes, in 3 jobs of about 30.0 s to 4 m 00 s each, $0.069 to $0.55 without h100, " +
		"whose price is not known"
	if got := s.sizing(); got != want {
		t.Errorf("it comes to\n%s, not\n%s", got, want)
	}
	cells, err := s.form.Axes().Cells()
	if err != nil || len(cells) != 6 || cells[0].Host != "a100:3" {
		t.Errorf("cells are %v, %v", cells, err)
	}
	if answer(s, s.Act(keys.ProbeThis)); !s.Shell.Question.Visible() {
		t.Error("the price is not asked about")
	}
	s.Shell.Question.Close()
	q.err = errors.New("no VM type\x1b[31m has a b200")
	if answer(s, s.Act(keys.ProbeThis)); s.err != "no VM type has a b200" || s.Shell.Question.Visible() {
		t.Errorf("what cannot be rented: %q", s.err)
	}
	q.err, q.rents = nil, "3 clusters, $4.20 at most"
	if answer(s, s.Act(keys.ProbeThis)); !strings.Contains(ansi.Strip(s.Shell.Over(s.View(), "", nil, 120, 38)), q.rents) {
		t.Error("what is rented is not asked about")
	}
	s.Shell.Question.Close()
	q.rents = ""
	s.form.MaxUSD = 1
	if s.Act(keys.ProbeThis); !strings.Contains(s.err, "needs the price of h100") {
		t.Errorf("a cap without a price: %q", s.err)
	}
	s.form.GPUs, s.form.MaxUSD = []string{"a100"}, 0.05
	if got := s.sizing(); !strings.HasSuffix(got, "in 1 job of about 30.0 s to 4 m 00 s, $0.021 to $0.050") {
		t.Error(got)
	}
	s.form.GPUs, s.form.MaxUSD, s.form.MaxSeconds = []string{"h100"}, 0, 0
	if got := s.sizing(); !strings.HasSuffix(got, "in 1 job of about 30.0 s to 10 m 00 s, at prices that are not known") {
		t.Error(got) // a job has a cap of its own
	}
	s.prober = func(context.Context, screen.Workspace, Form, question.Query) (Probe, error) {
		return nil, errors.New("no cluster")
	}
	if answer(s, s.Act(keys.ProbeThis)); s.State() != Failed {
		t.Errorf("without a price nothing is asked, and it does not start: %q", s.err)
	}
}

// What is rented has other columns, and a machine of one's own as many GPUs as are asked for.
func TestRentedGPUTypes(t *testing.T) {
	q := newFakeQueues()
	q.offers = []queue.Offer{{GPU: "L4", Nodes: 3, Count: 8, Rented: true, Partitions: []string{"aws", "gcp"}},
		{GPU: "h100", Rented: true, Partitions: []string{"ssh/lab"}}}
	s := queueable(t, q)
	where(t, s, "sky")
	s.row = len(fields) + 1
	for range 2 {
		s.Act(keys.Right)
	}
	if got := strings.Join(s.Form().GPUs, " "); got != "h100:2" {
		t.Errorf("taken are %q", got)
	}
	s.SetSize(150, 40)
	got := exact(t, s)
	for _, want := range []string{"there are               infra", "3 VM types              aws, gcp",
		"your own                ssh/lab"} {
		if !strings.Contains(ansi.Strip(got), want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// What a queue no longer has is not kept, and the cursor stays on its row.
func TestAQueueIsAskedAgain(t *testing.T) {
	q := newFakeQueues()
	s := queueable(t, q)
	where(t, s, "slurm")
	s.form.GPUs = []string{"a100", "v100:2"}
	s.row = s.startRow()
	q.offers = q.offers[:2]
	answer(s, s.askOffers(true))
	if !slices.Equal(s.form.GPUs, []string{"a100"}) || s.row != s.startRow() {
		t.Errorf("%q are left, and row %d of %d", s.form.GPUs, s.row, s.startRow())
	}
	q.err = errors.New("the nodes can't be listed\x1b[31m: connection refused")
	answer(s, s.askOffers(true)) // what was known still helps
	if len(s.offers()) != 2 || s.checkQueue() != nil {
		t.Errorf("%d GPU types after a failure", len(s.offers()))
	}
	where(t, s, "sky")
	got := exact(t, s)
	if !strings.Contains(got, "The nodes can't be listed: connection refused.") || len(s.offers()) > 0 ||
		s.form.GPUs != nil {
		t.Errorf("what is wrong is not said:\n%s", got)
	}
	if s.Act(keys.ProbeThis); !strings.Contains(s.err, "connection refused") {
		t.Errorf("it starts: %q", s.err)
	}
	q.err, q.offers = nil, nil
	if answer(s, s.Activate()); !strings.Contains(exact(t, s), "There are no GPUs that sky knows of.") {
		t.Errorf("nothing is there:\n%s", exact(t, s))
	}
	q.offers = newFakeQueues().offers
	s.step(1) // the answer of the queue that was left is late
	late := s.askOffers(true)
	s.form.On = ""
	if answer(s, late); s.offers() != nil {
		t.Error("an answer of another queue is shown")
	}
}

// Names from a cluster can hold anything, and there can be any number of them.
func TestHostileNamesOfAQueue(t *testing.T) {
	q := newFakeQueues()
	q.offers[0].GPU = "a100\x1b[2J\n" + strings.Repeat("x", 5000)
	q.offers[0].Partitions = []string{"\x1b]0;owned\x07", strings.Repeat("p", 9000)}
	q.offers[2].NoStart = "\x1b[31m" + strings.Repeat("no start ", 9000)
	for i := range 5000 {
		q.offers = append(q.offers, queue.Offer{GPU: fmt.Sprint("g", i), Nodes: 1, Count: 1, Starts: noon})
	}
	s := queueable(t, q)
	where(t, s, "slurm")
	if n := len(s.offers()); n != mostOffers {
		t.Errorf("%d GPU types are listed", n)
	}
	s.toggleGPU(s.offers()[0])
	for _, symbols := range []string{"braille", "ascii"} {
		set, err := theme.SymbolSet(symbols)
		if err != nil {
			t.Fatal(err)
		}
		s.SetTheme(dark().WithSymbols(set))
		for _, row := range []int{0, len(fields), len(fields) + 2, s.startRow(), s.startRow() - 1} {
			s.row = row
			for w := 1; w < 210; w += 52 {
				for h := 1; h < 60; h += 14 {
					s.SetSize(w, h)
					if got := exact(t, s); strings.ContainsAny(got, "\x1b\x07") {
						t.Fatalf("control characters:\n%q", got)
					}
				}
			}
		}
	}
}

func TestACommandIsGivenBatchSizes(t *testing.T) {
	s := queueable(t, newFakeQueues())
	s.form.Command = []string{"python3", "train.py"}
	at(t, s, "batch")
	press(s, "32,64")
	if f := s.Form(); !slices.Equal(f.OfScript, []int{32, 64}) || f.size().probes() != 2 || f.Batches[0] != 128 {
		t.Errorf("form is %+v", f)
	}
	at(t, s, "batch")
	s.Act(keys.Enter)
	s.input.Set("")
	if s.Act(keys.Enter); s.Form().OfScript != nil || s.Form().size().probes() != 1 {
		t.Errorf("none leaves %v: %s", s.Form().OfScript, s.err)
	}
}
