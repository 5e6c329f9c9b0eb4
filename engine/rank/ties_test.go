package rank

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// near is a candidate of one VM at a price, whose time is off by a share of what its
// cell is off by.
func near(cell int, seconds, sigma, usd float64) candidate.Candidate {
	c := candidate.Candidate{ID: fmt.Sprint(cell, seconds, usd), Cell: cell, Configuration: []candidate.Part{{Count: 1}}}
	factor := math.Exp(estimate.Z90 * sigma)
	c.Time = estimate.Estimate{Value: seconds, Low: seconds / factor, High: seconds * factor, Basis: estimate.Measured}
	c.Cost = c.Time.Times(usd / seconds)
	return c
}

func answered(q question.Query, candidates ...candidate.Candidate) *Result {
	return Evaluate(NewSpace(candidate.ListOf(candidates...)), q)
}

// The order is that of taking the best and all that tie with it, again and again.
func TestTiesAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 25).Draw(t, "candidates")
		candidates, sigmas := make([]candidate.Candidate, n), make([]float64, n)
		for i := range candidates {
			sigmas[i] = rapid.SampledFrom([]float64{0.001, 0.004, 0.02}).Draw(t, "sigma")
			candidates[i] = near(rapid.IntRange(0, 3).Draw(t, "cell"), float64(rapid.IntRange(1, 9).Draw(t, "time")), sigmas[i],
				100+float64(rapid.IntRange(0, 12).Draw(t, "cost"))*0.4)
		}
		limit := float64(rapid.IntRange(3, 9).Draw(t, "limit"))
		r := answered(question.Query{Sort: question.ByCost, Limits: question.Limits{objective.Time: limit}}, candidates...)

		ties := func(a, b int) bool {
			x, y := candidates[a], candidates[b]
			sigma := math.Hypot(sigmas[a], sigmas[b])
			if x.Cell == y.Cell {
				sigma = math.Abs(sigmas[a] - sigmas[b])
			}
			far := math.Abs(math.Log(x.Cost.Value / y.Cost.Value))
			return y.Cost.Value <= 1.02*x.Cost.Value && (far <= estimate.Z90*sigma+1e-12 || far <= Material)
		}
		var rest, want []int
		for i := range candidates {
			if candidates[i].Time.Value <= limit {
				rest = append(rest, i)
			}
		}
		by := func(first, then objective.Name) func(a, b int) int {
			return func(a, b int) int {
				x, y := r.Space.Values(first), r.Space.Values(then) // where last bits do not differ
				return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b]), cmp.Compare(a, b))
			}
		}
		slices.SortFunc(rest, by(objective.Cost, objective.Time))
		for len(rest) > 0 {
			best, place := rest[0], len(want)
			var group, others []int
			for _, i := range rest {
				if ties(best, i) {
					group = append(group, i)
				} else {
					others = append(others, i)
				}
			}
			for k := range group {
				if got, looked := r.TieAt(place + k); !looked || len(group) == 1 && got != nil ||
					len(group) > 1 && !slices.Equal(got, group) {
					t.Fatalf("place %d ties with %v, want %v", place+k, got, group)
				}
			}
			slices.SortFunc(group, by(objective.Time, objective.Cost))
			want, rest = append(want, group...), others
		}
		if !slices.Equal(r.Order(), want) {
			t.Fatalf("order %v, want %v", r.Order(), want)
		}
	})
}

func TestTies(t *testing.T) {
	spread := func(c candidate.Candidate, vm string, quotes float64) candidate.Candidate {
		c.Configuration = []candidate.Part{{Count: 1, VM: profile.VMType{InstanceType: vm}, PriceSpread: quotes}}
		return c
	}
	// Each is slower than the one after it, so that a tie turns their order.
	for name, x := range map[string]struct {
		candidates []candidate.Candidate
		query      question.Query
		want       []int
	}{
		"cents on one measurement": {[]candidate.Candidate{near(0, 3, 0.06, 2.022), near(0, 1, 0.06, 2.026)},
			question.Query{Sort: question.ByCost}, []int{1, 0}},
		"1.5 % on one measurement, which is no error": {[]candidate.Candidate{near(0, 3, 0.06, 2), near(0, 1, 0.06, 2.03)},
			question.Query{Sort: question.ByCost}, []int{0, 1}},
		"1.5 % on two": {[]candidate.Candidate{near(0, 3, 0.06, 2), near(1, 1, 0.06, 2.03)},
			question.Query{Sort: question.ByCost}, []int{1, 0}},
		"1.5 % on two good ones": {[]candidate.Candidate{near(0, 3, 0.002, 2), near(1, 1, 0.002, 2.03)},
			question.Query{Sort: question.ByCost}, []int{0, 1}},
		"2.1 % are never a tie": {[]candidate.Candidate{near(0, 3, 0.06, 2), near(1, 1, 0.06, 2.042)},
			question.Query{Sort: question.ByCost}, []int{0, 1}},
		"no chain": {[]candidate.Candidate{near(0, 3, 0.06, 2), near(1, 2, 0.06, 2.03), near(2, 1, 0.06, 2.06)},
			question.Query{Sort: question.ByCost}, []int{1, 0, 2}},
		"strictly": {[]candidate.Candidate{near(0, 3, 0.06, 2), near(1, 1, 0.06, 2.03)},
			question.Query{Sort: question.ByCost.Strict()}, []int{0, 1}},
		"by time the cost decides": {[]candidate.Candidate{near(0, 1, 0.06, 3), near(1, 1.01, 0.06, 2)},
			question.Query{Sort: question.ByTime}, []int{1, 0}},
		"prices of several quotes": {[]candidate.Candidate{
			spread(near(0, 3, 0.001, 2), "a", 0.1), spread(near(1, 1, 0.001, 2.03), "b", 0.1)},
			question.Query{Sort: question.ByCost}, []int{1, 0}},
		"prices of several quotes, of times that are those of the GPU": {[]candidate.Candidate{
			spread(near(0, 3, 0.001, 2), "a", 0.001), spread(near(0, 1, 0.001, 2.03), "b", 0.1)},
			question.Query{Sort: question.ByCost}, []int{1, 0}},
		"the same price of several quotes": {[]candidate.Candidate{
			spread(near(0, 3, 0.001, 2), "a", 0.1), spread(near(1, 1, 0.001, 2.03), "a", 0.1)},
			question.Query{Sort: question.ByCost}, []int{0, 1}},
		"what all pay is no difference": {[]candidate.Candidate{near(0, 3, 0.001, 102), near(1, 1, 0.001, 102.3)},
			question.Query{Sort: question.ByCost, Workload: question.Workload{
				Bill: bill.Bill{EgressGiB: 100, EgressUSDPerGiB: 1}}}, []int{1, 0}},
		"without a value nothing ties": {[]candidate.Candidate{{Time: estimate.Exact(2, estimate.Measured)},
			{Time: estimate.Exact(3, estimate.Measured)}}, question.Query{Sort: question.ByCost}, []int{0, 1}},
		"free": {[]candidate.Candidate{near(0, 3, 0.06, 0), near(1, 1, 0.06, 0), near(2, 0.5, 0.06, 0.001)},
			question.Query{Sort: question.ByCost}, []int{1, 0, 2}},
	} {
		if got := answered(x.query, x.candidates...).Order(); !slices.Equal(got, x.want) {
			t.Errorf("%s: order %v, want %v", name, got, x.want)
		}
	}
}

// Of very many candidates the first ones tie, and of the others it is not said.
func TestTiesEnd(t *testing.T) {
	candidates := make([]candidate.Candidate, headDepth+500)
	for i := range candidates {
		candidates[i] = near(0, float64(len(candidates)-i), 0.01, 1)
	}
	r := answered(question.Query{Sort: question.ByCost}, candidates...)
	if members, looked := r.TieAt(headDepth - 1); !looked || len(members) != headDepth {
		t.Errorf("%d tie, %t", len(members), looked)
	}
	if _, looked := r.TieAt(headDepth); looked {
		t.Error("looked further")
	}
	if r.Count() != len(candidates) {
		t.Errorf("%d candidates", r.Count())
	}
}
