package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"time"

	"sweetspot/engine/objective"
	"sweetspot/engine/parallel"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// How many candidates are listed: all, and where nothing is asked.
const (
	All         = 0
	FirstListed = 1000
)

// Listing is a ranking whose candidates are made while they are written: there may be a
// million, each of some 3 kB.
type Listing struct {
	Ranking // without its candidates

	result  *rank.Result
	tested  validate.Tested
	chances Chances
	listed  []placed
}

// placed is a candidate by its index, and its rank from 1; 0 where infeasible.
type placed struct{ index, place int }

// NewListing lists the first most candidates, the feasible ones first, and wherever they
// stand those on the frontiers and those that the ranking names elsewhere but in a tie.
func NewListing(r *rank.Result, tested validate.Tested, now time.Time, most int) *Listing {
	l := &Listing{result: r, tested: tested, chances: NewChances(r)}
	named := map[int]bool{}
	l.Ranking = newRanking(r, l.chances, now, func(i int) string {
		named[i] = true
		return clean(r.Space.At(i).ID)
	})
	list := func(i, place int) {
		if most == All || len(l.listed) < most || named[i] {
			l.listed = append(l.listed, placed{i, place})
		}
	}
	for k, i := range r.Order() {
		list(i, k+1)
	}
	for i := range r.Space.Len() {
		if !r.Feasible.Has(i) {
			list(i, 0)
		}
	}
	l.Listed = len(l.listed)
	return l
}

// each is the candidates listed from a place to before another.
func (l *Listing) each(from, to int) iter.Seq[Candidate] {
	return func(yield func(Candidate) bool) {
		w := writer{l.result, l.tested, l.chances, map[int]string{}}
		for _, c := range l.listed[from:to] {
			if !yield(w.candidate(c.index, c.place)) {
				return
			}
		}
	}
}

// WriteJSON writes the JSON of a ranking with the candidates listed.
func (l *Listing) WriteJSON(w io.Writer) error {
	var text bytes.Buffer
	if err := WriteJSON(&text, l.Ranking); err != nil {
		return err
	}
	before, after, found := bytes.Cut(text.Bytes(), []byte("\n  \"candidates\": []"))
	if !found {
		return fmt.Errorf("no place for the candidates in %s", text.Bytes())
	}
	if _, err := fmt.Fprintf(w, "%s\n  \"candidates\": [", before); err != nil {
		return err
	}
	if err := l.writeCandidates(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "]%s", after)
	return err
}

// atOnce is how many candidates a processor writes at a time.
const atOnce = 200

// writeCandidates writes the elements of the array of candidates, as many at a time as
// there are processors for.
func (l *Listing) writeCandidates(w io.Writer) error {
	parts, errs := make([]bytes.Buffer, runtime.GOMAXPROCS(0)), make([]error, runtime.GOMAXPROCS(0))
	for from := 0; from < len(l.listed); from += len(parts) * atOnce {
		var writing parallel.Group
		for k := range parts {
			writing.Go(func() {
				first := min(from+k*atOnce, len(l.listed))
				errs[k] = l.writeSome(&parts[k], first, min(first+atOnce, len(l.listed)))
			})
		}
		writing.Wait()
		for k := range parts {
			if errs[k] != nil {
				return errs[k]
			}
			if _, err := parts[k].WriteTo(w); err != nil {
				return err
			}
		}
	}
	if len(l.listed) == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\n  ")
	return err
}

func (l *Listing) writeSome(b *bytes.Buffer, from, to int) error {
	e := json.NewEncoder(b)
	e.SetIndent("    ", "  ")
	e.SetEscapeHTML(false)
	for c := range l.each(from, to) {
		if from > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		if err := e.Encode(c); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the encoder's line break
		from++
	}
	return nil
}

// WriteCSV writes a row for each candidate listed.
func (l *Listing) WriteCSV(w io.Writer) error {
	return writeCSV(w, l.each(0, len(l.listed)), slices.DeleteFunc(slices.Clone(l.result.Space.Objectives),
		func(o objective.Objective) bool { return !o.Optional }))
}

// WriteYAML writes the YAML of a ranking with the candidates listed, which it holds all
// at once.
func (l *Listing) WriteYAML(w io.Writer) error { return WriteYAML(w, l.whole()) }

// whole is the ranking with its candidates.
func (l *Listing) whole() Ranking {
	r := l.Ranking
	r.Candidates = slices.AppendSeq(make([]Candidate, 0, len(l.listed)), l.each(0, len(l.listed)))
	return r
}
