package contract

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/cluster"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// Plan is the JSON of the plan subcommand.
type Plan struct {
	Head
	Query PlanQuery  `json:"query"`
	Pick  *Candidate `json:"pick"` // the first that holds the limits in whole batches too; null without any
	// BestInWholeBatches is the best in whole batches where that is another than the
	// pick and better by more than half a percent: of a few batches only. Null else.
	BestInWholeBatches *Candidate       `json:"best_in_whole_batches"`
	Frontier           Frontiers        `json:"frontier"`           // ids of what nothing beats, by objectives
	Candidates         []Candidate      `json:"candidates"`         // on any frontier, in the order of the ranking
	Greedy             *Candidate       `json:"greedy"`             // Algorithm 1's pick; null where it finds nothing
	Gap                Numbers          `json:"gap"`                // shares of both that could be saved
	Explored           cluster.Explored `json:"explored"`           // what the answer covers
	NextCheaper        *Step            `json:"next_cheaper"`       // along the frontier from the pick
	NextFaster         *Step            `json:"next_faster"`        // along the frontier from the pick
	ShadowPrices       []ShadowPrice    `json:"shadow_prices"`      // what looser limits would gain
	Purchases          []advice.Bought  `json:"purchases"`          // those that have prices
	InfeasibleBecause  Counts           `json:"infeasible_because"` // candidates that each constraint rules out
}

// PlanQuery is the question a plan answers.
type PlanQuery struct {
	question.Query
	VMs    map[string]int // most of each instance type
	Split  string
	Method string
	Terms  map[string]Terms // by cloud, "" being all others
}

// MarshalJSON writes the question with what only a plan asks.
func (q PlanQuery) MarshalJSON() ([]byte, error) {
	return append(q.Object(), objective.Each[any]{{Name: "vms", Value: q.VMs}, {Name: "split", Value: q.Split},
		{Name: "method", Value: q.Method}, {Name: "terms", Value: q.Terms}}...).MarshalJSON()
}

// Terms are how a cloud lets VMs, in seconds.
type Terms struct {
	StartupS float64 `json:"startup_s"`
	MinimumS float64 `json:"minimum_billed_s"`
	BillingS float64 `json:"billing_step_s"` // 0: to the second
}

// allObjectives names the frontier in time, cost and accuracy at once.
const allObjectives = "time_cost_accuracy"

// newPlanFrontiers are the frontiers with the one of all objectives.
func newPlanFrontiers(r *rank.Result) Frontiers {
	id := func(i int) string { return clean(r.Space.At(i).ID) }
	return append(newFrontiers(r, id), objective.Value[[]string]{Name: allObjectives, Value: ids(r.NonDominated(), id)})
}

// Step is the next point along the frontier from the pick.
type Step struct {
	Candidate string  `json:"candidate"` // its id
	Seconds   float64 `json:"s"`         // more than the pick takes
	USD       float64 `json:"usd"`       // more than it costs
}

// ShadowPrice is the nearest relaxation of a limit that buys something.
type ShadowPrice struct {
	Constraint string   `json:"constraint"` // the limit that binds
	Limit      float64  `json:"limit"`      // as it is
	Need       float64  `json:"need"`       // to which it would have to give
	Candidate  string   `json:"candidate"`  // the id of the one that comes in
	In         string   `json:"in"`         // the objective that gains
	GainS      *float64 `json:"gain_s"`     // null also where nothing was feasible before
	GainUSD    *float64 `json:"gain_usd"`   // null also where nothing was feasible before
	Gain       *float64 `json:"gain"`       // in the unit of the objective; prefer gain_s and gain_usd
}

// PlanInput is everything a plan is described from.
type PlanInput struct {
	Combined *candidate.Combined
	Rental   candidate.Rental
	Result   *rank.Result // over Combined.Lay
	Whole    *rank.Result // over Combined.ListWhole
	Greedy   bool         // the pick is Algorithm 1's
	Bought   []advice.Bought
	Tested   validate.Tested
	Now      time.Time // the date for the age of prices
}

// NewPlan describes a plan.
func NewPlan(in PlanInput) Plan {
	r := in.Result
	p := emptyPlan(in, append(wording.Warnings(r, in.Now), planWarnings(in)...))
	p.Explored, p.Purchases, p.InfeasibleBecause = in.Combined.Frontiers.Explored, orEmpty(in.Bought), r.Because
	on := map[int]bool{}
	for _, i := range r.NonDominated() {
		on[i] = true
	}
	for _, front := range r.Frontiers {
		for _, i := range front {
			on[i] = true
		}
	}
	for k, i := range r.Ordered() {
		if on[i] {
			p.Candidates = append(p.Candidates, in.describe(i, k+1))
		}
	}
	p.choose(in)
	p.greedy(in)
	for _, x := range advice.Relaxations(r) {
		gain := known(x.Gain)
		s, usd := inUnit(x.In, gain)
		p.ShadowPrices = append(p.ShadowPrices, ShadowPrice{string(x.Constraint), x.Limit, x.Need,
			clean(r.Space.At(x.Candidate).ID), string(x.In), s, usd, gain})
	}
	return p
}

// NoPlan is the plan where there is nothing to combine, and why.
func NoPlan(in PlanInput, why error) Plan { return emptyPlan(in, []string{clean(why.Error())}) }

// emptyPlan is a plan with its question and its frontiers.
func emptyPlan(in PlanInput, warnings []string) Plan {
	return Plan{
		Head: NewHead("plan", warnings...), Query: newPlanQuery(in), Frontier: newPlanFrontiers(in.Result),
		Gap: newGap(math.NaN(), math.NaN()), Candidates: []Candidate{}, Purchases: []advice.Bought{},
		ShadowPrices: []ShadowPrice{}, InfeasibleBecause: Counts{},
		Explored: cluster.Explored{Method: "exact"},
	}
}

// describe is candidate i of the frontier at its place. How sure that place is
// stays unsaid: what is beaten for certain by an equal share of the uncertainty is
// not there to compete.
func (in PlanInput) describe(i, place int) Candidate {
	r := in.Result
	return NewCandidate(r, i, place, nil, in.Tested)
}

// choose sets the pick: the first that holds the limits in whole batches too, or
// the best that only whole batches bring up.
func (p *Plan) choose(in PlanInput) {
	r, whole := in.Result, in.Whole
	if whole.Count() == 0 {
		return
	}
	best := NewCandidate(whole, whole.First(), 1, nil, in.Tested)
	i, place := -1, -1
	for k, at := range r.Ordered() {
		if in.holds(r.Space.At(at).Other) {
			i, place = at, k
			break
		}
	}
	if i < 0 {
		p.Pick = &best
		return
	}
	pick := in.describe(i, place+1)
	p.Pick = &pick
	p.NextCheaper, p.NextFaster = steps(r, i)
	by := r.Query.Sort.Loose()
	key := func(at *candidate.Outcome) float64 {
		if by == question.ByTime {
			return at.Seconds
		}
		return at.USD
	}
	if (by == question.ByTime || by == question.ByCost) &&
		key(best.WholeBatches) < (1-rank.Material)*key(pick.WholeBatches) {
		p.BestInWholeBatches = &best
	}
}

// holds reports whether an outcome is within the limits of the query.
func (in PlanInput) holds(at *candidate.Outcome) bool {
	for name, v := range map[objective.Name]float64{objective.Time: at.Seconds, objective.Cost: at.USD} {
		o, _ := objective.Of(name)
		if limit := in.Result.Query.Limits.Get(name); limit != nil && !o.Within(v, *limit) {
			return false
		}
	}
	return true
}

func newPlanQuery(in PlanInput) PlanQuery {
	q := PlanQuery{
		Query: in.Result.Query, VMs: map[string]int{}, Split: string(cmp.Or(in.Rental.Split, cluster.ByThroughput)),
		Method: "exact",
		Terms:  map[string]Terms{},
	}
	for cloud, t := range in.Rental.Terms {
		q.Terms[clean(cloud)] = Terms{t.StartupS, t.Billing.MinimumS, t.Billing.GranularityS}
	}
	if in.Greedy {
		q.Method = "greedy"
	}
	if in.Combined != nil {
		for name, most := range in.Combined.VMs() {
			q.VMs[clean(name)] = most
		}
	}
	return q
}

func planWarnings(in PlanInput) (out []string) {
	if m := in.Combined.Missing; len(m) > 0 {
		out = append(out, clean(fmt.Sprintf("left out, because no run of the model covers them: %s", strings.Join(m, ", "))))
	}
	if n := len(in.Combined.LeftOut); n > 0 {
		out = append(out, fmt.Sprintf("%s left out, neither among the cheapest per unit of work nor among the fastest: "+
			"name those to combine with --vms", quantity.Several(n, "VM type")))
	}
	if u := in.Combined.Unpriced; len(u) > 0 {
		out = append(out, clean(fmt.Sprintf("left out, because they have no %s price: %s", in.Result.Query.Purchase,
			strings.Join(u, ", "))))
	}
	for _, cloud := range slices.Sorted(maps.Keys(in.Rental.Terms)) {
		if cloud != "" && !slices.ContainsFunc(in.Combined.Parts,
			func(p candidate.Part) bool { return p.VM.Cloud == cloud }) {
			out = append(out, clean(fmt.Sprintf("no VM type of this plan is in the cloud %s: its start-up and billing "+
				"have no effect", plaintext.Quote(cloud))))
		}
	}
	return out
}

// steps are the neighbours of candidate i, where there are any.
func steps(r *rank.Result, i int) (cheaper, faster *Step) {
	step := func(j int) *Step {
		if j < 0 {
			return nil
		}
		s := r.Space
		time, cost := s.Values(objective.Time), s.Values(objective.Cost)
		return &Step{clean(s.At(j).ID), time[j] - time[i], cost[j] - cost[i]}
	}
	c, f := advice.Neighbours(r, i)
	return step(c), step(f)
}

// greedy sets Algorithm 1's pick beside the exact one.
func (p *Plan) greedy(in PlanInput) {
	at, ok := in.Combined.Greedy(in.Result.Query.Limits)
	if in.Greedy {
		p.Pick, p.NextCheaper, p.NextFaster, p.BestInWholeBatches = nil, nil, nil, nil
	}
	if !ok {
		return
	}
	c := p.describeGreedy(in, in.Combined.Candidate(at, false))
	p.Greedy = &c
	gap := in.Combined.Frontiers.Gap(at)
	p.Gap = newGap(math.Max(0, gap.Time), math.Max(0, gap.Cost))
	if in.Greedy {
		p.Pick = p.Greedy
		if !slices.ContainsFunc(p.Candidates, func(o Candidate) bool { return o.ID == c.ID }) {
			p.Candidates = append([]Candidate{c}, p.Candidates...)
		}
	}
}

// describeGreedy is the candidate as it stands on the frontier, or else without a
// place or score: those are of the frontier.
func (p *Plan) describeGreedy(in PlanInput, c candidate.Candidate) Candidate {
	r := in.Result
	for k, i := range r.Ordered() {
		if r.Space.At(i).ID == c.ID {
			return in.describe(i, k+1)
		}
	}
	one := rank.Evaluate(rank.NewSpace(candidate.ListOf(c)), r.Query)
	out := NewCandidate(one, 0, 1, nil, in.Tested)
	out.Rank, out.Score = nil, nil
	out.Relative = objective.ForEach(r.Space.Objectives.Minimized(), func(o objective.Objective) *float64 {
		return relative(c.Of(o.Name).Value, r.Best(o.Name))
	})
	return out
}

// newGap is by how much the time and the cost could be less; NaN is unknown.
func newGap(time, cost float64) Numbers {
	return Numbers{{Name: string(objective.Time), Value: known(time)}, {Name: string(objective.Cost), Value: known(cost)}}
}
