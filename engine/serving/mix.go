package serving

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// Kind is what the requests of one kind ask for (section 4, workload-2): models to choose
// from with limits, and what is to be the best within them.
type Kind struct {
	Name   string
	Share  float64 // of the requests
	LimitS float64 // on the latency, seconds; 0 is that of the settings
	Wanted
}

// Mix is a trace of requests of several kinds. Each kind gets the model that is best for
// it; kinds that the same VMs serve alike share them, others have VMs of their own.
type Mix struct {
	Trace         Trace
	Parts         []Trace // of each kind, where the trace tells them apart; else nil, and shares deal them out
	Kinds         []Kind
	Settings      Settings // but for VM, function and limit, which the kinds decide
	MaxViolations float64
	SpanS         int // seconds of each span of the groups, see [WatchAll]; 0 is none
}

// Group is what the same VMs serve.
type Group struct {
	Kinds []int // of the mix
	Procured
	Outcomes []Outcome // by scheme, in the order of Schemes
	Spans    [][]Span  // by scheme, where the mix asks for them
	MixCost            // of the pick
}

// MixCost is what requests cost, and how many of them are in time.
type MixCost struct {
	USD    estimate.Estimate // dollars
	Within estimate.Estimate // share of the requests that keep their limit
}

// MixAnswer is what a mix needs.
type MixAnswer struct {
	Groups   []Group
	Of       []int     // group of each kind
	Parts    []Trace   // of each kind
	Requests []int     // of each kind
	Outcomes []Outcome // sums over the groups, by scheme; their percentiles are unknown
	Pick     int       // the cheapest scheme that keeps MaxViolations, else the one with the fewest
	Keeps    bool
	// Naive is the cost of the pick where each kind gets the most accurate model within its
	// limits whatever it costs; nil where that is unknown.
	Naive      *float64 // US dollars
	MonthlyUSD float64  // of the pick, in 730 hours
	MixCost             // of the pick
}

// Check returns a sentence about the first part of a mix that makes no sense.
func (m Mix) Check() error {
	if len(m.Kinds) == 0 || len(m.Kinds) > mostKinds {
		return fmt.Errorf("a mix has 1 to %d kinds of request, not %d", mostKinds, len(m.Kinds))
	}
	if m.Parts != nil {
		return nil
	}
	sum := 0.0
	for _, kind := range m.Kinds {
		if !(kind.Share > 0 && kind.Share <= 1) {
			return fmt.Errorf("the share of %s is %g; give a fraction above 0", plaintext.Quote(kind.Name), kind.Share)
		}
		sum += kind.Share
	}
	if math.Abs(sum-1) > 1e-6 {
		return fmt.Errorf("the shares add up to %.4g; they must add up to 1", sum)
	}
	return nil
}

const mostKinds = 100

// LeastShare is the least that [Reshare] gives a kind of request.
const LeastShare = 0.001

// Reshare sets the share of one kind of request, and scales those of the others so that all add
// up to 1.
func Reshare(shares []float64, kind int, to float64) []float64 {
	if len(shares) == 1 {
		return []float64{1}
	}
	to = min(max(to, LeastShare), 1-LeastShare*float64(len(shares)-1))
	others := 0.0
	for i, s := range shares {
		if i != kind {
			others += s
		}
	}
	out := make([]float64, len(shares))
	for i, s := range shares {
		switch {
		case i == kind:
			out[i] = to
		case others > 0:
			out[i] = s / others * (1 - to)
		default:
			out[i] = (1 - to) / float64(len(shares)-1)
		}
	}
	return out
}

// Split deals the requests of a trace out by shares, each as evenly over the trace as it
// can be: the first gets its share of all, the second its share of the rest, and so on.
func (tr Trace) Split(shares []float64) []Trace {
	parts, rest := make([]Trace, len(shares)), slices.Clone(tr)
	left := 1.0
	for k, s := range shares {
		if k == len(shares)-1 {
			parts[k] = rest
			break
		}
		parts[k] = make(Trace, len(tr))
		ppm, seen, taken := ppmOf(s, left), int64(0), int64(0)
		for t, n := range rest {
			seen += int64(n)
			now := seen * ppm / millionths
			parts[k][t] = int(now - taken)
			rest[t] -= parts[k][t]
			taken = now
		}
		left -= s
	}
	return parts
}

// ppmOf is a share of what is left, in millionths.
func ppmOf(share, left float64) int64 {
	return min(max(int64(share/max(left, share)*millionths+0.5), 0), millionths)
}

// parts are the traces of the kinds.
func (m Mix) parts() ([]Trace, error) {
	parts := m.Parts
	if parts == nil {
		shares := make([]float64, len(m.Kinds))
		for i, kind := range m.Kinds {
			shares[i] = kind.Share
		}
		return m.Trace.Split(shares), m.Trace.Check()
	}
	if len(parts) != len(m.Kinds) {
		return nil, fmt.Errorf("%d traces for %d kinds of request", len(parts), len(m.Kinds))
	}
	for _, p := range parts {
		if len(p) != len(parts[0]) {
			return nil, fmt.Errorf("traces of %d and %d seconds; all kinds of request need one length", len(parts[0]), len(p))
		}
		if err := p.Check(); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// Answer chooses what serves each kind and simulates all of them.
func (m Mix) Answer(set *profile.Set) (*MixAnswer, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	parts, err := m.parts()
	if err != nil {
		return nil, err
	}
	a, err := m.choose(set, parts, false)
	if err != nil {
		return nil, err
	}
	for k := range a.Groups {
		g := &a.Groups[k]
		if g.Outcomes, g.Spans, err = compare(g.Trace, g.Settings, m.SpanS); err != nil {
			return nil, err
		}
	}
	a.sum()
	advice := Advice{Outcomes: a.Outcomes, Pick: -1}
	advice.choose(m.MaxViolations)
	a.Pick, a.Keeps = advice.Pick, advice.Keeps
	a.MonthlyUSD = a.Outcomes[a.Pick].USD * monthS / float64(len(parts[0]))
	a.cost()
	if naive, err := m.choose(set, parts, true); err == nil {
		a.Naive = naive.usd(a.Outcomes[a.Pick].Scheme)
	}
	return a, nil
}

// choose is what serves each kind, before it is simulated.
func (m Mix) choose(set *profile.Set, parts []Trace, naive bool) (*MixAnswer, error) {
	a := &MixAnswer{Parts: parts, Of: make([]int, len(m.Kinds)), Requests: make([]int, len(m.Kinds))}
	for i, kind := range m.Kinds {
		p, err := m.procure(kind, parts[i], set, naive)
		if err != nil {
			return nil, &KindError{i, kind.Name, err}
		}
		a.Requests[i] = parts[i].Requests()
		a.join(i, p)
	}
	return a, nil
}

// usd is what all groups cost by a scheme, US dollars; nil where they cannot be simulated.
func (a *MixAnswer) usd(by Scheme) *float64 {
	sum := 0.0
	for _, g := range a.Groups {
		o, err := Simulate(g.Trace, g.Settings, by)
		if err != nil {
			return nil
		}
		sum += o.USD
	}
	return &sum
}

// KindError says that nothing serves one kind of request.
type KindError struct {
	Kind int // its place in the mix
	Name string
	Err  error
}

func (e *KindError) Error() string {
	return fmt.Sprintf("kind %s: %s", plaintext.Quote(e.Name), e.Err)
}

// Unwrap is why nothing serves them.
func (e *KindError) Unwrap() error { return e.Err }

// Spans are what happened in each span, summed over the groups, by scheme; nil where the mix asked
// for none.
func (a *MixAnswer) Spans() [][]Span {
	var out [][]Span
	for _, g := range a.Groups {
		for k, spans := range g.Spans {
			if k >= len(out) {
				out = append(out, make([]Span, len(spans)))
			}
			for i, s := range spans {
				sum := &out[k][i]
				sum.Seconds = s.Seconds
				sum.Requests += s.Requests
				sum.Violations += s.Violations
				sum.Running += s.Running
			}
		}
	}
	return out
}

// procure is what serves a kind; naively, the most accurate within its limits.
func (m Mix) procure(kind Kind, tr Trace, set *profile.Set, naive bool) (Procured, error) {
	q := Question{Trace: tr, Settings: m.Settings, MaxViolations: m.MaxViolations}
	if kind.LimitS > 0 {
		q.Settings.StrictLimitS = kind.LimitS
		q.Settings.RelaxedLimitS = max(q.Settings.RelaxedLimitS, kind.LimitS)
	}
	if naive {
		kind.Best = Accuracy
	}
	return kind.Procure(q, set)
}

// join adds a kind to the group that is served alike, or to a new one.
func (a *MixAnswer) join(kind int, p Procured) {
	name := func(p *Procured) string {
		if o := p.Offer(); o != nil {
			return o.Name()
		}
		return ""
	}
	k := slices.IndexFunc(a.Groups, func(g Group) bool {
		return g.Settings == p.Settings && name(&g.Procured) == name(&p)
	})
	if k < 0 {
		k = len(a.Groups)
		a.Groups = append(a.Groups, Group{Procured: p})
		a.Groups[k].Trace = make(Trace, len(p.Trace))
	}
	g := &a.Groups[k]
	g.Kinds = append(g.Kinds, kind)
	for t, n := range p.Trace {
		g.Trace[t] += n
	}
	a.Of[kind] = k
}

// sum adds the outcomes of the groups up.
func (a *MixAnswer) sum() {
	for k, scheme := range Schemes() {
		total := Outcome{Scheme: scheme, P50S: math.NaN(), P99S: math.NaN()}
		for _, g := range a.Groups {
			total.join(g.Outcomes[k])
		}
		a.Outcomes = append(a.Outcomes, total)
	}
	for k := range a.Outcomes {
		if reactive := a.Outcomes[0].VMSeconds; reactive > 0 {
			a.Outcomes[k].OverProvisioning = new(float64(a.Outcomes[k].VMSeconds)/float64(reactive) - 1)
		}
	}
}

// join adds what other VMs and functions did. Percentiles stay unknown, and MostVMs is
// the sum of what each had at most.
func (o *Outcome) join(x Outcome) {
	o.Requests.add(x.Requests)
	o.OnVMs.add(x.OnVMs)
	o.OnFunctions.add(x.OnFunctions)
	o.Queued.add(x.Queued)
	o.Violations.add(x.Violations)
	o.ColdStarts += x.ColdStarts
	o.Warming += x.Warming
	o.VMSeconds += x.VMSeconds
	o.VMBilledSeconds += x.VMBilledSeconds
	o.MostVMs += x.MostVMs
	o.FunctionMS += x.FunctionMS
	o.VMUSD += x.VMUSD
	o.FunctionUSD += x.FunctionUSD
	o.USD += x.USD
}
