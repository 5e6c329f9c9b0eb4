package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"sweetspot/tui/keys"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// list is rows of numbers.
type list struct {
	ids   []int64
	asked *int
}

func (l list) Len() int { return len(l.ids) }
func (l list) Find(before Rows, row int) (int, bool) {
	i := slices.Index(l.ids, before.(list).ids[row])
	return i, i >= 0
}
func (l list) Cell(row int, column string, _ int) string {
	if l.asked != nil {
		*l.asked++
	}
	return fmt.Sprintf("%s-%d", column, l.ids[row])
}
func (l list) Style(row int) RowStyle { return RowStyle{} }

func columns() []Column {
	return []Column{
		{ID: "#", Title: "#", Width: 5, Right: true},
		{ID: "vm", Title: "VM", Width: 12, Flex: 2, Sort: true},
		{ID: "time", Title: "time", Width: 12, Right: true, Sort: true},
		{ID: "car", Title: "CAR", Width: 8, Drop: 2, Sort: true},
		{ID: "basis", Title: "basis", Width: 8, Drop: 1},
		{ID: "p", Title: "P(best)", Width: 10, Flex: 1, Drop: 3},
	}
}

func numbers(n int) list {
	l := list{ids: make([]int64, n)}
	for i := range l.ids {
		l.ids[i] = int64(i)
	}
	return l
}

// screenLine is where the row with the cursor stands.
func screenLine(t *Table) int { return t.cursor - t.top }

func TestCursorStaysOnItsRowAndLine(t *testing.T) {
	tb := New(columns())
	tb.SetSize(80, 11)
	tb.SetRows(numbers(100))
	tb.SetCursor(50)
	line := screenLine(tb)
	shuffled := numbers(100)
	slices.Reverse(shuffled.ids)
	tb.SetRows(shuffled)
	if row, _ := tb.Cursor(); shuffled.ids[row] != 50 {
		t.Errorf("cursor went from row 50 to %d", shuffled.ids[row])
	}
	if screenLine(tb) != line {
		t.Errorf("the row moved from line %d to %d", line, screenLine(tb))
	}
	fewer := numbers(40)
	tb.SetRows(fewer)
	if row, ok := tb.Cursor(); !ok || row != 39 {
		t.Errorf("row gone: cursor at %d", row)
	}
	tb.SetRows(list{})
	if _, ok := tb.Cursor(); ok {
		t.Error("a cursor without rows")
	}
	tb.SetRows(numbers(3))
	if row, ok := tb.Cursor(); !ok || row != 0 {
		t.Errorf("rows came back, cursor at %d %v", row, ok)
	}
}

func TestCursorIsAlwaysInView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := New(columns())
		n := rapid.IntRange(0, 60).Draw(t, "n")
		tb.SetRows(numbers(n))
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			k := rapid.IntRange(-70, 70).Draw(t, "k")
			switch rapid.IntRange(0, 6).Draw(t, "action") {
			case 0:
				tb.SetCursor(tb.cursor + k)
			case 1:
				tb.Act([]keys.Action{keys.PageUp, keys.PageDown, keys.Up, keys.Down}[(k+70)%4])
			case 2:
				tb.SetSize(40+k/2, max(k/4, 0))
			case 3:
				n = max(k, 0)
				tb.SetRows(numbers(n))
			case 4:
				tb.Scroll(k)
			case 5:
				tb.Act(keys.Top)
			case 6:
				tb.Act(keys.Bottom)
			}
			if tb.visible() > 0 && n > 0 && (tb.cursor < tb.top || tb.cursor >= tb.top+tb.visible()) {
				t.Fatalf("cursor %d outside [%d, %d)", tb.cursor, tb.top, tb.top+tb.visible())
			}
			if tb.top < 0 || tb.top > max(n-1, 0) || n > 0 && tb.cursor >= n {
				t.Fatalf("top %d cursor %d of %d rows", tb.top, tb.cursor, n)
			}
			if tb.visible() > 0 && n >= tb.visible() && n-tb.top < tb.visible() {
				t.Fatalf("blank lines below although %d rows would fill %d lines", n, tb.visible())
			}
		}
	})
}

func TestOnlyVisibleRowsAreAskedFor(t *testing.T) {
	asked := 0
	rows := numbers(1_000_000)
	rows.asked = &asked
	tb := New(columns())
	tb.SetSize(100, 21)
	tb.SetRows(rows)
	tb.Act(keys.Bottom)
	got := ansi.Strip(tb.View(theme.New("", true, false)))
	if asked != 20*len(columns()) {
		t.Errorf("asked for %d cells to draw 20 rows", asked)
	}
	if !strings.Contains(got, "vm-999999") {
		t.Errorf("the last row isn't shown:\n%s", got)
	}
}

func TestEverySizeIsExact(t *testing.T) {
	th := theme.New("", true, false)
	tb := New(columns())
	tb.SetRows(numbers(5))
	tb.Focused = true
	tb.SetSort("time", true)
	for w := range 130 {
		for _, h := range []int{0, 1, 2, 4, 9} {
			tb.SetSize(w, h)
			got := tb.View(th)
			if w == 0 || h == 0 {
				if got != "" {
					t.Fatalf("%d×%d drew %q", w, h, got)
				}
				continue
			}
			lines := text.Lines(got)
			if len(lines) != h {
				t.Fatalf("%d×%d: %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if text.Width(l) != w {
					t.Fatalf("%d×%d: %d cells in %q", w, h, text.Width(l), l)
				}
			}
		}
	}
}

func TestColumnsGoByTheirPriority(t *testing.T) {
	th := theme.New("", true, false)
	tb := New(columns())
	tb.SetRows(numbers(2))
	for _, c := range []struct {
		width      int
		here, gone string
	}{
		{100, "P(best)", ""}, {60, "CAR", "P(best)"}, {48, "basis", "CAR"}, {36, "time", "basis"},
	} {
		tb.SetSize(c.width, 3)
		got := ansi.Strip(tb.View(th))
		if !strings.Contains(got, c.here) || c.gone != "" && strings.Contains(got, c.gone) {
			t.Errorf("%d wide: want %q and not %q in\n%s", c.width, c.here, c.gone, got)
		}
	}
}

// The first column goes first where its priority is the least.
func TestTheFirstColumnMayGo(t *testing.T) {
	tb := New([]Column{{ID: "a", Title: "alpha", Width: 10, Drop: 2}, {ID: "b", Title: "beta", Width: 10, Drop: 1},
		{ID: "c", Title: "gamma", Width: 10}})
	tb.SetRows(numbers(1))
	tb.SetSize(28, 3)
	got := ansi.Strip(tb.View(theme.New("", true, false)))
	if strings.Contains(got, "alpha") || !strings.Contains(got, "beta") {
		t.Errorf("left is\n%s", got)
	}
}

func TestHit(t *testing.T) {
	tb := New(columns())
	tb.SetSize(100, 6)
	tb.SetRows(numbers(20))
	tb.SetCursor(10)
	th := theme.New("", true, false)
	lines := text.Lines(ansi.Strip(tb.View(th)))
	for y := 1; y < 6; y++ {
		row, _, ok := tb.Hit(20, y)
		if !ok || !strings.Contains(lines[y], fmt.Sprintf("vm-%d ", row)) {
			t.Errorf("line %d is hit as row %d: %q", y, row, lines[y])
		}
	}
	x := strings.Index(lines[0], "time")
	if row, column, ok := tb.Hit(x, 0); !ok || row != -1 || column != "time" {
		t.Errorf("title hit as %d %q %v", row, column, ok)
	}
	tb.SetRows(numbers(2))
	if _, _, ok := tb.Hit(20, 5); ok {
		t.Error("a row was hit below the last one")
	}
}

func TestSortArrowAndEmptySentence(t *testing.T) {
	th := theme.New("", true, false)
	tb := New(columns())
	tb.SetSize(100, 6)
	tb.SetSort("time", false)
	tb.Empty = "nothing is feasible"
	got := ansi.Strip(tb.View(th))
	if !strings.Contains(got, "time↑") || !strings.Contains(got, "nothing is feasible") {
		t.Errorf("got\n%s", got)
	}
	tb.SetSort("time", true)
	if !strings.Contains(tb.View(th), "time↓") {
		t.Error("the arrow doesn't turn")
	}
	if got := tb.Sortable(); !slices.Equal(got, []string{"vm", "time", "car"}) {
		t.Errorf("sortable: %v", got)
	}
}

func TestShare(t *testing.T) {
	th := theme.New("", true, false)
	for f, want := range map[float64]string{0.97: "████▉  97%", 1: "█████ 100%", 0: "░░░░░   0%", 0.999: "█████ >99%",
		0.001: "▏░░░░  <1%"} {
		if got := ansi.Strip(Share(th, f, 10)); got != want {
			t.Errorf("Share(%g) = %q, want %q", f, got, want)
		}
	}
	if got := Share(th, math.NaN(), 10); strings.TrimSpace(got) != "–" {
		t.Errorf("unknown: %q", got)
	}
	for w := range 12 {
		if got := text.Width(Share(th, 0.5, w)); got != w {
			t.Errorf("width %d: %d cells", w, got)
		}
	}
}

func BenchmarkView(b *testing.B) {
	th := theme.New("", true, false)
	tb := New(columns())
	tb.SetSize(118, 16)
	tb.SetRows(numbers(1_000_000))
	tb.Focused = true
	i := 0
	for b.Loop() {
		i++
		tb.SetCursor(i % 1_000_000)
		tb.View(th)
	}
}

// A page is the rows in view but one, which stays to read on from.
func TestKeysAndWheelMoveByWhatIsInView(t *testing.T) {
	tb := New(columns())
	tb.SetSize(80, 11) // ten rows
	tb.SetRows(numbers(100))
	for _, c := range []struct {
		key         keys.Action
		cursor, top int
	}{{keys.Down, 1, 0}, {keys.PageDown, 10, 1}, {keys.PageDown, 19, 10}, {keys.Up, 18, 10}, {keys.PageUp, 9, 9},
		{keys.Bottom, 99, 90}, {keys.Down, 99, 90}, {keys.PageUp, 90, 90}, {keys.Top, 0, 0}, {keys.Up, 0, 0}} {
		if moves := tb.Act(c.key); !moves || tb.cursor != c.cursor || tb.top != c.top {
			t.Fatalf("%s leads to row %d, the first in view is %d", c.key, tb.cursor, tb.top)
		}
	}
	if tb.Act(keys.Enter) || tb.Act(keys.Left) {
		t.Error("other keys move too")
	}
	for _, c := range []struct{ rows, cursor, top int }{{3, 3, 3}, {200, 90, 90}, {-1, 90, 89}, {-5, 90, 84},
		{-60, 33, 24},
		{-200, 9, 0}} {
		if tb.Scroll(c.rows); tb.cursor != c.cursor || tb.top != c.top {
			t.Fatalf("scrolled by %d the cursor is on %d, the first in view is %d", c.rows, tb.cursor, tb.top)
		}
	}
	if tb.SetCursor(9) || !tb.SetCursor(10) || tb.top != 1 {
		t.Errorf("the cursor is on %d of %d on", tb.cursor, tb.top)
	}
}

// Spare cells go to the flexible columns by their shares, and hits are of whole columns.
func TestSpareCellsAndTheirHits(t *testing.T) {
	tb := New([]Column{{ID: "a", Title: "a", Width: 4, Flex: 1}, {ID: "b", Title: "b", Width: 4},
		{ID: "c", Title: "c", Width: 4,
			Flex: 3, Right: true}})
	tb.SetRows(numbers(1))
	for width, want := range map[int][3]int{18: {4, 4, 4}, 19: {4, 4, 5}, 22: {5, 4, 7}, 26: {6, 4, 10}} {
		tb.SetSize(width, 2)
		at := gutter
		for k, p := range tb.place() {
			if p.Width != want[k] || p.from != at {
				t.Errorf("%d cells: column %s has %d from %d", width, p.ID, p.Width, p.from)
			}
			for x, is := range map[int]bool{at - 1: false, at: true, at + p.Width - 1: true, at + p.Width: false} {
				if _, id, _ := tb.Hit(x, 1); (id == p.ID) != is {
					t.Errorf("cell %d of %d is of column %q", x, width, id)
				}
			}
			at += p.Width + gap
		}
		for _, outside := range [][2]int{{-1, 1}, {width, 1}, {3, -1}, {3, 2}} {
			if _, _, ok := tb.Hit(outside[0], outside[1]); ok {
				t.Errorf("cell %v is outside", outside)
			}
		}
	}
	line := text.Lines(ansi.Strip(tb.View(theme.New("", true, false))))
	if !strings.HasSuffix(line[0], "c") || !strings.HasSuffix(line[1], " c-0") || strings.Index(line[0], "a") != gutter {
		t.Errorf("aligned\n%s", strings.Join(line, "\n"))
	}
}

func TestRowsAreMarked(t *testing.T) {
	th := theme.New("", true, false)
	for _, c := range []struct {
		pin  rune
		here bool
		want string
	}{{0, false, "  "}, {0, true, "▸ "}, {'◈', false, " ◈"}, {'◈', true, "▸◈"}} {
		if got := ansi.Strip(mark(th, c.pin, c.here)); got != c.want {
			t.Errorf("pin %c, cursor %v: %q", c.pin, c.here, got)
		}
	}
	for f, want := range map[float64]string{0.0049: "  <1%", 0.005: "   0%", 0.0051: "   1%", 0.994: "  99%",
		0.995: " >99%",
		-1:    "   0%", 2: " 100%"} {
		if got := ansi.Strip(Share(th, f, 9)); !strings.HasSuffix(got, want) {
			t.Errorf("Share(%g) = %q", f, got)
		}
	}
	if got := Share(th, 0.5, 5); got != "  50%" {
		t.Errorf("without room for a bar: %q", got)
	}
	if got := ansi.Strip(Share(th, 0.5, 6)); got != "▌  50%" {
		t.Errorf("with a cell for the bar: %q", got)
	}
}
