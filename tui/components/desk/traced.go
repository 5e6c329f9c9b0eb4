package desk

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sweetspot/tui/components/ask"
	"sweetspot/tui/components/picker"
	"sweetspot/tui/components/table"
	"sweetspot/tui/components/toast"
	"sweetspot/tui/keys"
	"sweetspot/tui/screen"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// TraceConfig is what a desk about a trace is made of. A is an answer, which
// compares a few choices; F is what is found out further about it.
type TraceConfig[T, A, F any] struct {
	Read       func(ctx context.Context, path string) (T, error) // an empty path makes a trace up
	Title      string                                            // of the dialog that has a file chosen
	Extensions []string
	Empty      func(t T) bool

	MostSliders int    // that have room without scrolling; 0 is all
	Last        int    // choices at the end that no order moves: a sum
	Opened      func() // another trace is there and is asked about next; nil is nothing to do
	Rows, Share int    // height of the table with its border; width of the first chart in percent
	Measures    []Measure[A]
	Choices     func(a *A) int       // how many there are
	Best        func(a *A, f *F) int // the choice that is marked, −1 for none; f may be nil or about another answer
	Charts      []interface{ SetTheme(th *theme.Theme) }
	Decision    func() []string // what to do, in sentences above the panes, the most useful first

	Solve   func() ask.Work[*A]     // answers the present question
	Further func(a *A) ask.Work[*F] // nil where there is nothing to find out
	Draw    func()                  // brings sliders and charts to what is shown
}

// Traced is a desk about a trace that is read or synthetic.
type Traced[T, Q, A, F any] struct {
	*Desk[Q, *A]
	TraceConfig[T, A, F]
	Theme   *theme.Theme
	W, H    int
	head    int // lines above the panes
	Layout  Layout
	Trace   T
	Shown   *A // nil before the first answer
	Found   *F // the newest that was found out further, maybe about an answer before
	about   *A // that Found is about
	rows    *choices[A]
	reading ask.Loop[read[T]]
	finding ask.Loop[found[A, F]]
}

type (
	read[T any] struct {
		path  string
		trace T
		err   error
	}
	found[A, F any] struct {
		about *A
		value *F
	}
)

// NewTraced returns a desk that asks q once it has a trace.
func NewTraced[T, Q, A, F any](sh *screen.Shell, q Q, c Config[Q, *A], t TraceConfig[T, A, F]) *Traced[T, Q, A, F] {
	d := &Traced[T, Q, A, F]{TraceConfig: t, Theme: sh.Theme}
	c.Table, c.Column = table.New(columnsOf(t.Measures)), t.Measures[0].ID
	c.Work, c.Answer, c.Refresh = d.work, d.show, d.refresh
	d.Desk = New(sh, q, c)
	d.Table.Empty = "reading the trace…"
	return d
}

// SetTheme changes colours and symbols.
func (d *Traced[T, Q, A, F]) SetTheme(th *theme.Theme) {
	d.Theme = th
	for _, c := range d.Charts {
		c.SetTheme(th)
	}
	d.refresh()
}

// SetSize changes the size in cells.
func (d *Traced[T, Q, A, F]) SetSize(w, h int) {
	d.W, d.H, d.head = w, h, headRows(w, h)
	sliders := len(d.Sliders.All)
	if d.MostSliders > 0 {
		sliders = d.MostSliders
	}
	d.Layout = newLayout(w, h-d.head, sliders, d.Rows, d.Share).Below(d.head)
	d.Place(d.Layout.Sliders, d.Layout.Table)
}

// View draws the panes, and sentences about the answer, in exactly the size.
func (d *Traced[T, Q, A, F]) View(p Panes, sentences func() []string) string {
	if d.W <= 0 || d.H <= 0 {
		return ""
	}
	_, rows := d.Layout.Sliders.Inner()
	first, last := d.Sliders.Shown(rows)
	if first > 0 {
		p.Sliders.Title += " " + string(d.Theme.Symbols.Up)
	}
	if last < len(d.Sliders.All) {
		p.Sliders.Title += " " + string(d.Theme.Symbols.Down)
	}
	p.Words.Title = "Advice"
	p.Reading.Title = p.Words.Title + " " + d.Theme.Symbols.Dot + " enter or esc goes back"
	p.Lines = func(w int) []string { return wrapAll(sentences(), w) }
	lines := make([]string, 0, d.head+1)
	for _, l := range fit(d.Decision(), d.W-2, d.head) {
		lines = append(lines, text.Fit(" "+d.Theme.Title.Render(l), d.W))
	}
	return strings.Join(append(lines, d.Frame(d.Theme, d.W, d.H-d.head, &d.Layout, p)), "\n")
}

// Activate makes a trace up to begin with.
func (d *Traced[T, Q, A, F]) Activate() tea.Cmd {
	if !d.Empty(d.Trace) || d.reading.Busy() {
		return nil
	}
	return d.open("")
}

// Open has a file chosen and read.
func (d *Traced[T, Q, A, F]) Open() tea.Cmd {
	return d.Shell.Choose(d.Title, append(d.Extensions[:len(d.Extensions):len(d.Extensions)], picker.Any), d.open)
}

// open reads a trace; the newest one that was asked for counts. Synthetic ones are
// there at once.
func (d *Traced[T, Q, A, F]) open(path string) tea.Cmd {
	if d.Read == nil {
		return nil
	}
	d.reading.Forget()
	reading := d.reading.Ask(d.Shell.Ctx, func(ctx context.Context) read[T] {
		trace, err := d.Read(ctx, path)
		return read[T]{path, trace, err}
	})
	if path == "" {
		return reading
	}
	return tea.Batch(reading, d.Shell.Note(toast.Info, "reading "+text.Clean(filepath.Base(path))+"…"))
}

// SetTrace asks about another trace.
func (d *Traced[T, Q, A, F]) SetTrace(t T) tea.Cmd {
	d.Trace, d.Shown, d.Found, d.about = t, nil, nil, nil
	d.Forget()
	if d.Opened != nil {
		d.Opened()
	}
	d.finding.Forget()
	d.Table.Empty = "computing…"
	d.rows = &choices[A]{}
	d.Table.SetRows(d.rows)
	return d.Ask()
}

// Disabled says why an action can't be done now.
func (d *Traced[T, Q, A, F]) Disabled(action keys.Action) string {
	switch {
	case action == keys.NextChart && d.Layout.Fourth.W == 0:
		return "no room for the chart: widen the terminal"
	case action == keys.Export && d.Shown == nil:
		return "nothing is answered yet"
	}
	return d.Desk.Disabled(action)
}

// Receive takes traces, answers and what is found out further.
func (d *Traced[T, Q, A, F]) Receive(msg tea.Msg) tea.Cmd {
	if r, _, ok := d.reading.Receive(msg); ok {
		switch {
		case r.err != nil:
			return d.Shell.Fail(r.err)
		case r.path == "":
			return d.SetTrace(r.trace)
		}
		return tea.Batch(d.SetTrace(r.trace), d.Shell.Note(toast.Good, "opened "+text.Clean(filepath.Base(r.path))))
	}
	if f, again, ok := d.finding.Receive(msg); ok {
		if f.value != nil && f.about == d.Shown {
			d.Found, d.about = f.value, f.about
			d.refresh()
		}
		if again {
			return d.find()
		}
		return nil
	}
	return d.Desk.Receive(msg)
}

// work answers the present question; it touches nothing of the screen.
func (d *Traced[T, Q, A, F]) work() ask.Work[*A] {
	if d.Empty(d.Trace) {
		return nil
	}
	return d.Solve()
}

// show shows an answer, and has more found out about it once the sliders rest.
func (d *Traced[T, Q, A, F]) show(a *A) tea.Cmd {
	d.Shown = a
	d.refresh()
	return d.find()
}

func (d *Traced[T, Q, A, F]) find() tea.Cmd {
	a := d.Shown
	if busy, _ := d.Asking(); busy || a == nil || d.IsFound() {
		return nil
	}
	work := d.Further(a)
	if work == nil {
		return nil
	}
	return d.finding.AskAside(d.Shell.Ctx, func(ctx context.Context) found[A, F] { return found[A, F]{a, work(ctx)} })
}

// IsFound reports whether Found is about what is shown.
func (d *Traced[T, Q, A, F]) IsFound() bool { return d.Found != nil && d.about == d.Shown }

// StopFinding ends what is being found out, to leave the processor to an answer.
func (d *Traced[T, Q, A, F]) StopFinding() { d.finding.Forget() }

// refresh brings table, sliders and charts to the answer.
func (d *Traced[T, Q, A, F]) refresh() {
	if d.Shown == nil {
		return
	}
	d.rows = &choices[A]{th: d.Theme, answer: d.Shown, measures: d.Measures, best: d.Best(d.Shown, d.Found)}
	d.rows.sort(d.Choices(d.Shown), d.Last, d.Column, d.descending)
	d.Table.SetRows(d.rows)
	d.Table.SetSort(d.Column, d.descending)
	d.Draw()
}

// Chosen is the choice under the cursor, the first one before there are any.
func (d *Traced[T, Q, A, F]) Chosen() int {
	row, ok := d.Table.Cursor()
	if !ok {
		return 0
	}
	return d.rows.order[row]
}

// Choose puts the cursor on a choice.
func (d *Traced[T, Q, A, F]) Choose(choice int) {
	if row := slices.Index(d.rows.order, choice); row >= 0 {
		d.Table.SetCursor(row)
	}
}

// Measure is a column of a table that compares a few choices: schemes, policies.
// The first one names them. All can be sorted by.
type Measure[A any] struct {
	ID, Title   string
	Width, Drop int
	Value       func(a *A, i int) float64                 // of choice i; nil is i itself
	Write       func(v float64) string                    // a value, unless it is NaN
	Text        func(th *theme.Theme, a *A, i int) string // in place of Write
}

func columnsOf[A any](measures []Measure[A]) []table.Column {
	out := make([]table.Column, len(measures))
	for k, m := range measures {
		out[k] = table.Column{ID: m.ID, Title: m.Title, Width: m.Width, Drop: m.Drop, Right: k > 0, Sort: true}
	}
	out[0].Flex = 1
	return out
}

// choices are the rows of an answer.
type choices[A any] struct {
	th       *theme.Theme
	answer   *A
	measures []Measure[A]
	order    []int // row → choice
	best     int   // choice that is marked, −1 for none
}

func (c *choices[A]) measure(id string) *Measure[A] {
	return &c.measures[slices.IndexFunc(c.measures, func(m Measure[A]) bool { return m.ID == id })]
}

// sort orders n choices by a column, but for the last ones, which stay there.
func (c *choices[A]) sort(n, last int, column string, descending bool) {
	for i := range n {
		c.order = append(c.order, i)
	}
	m := c.measure(column)
	slices.SortStableFunc(c.order[:max(n-last, 0)], func(x, y int) int {
		if descending {
			x, y = y, x
		}
		return cmp.Compare(m.value(c.answer, x), m.value(c.answer, y))
	})
}

func (m *Measure[A]) value(a *A, i int) float64 {
	if m.Value == nil {
		return float64(i)
	}
	return m.Value(a, i)
}

func (c *choices[A]) Len() int { return len(c.order) }
func (c *choices[A]) Find(before table.Rows, row int) (int, bool) {
	row = slices.Index(c.order, before.(*choices[A]).order[row])
	return row, row >= 0
}

func (c *choices[A]) Style(row int) (s table.RowStyle) {
	if c.order[row] == c.best {
		s.Mark = c.th.Symbols.Sweet
	}
	return s
}

func (c *choices[A]) Cell(row int, column string, _ int) string {
	m, i := c.measure(column), c.order[row]
	if m.Text != nil {
		return m.Text(c.th, c.answer, i)
	}
	if v := m.value(c.answer, i); !math.IsNaN(v) {
		return m.Write(v)
	}
	return "—"
}
