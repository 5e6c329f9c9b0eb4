package explore

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/tui/components/table"
	"sweetspot/tui/text"
	"sweetspot/tui/theme"
)

// rows shows an answer in the table: feasible candidates in order, then the
// others, faint. Of a million rows only those that are looked at are made.
type rows struct {
	a        *Answer
	th       *theme.Theme
	all      int                             // candidates shown, those that stand behind others too
	feasible int                             // rows; the others follow
	merged   merged                          // candidates that stand behind others
	sorted   []int                           // feasible candidates where the column is none of the ranking's; else nil
	place    []int                           // candidate → rank from 1, where they are sorted so
	reversed bool                            // the feasible ones
	from     int                             // place of the first of those looked at last
	looked   []int                           // candidates at the places around the row looked at last
	pinned   map[string]*candidate.Candidate // by ID
	last     int                             // candidate that was made last
	made     *candidate.Candidate
}

// rowOptions say how an answer is laid out as rows.
type rowOptions struct {
	column       string
	descending   bool
	feasibleOnly bool
	pinned       map[string]*candidate.Candidate
	opened       map[string]bool // by ID of the candidate that stands for others
}

// newRows orders an answer by a column; engine orders are kept as they are.
func newRows(a *Answer, th *theme.Theme, n *sortKeys, k *sameChoices, o rowOptions) *rows {
	r := &rows{a: a, th: th, all: a.Result.Space.Len(), feasible: a.Result.Count(), reversed: o.descending,
		pinned: o.pinned, last: -1}
	if o.feasibleOnly {
		r.all = r.feasible
	}
	if keys := n.of(a, o.column); keys != nil {
		r.sorted = slices.Clone(a.Result.Order())
		slices.SortStableFunc(r.sorted, func(i, j int) int { return byNumber(keys(i), keys(j)) })
	}
	r.merged = k.merge(a.Result.Space, r.window(0, min(r.feasible, mergedDepth)), o.opened)
	r.feasible -= r.hidden()
	return r
}

// window is the candidates at some places as they are shown, hidden ones too.
func (r *rows) window(from, to int) []int {
	n := r.a.Result.Count()
	if from < n && to > n {
		return slices.Concat(r.window(from, n), r.window(n, to))
	}
	turned := r.reversed && to <= n
	if turned {
		from, to = n-to, n-from
	}
	var out []int
	if r.sorted != nil && to <= n {
		out = slices.Clone(r.sorted[from:to])
	} else {
		out = r.a.Result.Window(from, to)
	}
	if turned {
		slices.Reverse(out)
	}
	return out
}

// lookAround is how many places beside one that is looked at are looked at with it.
const lookAround = 200

// shown is the candidate at a place as they are shown, hidden ones too.
func (r *rows) shown(place int) int {
	if place < r.from || place >= r.from+len(r.looked) {
		r.from = max(place-lookAround, 0)
		r.looked = r.window(r.from, min(place+lookAround, r.all))
	}
	return r.looked[place-r.from]
}

// placeOf is the place of a candidate as it is shown, hidden ones counting too.
func (r *rows) placeOf(i int) int {
	n := r.a.Result.Count()
	place := -1
	if r.sorted != nil {
		place = slices.Index(r.sorted, i)
	}
	if place < 0 {
		place = r.a.Result.Position(i)
	}
	if r.reversed && place < n {
		place = n - 1 - place
	}
	return place
}

// hidden is how many candidates stand behind others.
func (r *rows) hidden() int { return len(r.merged.was) - len(r.merged.head) }

// at is the candidate of a row.
func (r *rows) at(row int) int {
	if row < len(r.merged.head) {
		return r.merged.head[row]
	}
	return r.shown(row + r.hidden())
}

// leader is the candidate that stands for candidate i: itself, or another.
func (r *rows) leader(i int) int {
	if leader, ok := r.merged.under[i]; ok {
		return leader
	}
	return i
}

// row is the row of a candidate, or of the one that stands for it; −1 for none.
func (r *rows) row(i int) int {
	if row := slices.Index(r.merged.head, i); row >= 0 {
		return row
	}
	if leader := r.leader(i); leader != i {
		return slices.Index(r.merged.head, leader)
	}
	if place := r.placeOf(i); place < r.all {
		return place - r.hidden()
	}
	return -1
}

// rank is the candidate's place in the ranking, from 1; 0 where it is
// infeasible.
func (r *rows) rank(row int) int {
	if row >= r.feasible {
		return 0
	}
	if r.sorted != nil {
		if r.place == nil {
			r.place = make([]int, r.a.Result.Space.Len())
			for k, i := range r.a.Result.Order() {
				r.place[i] = k + 1
			}
		}
		return r.place[r.at(row)]
	}
	place := row + r.hidden()
	if row < len(r.merged.head) {
		place = slices.Index(r.merged.was, r.at(row))
	}
	if r.reversed {
		place = r.a.Result.Count() - 1 - place
	}
	return place + 1
}

// candidate is the one of a row, made once for all its cells.
func (r *rows) candidate(row int) *candidate.Candidate {
	if i := r.at(row); i != r.last {
		r.last, r.made = i, r.a.Result.Space.At(i)
	}
	return r.made
}

// byNumber orders what is unknown last.
func byNumber(x, y float64) int {
	if math.IsNaN(x) || math.IsNaN(y) {
		return cmp.Compare(btoi(math.IsNaN(x)), btoi(math.IsNaN(y)))
	}
	return cmp.Compare(x, y)
}

// epochsOf is how many epochs a candidate's time is of; NaN where the source
// does not say.
func epochsOf(c *candidate.Candidate) float64 {
	if c.Epochs == nil {
		return math.NaN()
	}
	return *c.Epochs
}

// stepsOf is how many steps a candidate takes; NaN where that is not known.
func stepsOf(c *candidate.Candidate) float64 {
	if c.Steps == nil {
		return math.NaN()
	}
	return *c.Steps
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// probability of being best in the objective that the ranking is by.
func (a *Answer) probability(i int) float64 {
	by, _ := a.Question.Sort.Objective()
	return a.Result.Chance(a.Chances[by], by, i)
}

// probability is that of a candidate and of all that stand behind it unseen.
func (r *rows) probability(i int) float64 {
	p := r.a.probability(i)
	for _, k := range r.merged.behind[i] {
		if !r.merged.opened[i] {
			p += r.a.probability(k)
		}
	}
	return p
}

func (r *rows) Len() int { return r.all - r.hidden() }
func (r *rows) Find(before table.Rows, row int) (int, bool) {
	was := before.(*rows)
	i := was.at(row)
	if space := r.a.Result.Space; space != was.a.Result.Space {
		var found bool
		if i, found = space.Find(was.candidate(row)); !found {
			return 0, false
		}
	}
	row = r.row(i)
	return row, row >= 0
}

func (r *rows) Style(row int) table.RowStyle {
	style := table.RowStyle{Faint: row >= r.feasible}
	if len(r.pinned) > 0 && r.pinned[r.candidate(row).ID] != nil {
		style.Mark = r.th.Symbols.Pinned
	}
	return style
}

func (r *rows) Cell(row int, column string, width int) string {
	i := r.at(row)
	res := r.a.Result
	c := r.candidate(row)
	switch column {
	case "rank":
		if row >= r.feasible {
			return r.th.Symbols.Cross
		}
		return fmt.Sprint(r.rank(row))
	case "vm":
		name := text.Clean(wording.ShortVMs(wording.VMParts(c)))
		if c.IsPredicted() { // said here too: where it is narrow there is no column for the basis
			name = string(r.th.BasisMark(c.Time.Basis)) + " " + name
		}
		if c.Live {
			name += " " + r.th.Warn.Render("probing")
		}
		return r.counted(i, name, width)
	case "variant":
		label := text.Clean(wording.VariantLabel(c.Variant))
		if r.a.isSweet(i) {
			label = string(r.th.Symbols.Sweet) + " " + label
		}
		return label
	case "batch":
		return fmt.Sprint(c.BatchSize)
	case "epochs":
		if n := epochsOf(c); !math.IsNaN(n) {
			return quantity.Count(n)
		}
		return "?"
	case "steps":
		if n := stepsOf(c); !math.IsNaN(n) {
			return quantity.Count(math.Round(n))
		}
		return "?"
	case "accuracy":
		if c.Quality == nil {
			return "—"
		}
		return accuracyFormat(res.Space)(c.Quality.Estimate.Value)
	case "car":
		return quantity.Money(res.PerAccuracy(objective.Cost, i))
	case "tar":
		return quantity.Duration(res.PerAccuracy(objective.Time, i))
	case "score":
		if s := res.Score(i); !math.IsNaN(s) {
			return fmt.Sprintf("%.2f", s)
		}
		return "—"
	case "best":
		if p := r.probability(i); !math.IsNaN(p) && row < r.feasible {
			return table.Share(r.th, p, width)
		}
		return "—"
	case "basis":
		return r.th.Basis(c.Time.Basis).Render(string(r.th.BasisMark(c.Time.Basis)) + " " + theme.BasisWord(c.Time.Basis))
	}
	if o, ok := res.Space.Objective(objective.Name(column)); ok {
		with, _ := widths(o.Name)
		return r.estimate(c.Of(o.Name), o.Write, width >= with)
	}
	return ""
}

// counted is a name with how many are the same choice, or that it is one of them.
func (r *rows) counted(i int, name string, width int) string {
	if _, under := r.merged.under[i]; under {
		return " " + name
	}
	n := len(r.merged.behind[i])
	if n == 0 {
		return name
	}
	count := fmt.Sprintf(" +%d", n)
	return text.Truncate(name, max(width-len(count), 0), r.th.Symbols.Ellipsis) + r.th.Dim.Render(count)
}

// estimate writes a value, with its interval where there is room; the value looks
// like its basis.
func (r *rows) estimate(e estimate.Estimate, format func(float64) string, interval bool) string {
	switch {
	case !e.Known():
		return "—"
	case !interval:
		return r.th.Basis(e.Basis).Render(format(e.Value))
	}
	pm := strings.Replace(quantity.PlusMinus(e.HalfWidth()), "±", r.th.Symbols.PlusMinus, 1)
	return r.th.Basis(e.Basis).Render(format(e.Value)) + " " + r.th.Interval.Render(pm)
}

// sortKeys are the columns that rows are sorted by and the engine does not rank by,
// made once for a space.
type sortKeys struct {
	space  *rank.Space
	column map[string][]float64
}

// of is what the rows of a column are sorted by: smaller or better comes first, and
// equal ones keep the ranking's order. nil where the engine ranks by it.
func (k *sortKeys) of(a *Answer, column string) func(i int) float64 {
	s := a.Result.Space
	switch column {
	case "accuracy":
		return func(i int) float64 { return s.Turned(objective.Accuracy)[i] }
	case "best":
		return func(i int) float64 { return -a.probability(i) }
	}
	number := map[string]func(c *candidate.Candidate) float64{
		"batch":  func(c *candidate.Candidate) float64 { return float64(c.BatchSize) },
		"epochs": epochsOf,
		"steps":  stepsOf,
		"basis":  func(c *candidate.Candidate) float64 { return float64(c.Time.Basis) },
	}[column]
	if number == nil && column != "vm" && column != "variant" {
		return nil
	}
	if k.space != s {
		k.space, k.column = s, map[string][]float64{}
	}
	keys := k.column[column]
	switch {
	case keys != nil:
	case number == nil:
		keys = alphabetical(s, column)
	default:
		keys = make([]float64, s.Len())
		for i := range keys {
			keys[i] = number(s.At(i))
		}
	}
	k.column[column] = keys
	return func(i int) float64 { return keys[i] }
}

// alphabetical numbers the candidates by the words of a column.
func alphabetical(s *rank.Space, column string) []float64 {
	keys, words, places := make([]float64, s.Len()), make([]string, s.Len()), map[string]float64{}
	for i := range keys {
		c := s.At(i)
		words[i] = wording.VariantLabel(c.Variant)
		if p := c.Configuration[0]; column == "vm" {
			words[i] = fmt.Sprintf("%s %04d", p.VM.InstanceType, p.Count)
		}
		places[words[i]] = 0
	}
	for k, w := range slices.Sorted(maps.Keys(places)) {
		places[w] = float64(k)
	}
	for i, w := range words {
		keys[i] = places[w]
	}
	return keys
}
