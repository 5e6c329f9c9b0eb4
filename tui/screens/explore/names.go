package explore

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"sweetspot/data/wording"
	"sweetspot/engine/candidate"
	"sweetspot/engine/objective"
	"sweetspot/engine/rank"
)

// names keep rows apart: a candidate has the same ID in every answer, whatever
// its place in the space.
type names struct {
	pinned map[int64]bool                 // never forgotten
	seen   map[int64]*candidate.Candidate // whose ID was asked for
	space  *rank.Space
	at     map[int64]int        // places in the space
	column map[string][]float64 // sort keys over the space
}

// mostSeen bounds what is remembered; the cursor's row is seen again at once.
const mostSeen = 4096

func newNames(pinned map[int64]bool) *names {
	return &names{pinned: pinned, seen: map[int64]*candidate.Candidate{}}
}

// identity makes a row ID of a candidate's ID.
func identity(id string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return int64(h.Sum64() >> 1)
}

func (n *names) turn(s *rank.Space) {
	if n.space != s {
		n.space, n.at, n.column = s, map[int64]int{}, map[string][]float64{}
	}
}

// id is the row ID of candidate i.
func (n *names) id(s *rank.Space, i int) int64 {
	n.turn(s)
	c := s.At(i)
	id := identity(c.ID)
	if len(n.seen) > mostSeen {
		maps.DeleteFunc(n.seen, func(id int64, _ *candidate.Candidate) bool { return !n.pinned[id] })
	}
	n.seen[id], n.at[id] = c, i
	return id
}

// find is the place in a space of the candidate with a row ID.
func (n *names) find(s *rank.Space, id int64) (i int, ok bool) {
	n.turn(s)
	if i, ok = n.at[id]; ok {
		return i, true
	}
	c, ok := n.seen[id]
	if !ok {
		return 0, false
	}
	if i, ok = s.Find(c); ok {
		n.at[id] = i
	}
	return i, ok
}

// keys are what rows are sorted by where the engine does not rank by it: smaller
// or better comes first, and equal ones keep the ranking's order. nil where it does.
func (n *names) keys(a *Answer, column string) func(i int) float64 {
	s := a.Result.Space
	of := func(key func(c *candidate.Candidate) float64) func(i int) float64 {
		keys := n.cached(s, column, func(keys []float64) {
			for i := range keys {
				keys[i] = key(s.At(i))
			}
		})
		return func(i int) float64 { return keys[i] }
	}
	switch column {
	case "vm", "variant":
		keys := n.cached(s, column, func(keys []float64) { alphabetical(s, column, keys) })
		return func(i int) float64 { return keys[i] }
	case "batch":
		return of(func(c *candidate.Candidate) float64 { return float64(c.BatchSize) })
	case "epochs":
		return of(epochsOf)
	case "basis":
		return of(func(c *candidate.Candidate) float64 { return float64(c.Time.Basis) })
	case "accuracy":
		return func(i int) float64 { return s.Turned(objective.Accuracy)[i] }
	case "best":
		return func(i int) float64 { return -a.probability(i) }
	}
	return nil
}

func (n *names) cached(s *rank.Space, column string, fill func(keys []float64)) []float64 {
	n.turn(s)
	if n.column[column] == nil {
		n.column[column] = make([]float64, s.Len())
		fill(n.column[column])
	}
	return n.column[column]
}

// alphabetical numbers the candidates by the words of a column.
func alphabetical(s *rank.Space, column string, keys []float64) {
	words, places := make([]string, len(keys)), map[string]float64{}
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
}
