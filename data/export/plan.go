package export

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"sweetspot/engine/cluster"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// Plan is the JSON of the plan verb.
type Plan struct {
	Schema            int            `json:"schema"`
	Command           string         `json:"command"`
	Warnings          []string       `json:"warnings"`
	Query             PlanQuery      `json:"query"`
	Pick              *Candidate     `json:"pick"` // null where nothing is feasible
	Frontier          PlanFrontiers  `json:"frontier"`
	Candidates        []Candidate    `json:"candidates"` // on any frontier, in the order of the ranking
	Greedy            *Candidate     `json:"greedy"`     // Algorithm 1's pick; null where it finds nothing
	Gap               TimeCost       `json:"gap"`        // its time and cost over the best of at least its accuracy, less 1
	Explored          Explored       `json:"explored"`
	NextCheaper       *Step          `json:"next_cheaper"`
	NextFaster        *Step          `json:"next_faster"`
	ShadowPrices      []ShadowPrice  `json:"shadow_prices"`
	Purchases         []Bought       `json:"purchases"` // the ways of buying that have prices, and how well each does
	InfeasibleBecause map[string]int `json:"infeasible_because"`
}

// PlanQuery is the question a plan answers.
type PlanQuery struct {
	Query
	VMs       map[string]int `json:"vms"` // most of each instance type
	Split     string         `json:"split"`
	Method    string         `json:"method"`
	StartupS  float64        `json:"startup_s"`
	MinimumS  float64        `json:"minimum_billed_s"`
	BillingS  float64        `json:"billing_step_s"` // 0: to the second
	Predicted bool           `json:"predicted"`
}

// PlanFrontiers are [Frontiers] with the one of all three objectives.
type PlanFrontiers struct {
	Frontiers
	TimeCostAccuracy []string `json:"time_cost_accuracy"`
}

// Explored is how much a plan is the best of.
type Explored struct {
	Configurations float64 `json:"configurations"`
	Method         string  `json:"method"`
	// Resolution is the fraction of the cost within which the answer is exact; 0
	// but for spaces with very many near-ties.
	Resolution float64 `json:"resolution"`
}

// Step is the next point along the frontier from the pick.
type Step struct {
	Candidate string  `json:"candidate"`
	Seconds   float64 `json:"s"`   // more than the pick takes
	USD       float64 `json:"usd"` // more than it costs
}

// ShadowPrice is the nearest relaxation of a limit that buys something.
type ShadowPrice struct {
	Constraint string   `json:"constraint"`
	Limit      float64  `json:"limit"`
	Need       float64  `json:"need"`
	Candidate  string   `json:"candidate"` // that comes in
	In         string   `json:"in"`        // what is gained
	Gain       *float64 `json:"gain"`      // in seconds or US dollars; null where nothing was feasible before
}

// Bought is how well a way of buying VMs does within the limits.
type Bought struct {
	Purchase    string  `json:"purchase"`
	Hypervolume float64 `json:"hypervolume"` // share of the time–cost rectangle that its frontier dominates
	FastestS    float64 `json:"fastest_s"`
	CheapestUSD float64 `json:"cheapest_usd"`
	VMTypes     int     `json:"vm_types"`
	Unpriced    int     `json:"unpriced"` // VM types without such a price
}

// PlanInput is everything a plan is described from.
type PlanInput struct {
	Combined *rank.Combined
	Rental   rank.Rental
	Result   *rank.Result // over Combined.Lay
	Greedy   bool         // the pick is Algorithm 1's
	Bought   []rank.Bought
	Tested   validate.Tested
}

// NewPlan describes a plan.
func NewPlan(in PlanInput) Plan {
	r := in.Result
	p := Plan{
		Schema: Schema, Command: "plan", Warnings: append(Warnings(r), planWarnings(in)...), Query: newPlanQuery(in),
		Candidates: []Candidate{}, Purchases: []Bought{}, ShadowPrices: []ShadowPrice{}, InfeasibleBecause: map[string]int{},
		Explored: Explored{in.Combined.Frontiers.Explored.Configurations, method(in), in.Combined.Frontiers.Explored.Resolution},
	}
	nondominated := r.NonDominated()
	p.Frontier = PlanFrontiers{Frontiers{ids(r.Space, r.TimeAccuracy), ids(r.Space, r.CostAccuracy), ids(r.Space, r.TimeCost)}, ids(r.Space, nondominated)}
	pTime, pCost := r.BestProbability(rank.ObjectiveTime), r.BestProbability(rank.ObjectiveCost)
	describe := func(i, place int) Candidate {
		c := NewCandidate(r, i, place, pTime, pCost, in.Tested)
		c.Frontier = OnFrontier{slices.Contains(r.TimeAccuracy, i), slices.Contains(r.CostAccuracy, i)}
		return c
	}
	on := map[int]bool{}
	for _, i := range slices.Concat(nondominated, r.TimeCost, r.TimeAccuracy, r.CostAccuracy) {
		on[i] = true
	}
	for k, i := range r.Order {
		if c := describe(i, k+1); k == 0 || on[i] {
			p.Candidates = append(p.Candidates, c)
		}
	}
	if len(p.Candidates) > 0 {
		p.Pick = &p.Candidates[0]
		p.NextCheaper, p.NextFaster = steps(r, r.Order[0])
	}
	p.greedy(in)
	for _, b := range in.Bought {
		p.Purchases = append(p.Purchases, Bought{string(b.Purchase), b.Hypervolume, b.Seconds, b.USD, b.VMTypes, b.Unpriced})
	}
	for _, x := range r.Relaxations() {
		p.ShadowPrices = append(p.ShadowPrices, ShadowPrice{
			string(x.Constraint), x.Limit, x.Need, clean(r.Space.At(x.Candidate).ID), string(x.In), known(x.Gain),
		})
	}
	for name, n := range r.Because {
		p.InfeasibleBecause[string(name)] = n
	}
	return p
}

func method(in PlanInput) string {
	if in.Greedy {
		return "greedy"
	}
	return in.Combined.Frontiers.Explored.Method
}

func newPlanQuery(in PlanInput) PlanQuery {
	q := PlanQuery{
		Query: NewQuery(in.Result.Query), VMs: map[string]int{}, Split: string(in.Combined.Space.Split), Method: "exact",
		StartupS: in.Rental.StartupS, MinimumS: in.Rental.Billing.MinimumS, BillingS: in.Rental.Billing.GranularityS,
		Predicted: in.Result.Query.Predictor != nil,
	}
	if in.Greedy {
		q.Method = "greedy"
	}
	for name, most := range in.Combined.VMs() {
		q.VMs[clean(name)] = most
	}
	return q
}

func planWarnings(in PlanInput) (out []string) {
	if m := in.Combined.Missing; len(m) > 0 {
		out = append(out, clean(fmt.Sprintf("left out, for no run of the model tells of them: %s", strings.Join(m, ", "))))
	}
	if u := in.Combined.Unpriced; len(u) > 0 {
		out = append(out, clean(fmt.Sprintf("left out, for they have no %s price: %s", in.Result.Query.Purchase, strings.Join(u, ", "))))
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
		return &Step{clean(s.At(j).ID), s.Time[j] - s.Time[i], s.Cost[j] - s.Cost[i]}
	}
	c, f := r.Neighbours(i)
	return step(c), step(f)
}

// greedy sets Algorithm 1's pick beside the exact one.
func (p *Plan) greedy(in PlanInput) {
	r := in.Result
	at, ok := in.Combined.Greedy(r.Query.Limits)
	if !ok {
		if in.Greedy {
			p.Pick, p.NextCheaper, p.NextFaster = nil, nil, nil
		}
		return
	}
	one := rank.Evaluate(rank.NewSpace([]rank.Candidate{in.Combined.Candidate(at, false)}), r.Query)
	c := NewCandidate(one, 0, 1, nil, nil, in.Tested)
	c.Rank, c.PBest = nil, TimeCost{}
	c.Relative = TimeCost{relative(at.Seconds, r.BestTime), relative(at.USD, r.BestCost)}
	p.Greedy = &c
	time, cost := r.BestAsAccurate(one.Space.Loss[0])
	p.Gap = TimeCost{known(at.Seconds/time - 1), known(at.USD/cost - 1)}
	if in.Greedy {
		p.Pick, p.NextCheaper, p.NextFaster = p.Greedy, nil, nil
	}
}

// planRows is how many candidates the printed plan shows.
const planRows = 15

// Write prints the plan for people.
func (p Plan) Write(w io.Writer, in PlanInput) error {
	r := in.Result
	fmt.Fprintln(w, clean(fmt.Sprintf("%s · %s combinations of %d VM types, %s · split by %s · by %s · %s · 90 %% intervals",
		WorkloadText(r.Query.Workload), quantity.Count(p.Explored.Configurations), len(p.Query.VMs), p.Explored.Method, p.Query.Split, r.Query.Sort, r.Query.Purchase)))
	if p.Explored.Resolution > 0 {
		fmt.Fprintf(w, "note: so many near-ties that costs are exact within %s\n", quantity.Percent(p.Explored.Resolution))
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "#\tVMs\tvariant\ttime\tcost\t"+metricTitle(r)+"\tin whole batches\tbasis")
	for k, c := range p.Candidates {
		if k == planRows {
			break
		}
		fmt.Fprintln(tw, c.planRow())
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if more := len(p.Candidates) - planRows; more > 0 {
		fmt.Fprintf(w, "… and %d more on the frontiers: --json and --csv list them all\n", more)
	}
	for _, line := range p.words(in) {
		fmt.Fprintln(w, line)
	}
	return nil
}

func (c Candidate) planRow() string {
	place := "—"
	if c.Rank != nil {
		place = fmt.Sprint(*c.Rank)
	}
	accuracy, batches := "—", "—"
	if c.Accuracy != nil {
		accuracy = AccuracyText(c.Accuracy.Value, c.Accuracy.HigherIsBetter)
	}
	if b := c.WholeBatches; b != nil {
		batches = quantity.Duration(b.S) + " " + quantity.Money(b.USD)
	}
	half := func(v, low, high *float64) string {
		if v == nil || *v == 0 {
			return ""
		}
		return " " + quantity.PlusMinus((*high-*low)/(2**v))
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", place, c.vms(), c.Variant,
		amount(c.Time.S, quantity.Duration)+half(c.Time.S, c.Time.Low, c.Time.High),
		amount(c.Cost.USD, quantity.Money)+half(c.Cost.USD, c.Cost.Low, c.Cost.High), accuracy, batches, text(c.Time.Basis))
}

func amount(v *float64, format func(float64) string) string {
	if v == nil {
		return "—"
	}
	return format(*v)
}

// vms names the configuration: 2× g3.4xlarge + 1× p2.xlarge.
func (c Candidate) vms() string {
	parts := make([]string, len(c.Configuration))
	for i, p := range c.Configuration {
		parts[i] = fmt.Sprintf("%d× %s", p.Count, p.Name())
	}
	return strings.Join(parts, " + ")
}

// words are the pick's parts, its neighbours, the limits' prices and the greedy
// pick, a line each.
func (p Plan) words(in PlanInput) (lines []string) {
	if p.Pick != nil {
		lines = append(lines, "pick: "+p.Pick.vms()+" "+p.Pick.Variant)
		for _, part := range p.Pick.Configuration {
			lines = append(lines, fmt.Sprintf("  %d× %s: %s units (%s), batch %s, busy %s", part.Count, part.Name(), quantity.Count(math.Round(orZero(part.Units))),
				quantity.Percent(orZero(part.Units)/orZero(p.Pick.Units)), whole(part.BatchSize), amount(part.BusyS, quantity.Duration)))
		}
	}
	for _, n := range []struct {
		name string
		step *Step
	}{{"next faster", p.NextFaster}, {"next cheaper", p.NextCheaper}} {
		if n.step != nil {
			lines = append(lines, fmt.Sprintf("%s: %s", n.name, n.step.words()))
		}
	}
	for _, s := range p.ShadowPrices {
		lines = append(lines, s.words(in.Result))
	}
	lines = append(lines, p.bought()...)
	lines = append(lines, p.greedyWords())
	for _, warning := range p.Warnings {
		lines = append(lines, "note: "+warning)
	}
	return lines
}

// bought compares the ways of buying, where there are several.
func (p Plan) bought() (lines []string) {
	for _, b := range p.Purchases {
		if len(p.Purchases) > 1 {
			line := fmt.Sprintf("%s: dominates %s of the time–cost rectangle, from %s, from %s", b.Purchase,
				quantity.Percent(b.Hypervolume), quantity.Duration(b.FastestS), quantity.Money(b.CheapestUSD))
			if b.Unpriced > 0 {
				line += fmt.Sprintf(" (%d of %d VM types have such a price)", b.VMTypes, b.VMTypes+b.Unpriced)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// words is the step in terms of giving and taking: "+$1.20 saves 14 m".
func (s Step) words() string {
	if s.USD > 0 {
		return fmt.Sprintf("+%s saves %s", quantity.Money(s.USD), quantity.Duration(-s.Seconds))
	}
	return fmt.Sprintf("+%s saves %s", quantity.Duration(s.Seconds), quantity.Money(-s.USD))
}

func (s ShadowPrice) words(r *rank.Result) string {
	write := map[string]func(float64) string{
		string(rank.Time): quantity.Duration, string(rank.Cost): quantity.Money,
		string(rank.Accuracy): func(v float64) string { return AccuracyText(v, r.Space.HigherIsBetter) },
	}
	line := fmt.Sprintf("%s binds: %s instead of %s", s.Constraint, write[s.Constraint](s.Need), write[s.Constraint](s.Limit))
	gain, ok := write[s.In]
	switch {
	case s.Gain == nil:
		return line + " lets the first one in"
	case ok:
		return line + " saves " + gain(*s.Gain)
	}
	return fmt.Sprintf("%s improves the %s by %.3g", line, s.In, *s.Gain)
}

func (p Plan) greedyWords() string {
	if p.Greedy == nil {
		return "greedy (Algorithm 1 of Rathnayake et al. 2020): finds nothing within the limits"
	}
	line := fmt.Sprintf("greedy (Algorithm 1 of Rathnayake et al. 2020): %s %s, %s, %s", p.Greedy.vms(), p.Greedy.Variant,
		amount(p.Greedy.Time.S, quantity.Duration), amount(p.Greedy.Cost.USD, quantity.Money))
	if p.Gap.Time != nil && p.Gap.Cost != nil {
		line += fmt.Sprintf("; of at least its accuracy the fastest takes %s, the cheapest costs %s", less(*p.Gap.Time), less(*p.Gap.Cost))
	}
	return line
}

// less says how much less than something the best is that it exceeds by a gap.
func less(gap float64) string {
	if share := 1 - 1/(1+gap); share >= 0.0005 {
		return quantity.Percent(share) + " less"
	}
	return "the same"
}

// ParseSplit reads a --split flag.
func ParseSplit(s string) (cluster.Split, error) {
	switch v := cluster.Split(strings.ToLower(s)); v {
	case cluster.ByThroughput, cluster.ByGPUs:
		return v, nil
	}
	return "", fmt.Errorf("split %q is neither %s nor %s", s, cluster.ByThroughput, cluster.ByGPUs)
}
