package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/data/internal/exampleranking"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// scattered is a ranking of so many candidates, some of which are too expensive.
func scattered(t *rapid.T, n int) *rank.Result {
	candidates := make([]candidate.Candidate, n)
	for i := range candidates {
		c := &candidates[i]
		c.ID, c.Cell, c.Mode = fmt.Sprint("<c>", i), i, profile.Infer
		c.Configuration = []candidate.Part{{Count: 1, USDPerHour: new(1.0)}}
		c.Time = estimate.Spread(rapid.Float64Range(1, 100).Draw(t, "time"), 0.1, estimate.Measured)
		c.Cost = estimate.Spread(rapid.Float64Range(1, 100).Draw(t, "cost"), 0.1, estimate.Measured)
	}
	q := question.Query{Sort: question.ByCost, Limits: question.Limits{objective.Cost: 80}}
	return rank.Evaluate(rank.NewSpace(candidate.ListOf(candidates...)), q)
}

// What is written candidate by candidate is the JSON of the whole, however many
// processors write it.
func TestListingIsTheRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 7, atOnce, atOnce + 1, 3*atOnce + 5}).Draw(t, "candidates")
		r := scattered(t, n)
		var whole, streamed bytes.Buffer
		l := NewListing(r, nil, pickedAt, All)
		if err := errors.Join(WriteJSON(&whole, l.whole()), l.WriteJSON(&streamed)); err != nil {
			t.Fatal(err)
		}
		if l.Total != n || l.Listed != n || whole.String() != streamed.String() {
			t.Fatalf("of %d candidates %d are listed:\n%s\n%s", n, l.Listed, &whole, &streamed)
		}
	})
}

// Within a limit stand the first candidates, and all that the ranking names.
func TestListingWithinALimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(0, 40).Draw(t, "candidates"), rapid.IntRange(1, 50).Draw(t, "limit")
		r := scattered(t, n)
		all := rankingOf(r, nil, pickedAt).Candidates
		var text bytes.Buffer
		var got Ranking
		if err := NewListing(r, nil, pickedAt, most).WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, f := range got.Frontier {
			named = append(named, f.Value...)
		}
		if got.NextProbe != nil {
			named = append(named, got.NextProbe.Candidate)
		}
		if got.Recommended != nil {
			named = append(named, *got.Recommended)
		}
		var want []string
		for k, c := range all {
			if k < most || slices.Contains(named, c.ID) {
				want = append(want, c.ID)
			}
		}
		var ids []string
		for _, c := range got.Candidates {
			ids = append(ids, c.ID)
		}
		if !slices.Equal(ids, want) || got.Total != n || got.Listed != len(want) {
			t.Fatalf("%d of %d are listed: %q, want %q", got.Listed, got.Total, ids, want)
		}
	})
}

// narrow is a writer that takes only so many bytes.
type narrow struct{ left int }

func (w *narrow) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

// Where nothing more can be written it is said, wherever that is.
func TestListingThatCannotBeWritten(t *testing.T) {
	l := NewListing(exampleranking.New(), nil, pickedAt, All)
	var text bytes.Buffer
	if err := l.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < text.Len(); room += 997 {
		if l.WriteJSON(&narrow{room}) == nil {
			t.Fatalf("written into %d of %d bytes", room, text.Len())
		}
	}
}
