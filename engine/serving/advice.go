package serving

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// DefaultViolations is the share of the requests that may miss their limit.
const DefaultViolations = 0.01

// Wanted says what is to serve a trace.
type Wanted struct {
	Models           []string // whose runs say what a VM serves; none takes the settings' VM
	VM               string   // instance type; "" is any that the models were run on
	USDPerHour       float64  // of VMs whose price is not known otherwise; 0 leaves those out
	MinAccuracy      *float64
	MaxUSDPerMillion *float64          // US dollars for a million requests
	Best             Objective         // what is best is taken of what is within the limits
	MemoryGiB        float64           // of a function; 0 takes the cheapest within the limit
	Functions        map[string]Memory // the same of single models, before Function
	Function         *Memory           // how the time of a function falls with its memory; nil follows from the settings
	Measured         []MemoryPoint     // that Function is fitted to; nil where it was not
}

// Procured is a question with what serves it.
type Procured struct {
	Question
	VM     string // instance type; "" unknown
	Offers []Offer
	Served []Served // each of the question's variants
	Notes  []string // what to know of it
	// InTime reports whether a function of that memory answers within the limit.
	InTime bool
}

// InfeasibleError says that nothing serves within the limits.
type InfeasibleError struct {
	Of   Objective // the limit that rules all out; "" where none does alone
	what string
}

func (e *InfeasibleError) Error() string { return e.what }

// Procure completes a question of a trace with its settings: by the runs of the
// models, and with the function that is wanted. What it returns with an error
// holds what was found until then.
func (w Wanted) Procure(q Question, set *profile.Set) (p Procured, err error) {
	memory := MemoryOf(q.Settings.Function.Seconds, q.Settings.Function.MemoryGiB)
	if w.Function != nil {
		memory = *w.Function
	}
	p = Procured{Question: q, VM: w.VM, InTime: true}
	p.Memory, p.MemoryGiven, p.Chosen = &memory, w.MemoryGiB > 0, -1
	if len(w.Models) > 0 {
		if err := p.choose(w, set); err != nil {
			return p, err
		}
	}
	if o := p.Offer(); o != nil {
		if own, ok := w.Functions[o.Model]; ok {
			memory = own
		}
	}
	s := &p.Settings
	gib := w.MemoryGiB
	if gib == 0 {
		gib, p.InTime = memory.Suits(s.StrictLimitS, s.Function.Prices)
	}
	if !p.InTime {
		p.Notes = append(p.Notes, fmt.Sprintf("no size of function answers within %s: functions of %g GiB are taken, "+
			"all of them late", quantity.Duration(s.StrictLimitS), gib))
	}
	s.Function.MemoryGiB, s.Function.Seconds = gib, memory.Seconds(gib)
	return p, nil
}

// choose takes the best of the variants and VM types of the models that serve
// within the limits.
func (p *Procured) choose(w Wanted, set *profile.Set) error {
	names, limit := plaintext.Line(strings.Join(w.Models, ", "), 100), p.Settings.StrictLimitS
	p.Offers = Offers(set, w.Models, w.USDPerHour)
	if w.VM != "" {
		p.Offers = slices.DeleteFunc(p.Offers, func(o Offer) bool { return o.VM.InstanceType != w.VM })
	}
	switch {
	case len(p.Offers) == 0:
		return fmt.Errorf("no inference run of %s on a VM with a price: probe it in inference, or give the price of "+
			"the machine it was run on", names)
	case !alike(p.Offers):
		return fmt.Errorf("the accuracies of %s are of different metrics: choose among models that can be compared", names)
	}
	p.Variants, p.Served = Choose(p.Offers, limit, p.Trace.Mean())
	if len(p.Served) == 0 {
		return &InfeasibleError{Latency, fmt.Sprintf("no run of %s answers within %s, for its smallest batches take longer",
			names, quantity.Duration(limit))}
	}
	within := p.Variants.Within(Limits{LatencyS: &limit, Accuracy: w.MinAccuracy, USDPerMillion: w.MaxUSDPerMillion},
		w.Best)
	if len(within) == 0 {
		of, word := w.ruling(p.Variants)
		all := fmt.Sprintf("all %d variants of %s that answer", len(p.Served), names)
		if len(p.Served) == 1 {
			all = fmt.Sprintf("the only variant of %s that answers", names)
		}
		return &InfeasibleError{of, fmt.Sprintf("%s rules out %s within %s", word, all, quantity.Duration(limit))}
	}
	of := p.Served[within[0]]
	chosen := &p.Offers[of.Offer]
	p.Chosen, p.Points, p.GPUs, p.VM = within[0], chosen.Points, chosen.GPUs, chosen.VM.InstanceType
	p.Settings.VM = p.Settings.VM.as(of.VM)
	for _, x := range p.Served { // for slack in accuracy
		p.VMs = append(p.VMs, x.VM)
	}
	p.Notes = append(p.Notes, fmt.Sprintf("serves %s at batch %d, price %s", chosen.Name(), of.Batch, chosen.PriceFrom))
	if !chosen.Spread {
		p.Notes = append(p.Notes, "the spread of its iteration times is unknown: the limit is held against their mean")
	}
	if _, own := w.Functions[chosen.Model]; w.Function == nil && !own {
		p.Notes = append(p.Notes, "the function's time was not measured with this model")
	}
	return nil
}

// ruling is the limit that no variant keeps, of the two the one to loosen.
func (w Wanted) ruling(pool Variants) (of Objective, word string) {
	switch {
	case len(pool.Within(Limits{Accuracy: w.MinAccuracy}, Cost)) == 0:
		return Accuracy, "accuracy"
	case len(pool.Within(Limits{USDPerMillion: w.MaxUSDPerMillion}, Cost)) == 0:
		return Cost, "cost"
	}
	return "", "accuracy together with cost"
}

// Offer is the offer that serves; nil for the settings' VM.
func (p *Procured) Offer() *Offer {
	if p.Chosen < 0 || len(p.Served) == 0 {
		return nil
	}
	return &p.Offers[p.Served[p.Chosen].Offer]
}

// monthS is a month in seconds.
const monthS = quantity.HoursPerMonth * 3600

// Question is what [Advise] answers. Points, Memory and Variants are optional; with
// them it says what looser limits would save.
type Question struct {
	Trace         Trace
	Settings      Settings
	MaxViolations float64 // fraction of all requests that may violate their limit

	Points      []BatchPoint // what a GPU of the VM holds, for slack in latency
	GPUs        int          // of the VM, serving batches of their own; 0 is one
	Memory      *Memory      // and a function
	MemoryGiven bool         // its size is not to be chosen again
	Variants    Variants     // for slack in accuracy
	VMs         []VM         // that serve them, see [Choose]
	Chosen      int          // of Variants: the one that the settings describe
}

// Advice says what to rent for a trace.
type Advice struct {
	PeakToMedian *float64 // of the trace, by the minute; nil where unknown
	BreakEven    *float64 // requests per second above which one VM is cheaper than functions; nil where it never is

	Outcomes []Outcome // of all schemes
	// Alone is the outcome of functions without any VM, for comparison.
	Alone   Outcome
	Pick    int  // of Outcomes: the cheapest that keeps MaxViolations, else the one with the fewest
	Keeps   bool // the pick keeps MaxViolations
	VMsOnly *int // of Outcomes: the cheapest that keeps it without functions; nil where none does

	MixingPays bool    // the pick uses functions
	MeanVMs    float64 // of the pick, start-up included
	MostVMs    int

	MonthlyUSD float64 // of the pick, dollars in 730 hours of such load
	Savings    []Saving
	Words      []string // the same in sentences
	WhyNot     string   // one of them, if no scheme keeps the limit; else ""
}

// Saving is what a looser limit would save.
type Saving struct {
	Slack      Objective // Accuracy or Latency
	From, To   float64   // an accuracy, or the strict limit in seconds
	Variant    string    // of slack in accuracy: the variant it allows
	MonthlyUSD float64   // dollars in 730 hours, with the scheme of the pick
	SavesUSD   float64   // against the pick; negative where it would cost more
	Violations float64   // fraction of all requests
}

// Advise compares the schemes on a trace, picks one, and says what looser limits
// would save.
func Advise(q Question) (Advice, error) {
	outcomes, err := Compare(q.Trace, q.Settings)
	if err != nil {
		return Advice{}, err
	}
	a := Advice{Outcomes: outcomes, Pick: -1}
	if a.Alone, err = Simulate(q.Trace, q.Settings, FunctionsOnly); err != nil {
		return Advice{}, err
	}
	a.choose(q.MaxViolations)
	pick := outcomes[a.Pick]
	if ratio, ok := q.Trace.PeakToMedian(60); ok {
		a.PeakToMedian = &ratio
	}
	if rate, ok := BreakEven(q.Settings.VM, q.Settings.Function); ok {
		a.BreakEven = &rate
	}
	seconds := float64(len(q.Trace))
	a.MixingPays = pick.OnFunctions.Total() > 0
	a.MeanVMs, a.MostVMs = float64(pick.VMSeconds)/seconds, pick.MostVMs
	a.MonthlyUSD = pick.USD * monthS / seconds
	a.Savings = append(q.latencySlack(pick), q.accuracySlack(pick)...)
	for i := range a.Savings {
		a.Savings[i].SavesUSD = a.MonthlyUSD - a.Savings[i].MonthlyUSD
	}
	if !a.Keeps {
		a.WhyNot = fmt.Sprintf("no scheme keeps violations to %.2f %%, this one has the fewest%s", 100*q.MaxViolations,
			q.because())
	}
	a.Words = a.words(q)
	return a, nil
}

func (a *Advice) choose(most float64) {
	better := func(i, j int) bool {
		x, y := a.Outcomes[i], a.Outcomes[j]
		if keeps := x.ViolationShare() <= most; keeps != (y.ViolationShare() <= most) {
			return keeps
		} else if keeps {
			return x.USD < y.USD
		}
		return cmp.Or(cmp.Compare(x.ViolationShare(), y.ViolationShare()), cmp.Compare(x.USD, y.USD)) < 0
	}
	for i, o := range a.Outcomes {
		if a.Pick < 0 || better(i, a.Pick) {
			a.Pick = i
		}
		if o.OnFunctions.Total() == 0 && o.ViolationShare() <= most && (a.VMsOnly == nil ||
			o.USD < a.Outcomes[*a.VMsOnly].USD) {
			a.VMsOnly = new(i)
		}
	}
	a.Keeps = a.Outcomes[a.Pick].ViolationShare() <= most
}

// slackFactors are the strict limits tried, relative to the one asked for.
var slackFactors = [...]float64{1.5, 2, 4}

// latencySlack tries longer strict limits, with which a VM can serve larger batches
// and a function needs less memory. It needs measurements of one of the two.
func (q Question) latencySlack(pick Outcome) []Saving {
	if len(q.Points) == 0 && q.Memory == nil {
		return nil
	}
	var savings []Saving
	for _, factor := range slackFactors {
		s := q.Settings
		limit := s.StrictLimitS * factor
		s.StrictLimitS, s.RelaxedLimitS = limit, max(limit, s.RelaxedLimitS)
		gpus := float64(max(q.GPUs, 1))
		if c, ok, err := CapacityWithin(q.Points, limit); err == nil && ok &&
			c.RequestsPerSecond()*gpus > s.VM.RequestsPerSecond {
			s.VM.RequestsPerSecond, s.VM.LatencyS = c.RequestsPerSecond()*gpus, c.P99S
		}
		if q.Memory != nil && !q.MemoryGiven {
			if c, ok := q.Memory.Cheapest(limit, s.Function.Prices); ok {
				s.Function.MemoryGiB, s.Function.Seconds = c.MemoryGiB, c.Seconds
			}
		}
		if saving, ok := q.with(s, pick.Scheme); ok {
			saving.Slack, saving.From, saving.To = Latency, q.Settings.StrictLimitS, limit
			savings = append(savings, saving)
		}
	}
	return savings
}

// accuracySlack tries the variants that are cheaper and less accurate, most
// accurate first, on the VMs that serve them, or, where these are not known, on
// VMs that serve as many more of their requests as they are cheaper. The
// function's time stays as it is.
func (q Question) accuracySlack(pick Outcome) []Saving {
	if q.Chosen < 0 || q.Chosen >= len(q.Variants.List) {
		return nil
	}
	var savings []Saving
	chosen := q.Variants.List[q.Chosen]
	for i, v := range q.Variants.List {
		cheaper := chosen.USDPerMillion / v.USDPerMillion
		if !(cheaper > 1) || math.IsInf(cheaper, 0) ||
			!(q.Variants.directed(v.Accuracy) > q.Variants.directed(chosen.Accuracy)) {
			continue
		}
		s := q.Settings
		if i < len(q.VMs) {
			s.VM = s.VM.as(q.VMs[i])
		} else {
			s.VM.RequestsPerSecond *= cheaper
			s.VM.LatencyS = v.LatencyS
		}
		if saving, ok := q.with(s, pick.Scheme); ok {
			saving.Slack, saving.From, saving.To, saving.Variant = Accuracy, chosen.Accuracy, v.Accuracy, v.Name
			savings = append(savings, saving)
		}
	}
	slices.SortStableFunc(savings, func(a, b Saving) int {
		return cmp.Compare(q.Variants.directed(a.To), q.Variants.directed(b.To))
	})
	return savings
}

// with simulates other settings; invalid ones save nothing.
func (q Question) with(s Settings, scheme Scheme) (Saving, bool) {
	o, err := Simulate(q.Trace, s, scheme)
	if err != nil {
		return Saving{}, false
	}
	return Saving{MonthlyUSD: o.USD * monthS / float64(len(q.Trace)), Violations: o.ViolationShare()}, true
}

// because names the violations that no scheme can avoid.
func (q Question) because() string {
	s := q.Settings
	switch {
	case exceeds(s.VM.LatencyS, s.StrictLimitS) && exceeds(s.Function.Seconds, s.StrictLimitS):
		return fmt.Sprintf(": VMs take %s and functions %s, both longer than the strict limit",
			quantity.Duration(s.VM.LatencyS), quantity.Duration(s.Function.Seconds))
	case exceeds(s.VM.LatencyS, s.StrictLimitS):
		return fmt.Sprintf(": VMs take %s, longer than the strict limit", quantity.Duration(s.VM.LatencyS))
	}
	return ""
}

func (a Advice) words(q Question) []string {
	pick := a.Outcomes[a.Pick]
	var w []string
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	say("%s: %s a month, %.1f VMs on average and %d at most; %.2f %% of the requests violate their limit",
		pick.Scheme, quantity.Money(a.MonthlyUSD), a.MeanVMs, a.MostVMs, 100*pick.ViolationShare())
	if !a.Keeps {
		w = append(w, a.WhyNot)
	}
	ratio := "of unknown size, the median minute being empty"
	if a.PeakToMedian != nil {
		ratio = fmt.Sprintf("%.2f", *a.PeakToMedian)
	}
	switch {
	case !a.Keeps:
		say("peak to median is %s", ratio)
	case a.MixingPays && a.VMsOnly != nil:
		say("mixing pays: functions take %.2f %% of the requests, and VMs alone (%s) cost %s more a month; peak to "+
			"median is %s",
			100*pick.FunctionShare(), a.Outcomes[*a.VMsOnly].Scheme,
			quantity.Money((a.Outcomes[*a.VMsOnly].USD-pick.USD)*monthS/float64(len(q.Trace))), ratio)
	case a.MixingPays:
		say("mixing pays: functions take %.2f %% of the requests, and with VMs alone no scheme keeps the limit; peak to "+
			"median is %s", 100*pick.FunctionShare(), ratio)
	default:
		say("mixing does not pay: the VMs of %s do; peak to median is %s", pick.Scheme, ratio)
	}
	if alone := a.Alone; alone.USD < pick.USD && (alone.ViolationShare() <= q.MaxViolations ||
		!a.Keeps && alone.ViolationShare() <= pick.ViolationShare()) {
		say("functions without any VM would be cheaper still: %s a month, %.2f %% late",
			quantity.Money(alone.USD*monthS/float64(len(q.Trace))), 100*alone.ViolationShare())
	}
	if a.BreakEven != nil && *a.BreakEven > 0 {
		say("below %.2f requests/s functions are cheaper than a VM", *a.BreakEven)
	}
	most := map[Objective]float64{}
	for _, s := range a.Savings {
		// no more than less slack does, or too late
		if s.SavesUSD <= most[s.Slack] || s.Violations > q.MaxViolations && a.Keeps {
			continue
		}
		most[s.Slack] = s.SavesUSD
		if s.Slack == Latency {
			say("a strict limit of %s instead of %s would save %s a month", quantity.Duration(s.To), quantity.Duration(s.From),
				quantity.Money(s.SavesUSD))
		} else {
			say("%s, accuracy %.4g instead of %.4g, would save %s a month", s.Variant, s.To, s.From, quantity.Money(s.SavesUSD))
		}
	}
	return w
}
