package desk

import (
	"context"
	"strconv"
	"strings"
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
	"sweetspot/tui/text"
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
	s := slider.NewExact(slider.Config{Label: "n", Hi: 10, Format: func(v float64) string { return strconv.Itoa(int(v)) },
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
	l := newLayout(120, 40, 1, 5, 50)
	panes := Panes{Lines: func(int) []string { return wrapAll(make([]string, 100), 50) }}
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

// Where words are left out, the last line ends with a mark, after a whole word.
func TestWordsThatDoNotFitEndWithAMark(t *testing.T) {
	f := newFixture(t)
	th := theme.New("", true, false)
	for want, lines := range map[string][]string{
		"a\nb":        {"a", "b"},
		"a\nb …":      {"a", "b", "c"},
		"a\nfour …":   {"a", "four five", "c"},
		"a\nfourfi …": {"a", "fourfive", "c"},
	} {
		body, more := f.Words(th, lines, 8, 2)
		var got []string
		for _, l := range text.Lines(body) {
			got = append(got, strings.TrimRight(l, " "))
		}
		if strings.Join(got, "\n") != want || more != (len(lines) > 2) {
			t.Errorf("%q is drawn as %q", lines, got)
		}
	}
}

// One panel is drawn as having the keys: the one they act in.
func TestOnePanelHasTheKeys(t *testing.T) {
	th := theme.New("", true, false)
	l := newLayout(160, 40, 1, 5, 50)
	body := func(int, int) string { return "" }
	panes := Panes{First: Pane{Title: "first", Body: body}, Second: Pane{Title: "second", Body: body},
		Third: Pane{Body: body}, Fourth: Pane{Body: body}, Sliders: Pane{Title: "sliders"}, Table: Pane{Title: "table"},
		Lines: func(int) []string { return nil }}
	corner := th.Focus.Render(th.Symbols.TopLeft)
	for _, regions := range [][]string{{"sliders", "first", "second", "table"}, {"sliders", "table"}} {
		f := newFixture(t)
		f.Regions = regions
		for k, name := range regions {
			f.focus = k
			frame := f.Frame(th, 160, 40, &l, panes)
			if strings.Count(frame, corner) != 1 ||
				!strings.Contains(frame, corner+th.TitleFocus.Render(" "+name+" ")) {
				t.Errorf("of %v %s has the keys:\n%q", regions, name, frame)
			}
		}
	}
}

// The mouse presses and turns what it is over; a title sorts, and again turns round.
func TestTheMouseOnEveryRegion(t *testing.T) {
	f := newFixture(t)
	f.focus = 3
	f.Mouse(pointer.Event{Kind: pointer.Click, X: 18, Y: 2}) // the last cell of the track
	if f.Question().n != 10 || f.focus != 0 {
		t.Errorf("a click on the track asks %+v from region %d", f.Question(), f.focus)
	}
	f.Mouse(pointer.Event{Kind: pointer.Drag, X: 1, Y: 2})
	if f.Question().n != 0 {
		t.Errorf("dragged to its beginning it asks %+v", f.Question())
	}
	f.Mouse(pointer.Event{Kind: pointer.Wheel, X: 3, Y: 1, Steps: -4})
	if f.Question().n != 4 {
		t.Errorf("turned by four it asks %+v", f.Question())
	}
	f.Mouse(pointer.Event{Kind: pointer.Click, X: 25, Y: 2})
	if f.Region() != "first" || f.Question().n != 4 {
		t.Errorf("a click on the chart leads to %s and asks %+v", f.Region(), f.Question())
	}
	f.Mouse(pointer.Event{Kind: pointer.Wheel, X: 3, Y: 8, Steps: 1})
	if row, _ := f.Table.Cursor(); row != 0 || f.Region() != "first" {
		t.Errorf("a wheel over rows that all fit moves the cursor to %d", row)
	}
	f.Table.SetRows(rows(100))
	f.Mouse(pointer.Event{Kind: pointer.Wheel, X: 3, Y: 8, Steps: 2})
	if row, _ := f.Table.Cursor(); row != 6 {
		t.Errorf("turned by two the first row is %d", row)
	}
	f.Table.SetRows(rows(3))
	f.Table.SetCursor(0)
	f.Mouse(pointer.Event{Kind: pointer.Drag, X: 3, Y: 9})
	if row, _ := f.Table.Cursor(); row != 0 {
		t.Error("a drag over the table moves its cursor")
	}
	for _, want := range []struct {
		column     string
		descending bool
	}{{"b", false}, {"b", true}, {"b", false}} {
		f.Mouse(pointer.Event{Kind: pointer.Click, X: 9, Y: 7})
		if column, descending := f.Sorted(); column != want.column || descending != want.descending {
			t.Errorf("sorted by %s, from the end %v", column, descending)
		}
	}
	before := f.Question()
	for _, at := range [][2]int{{0, 0}, {19, 2}, {20, 2}, {39, 2}, {3, 5}, {3, 11}, {50, 3}, {3, 14}, {-1, -1}} {
		f.Mouse(pointer.Event{Kind: pointer.Click, X: at[0], Y: at[1]})
	}
	if f.Question() != before {
		t.Errorf("clicks on borders ask %+v", f.Question())
	}
	for _, c := range []struct {
		x, y, region, px, py int
		ok                   bool
	}{{1, 1, 0, 0, 0, true}, {18, 4, 0, 17, 3, true}, {19, 4, 0, 0, 0, false}, {21, 1, 1, 0, 0, true}, {1, 7, 3, 0, 0,
		true},
		{38, 10, 3, 37, 3, true}, {38, 11, 0, 0, 0, false}} {
		if region, px, py, ok := f.At(c.x, c.y); region != c.region || px != c.px || py != c.py || ok != c.ok {
			t.Errorf("cell %d,%d is %d,%d of region %d, %v", c.x, c.y, px, py, region, ok)
		}
	}
}

// Pages are the table's wherever the keys are but on a slider, whose ends they are not.
func TestKeysOnEveryRegion(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		region int
		key    keys.Action
		n      float64
		row    int
	}{{0, keys.Bottom, 10, 0}, {0, keys.Top, 0, 0}, {0, keys.BigRight, 8, 0}, {0, keys.BigLeft, 0, 0}, {0, keys.PageDown,
		0, 2},
		{0, keys.PageUp, 0, 0}, {1, keys.Down, 0, 1}, {1, keys.Left, 0, 1}, {3, keys.Right, 0, 1}, {3, keys.BigRight, 0, 2},
		{3, keys.BigLeft, 0, 0}, {1, keys.BigRight, 0, 0}, {3, keys.Bottom, 0, 2}, {3, keys.Top, 0, 0}} {
		f.focus = c.region
		f.do(t, c.key)
		if row, _ := f.Table.Cursor(); f.Question().n != c.n || row != c.row {
			t.Fatalf("%s in region %d asks %g, the cursor is on row %d", c.key, c.region, f.Question().n, row)
		}
	}
	f.focus = 1
	if f.do(t, keys.Enter); !f.OnTable() || f.Reading() {
		t.Error("enter on a chart does not lead to the table")
	}
	if f.do(t, keys.Enter); !f.Reading() {
		t.Error("enter on a row does not give its words the screen")
	}
	f.Mouse(pointer.Event{Kind: pointer.Wheel, Steps: 2})
	if f.top != 2 {
		t.Errorf("the wheel turns the words to line %d", f.top)
	}
	f.Mouse(pointer.Event{Kind: pointer.Click, X: 3, Y: 2})
	if f.Question().n != 0 || !f.Reading() {
		t.Error("what the words hide is pressed")
	}
	if f.do(t, keys.Enter); f.Reading() {
		t.Error("enter does not lead back")
	}
	f.Table.SetRows(rows(0))
	if f.do(t, keys.Enter); f.Reading() {
		t.Error("there are words about no row")
	}
	f.focus = 0
	f.do(t, keys.Enter)
	f.Key(tea.KeyPressMsg{Code: '7', Text: "7"})
	f.Key(tea.KeyPressMsg{Code: tea.KeyBackspace})
	f.Paste("3")
	if f.Key(tea.KeyPressMsg{Code: tea.KeyEscape}); f.Question().n != 0 || f.Typing() != screen.NotTyping {
		t.Errorf("left it asks %g", f.Question().n)
	}
	f.do(t, keys.Enter)
	f.Paste("33")
	if f.Key(tea.KeyPressMsg{Code: tea.KeyEnter}); f.Question().n != 0 || f.Typing() == screen.NotTyping {
		t.Errorf("33 of 10 asks %g", f.Question().n)
	}
	if f.do(t, keys.FocusPrev); f.Typing() != screen.NotTyping || f.Region() != "table" {
		t.Errorf("back leads to %s", f.Region())
	}
}

func TestLayoutsFillTheScreen(t *testing.T) {
	for w := 20; w < 220; w += 3 {
		for h := 8; h < 70; h++ {
			l := newLayout(w, h, 6, 7, 50)
			covered := 0
			for _, b := range []panel.Box{l.Sliders, l.First, l.Second, l.Table, l.Third, l.Fourth, l.Words} {
				if b.W < 0 || b.H < 0 || b.X+b.W > w || b.Y+b.H > h {
					t.Fatalf("%d×%d: %+v sticks out", w, h, b)
				}
				covered += b.W * b.H
			}
			if covered != w*h {
				t.Fatalf("%d×%d: %d of %d cells are covered: %+v", w, h, covered, w*h, l)
			}
			if wide := l.Second.W > 0; wide != (w >= WideWidth && h >= NarrowRows) {
				t.Errorf("%d×%d: a second chart %v", w, h, wide)
			}
			if small := l.Table.Bare; small != (w < NarrowWidth || h < NarrowRows) {
				t.Errorf("%d×%d: without borders %v", w, h, small)
			}
			if l.Third.W > 0 && (l.Third.H < 8 || w < WideWidth) || l.Words.W > 0 && l.Words.H < 5 {
				t.Errorf("%d×%d: a chart or words too small: %+v", w, h, l)
			}
		}
	}
	if l := SmallLayout(60, 11); l.Sliders.H != slider.Height || l.Table.H != 9 {
		t.Errorf("low: %+v", l)
	}
	if l := SmallLayout(60, 12); l.Sliders.H != 2*slider.Height || l.Table.Y != 4 {
		t.Errorf("small: %+v", l)
	}
}

// Sentences stay whole where one more has no room; the first one is cut where it must be.
func TestAsManySentencesAsHaveRoom(t *testing.T) {
	of := []string{"Four words of it.", "Some more.", "And the rest."}
	for _, c := range []struct {
		w, rows int
		want    string
	}{
		{100, 1, "Four words of it. Some more. And the rest."},
		{100, 2, "Four words of it. Some more. And the rest.|"},
		{30, 1, "Four words of it. Some more."},
		{20, 1, "Four words of it."},
		{20, 2, "Four words of it.|Some more."},
		{10, 1, "Four word…"},
		{10, 0, ""},
	} {
		if got := strings.Join(fit(of, c.w, c.rows), "|"); got != c.want {
			t.Errorf("%d×%d: %q, not %q", c.w, c.rows, got, c.want)
		}
	}
	if got := fit([]string{"One thing; and another of more words."}, 12, 1); got[0] != "One thing." {
		t.Errorf("at a semicolon: %q", got)
	}
	if got := fit(nil, 20, 2); len(got) != 2 || got[0] != "" {
		t.Errorf("of nothing: %q", got)
	}
}
