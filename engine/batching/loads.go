package batching

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"sweetspot/engine/profile"
)

// leastLoads is how many loads step times are fitted to at least: one at each end, and one that
// shows how far off the fit is.
const leastLoads = 3

// alone is how many requests a server works on at most, on average, where none of them waits
// for another: then TTFT is the time of a prompt.
const alone = 1.5

// apart is by what factor the sequences at once of two loads differ at least that show what a sequence adds.
const apart = 1.5

// asGood is by what factor a fit's score may exceed the least one for it to count as being as good.
const asGood = 2.0

// FitLoads fits step times to the means of loads that clients measured, each at one concurrency or
// rate, where no log of single requests is left. How many sequences decode at once, and how many prompt
// tokens a step has, follow from the rate of tokens (Little 1961). Requests at a rate meet the mean of the others
// beside themselves (Wolff 1982). The TTFT of loads that queue
// is not used: it is simulated. So few means do not tell steps of one token from others. Settings
// that are 0 are those of vLLM by default, with a cache as large as a load told, else without a limit.
func FitLoads(loads []*profile.Serving, known Settings) (*Fitted, error) {
	r := rowsOf(loads)
	if r.loads < leastLoads {
		return nil, errors.New("step times need three loads at least with a TPOT and a rate of tokens, such as at three " +
			"concurrencies")
	}
	if few, many := r.decoding(); many < apart*few {
		return nil, fmt.Errorf("these loads have about as many sequences at once, %.2g to %.2g, so that none shows what "+
			"more add to a step; measure at another concurrency too", few, many)
	}
	even, of := slices.Repeat([]float64{1}, len(r.of)), usual
	if more := append(slices.Clone(usual), maskedTerm); len(r.of) > len(more) && r.leftOut(more) < r.leftOut(usual) {
		of = more // a term of few servers: fewer rows than terms may show it by chance
	}
	fits := r.solutions(even, of)
	if len(fits) == 0 {
		return nil, errors.New("no step times resemble these loads: their TPOT does not rise with the sequences at once")
	}
	settings := settingsOf(loads, known)
	out := &Fitted{Server: Server{fits[0].times, settings}, Used: r.requests, Off: fits[0].off}
	rng := rand.New(rand.NewPCG(21, 10))
	for range draws {
		weights := make([]float64, len(r.of))
		for i := range weights {
			weights[i] = rng.ExpFloat64()
		}
		fits := r.solutions(weights, of)
		n := 0
		for n < len(fits) && fits[n].score <= asGood*fits[0].score {
			n++
		}
		if n > 0 {
			out.Draws = append(out.Draws, Server{fits[rng.IntN(n)].times, settings})
		}
	}
	return out, nil
}

// settingsOf are those that are known, else told by loads, else vLLM's by default.
func settingsOf(loads []*profile.Serving, known Settings) Settings {
	s := Settings{MaxSequences: cmp.Or(known.MaxSequences, 256), TokenBudget: cmp.Or(known.TokenBudget, 2048),
		CacheTokens: cmp.Or(known.CacheTokens, cacheTold(loads), Unlimited)}
	s.TokenBudget = max(s.TokenBudget, s.MaxSequences)
	return s
}

// cacheTold is the smallest cache that a load told; 0 is unknown.
func cacheTold(loads []*profile.Serving) (tokens int) {
	for _, l := range loads {
		if l.CacheTokens != nil && (tokens == 0 || int(*l.CacheTokens) < tokens) {
			tokens = int(*l.CacheTokens)
		}
	}
	return tokens
}

// terms are the parts of [Times], in its order.
const (
	terms        = 8
	stepTerm     = 0
	sequenceTerm = 3
	batchedTerm  = 6
	maskedTerm   = 7
)

// usual are the terms of every server, the others those of some.
var usual = []int{0, 1, 2, 3, 4, 5}

// chosen are some of the terms.
func chosen(x []float64, of []int) []float64 {
	out := make([]float64, len(of))
	for i, k := range of {
		out[i] = x[k]
	}
	return out
}

func timesOf(x [terms]float64) Times { return Times{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]} }

func (t Times) list() []float64 {
	return []float64{t.StepS, t.PromptS, t.PairS, t.SequenceS, t.ContextS, t.RequestS, t.BatchedS, t.MaskedS}
}

// row is a measured time with how often each of the times is in it.
type row struct {
	of      [terms]float64
	seconds float64
}

// isPrompt reports whether a row is the TTFT of a request alone.
func (r row) isPrompt() bool { return r.of[5] > 0 }

// with are the seconds by step times.
func (r row) with(t Times) (seconds float64) {
	for k, x := range t.list() {
		seconds += x * r.of[k]
	}
	return seconds
}

// rows are those of loads.
type rows struct {
	of              []row
	loads, requests int
}

func rowsOf(loads []*profile.Serving) (out rows) {
	for _, l := range loads {
		tpot := l.TPOT.Typical()
		if tpot == nil || l.Generated == nil || l.Output < 2 {
			continue
		}
		perSecond := *l.Generated / l.Output
		decoding := perSecond * (l.Output - 1) * *tpot
		if l.PerSecond != nil {
			decoding++ // itself
		}
		prompt := perSecond * l.Input * *tpot
		context := decoding * (l.Input + l.Output/2)
		masked := decoding*(context+decoding) + prompt*(context+2*decoding+max(l.Input, prompt))
		out.of = append(out.of, row{[terms]float64{1, prompt, prompt * l.Input / 2, decoding, context, 0, 0, masked}, *tpot})
		out.loads, out.requests = out.loads+1, out.requests+l.Requests
		ttft := l.TTFT.Typical()
		if ttft != nil && perSecond*(*ttft+(l.Output-1)**tpot) <= alone {
			out.of = append(out.of, row{[terms]float64{1, l.Input, l.Input * l.Input / 2, 0, 0, 1, 0, l.Input * l.Input}, *ttft})
		}
	}
	return out
}

// decoding is how many sequences decode at once at the fewest and at the most.
func (r rows) decoding() (few, many float64) {
	few = math.Inf(1)
	for _, row := range r.of {
		if !row.isPrompt() {
			few, many = min(few, row.of[sequenceTerm]), max(many, row.of[sequenceTerm])
		}
	}
	return few, many
}

// leftOut is the sum of squared relative errors of each row, predicted from the others with some of
// the terms; +Inf where the rows are too few.
func (r rows) leftOut(of []int) (squares float64) {
	for i, row := range r.of {
		others := rows{of: slices.Delete(slices.Clone(r.of), i, i+1)}
		fits := others.solutions(slices.Repeat([]float64{1}, len(others.of)), of)
		if len(fits) == 0 {
			return math.Inf(1)
		}
		off := row.with(fits[0].times)/row.seconds - 1
		squares += off * off
	}
	return squares
}

// solution is the least-squares fit of some times, by relative errors.
type solution struct {
	times Times
	score float64 // of generalised cross-validation (Craven and Wahba 1979), but for a factor
	off   float64 // typical relative error
}

// solutions are the fits of those choices of some terms whose times are in no way negative, the one with
// the least score first. The time of a step, which is the first, is always one. The terms are few, so that all
// choices are tried.
func (r rows) solutions(weights []float64, of []int) (all []solution) {
	for choice := 1; choice < 1<<len(of); choice += 2 { // with the first
		var columns []int
		for i, c := range of {
			if choice&(1<<i) != 0 {
				columns = append(columns, c)
			}
		}
		free := float64(len(r.of) - len(columns))
		if free < 1 {
			continue
		}
		if x, squares, ok := r.solve(columns, weights); ok {
			all = append(all, solution{timesOf(x), squares / (free * free), math.Sqrt(squares / free)})
		}
	}
	slices.SortStableFunc(all, func(a, b solution) int { return cmp.Compare(a.score, b.score) })
	return all
}

// solve fits the times of some columns; the sum of squared relative errors is that of rows of
// the mean weight.
func (r rows) solve(columns []int, weights []float64) (x [terms]float64, squares float64, ok bool) {
	a, y, total := mat.NewDense(len(r.of), len(columns), nil), mat.NewVecDense(len(r.of), nil), 0.0
	for i, row := range r.of {
		w := math.Sqrt(weights[i])
		total += weights[i]
		for k, c := range columns {
			a.Set(i, k, w*row.of[c]/row.seconds)
		}
		y.SetVec(i, w)
	}
	var found mat.VecDense
	if err := found.SolveVec(a, y); err != nil {
		return x, 0, false
	}
	for k, c := range columns {
		if x[c] = found.AtVec(k); !(x[c] >= 0) {
			return x, 0, false
		}
	}
	var rest mat.VecDense
	rest.MulVec(a, &found)
	rest.SubVec(y, &rest)
	return x, mat.Dot(&rest, &rest) * float64(len(r.of)) / total, x[0] > 0
}
