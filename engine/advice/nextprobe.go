package advice

import (
	"fmt"
	"math"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/next"
	"sweetspot/engine/objective"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/steady"
)

// Probe is the probe most worth running for a ranking.
type Probe struct {
	Candidate int            // index into the space
	Objective objective.Name // what is saved, in seconds or dollars
	next.Advice
	Pays    bool     // for a single job; else it would only settle who is first
	Seconds float64  // what the probe is expected to take
	USD     *float64 // and to cost; nil without a price
}

// NextProbe weighs, for every feasible candidate that was not measured, what a
// probe of it is expected to save of the objective that the ranking is by (cost
// where it is by neither cost nor time) against what the probe takes of it.
// Where none pays, but the first is not [Sure] to be the best, it is the probe
// that tells most for what it takes: it may pay for more jobs than one. ok is
// false where probing should stop. duration is what a probe takes, in seconds;
// best is [rank.Result.BestProbability], or what it has answered before.
//
// Candidates of one timing cell are one option, the best of them: one probe
// tells about all.
func NextProbe(r *rank.Result, duration func(c *candidate.Candidate) float64,
	best func(objective.Name) map[int]float64) (p Probe, ok bool) {
	p.Objective = objective.Cost
	if r.Query.Sort.Loose() == question.ByTime || math.IsNaN(r.Best(objective.Cost)) {
		p.Objective = objective.Time
	}
	options, of := probeOptions(r, p.Objective, duration)
	if p.Advice, p.Pays = next.Best(options); !p.Pays {
		if isSure(r, best(p.Objective)) {
			return Probe{}, false
		}
		if p.Advice, ok = next.Clearest(options, unlikely); !ok {
			return Probe{}, false
		}
	}
	p.Option = cheapestAlike(r, options, of, p.Option)
	p.Candidate = of[p.Option]
	c := r.Space.At(p.Candidate)
	p.Seconds = duration(c)
	if hourly := c.USDPerHour(); hourly != nil {
		p.USD = new(p.Seconds / 3600 * *hourly / float64(vms(c)))
	}
	return p, true
}

// cheapestAlike is, of the options that a probe tells as much about as of the one
// advised, the one whose probe costs least money: the same VM may be let under
// several names.
func cheapestAlike(r *rank.Result, options []next.Option, of []int, advised int) int {
	cost := func(k int) float64 {
		hourly := r.Space.At(of[k]).USDPerHour()
		if hourly == nil {
			return math.Inf(1)
		}
		return *hourly * options[k].Probe
	}
	best := advised
	for k, o := range options {
		if o.Value == options[advised].Value && o.Probe == options[advised].Probe && !o.Measured && cost(k) < cost(best) {
			best = k
		}
	}
	return best
}

// Sure is the probability of being best from which the first place counts as
// settled.
const Sure = 0.9

// unlikely is the probability of changing the choice below which no probe is
// advised for the sake of knowing alone.
const unlikely = 0.02

// isSure reports whether the first was probed and is the best with at least that
// probability.
func isSure(r *rank.Result, p map[int]float64) bool {
	if len(r.Order) == 0 {
		return true
	}
	if r.Space.At(r.Order[0]).IsPredicted() {
		return false
	}
	return p == nil || p[r.Order[0]] >= Sure
}

// ProbeSeconds is what a probe of the candidate under the default rule is
// expected to take: its start-up, and the steady iterations, for as long as
// the rule refines or for its least number of them.
func ProbeSeconds(c *candidate.Candidate) float64 {
	rule, startup := steady.DefaultRule(), float64(steady.StartUp)
	if c.Probe.StartupS != nil {
		startup = *c.Probe.StartupS
	}
	return startup + math.Max(rule.RefineSeconds, float64(rule.MinN)*c.Probe.IterationS)
}

// vms is how many VMs the candidate's configuration has; one is enough to
// probe it.
func vms(c *candidate.Candidate) int {
	n := 0
	for _, p := range c.Configuration {
		n += p.Count
	}
	return max(n, 1)
}

// probeOptions are the best candidates of every timing cell, and their indices,
// without those that are out of reach: not even four sigma better than estimated
// would they be chosen.
func probeOptions(r *rank.Result, o objective.Name,
	duration func(c *candidate.Candidate) float64) (options []next.Option, of []int) {
	s := r.Space
	if s.Unprobed == 0 {
		return nil, nil
	}
	values := s.Values(o)
	sigma, widest := s.Uncertainty(o)
	to := choice(r, o)
	nearest := math.Exp(-rank.Reach * widest)
	seen := map[int32]bool{}
	for _, at := range s.Rising(o) {
		i := int(at)
		if !(values[i]*nearest <= to) {
			break
		}
		if !r.Feasible[i] || s.Cell[i] == candidate.SeveralCells || seen[s.Cell[i]] { // one VM type is probed at a time
			continue
		}
		seen[s.Cell[i]] = true
		if values[i]*math.Exp(-rank.Reach*float64(sigma[i])) > to {
			continue
		}
		if option, ok := option(r, i, o, duration); ok {
			options, of = append(options, option), append(of, i)
		}
	}
	return options, of
}

// choice is the larger of two expected values: of what would be chosen now, which
// is the best of those probed, or of all where none was; and of the best of the
// other cells, which would be chosen if that were to disappoint.
func choice(r *rank.Result, o objective.Name) float64 {
	s := r.Space
	values := s.Values(o)
	sigma, _ := s.Uncertainty(o)
	probed, first, second, cell := math.Inf(1), math.Inf(1), math.Inf(1), int32(-1)
	for _, at := range s.Rising(o) {
		i := int(at)
		v := values[i]
		if !(v <= second || v <= probed && s.Unprobed < s.Len()) {
			break
		}
		if !r.Feasible[i] || s.Cell[i] == candidate.SeveralCells {
			continue
		}
		mean := v * math.Exp(float64(sigma[i])*float64(sigma[i])/2)
		if s.Probed[i] {
			probed = math.Min(probed, mean)
		}
		switch {
		case s.Cell[i] == cell:
			first = math.Min(first, mean)
		case mean < first:
			first, second, cell = mean, first, s.Cell[i]
		default:
			second = math.Min(second, mean)
		}
	}
	if math.IsInf(probed, 1) {
		return math.Max(first, second)
	}
	return math.Max(probed, second)
}

// option is what a probe of candidate i is about; ok is false without a price
// where money is to be saved.
func option(r *rank.Result, i int, o objective.Name, duration func(c *candidate.Candidate) float64) (option next.Option,
	ok bool) {
	c := r.Space.At(i)
	// A probe tells the time of an iteration, and nothing of how many epochs it
	// takes to a target, nor of prices.
	rel := math.Expm1(estimate.Z90 * c.Probe.Sigma)
	option = next.Option{Value: estimate.Spread(c.Time.Value, rel, c.Time.Basis), Measured: r.Space.Probed[i],
		Probe: duration(c)}
	if o != objective.Cost {
		return option, true
	}
	hourly := c.USDPerHour()
	if hourly == nil || !c.Cost.Known() {
		return option, false
	}
	option.Value = estimate.Spread(c.Cost.Value, rel, c.Cost.Basis)
	option.Probe *= *hourly / 3600 / float64(vms(c))
	return option, true
}

// Words is the advice in a sentence's end, without the name of the VM type:
// "saves about $0.31 (34 % likely to change the choice), costs $0.02 and 45 s".
func (p Probe) Words() string {
	amount := quantity.Duration
	if p.Objective == objective.Cost {
		amount = quantity.Money
	}
	costs := quantity.Duration(p.Seconds)
	if p.USD != nil {
		costs = quantity.Money(*p.USD) + " and " + costs
	}
	if !p.Pays {
		return fmt.Sprintf("%.0f %% likely to change the choice, costs %s; pays only over several jobs", 100*p.Changes, costs)
	}
	return fmt.Sprintf("saves about %s (%.0f %% likely to change the choice), costs %s", amount(p.Saving),
		100*p.Changes, costs)
}
