package desk

import (
	"context"
	"strconv"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/pointer"
	"sweetspot/tui/components/slider"
	"sweetspot/tui/components/table"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/theme"
)

// question is a number, and the column that its answer is ordered by.
type question struct {
	n     float64
	order string
}

// rows are n rows.
type rows int

func (r rows) Len() int                               { return int(r) }
func (r rows) Find(_ table.Rows, row int) (int, bool) { return row, row < int(r) }
func (r rows) Cell(row int, _ string, _ int) string   { return strconv.Itoa(row) }
func (r rows) Style(int) table.RowStyle               { return table.RowStyle{} }

// fixture is a desk of a slider, two charts and a table, that answers how large
// the number is.
type fixture struct {
	*Desk[question, float64]
	answers []float64
	clock   tea.Msg
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{}
	sh := &screen.Shell{Ctx: t.Context(), After: func(_ time.Duration, ring func(time.Time) tea.Msg) tea.Cmd {
		f.clock = ring(time.Time{})
		return nil
	}}
	s := slider.NewDial(slider.Config{Label: "n", Hi: 10, Format: func(v float64) string { return strconv.Itoa(int(v)) },
		Parse: func(s string) (float64, error) { return strconv.ParseFloat(s, 64) },
		Step:  func(float64) float64 { return 1 }})
	f.Desk = New(sh, question{order: "a"}, Config[question, float64]{
		Sliders: &slider.Stack{All: []*slider.Slider{s}}, Column: "a", Regions: []string{"sliders", "first",
			"second", "table"},
		Table: table.New([]table.Column{{ID: "a", Width: 3, Sort: true}, {ID: "b", Width: 3, Sort: true}}),
		Save:  func(_ int, q *question) { q.n, _ = s.Value() }, Load: func(q question) { s.Set(q.n) },
		Work: func() ask.Work[float64] {
			n := f.Question().n
			return func(context.Context) float64 { return n }
		},
		Answer:  func(n float64) tea.Cmd { f.answers = append(f.answers, n); return nil },
		Refresh: func() {}, Slow: time.Second,
		Order: func(q question) string { return q.order }, SetOrder: func(column string, q *question) { q.order = column },
	})
	f.Table.SetRows(rows(3))
	f.Place(panel.Box{W: 20, H: 6}, panel.Box{X: 20, W: 20, H: 6}, panel.Box{}, panel.Box{Y: 6, W: 40, H: 6})
	return f
}

func (f *fixture) do(t *testing.T, action keys.Action) tea.Cmd {
	t.Helper()
	cmd, handled := f.Do(action)
	if !handled {
		t.Fatalf("%s does nothing", action)
	}
	return cmd
}

func TestUndoTakesBackAScrubWholeAndASort(t *testing.T) {
	f := newFixture(t)
	for range 4 {
		f.do(t, keys.Right)
	}
	f.do(t, keys.Sort)
	if q := f.Question(); q != (question{4, "b"}) || f.Column != "b" {
		t.Fatalf("asks %+v by %s", q, f.Column)
	}
	f.do(t, keys.Undo)
	if q := f.Question(); q != (question{4, "a"}) || f.Column != "a" {
		t.Errorf("the sort undone it asks %+v by %s", q, f.Column)
	}
	f.do(t, keys.Undo)
	if q := f.Question(); q != (question{0, "a"}) || f.Disabled(keys.Undo) == "" {
		t.Errorf("all undone it asks %+v", q)
	}
	f.do(t, keys.Redo)
	if v, _ := f.Sliders.Current().Value(); f.Question().n != 4 || v != 4 {
		t.Errorf("redone it asks %+v, the slider is at %g", f.Question(), v)
	}
	f.Forget()
	if f.Disabled(keys.Undo) == "" || f.Disabled(keys.Redo) == "" {
		t.Error("what is forgotten can be undone")
	}
}

func TestTheNewestQuestionIsAnsweredNext(t *testing.T) {
	f := newFixture(t)
	first := f.do(t, keys.Right)
	for range 3 {
		if f.do(t, keys.Right) != nil {
			t.Fatal("asked while an answer was on its way")
		}
	}
	if f.Receive(f.clock); !f.Late() {
		t.Error("a late answer is not said to be")
	}
	second := f.Receive(first())
	if second == nil || !f.Late() {
		t.Fatal("what changed meanwhile is not asked")
	}
	if f.Receive(second()) != nil || f.Late() || len(f.answers) != 2 || f.answers[1] != 4 {
		t.Errorf("answers %v", f.answers)
	}
	if f.Receive(f.clock); f.Late() {
		t.Error("an old clock rings")
	}
}

func TestFocusPassesOverWhatIsNotOnScreen(t *testing.T) {
	f := newFixture(t)
	var seen []string
	for range 4 {
		seen = append(seen, f.Region())
		f.Focus(1)
	}
	if seen[0] != "sliders" || seen[1] != "first" || seen[2] != "table" || seen[3] != "sliders" {
		t.Errorf("the keys go through %v", seen)
	}
	f.focus = 1
	if f.Place(panel.Box{W: 20, H: 6}, panel.Box{}, panel.Box{}, panel.Box{Y: 6, W: 40, H: 6}); f.Region() != "sliders" {
		t.Errorf("the keys stay on what is gone: %s", f.Region())
	}
}

func TestTypingAndTheMouse(t *testing.T) {
	f := newFixture(t)
	f.do(t, keys.Enter)
	f.Key(tea.KeyPressMsg{Code: '7', Text: "7"})
	f.Key(tea.KeyPressMsg{Code: tea.KeyEnter})
	if f.Question().n != 7 || f.Typing() != screen.NotTyping {
		t.Errorf("typed 7, asks %+v", f.Question())
	}
	f.Mouse(pointer.Event{Kind: pointer.Click, X: 3, Y: 9})
	if row, _ := f.Table.Cursor(); row != 1 || !f.OnTable() {
		t.Errorf("clicked the second row, the cursor is on %d", row)
	}
	f.Mouse(pointer.Event{Kind: pointer.Click, X: 9, Y: 7})
	if f.Question().order != "b" {
		t.Errorf("clicked the title of b, asks %+v", f.Question())
	}
}

func TestWordsScrollWhereTheyHaveTheScreen(t *testing.T) {
	f := newFixture(t)
	th := theme.New("", true, false)
	l := NewLayout(120, 40, 1, 5, 50)
	panes := Panes{Lines: func(int) []string { return WrapAll(make([]string, 100), 50) }}
	f.focus = 3
	f.do(t, keys.Enter)
	first := f.Frame(th, 120, 40, &l, panes)
	f.do(t, keys.PageDown)
	if f.Frame(th, 120, 40, &l, panes); f.top == 0 {
		t.Error("page down shows the same")
	}
	for range 9 {
		f.do(t, keys.PageDown)
	}
	if last := f.Frame(th, 120, 40, &l, panes); last == first || f.top != 62 {
		t.Errorf("the end is line %d", f.top)
	}
	if f.do(t, keys.Back); f.Reading() {
		t.Error("esc does not lead back")
	}
}
