package library

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sweetspot/data/contract"
	"sweetspot/data/intake"
	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/theme"
)

// program notes what the screen says to others.
type program struct{ told []tea.Msg }

func (*program) Show(keys.Action) tea.Cmd { return nil }
func (*program) Shown() keys.Action       { return keys.Library }
func (*program) Reload() tea.Cmd          { return nil }
func (p *program) Tell(m tea.Msg) tea.Cmd {
	p.told = append(p.told, m)
	return nil
}

// shelved is the screen on a few runs, VM types and picks.
func shelved(t *testing.T, w, h int) (*Screen, *program) {
	t.Helper()
	p := &program{}
	clock := func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }
	s := New(&screen.Shell{Program: p, Ctx: t.Context(), Theme: theme.New("", true, false), After: clock})
	s.Shell.Workspace = nowhere{}
	set := &profile.Set{Models: []profile.Model{{Name: "alpha", Unit: "image"}, {Name: "beta"}}}
	for k, r := range []struct {
		model  string
		mean   float64
		batch  int
		source string
	}{{"beta", 0.2, 64, "a paper"}, {"alpha", 0, 128, "a probe"}, {"alpha", 0.1, 32, ""}, {"beta", 0.3, 8, "a blog"}} {
		run := profile.Run{ID: int64(k - 1), Model: r.model, Mode: profile.Infer, BatchSize: r.batch, InstanceType: "vm",
			Count: k, GPU: "T4", Source: r.source, Basis: estimate.Published}
		if r.mean > 0 {
			run.Steady = estimate.Around(r.mean, 0.01, estimate.Published)
		}
		set.Runs = append(set.Runs, run)
	}
	set.VMTypes = []profile.VMType{{InstanceType: "big", GPUCount: 8, GPU: "A100", Prices: []profile.Price{
		{Purchase: profile.OnDemand, USDPerHour: 32, AsOf: "2026-01-01", Source: "catalog"}}}, {InstanceType: "small"}}
	c, err := json.Marshal(contract.Candidate{Model: "alpha", Mode: "infer", Variant: "pruned", BatchSize: new(16)})
	if err != nil {
		t.Fatal(err)
	}
	s.SetSize(w, h)
	s.Receive(screen.Loaded{Set: set, Picks: []store.Pick{{ID: 5, Candidate: c, Note: "mine"},
		{ID: 6, Candidate: []byte("{")}}})
	return s, p
}

// nowhere is a workspace of which only the names are asked.
type nowhere struct{ screen.Workspace }

func (nowhere) Label() string { return "a label" }
func (nowhere) Path() string  { return "/a/path" }

func TestEveryListSortsByEveryColumn(t *testing.T) {
	s, _ := shelved(t, 200, 40)
	for list := range Imports {
		l := s.list()
		for range l.table.Sortable() {
			s.Act(keys.Sort)
			keysOf := func() (out []key) {
				for _, i := range l.shown {
					out = append(out, l.all.row(i).key(l.column))
				}
				return out
			}
			if got := keysOf(); !slices.IsSortedFunc(got, key.compare) || l.descending {
				t.Errorf("%s by %s: %v", listNames[list], l.column, got)
			}
			before := slices.Clone(l.shown)
			s.Act(keys.Reverse)
			if slices.Reverse(before); !slices.Equal(before, l.shown) || !l.descending {
				t.Errorf("%s by %s reversed: %v", listNames[list], l.column, l.shown)
			}
			s.Act(keys.Reverse)
		}
		s.Act(keys.FocusNext)
	}
	if s.List() != Models {
		t.Errorf("after the last list comes %s", listNames[s.List()])
	}
	if s.Act(keys.FocusPrev); s.List() != Picks {
		t.Errorf("before the first comes %s", listNames[s.List()])
	}
	number, word := key{true, 9, ""}, key{false, 0, "a"}
	for _, c := range []struct {
		a, b key
		want int
	}{{number, word, -1}, {word, number, 1}, {number, key{true, 10, ""}, -1}, {word, key{false, 5, "b"}, -1},
		{key{false, 9, "x"}, key{false, 1, "x"}, 0}} {
		if got := cmp.Compare(c.a.compare(c.b), 0); got != c.want {
			t.Errorf("%v against %v: %d", c.a, c.b, got)
		}
	}
}

// The mouse chooses lists by their names, rows, and titles to sort by.
func TestClicks(t *testing.T) {
	s, _ := shelved(t, 120, 30)
	tabs := strings.Split(ansi.Strip(s.View()), "\n")[0]
	for k := range Imports {
		at := strings.Index(tabs, listNames[k])
		for x, want := range map[int]bool{at - 1: true, at: true, at + len(listNames[k]): true} {
			s.current = (k + 1) % Imports
			if s.Mouse(pointer.Event{Kind: pointer.Click, X: x, Y: 0}); (s.List() == k) != want {
				t.Errorf("a click on cell %d of %q leads to %s", x, tabs, listNames[s.List()])
			}
		}
	}
	s.current = Runs
	lines := strings.Split(ansi.Strip(s.View()), "\n")
	title := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "batch") })
	before, _, _ := strings.Cut(lines[title], "batch")
	x := len([]rune(before))
	l := s.list()
	for _, want := range [][]int{{3, 2, 0, 1}, {1, 0, 2, 3}, {3, 2, 0, 1}} {
		if s.Mouse(pointer.Event{Kind: pointer.Click, X: x, Y: title}); !slices.Equal(l.shown, want) || l.column != "batch" {
			t.Errorf("by %s, from the end %v: %v", l.column, l.descending, l.shown)
		}
	}
	for row := range 3 {
		if s.Mouse(pointer.Event{Kind: pointer.Click, X: 5, Y: title + 1 + row}); s.Run() != l.all.row(l.shown[row]).run {
			t.Errorf("a click on row %d selects run %d", row, s.Run().ID)
		}
	}
	at := s.Run()
	for _, where := range [][2]int{{5, 1}, {5, title - 1}, {5, title + 5}, {0, title + 1}, {119, title + 1}} {
		if s.Mouse(pointer.Event{Kind: pointer.Click, X: where[0], Y: where[1]}); s.Run() != at {
			t.Errorf("a click at %v selects run %d", where, s.Run().ID)
		}
	}
}

func TestTheFilterIsOfAllLists(t *testing.T) {
	s, _ := shelved(t, 120, 30)
	s.Filter("ALPHA")
	for k, want := range [lists]int{1, 2, 0, 1, 0} {
		if got := len(s.lists[k].shown); got != want {
			t.Errorf("%s: %d rows", listNames[k], got)
		}
	}
	if !strings.Contains(ansi.Strip(s.View()), "1 of 2 · /ALPHA") {
		t.Errorf("the filter is not said:\n%s", ansi.Strip(s.View()))
	}
	if s.Filter("alpha 128"); len(s.lists[Runs].shown) != 1 {
		t.Errorf("both words: %d runs", len(s.lists[Runs].shown))
	}
	if s.Filter("blog"); len(s.lists[Runs].shown) != 1 { // in the words below the list too
		t.Errorf("a source: %d runs", len(s.lists[Runs].shown))
	}
	if s.Act(keys.Back); s.filter != "" || len(s.lists[Runs].shown) != 4 {
		t.Errorf("esc leaves %q", s.filter)
	}
}

// Enter asks about the row's model or pick, p probes it, e writes picks alone.
func TestWhatKeysOfARowLeadTo(t *testing.T) {
	s, p := shelved(t, 120, 30)
	said := func(key keys.Action) string {
		s.Shell.Toast.Show(0, "")
		p.told = nil
		s.Act(key)
		return strings.TrimSpace(ansi.Strip(s.Shell.Toast.View(s.th, 90)))
	}
	if got := said(keys.Enter); got != "" || len(p.told) != 1 || p.told[0].(screen.Ask).Question.Model != "beta" {
		t.Errorf("a model: %q, %+v", got, p.told)
	}
	if said(keys.ProbeThis); len(p.told) != 1 || p.told[0] != (screen.ProbeSelected{}) {
		t.Errorf("to be probed: %+v", p.told)
	}
	s.Turn(1)
	s.list().table.SetCursor(1)
	if got := said(keys.Enter); !strings.Contains(got, "no times to rank") || p.told != nil {
		t.Errorf("a run without times: %q, %+v", got, p.told)
	}
	if got := said(keys.Export); !strings.Contains(got, "only picks are exported") {
		t.Errorf("a run is written: %q", got)
	}
	s.Turn(2)
	if _, ok := s.Pick(); !ok || said(keys.Enter) != "" || p.told[0].(screen.Reopen).Pick.ID != 5 {
		t.Errorf("a pick: %+v", p.told)
	}
	s.list().table.SetCursor(1)
	if got := said(keys.Export); got == "" || !strings.Contains(ansi.Strip(s.View()), "unreadable: ") {
		t.Errorf("what can't be read is written: %q", got)
	}
	if s.Receive(screen.Opened{}); s.edit(keys.Delete) != nil || s.set != nil {
		t.Error("rows of another database are changed")
	}
}

func TestWordsBelowTheList(t *testing.T) {
	run := profile.Run{Model: "net", Dataset: "data", InstanceType: "vm", Count: 2, GPU: "T4",
		PeakMemoryBytes: new(3.0 * (1 << 30)),
		Note:            "hot", Source: "a paper", AsOf: "2026"}
	want := []string{"Note: hot", "net · unpruned · data · 2× vm (T4) · at most 3.0 GiB per GPU", "a paper 2026"}
	got := runWords(&run)
	if got[1] = strings.Replace(got[1], " · "+strings.Split(got[1], " · ")[1]+" · ", " · unpruned · ",
		1); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := runWords(&profile.Run{Model: "net", Variant: profile.Variant{Name: "v"}, InstanceType: "vm",
		Count: 1}); len(got) != 1 ||
		!strings.HasSuffix(got[0], " · vm") {
		t.Errorf("%q", got)
	}
	for h, want := range map[int]int{11: 0, 12: 5, 25: 5, 26: 6} {
		s, _ := shelved(t, 80, h)
		if got := s.detailRows(Runs); got != want || s.detailRows(Models) != 0 || s.detailRows(VMTypes) != 0 {
			t.Errorf("%d lines leave %d for the words", h, got)
		}
	}
	for _, c := range []struct {
		run  profile.Run
		want string
	}{{profile.Run{Steady: estimate.Around(0.1, 0.01, estimate.Measured)}, "100 ms ±10 %"},
		{profile.Run{Steady: estimate.Estimate{Value: 0.1, Low: 0.1, High: 0.1, Basis: estimate.Measured}}, "100 ms"},
		{profile.Run{TotalS: new(90.0)}, "total 1 m 30 s"}, {profile.Run{}, "—"}} {
		if got := steady(&c.run); got != c.want {
			t.Errorf("%+v is %q, not %q", c.run.Steady, got, c.want)
		}
	}
}

// A long list ends on the screen with its last row, below the words of the selected one.
func TestLongListsFit(t *testing.T) {
	for h := 14; h < 30; h++ {
		s, _ := shelved(t, 100, h)
		set := &profile.Set{Models: []profile.Model{{Name: "alpha", Unit: "image"}}}
		for k := range 60 {
			set.Runs = append(set.Runs, profile.Run{ID: int64(k + 1), Model: "alpha", Mode: profile.Infer, BatchSize: 1000 + k,
				InstanceType: "vm", Count: 1, GPU: "T4", Source: "a probe", Basis: estimate.Measured})
		}
		s.Receive(screen.Loaded{Set: set})
		s.current = Runs
		s.Act(keys.Bottom)
		view := s.View()
		if n := strings.Count(view, "\n") + 1; n > h || !strings.Contains(view, "1059") {
			t.Errorf("%d lines of %d:\n%s", n, h, ansi.Strip(view))
		}
	}
}

// What became of a file: bad ones are to be looked at first.
func TestFilesOfAnImport(t *testing.T) {
	wrong := "row 2: no"
	for _, c := range []struct {
		file    intake.File
		became  string
		concern int
	}{{intake.File{Error: &wrong}, "not read", 0}, {intake.File{Imported: 1, Runs: 2, Warnings: []string{"w"}}, "imported",
		1},
		{intake.File{Runs: 2}, "known", 2}, {intake.File{}, "no runs", 2}} {
		if got := fileRow(1, &c.file).cells["became"]; got != c.became || concern(c.file) != c.concern {
			t.Errorf("%+v is %s, of concern %d", c.file, got, concern(c.file))
		}
	}
	s, _ := shelved(t, 120, 30)
	s.SetImport(Import{Ended: true, Failure: "the disk is full", Result: intake.Result{Runs: 3, Imported: 1}})
	s.ShowImport()
	if got := ansi.Strip(s.headline()); !strings.HasPrefix(got, "the disk is full · 3 runs, 1 new") {
		t.Errorf("says %q", got)
	}
	for in, want := range map[string]Import{"looking for files…": {},
		"2 of 9 files · 0 runs, 0 new · esc stops": {Done: 2, All: 9},
		"0 runs, 0 new": {Ended: true}, "nothing is imported yet": {Ended: true, ask: &mapping{}}} {
		if got := ansi.Strip(want.headline(s.th)); got != in {
			t.Errorf("says %q, not %q", got, in)
		}
	}
}

// Changes are made one after the other, and what failed is no step to undo.
func TestChangesWaitForTheirTurn(t *testing.T) {
	s, _ := shelved(t, 120, 30)
	var made []string
	change := func(name string, err error) tea.Cmd {
		return s.inTurn(func() work {
			return func(context.Context, screen.Workspace) changedMsg {
				made = append(made, name)
				return changedMsg{said: name, err: err, undo: undeleting(0), run: 7}
			}
		})
	}
	first := change("a", nil)
	if first == nil || change("b", errors.New("no")) != nil || change("c", nil) != nil || s.Busy() == "" {
		t.Fatal("changes are made at once")
	}
	s.Receive(first())
	if len(s.changes.done) != 1 || s.show != 7 || len(s.changes.waiting) != 1 {
		t.Errorf("%d done, %d wait", len(s.changes.done), len(s.changes.waiting))
	}
	for _, c := range []struct {
		said string
		done int
	}{{"no", 1}, {"c", 2}} {
		// The next one was begun by the last one's message.
		s.changes.busy = false
		if msg := change(c.said, map[bool]error{true: errors.New("no")}[c.said == "no"])().(changedMsg); msg.said != c.said {
			t.Errorf("says %q", msg.said)
		} else {
			s.changes.waiting = nil
			s.Receive(msg)
		}
		if len(s.changes.done) != c.done {
			t.Errorf("after %s %d steps can be undone", c.said, len(s.changes.done))
		}
	}
	if strings.Join(made, "")[:1] != "a" || s.Busy() != "" {
		t.Errorf("made %v, %s", made, s.Busy())
	}
}

func TestColumnsOfRows(t *testing.T) {
	s, _ := shelved(t, 120, 30)
	vm := s.lists[VMTypes].all.row(0)
	if vm.cells["gpus"] != "8" || vm.cells["on-demand"] != "$32.00" || vm.cells["spot"] != "—" ||
		vm.cells["as-of"] != "2026-01-01" ||
		vm.numbers["on-demand"] != 32 {
		t.Errorf("%v, %v", vm.cells, vm.numbers)
	}
	pick := s.lists[Picks].all.row(0)
	if pick.cells["model"] != "alpha" || pick.cells["batch"] != strconv.Itoa(16) || pick.cells["note"] != "mine" ||
		pick.id != 5 {
		t.Errorf("%v", pick.cells)
	}
	if none := s.lists[Picks].all.row(1); !strings.HasPrefix(none.cells["model"], "unreadable: ") {
		t.Errorf("%v", none.cells)
	}
}

// Models of one's own runs stand before the built-in ones, that of the newest run first.
func TestOwnModelsComeFirst(t *testing.T) {
	set := &profile.Set{}
	for _, u := range []struct {
		id    int64
		model string
	}{{-2, "a"}, {-1, "z"}, {1, "m"}, {2, "k"}, {-3, "m"}} {
		set.Models = append(set.Models, profile.Model{Name: u.model})
		set.Runs = append(set.Runs, profile.Run{ID: u.id, Model: u.model, Mode: profile.Infer, BatchSize: 1,
			Status: profile.Done, Steady: estimate.Estimate{Value: 1, Low: 1, High: 1, Basis: estimate.Measured}})
	}
	var names []string
	for _, r := range modelRows(set) {
		names = append(names, r.cells["model"])
	}
	if !slices.Equal(names, []string{"k", "m", "a", "z"}) {
		t.Errorf("the models are %v", names)
	}
	if got := []string{runNumber(3), runNumber(-3)}; !slices.Equal(got, []string{"3", "lib 3"}) {
		t.Errorf("the runs are called %v", got)
	}
}
