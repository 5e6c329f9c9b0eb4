package serving

import (
	"fmt"
	"slices"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// UsualViolations is the share of the queries that may miss their limit.
const UsualViolations = 0.01

// Wanted says what is to serve a trace.
type Wanted struct {
	Models           []string // whose runs say what a VM serves; none takes the settings' VM
	VM               string   // instance type; "" is any that the models were run on
	USDPerHour       float64  // of VMs whose price is not known otherwise; 0 leaves those out
	MinAccuracy      *float64
	MaxUSDPerMillion *float64  // US dollars for a million queries
	Best             Objective // what is best is taken of what is within the limits
	MemoryGB         float64   // of a function; 0 takes the cheapest within the limit
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
	memory := MemoryOf(q.Settings.Function.Seconds, q.Settings.Function.MemoryGB)
	p = Procured{Question: q, VM: w.VM, InTime: true}
	p.Memory, p.MemoryGiven, p.Chosen = &memory, w.MemoryGB > 0, -1
	if len(w.Models) > 0 {
		if err := p.choose(w, set); err != nil {
			return p, err
		}
	}
	s := &p.Settings
	gb := w.MemoryGB
	if gb == 0 {
		gb, p.InTime = memory.Suits(s.StrictLimitS, s.Function.Prices)
	}
	if !p.InTime {
		p.Notes = append(p.Notes, fmt.Sprintf("no size of function answers within %s: functions of %g GB are taken, "+
			"all of them late", quantity.Duration(s.StrictLimitS), gb))
	}
	s.Function.MemoryGB, s.Function.Seconds = gb, memory.Seconds(gb)
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
	case !Alike(p.Offers):
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
	p.Serve(p.Offers, p.Variants, p.Served, within[0])
	of := p.Served[within[0]]
	chosen := &p.Offers[of.Offer]
	p.VM = chosen.VM.InstanceType
	p.Notes = append(p.Notes, fmt.Sprintf("serves %s at batch %d, price %s", chosen.Name(), of.Batch, chosen.PriceFrom))
	if !chosen.Spread {
		p.Notes = append(p.Notes, "the spread of its iteration times is unknown: the limit is held against their mean")
	}
	p.Notes = append(p.Notes, "the function's time is as given, not of this model")
	return nil
}

// ruling is the limit that no variant keeps, of the two the one to loosen.
func (w Wanted) ruling(pool Variants) (of Objective, word string) {
	switch {
	case w.MinAccuracy != nil && len(pool.IsoAccuracy(*w.MinAccuracy)) == 0:
		return Accuracy, "accuracy"
	case w.MaxUSDPerMillion != nil && len(pool.IsoCost(*w.MaxUSDPerMillion)) == 0:
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
