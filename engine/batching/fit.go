package batching

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"sweetspot/engine/estimate"
)

// Fitted is a server whose step times were fitted to its log.
type Fitted struct {
	Server
	Draws []Server // as likely ones, for intervals
	Used  int      // requests that it was fitted to
	Off   float64  // typical relative error of a request's TPOT in the fit
	From  string   // the server that the times are of, made to meet the loads on this one; "" for its own
}

// fewest requests that step times are fitted to.
const fewest = 8

// How the search goes. Twice the evaluations change the percentiles of the tests'
// logs by less than a per cent.
const (
	coarse = 250 // evaluations for each choice of settings
	fine   = 700 // for the best
	redraw = 120 // for each draw
	draws  = 20
)

// Unlimited stands for settings that limit nothing.
const Unlimited = math.MaxInt32

// Fit fits step times to the first n requests of a log: the times with which, in a
// simulation, their first tokens, and their tokens on average, come when they did.
// Of the settings those that are 0 are fitted too, except the number of sequences,
// which is then not limited.
func Fit(log []Observed, n int, known Settings) (*Fitted, error) {
	f, err := newFitter(log, n)
	if err != nil {
		return nil, err
	}
	tried := f.tryAll(known)
	if math.IsInf(tried[0].loss, 1) {
		return nil, errors.New("the step times could not be fitted: nothing simulated resembles the log")
	}
	best := f.search(tried[0], fine, nil)
	accept := func(term int) bool {
		more := f.with(best, term)
		if !f.better(more, best) {
			return false
		}
		tried = append([]attempt{best}, tried...)
		best = f.search(more, fine, nil)
		return true
	}
	batched := accept(batchedTerm)
	if accept(maskedTerm) && !batched {
		accept(batchedTerm) // the one may show beside the other only
	}
	out := &Fitted{Server: best.server(), Used: len(f.seen), Off: f.typical(best)}
	out.Draws = f.draw(best, f.without(best), tried[:min(likely, len(tried))])
	return out, nil
}

// fitter compares simulations with a log.
type fitter struct {
	requests []Request
	loop     *closedLoop // nil where they come at their own times
	seen     []Observed
}

// newFitter takes, beside the first n requests, those that came while one of these was
// served.
func newFitter(log []Observed, n int) (*fitter, error) {
	f := &fitter{seen: log[:min(n, len(log))]}
	complete, end := 0, math.Inf(-1)
	for _, o := range f.seen {
		if o.Complete() && o.Output > 1 {
			complete++
			end = max(end, o.LastS)
		}
	}
	for i, o := range log {
		if i >= len(f.seen) && o.ArrivalS > end {
			break
		}
		f.requests = append(f.requests, o.Request)
	}
	if complete < fewest {
		return nil, fmt.Errorf("%d requests have the times of their first and last token and more than one token: step "+
			"times need %d at least", complete, fewest)
	}
	f.loop = closedLoopOf(log[:len(f.requests)])
	return f, Check(f.requests)
}

// attempt is a choice of settings with the logarithms of some times; the others are 0.
type attempt struct {
	Settings
	of   []int // which of [Times]
	x    []float64
	loss float64
}

func (a attempt) server() Server {
	var x [terms]float64
	for i, log := range a.x {
		x[a.of[i]] = math.Exp(log)
	}
	return Server{timesOf(x), a.Settings}
}

// tryAll fits times to choices of settings, the best first: token budgets that
// servers have by default, and caches around what the log shows to have been in
// use, by and by finer.
func (f *fitter) tryAll(known Settings) []attempt {
	var tried []attempt
	watched, seen := f.watched(usual)
	try := func(budget, cache int) {
		sequences := cmp.Or(known.MaxSequences, budget)
		settings := Settings{sequences, max(budget, sequences), cache}
		for _, share := range []float64{0.007, 0.05} {
			x := f.start(share)
			tried = append(tried, f.search(attempt{settings, usual, chosen(x[:], usual), math.Inf(1)}, coarse, nil))
		}
		if seen {
			x := watched.begin(f.start(0.05), 0.3)
			tried = append(tried, f.search(attempt{settings, usual, chosen(x[:], usual), math.Inf(1)}, coarse, nil))
		}
	}
	cached := cacheSeen(f.seen)
	for _, budget := range []int{512, 2048, 8192} {
		if known.TokenBudget > 0 {
			budget = known.TokenBudget
		}
		try(budget, cmp.Or(known.CacheTokens, Unlimited))
		for share := 0.8; share < 1.2 && cached > 0 && known.CacheTokens == 0; share += 0.1 {
			try(budget, int(share*float64(cached)))
		}
		if known.TokenBudget > 0 {
			break
		}
	}
	order := func() { slices.SortStableFunc(tried, func(a, b attempt) int { return cmp.Compare(a.loss, b.loss) }) }
	order()
	best := tried[0]
	if known.CacheTokens > 0 || best.CacheTokens == Unlimited {
		return tried
	}
	limited := func(a attempt) bool { return a.CacheTokens != Unlimited }
	if free := slices.IndexFunc(tried, func(a attempt) bool { return !limited(a) }); !f.better(best, tried[free]) {
		return slices.DeleteFunc(tried, limited)
	}
	for _, step := range []float64{-0.075, -0.05, -0.025, 0.025, 0.05, 0.075} {
		try(best.TokenBudget, best.CacheTokens+int(step*float64(cached)))
	}
	order()
	return tried
}

// with is an attempt with one more time than another: from where that one ended, or from what the
// log shows. Its loss is infinite where the log shows none.
func (f *fitter) with(best attempt, term int) attempt {
	of := append(slices.Clone(best.of), term)
	more := attempt{Settings: best.Settings, of: of, loss: math.Inf(1)}
	watched, seen := f.watched(of)
	if !seen || watched.list()[term] == 0 {
		return more
	}
	start := f.start(0.05)
	begins := [][]float64{append(slices.Clone(best.x), start[term])}
	for _, part := range []float64{0.1, 0.3, 1} {
		x := watched.begin(start, part)
		begins = append(begins, chosen(x[:], of))
	}
	for _, x := range begins {
		if a := f.search(attempt{Settings: best.Settings, of: of, x: x}, coarse, nil); a.loss < more.loss {
			more = a
		}
	}
	return more
}

// without are attempts with one time less than another. One without which the log is met as well is not
// shown by the log: with as many sequences at every time, that of a step and that of a sequence.
func (f *fitter) without(best attempt) (fewer []attempt) {
	for i := range best.of {
		x := slices.Clone(best.x)
		if best.of[i] == stepTerm { // sequences take what a step took
			x[sequenceTerm] = math.Log(math.Exp(x[stepTerm]) + math.Exp(x[sequenceTerm]))
		}
		a := attempt{Settings: best.Settings, of: slices.Delete(slices.Clone(best.of), i, i+1), x: slices.Delete(x, i, i+1)}
		fewer = append(fewer, f.search(a, fine, nil))
	}
	return fewer
}

// folds are the parts of a log that are left out in turn.
const folds = 4

// better reports whether the times of an attempt predict requests that they were not fitted to
// better than those of another.
func (f *fitter) better(a, than attempt) bool {
	if math.IsInf(a.loss, 1) {
		return false
	}
	leftOut := 0.0 // by how much the loss of a is the greater one
	for fold := range folds {
		from, to := fold*len(f.seen)/folds, (fold+1)*len(f.seen)/folds
		rest, part := make([]float64, len(f.seen)), make([]float64, len(f.seen))
		for i := range f.seen {
			if i < from || i >= to {
				rest[i] = 1
			} else {
				part[i] = 1
			}
		}
		leftOut += f.loss(f.search(a, redraw, rest), part) - f.loss(f.search(than, redraw, rest), part)
	}
	return leftOut < 0
}

// start are times that the log shows at a glance. What a sequence adds to a step is
// a share of it: little on a GPU that is far from full, and more where each
// sequence costs the server work of its own. From the wrong end the search does
// not come back.
func (f *fitter) start(share float64) [terms]float64 {
	var tpots, prompts []float64
	for _, o := range f.seen {
		if o.Complete() && o.Output > 1 {
			tpots = append(tpots, o.TPOT())
			prompts = append(prompts, o.TTFT()/float64(o.Input))
		}
	}
	slices.Sort(tpots)
	slices.Sort(prompts)
	step, prompt := max(estimate.Quantile(tpots, 0.1), 1e-9), estimate.Quantile(prompts, 0.1)
	return [terms]float64{
		math.Log(0.6 * step), math.Log(0.5 * prompt), math.Log(prompt * 1e-5), math.Log(share * step),
		math.Log(0.2 * step / 30000),
		math.Log(0.2 * step), math.Log(0.1 * step), math.Log(prompt * 1e-5),
	}
}

// search looks for better times from those of an attempt (Nelder and Mead 1965).
// Weights are those of the requests; nil weighs all alike.
func (f *fitter) search(a attempt, evaluations int, weights []float64) attempt {
	of := func(x []float64) float64 { return f.loss(attempt{Settings: a.Settings, of: a.of, x: x}, weights) }
	a.loss = of(a.x)
	result, _ := optimize.Minimize(optimize.Problem{Func: of}, a.x,
		&optimize.Settings{FuncEvaluations: evaluations}, &optimize.NelderMead{SimplexSize: 0.3})
	if result != nil && result.F < a.loss {
		a.x, a.loss = slices.Clone(result.X), result.F
	}
	return a
}

// loss is how far a simulation is off: the mean of the squared errors of the
// logarithms of TTFT and TPOT, large ones counted less (Huber 1964).
func (f *fitter) loss(a attempt, weights []float64) float64 {
	seen, err := f.simulate(a)
	if err != nil {
		return math.Inf(1)
	}
	sum, total := 0.0, 0.0
	for i, o := range f.seen {
		if !o.Complete() {
			continue
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		total += w
		sum += w * huber(math.Log(seen[i].TTFT()/o.TTFT()))
		if o.Output > 1 {
			sum += tpotWeight * w * huber(math.Log(seen[i].TPOT()/o.TPOT()))
		}
	}
	return sum / total
}

// tpotWeight is how much more an error of the TPOT counts than one of the TTFT,
// which hangs on the queue and varies more.
const tpotWeight = 4

func huber(x float64) float64 {
	const knee = 0.2
	if math.IsNaN(x) {
		return 100
	}
	if x = math.Abs(x); x > knee {
		return knee * (2*x - knee)
	}
	return x * x
}

func (f *fitter) simulate(a attempt) ([]Observed, error) {
	s := a.server()
	if f.loop != nil {
		return f.loop.simulate(s)
	}
	out, err := Simulate(f.requests, s)
	if err != nil {
		return nil, err
	}
	return out.Observe(f.requests), nil
}

// typical is the median relative error of the TPOT.
func (f *fitter) typical(a attempt) float64 {
	seen, err := f.simulate(a)
	if err != nil {
		return math.NaN()
	}
	var off []float64
	for i, o := range f.seen {
		if o.Complete() && o.Output > 1 {
			off = append(off, math.Abs(seen[i].TPOT()/o.TPOT()-1))
		}
	}
	slices.Sort(off)
	return estimate.Quantile(off, 0.5)
}

// likely is how many of the best choices of settings are drawn from.
const likely = 6

const (
	// alike is by how much the loss of an attempt may be the greater one that explains a log as well: with
	// a hundred requests that of a time more or less is, nine times in ten, by chance.
	alike = 1.03
	// unseen is a loss that tells nothing: all requests off by a per cent.
	unseen = (1 + tpotWeight) * 0.01 * 0.01
)

// draw fits again with the requests weighed at random (the Bayesian bootstrap,
// Rubin 1981), each time at a level of its own. It begins in turn at the attempts with a time less, and at
// those with other settings, that fit as well as the best one with these weights.
func (f *fitter) draw(best attempt, fewer, others []attempt) []Server {
	rng := rand.New(rand.NewPCG(21, 9))
	var out []Server
	for i, level := range f.drift(best).levels(draws, rand.New(rand.NewPCG(21, 11))) {
		weights := make([]float64, len(f.seen))
		for k := range weights {
			weights[k] = rng.ExpFloat64()
		}
		among := fewer
		if i%2 == 1 {
			among = others
		}
		from := f.asGood(slices.Concat([]attempt{best}, among), weights)
		drawn := f.search(from[i/2%len(from)], redraw, weights).server()
		drawn.Times = drawn.slower(level)
		out = append(out, drawn)
	}
	return out
}

// asGood are the attempts that explain the log as well as any of them.
func (f *fitter) asGood(attempts []attempt, weights []float64) (as []attempt) {
	losses, least := make([]float64, len(attempts)), math.Inf(1)
	for i, a := range attempts {
		losses[i] = f.loss(a, weights)
		least = min(least, losses[i])
	}
	for i, a := range attempts {
		if losses[i]+unseen <= alike*(least+unseen) {
			as = append(as, a)
		}
	}
	return as
}
