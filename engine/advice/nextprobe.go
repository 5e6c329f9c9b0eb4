package advice

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/next"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
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
	Settles float64  // probability that the best is one of those probed by then
}

// mostProbes is how many probes are advised at once.
const mostProbes = 3

// NextProbe is the first of the [Probes].
func NextProbe(r *rank.Result, duration func(c *candidate.Candidate) float64,
	best func(objective.Name) map[int]float64) (p Probe, ok bool) {
	if all := probes(r, duration, best, 1); len(all) > 0 {
		return all[0], true
	}
	return p, false
}

// Probes are the few probes most worth running, one after another: each is the best once
// the result of those before is known, taken at its expected value. They end where the
// best is among those probed with a probability of [Sure].
//
// For every feasible candidate that was not measured it weighs what a probe of it is
// expected to save of the objective that the ranking is by (cost where it is by neither
// cost nor time) against what the probe takes of it. Where none pays, but the first is
// not [Sure] to be the best, it is the probe that tells most for what it takes: it may pay
// for more jobs than one. Where the first was never probed there is always one. Without
// any, probing should stop. duration is what a probe takes, in seconds; best is
// [rank.Result.BestProbability], or what it has answered before.
//
// Candidates of one timing cell are one option, the best of them: one probe tells about
// all.
func Probes(r *rank.Result, duration func(c *candidate.Candidate) float64,
	best func(objective.Name) map[int]float64) []Probe {
	return probes(r, duration, best, mostProbes)
}

func probes(r *rank.Result, duration func(c *candidate.Candidate) float64,
	best func(objective.Name) map[int]float64, most int) (all []Probe) {
	o := objective.Cost
	if r.Query.Sort.Loose() == question.ByTime || math.IsNaN(r.Best(objective.Cost)) {
		o = objective.Time
	}
	rented := func(c *candidate.Candidate) float64 { return startupS(r, c) + duration(c) }
	options, of := probeOptions(r, o, rented)
	chances := best(o)
	settled := probedChance(r, chances)
	for len(all) < most && (len(all) == 0 || settled < Sure) {
		p := Probe{Objective: o}
		var ok bool
		if p.Advice, p.Pays = next.Best(options); !p.Pays {
			if len(all) == 0 && isSure(r, chances) {
				break
			}
			if p.Advice, ok = next.Clearest(options, unlikely); !ok && len(all) == 0 {
				p.Advice, ok = first(r, options, of)
			}
			if !ok {
				break
			}
		}
		p.Option = cheapestAlike(r, options, of, p.Option)
		p.Candidate = of[p.Option]
		c := r.Space.At(p.Candidate)
		p.Seconds = rented(c)
		if hourly := c.USDPerHour(); hourly != nil {
			p.USD = new(p.Seconds / 3600 * *hourly / float64(vms(c)))
		}
		settled += cellChance(r, chances, p.Candidate)
		p.Settles = min(settled, 1)
		all = append(all, p)
		options[p.Option].Measured = true
		options[p.Option].Value = estimate.Exact(options[p.Option].Value.Value, estimate.Measured)
	}
	return all
}

// first is a probe of the first candidate where it was never probed: nobody should rent on
// a prediction alone.
func first(r *rank.Result, options []next.Option, of []int) (a next.Advice, ok bool) {
	if r.Count() == 0 || !r.Space.IsPredicted(r.First()) {
		return a, false
	}
	k := slices.IndexFunc(of, func(i int) bool { return r.Space.Cell[i] == r.Space.Cell[r.First()] })
	if k < 0 {
		return a, false
	}
	return next.Advice{Option: k, Probe: options[k].Probe}, true
}

// assumedStartupS is what a rented VM takes to start where the bill does not say: 200
// seconds, as the Paragon study assumes.
const assumedStartupS = 200

// startupS is what a VM of the candidate's takes until a probe can begin, which is paid
// too. A machine of one's own is there.
func startupS(r *rank.Result, c *candidate.Candidate) float64 {
	switch {
	case c.Configuration[0].VM.Cloud == "":
		return 0
	case r.Query.Bill.StartupS > 0:
		return r.Query.Bill.StartupS
	}
	return assumedStartupS
}

// cellChance is the probability that the best is one of those that a probe of candidate i
// tells about.
func cellChance(r *rank.Result, chances map[int]float64, i int) (sum float64) {
	for j, p := range chances {
		if r.Space.Cell[j] == r.Space.Cell[i] {
			sum += p
		}
	}
	return sum
}

// probedChance is the probability that the best was probed already.
func probedChance(r *rank.Result, chances map[int]float64) (sum float64) {
	for j, p := range chances {
		if r.Space.Probed(j) {
			sum += p
		}
	}
	return sum
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
	if r.Count() == 0 {
		return true
	}
	if r.Space.IsPredicted(r.First()) {
		return false
	}
	return p == nil || p[r.First()] >= Sure
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
		if !r.Feasible.Has(i) || s.Cell[i] == candidate.SeveralCells || seen[s.Cell[i]] { // one VM type is probed at a time
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
		if !r.Feasible.Has(i) || s.Cell[i] == candidate.SeveralCells {
			continue
		}
		mean := v * math.Exp(float64(sigma[i])*float64(sigma[i])/2)
		if s.Probed(i) {
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
	option = next.Option{Value: estimate.Spread(c.Time.Value, rel, c.Time.Basis), Measured: r.Space.Probed(i),
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
	costs := p.costs()
	switch {
	case p.Pays:
		return fmt.Sprintf("saves about %s (%.0f %% likely to change the choice), costs %s", p.amount()(p.Saving),
			100*p.Changes, costs)
	case p.Changes == 0:
		return "never probed, costs " + costs
	}
	return fmt.Sprintf("%.0f %% likely to change the choice, costs %s; pays only over several jobs", 100*p.Changes, costs)
}

func (p Probe) amount() func(float64) string {
	if p.Objective == objective.Cost {
		return quantity.Money
	}
	return quantity.Duration
}

// costs is what the probe takes, with the start-up of its VM.
func (p Probe) costs() string {
	if p.USD == nil {
		return quantity.Duration(p.Seconds)
	}
	return quantity.Money(*p.USD) + " and " + quantity.Duration(p.Seconds)
}

// Sentence says which probes to run, what they cost together and what that settles. name
// is how a VM type is written. It is "" without any.
func Sentence(r *rank.Result, all []Probe, name func(instanceType string) string) string {
	if len(all) == 0 {
		return ""
	}
	sum, pays := Probe{USD: new(float64)}, false
	for _, p := range all {
		pays = pays || p.Pays
		if sum.Seconds += p.Seconds; p.USD == nil || sum.USD == nil {
			sum.USD = nil
		} else {
			*sum.USD += *p.USD
		}
	}
	last := all[len(all)-1]
	o, _ := objective.Of(last.Objective)
	what := places(r, all, name)
	words := fmt.Sprintf("probe %s: %s with the start-up of the VM", what, sum.costs())
	settles := "it is the " + o.Best
	if len(all) > 1 {
		words = fmt.Sprintf("probe %s: %s together, with the start-ups of the VMs", what, sum.costs())
		settles = "the " + o.Best + " is one of them"
	}
	if last.Settles >= unlikely {
		words += fmt.Sprintf("; %s with a probability of %.0f %%", settles, 100*last.Settles)
	}
	if !pays {
		words += "; that pays over several such jobs"
	}
	return words
}

// places names the VM types of probes, each once, with the batch sizes to run there.
func places(r *rank.Result, all []Probe, name func(instanceType string) string) string {
	var types []string
	sizes := map[string][]int{}
	for _, p := range all {
		c := r.Space.At(p.Candidate)
		vm := c.Configuration[0].VM.InstanceType
		if sizes[vm] == nil {
			types = append(types, vm)
		}
		if !slices.Contains(sizes[vm], c.BatchSize) { // of another variant
			sizes[vm] = append(sizes[vm], c.BatchSize)
		}
	}
	return plaintext.Join(types, ", then ", func(vm string) string {
		return fmt.Sprintf("%s at batch %s", name(vm), plaintext.Join(sizes[vm], " and ", strconv.Itoa))
	})
}
