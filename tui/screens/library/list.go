package library

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/store"
	"sweetspot/data/wording"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/components/table"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// row is one entry of a list: its cells as text and, for numbers, as values
// to sort by.
type row struct {
	id       int64
	cells    map[string]string
	numbers  map[string]float64
	question question.Question
	pick     store.Pick
	run      *profile.Run // nil where the row is not of a run
	words    []string     // what the row's cells have no room for
}

// supply is where a list's rows are from. Of many only those that are looked at
// are made.
type supply struct {
	n   int
	id  func(i int) int64
	row func(i int) *row
}

// made is a supply of rows that are there already.
func made(rows []*row) supply {
	return supply{len(rows), func(i int) int64 { return rows[i].id }, func(i int) *row { return rows[i] }}
}

// view is all rows of a list, and which of them are shown, in order.
type view struct {
	all   supply
	shown []int
}

// place is the line of the row with an ID.
func (v *view) place(id int64) (line int, ok bool) {
	line = slices.IndexFunc(v.shown, func(i int) bool { return v.all.id(i) == id })
	return line, line >= 0
}

// list is one of the lists.
type list struct {
	view
	table      *table.Table
	column     string
	descending bool
}

// selected is the row under the cursor; nil without one.
func (l *list) selected() *row {
	i, ok := l.table.Cursor()
	if !ok || i >= len(l.shown) {
		return nil
	}
	return l.all.row(l.shown[i])
}

// refresh filters and sorts again.
func (l *list) refresh(filter string) {
	words := strings.Fields(strings.ToLower(filter))
	l.shown = make([]int, 0, l.all.n)
	for i := range l.all.n {
		if len(words) == 0 || l.all.row(i).matches(words) {
			l.shown = append(l.shown, i)
		}
	}
	l.sort()
	if l.descending {
		slices.Reverse(l.shown)
	}
	l.table.SetRows(&shownRows{view: l.view, last: -1})
	l.table.SetSort(l.column, l.descending)
}

func (l *list) sort() {
	if l.column == "" {
		return
	}
	keys := make([]key, l.all.n)
	for _, i := range l.shown {
		keys[i] = l.all.row(i).key(l.column)
	}
	slices.SortStableFunc(l.shown, func(a, b int) int { return keys[a].compare(keys[b]) })
}

func (r *row) matches(words []string) bool {
	said := strings.ToLower(strings.Join(slices.AppendSeq(slices.Clone(r.words), maps.Values(r.cells)), "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(said, w) })
}

// key is what a row is sorted by: a number where it has one in the column.
type key struct {
	isNumber bool
	number   float64
	word     string
}

func (r *row) key(column string) key {
	if v, ok := r.numbers[column]; ok {
		return key{true, v, ""}
	}
	return key{false, 0, strings.ToLower(r.cells[column])}
}

// compare orders numbers before what has none.
func (k key) compare(o key) int {
	switch {
	case k.isNumber && o.isNumber:
		return cmp.Compare(k.number, o.number)
	case k.isNumber:
		return -1
	case o.isNumber:
		return 1
	}
	return cmp.Compare(k.word, o.word)
}

// shownRows gives rows to a table.
type shownRows struct {
	view
	last int // row that was made last
	made *row
}

func (r *shownRows) Len() int { return len(r.shown) }
func (r *shownRows) Find(before table.Rows, row int) (int, bool) {
	was := before.(*shownRows)
	return r.place(was.all.id(was.shown[row]))
}

func (r *shownRows) Cell(row int, column string, _ int) string {
	if row != r.last {
		r.last, r.made = row, r.all.row(r.shown[row])
	}
	return text.Clean(r.made.cells[column])
}

func (r *shownRows) Style(int) table.RowStyle { return table.RowStyle{} }

// detailRows is the height of the panel below a list that says of the row under
// the cursor what its cells have no room for; 0 where there is none.
func (s *Screen) detailRows(k List) int {
	switch {
	case k == Models || k == VMTypes || s.h < 12:
		return 0
	case s.h < 26:
		return 5
	}
	return 6
}

// details draws the panel.
func (s *Screen) details(rows int) string {
	w, h := panel.Inner(s.w, rows)
	var lines []string
	if r := s.list().selected(); r != nil {
		for _, words := range r.words {
			lines = append(lines, theme.Pen{}.Wrap(text.Clean(words), " ", w)...)
		}
	}
	if len(lines) > h && h > 0 {
		lines = append(lines[:h-1], text.Truncate(lines[h-1], max(w-2, 1), "")+s.th.Symbols.Ellipsis)
	}
	return panel.Panel{Title: "Details"}.Render(s.th, strings.Join(lines, "\n"), s.w, rows)
}

func noteWords(note string) []string {
	if note == "" {
		return nil
	}
	return []string{"Note: " + note}
}

// runWords are the note of a run, what it is, and where it is from.
func runWords(u *profile.Run) []string {
	what := []string{u.Model}
	if v := wording.VariantLabel(u.Variant); v != "" {
		what = append(what, v)
	}
	if u.Dataset != "" {
		what = append(what, u.Dataset)
	}
	on := u.InstanceType
	if u.Count > 1 {
		on = strconv.Itoa(u.Count) + "× " + on
	}
	if u.GPU != "" {
		on += " (" + u.GPU + ")"
	}
	if on != "" {
		what = append(what, on)
	}
	if u.Framework != "" {
		what = append(what, u.Framework)
	}
	if t := wording.Trained(*u); t != "" {
		what = append(what, t)
	}
	if u.PeakMemoryBytes != nil {
		what = append(what, "at most "+quantity.Bytes(int64(*u.PeakMemoryBytes))+" per GPU")
	}
	words := append(noteWords(u.Note), strings.Join(what, " · "))
	if from := strings.TrimSpace(u.Source + " " + u.AsOf); from != "" {
		words = append(words, from)
	}
	return words
}

// words is a column of text; flex is its share of the room to spare, and of the
// columns those with the highest drop go first where there is little.
func words(id, title string, width, flex, drop int) table.Column {
	return table.Column{ID: id, Title: title, Width: width, Flex: flex, Drop: drop, Sort: true}
}

// figures is a column of numbers.
func figures(id, title string, width, drop int) table.Column {
	return table.Column{ID: id, Title: title, Width: width, Drop: drop, Right: true, Sort: true}
}

var listColumns = [lists][]table.Column{
	Models: {
		words("model", "model", 18, 3, 0), words("mode", "mode", 5, 0, 0), words("unit", "unit", 8, 0, 2),
		figures("runs", "runs", 5, 0), figures("params", "params", 10, 3), figures("flops", "GFLOPs/unit", 11, 5),
		words("dataset", "dataset", 12, 2, 4),
	},
	Runs: {
		figures("id", "run", 7, 0), words("model", "model", 16, 2, 0), words("variant", "variant", 12, 2, 5),
		words("mode", "mode", 5, 0, 4), words("vm", "VM or host", 14, 2, 0), figures("batch", "batch", 5, 3),
		figures("steady", "iteration", 16, 0), figures("accuracy", "accuracy", 8, 6), words("status", "status", 11, 0, 7),
		words("basis", "basis", 13, 0, 2), words("source", "source", 16, 4, 8), words("note", "note", 12, 4, 9),
	},
	VMTypes: {
		words("cloud", "cloud", 8, 0, 3), words("region", "region", 10, 0, 4), words("type", "instance type", 16, 2, 0),
		figures("gpus", "GPUs", 4, 0), words("gpu", "GPU", 14, 2, 0), figures("memory", "GiB/GPU", 7, 5),
		figures("on-demand", "on-demand", 9, 0), figures("spot", "spot", 8, 6), figures("reserved-1y", "1 year", 8, 7),
		figures("reserved-3y", "3 years", 8, 2), words("as-of", "as of", 10, 0, 8), words("source", "source", 14, 3, 9),
	},
	Picks: {
		words("at", "picked", 20, 0, 2), words("model", "model", 14, 2, 0), words("vm", "VMs", 16, 2, 0),
		words("variant", "variant", 12, 1, 3), figures("batch", "batch", 5, 4), figures("time", "time", 10, 0),
		figures("cost", "cost", 9, 0), words("note", "note", 12, 3, 5),
	},
	Imports: {
		words("became", "", 9, 0, 0), words("file", "file", 16, 3, 0), words("format", "format", 12, 0, 2),
		figures("runs", "runs", 5, 3), figures("new", "new", 5, 0), words("says", "what it says", 16, 5, 1),
	},
}

// modelRows are the models, those of one's own runs first, of the newest run before all.
func modelRows(set *profile.Set) []*row {
	all := question.Questions(set)
	slices.SortStableFunc(all, func(a, b question.Question) int { return cmp.Compare(b.Newest, a.Newest) })
	var out []*row
	for k, q := range all {
		m, _ := set.Model(q.Model)
		r := &row{id: int64(k), question: q, numbers: map[string]float64{"runs": float64(q.Runs)}, cells: map[string]string{
			"model": q.Model, "mode": string(q.Mode), "unit": q.Unit, "runs": strconv.Itoa(q.Runs), "dataset": m.Dataset,
		}}
		r.value("params", m.Params, quantity.Count)
		r.value("flops", m.FLOPsPerUnit, func(v float64) string { return strconv.FormatFloat(v/1e9, 'g', 3, 64) })
		out = append(out, r)
	}
	return out
}

func runRows(set *profile.Set) supply {
	return supply{
		n: len(set.Runs), id: func(i int) int64 { return set.Runs[i].ID },
		row: func(i int) *row { return runRow(&set.Runs[i]) },
	}
}

func runRow(u *profile.Run) *row {
	r := &row{id: u.ID, numbers: map[string]float64{"id": float64(u.ID), "batch": float64(u.BatchSize),
		"basis": float64(u.Basis)}, cells: map[string]string{
		"id": runNumber(u.ID), "model": u.Model, "variant": wording.VariantLabel(u.Variant),
		"mode": string(u.Mode),
		"vm":   u.InstanceType, "batch": strconv.Itoa(u.BatchSize), "steady": steady(u), "status": string(u.Status),
		"basis": u.Basis.String(), "source": strings.TrimSpace(u.Source + " " + u.AsOf), "accuracy": "—", "note": u.Note,
	}, run: u, words: runWords(u)}
	if u.Steady.Known() {
		r.numbers["steady"] = u.Steady.Value
	}
	if a := u.Accuracy; a != nil {
		r.cells["accuracy"], r.numbers["accuracy"] = objective.WriteAccuracy(a.Value, a.HigherIsBetter), a.Value
	}
	if u.IsTimed() || u.IsLook() {
		r.question = question.Question{Model: u.Model, Mode: u.Mode, Unit: u.Unit}
	}
	return r
}

// runNumber is how a run is called: one's own by its number, those of the built-in
// library, whose IDs are negative, as such.
func runNumber(id int64) string {
	if id < 0 {
		return "lib " + strconv.FormatInt(-id, 10)
	}
	return strconv.FormatInt(id, 10)
}

func steady(u *profile.Run) string {
	switch {
	case u.Steady.Known() && u.Steady.High > u.Steady.Low:
		return quantity.Duration(u.Steady.Value) + " " + quantity.PlusMinus(u.Steady.HalfWidth())
	case u.Steady.Known():
		return quantity.Duration(u.Steady.Value)
	case u.TotalS != nil:
		return "total " + quantity.Duration(*u.TotalS)
	default:
		return "—"
	}
}

func vmRows(set *profile.Set) []*row {
	out := make([]*row, 0, len(set.VMTypes))
	for k := range set.VMTypes {
		v := &set.VMTypes[k]
		r := &row{id: int64(k), numbers: map[string]float64{"gpus": float64(v.GPUCount)}, cells: map[string]string{
			"cloud": v.Cloud, "region": v.Region, "type": v.InstanceType, "gpus": strconv.Itoa(v.GPUCount), "gpu": v.GPU,
		}}
		r.value("memory", v.GPUMemGiB, quantity.Count)
		for _, p := range profile.Purchases {
			if q, ok := v.PriceOf(p); ok {
				r.cells[string(p)], r.numbers[string(p)] = quantity.Money(q.USDPerHour), q.USDPerHour
				r.cells["as-of"], r.cells["source"] = q.AsOf, q.Source
			} else {
				r.cells[string(p)] = "—"
			}
		}
		out = append(out, r)
	}
	return out
}

func pickRows(picks []store.Pick) []*row {
	out := make([]*row, 0, len(picks))
	for _, p := range picks {
		r := &row{id: p.ID, pick: p, words: noteWords(p.Note), numbers: map[string]float64{},
			cells: map[string]string{"note": p.Note, "at": p.CreatedAt.Local().Format("2006-01-02 15:04:05")}}
		var c contract.Candidate
		if err := json.Unmarshal(p.Candidate, &c); err != nil {
			r.cells["model"] = "unreadable: " + err.Error()
			out = append(out, r)
			continue
		}
		r.cells["model"], r.cells["vm"], r.cells["variant"] = c.Model, strings.Join(c.VMs(), " + "), c.Variant
		if r.cells["batch"] = "—"; c.BatchSize != nil {
			r.cells["batch"], r.numbers["batch"] = strconv.Itoa(*c.BatchSize), float64(*c.BatchSize)
		}
		r.value("time", c.Time.S, quantity.Duration)
		r.value("cost", c.Cost.USD, quantity.Money)
		r.question = question.Question{Model: c.Model, Mode: profile.Mode(c.Mode)}
		out = append(out, r)
	}
	return out
}

// value fills a cell with a number that may be unknown.
func (r *row) value(column string, v *float64, format func(float64) string) {
	r.cells[column] = "—"
	if v != nil {
		r.cells[column], r.numbers[column] = format(*v), *v
	}
}
