// Package tokens predicts what the tokens of a language model take where they were
// not measured: at another concurrency, batch size or length, from probes at both
// ends, and on other hardware, from one probe there.
//
// A plain rule answers first: a line, a parabola, a ratio. How far such rules were
// off for other models and machines then corrects it. [Served] asks the loads of a
// profile database so.
package tokens

import (
	"math"

	"sweetspot/engine/estimate"
)

// Case is a question that a plain rule answers.
type Case struct {
	Kind  string    // cases of different kinds tell nothing of one another: a framework, say
	Group string    // cases of one group were not known when one of them was asked
	Tags  []string  // what it is of: model, machine, ...; cases with equal tags err alike
	Shape []float64 // what is known of it, in units in which 1 is a difference that matters; as many as of its kind
	Plain float64   // the plain rule's answer, in seconds
	// Spread is the standard deviation of ln(measured / plain) where nothing shows it; 0 is that of most rules.
	Spread float64
}

// Known is a case that was measured.
type Known struct {
	Case
	Seconds float64
}

// usable reports whether a plain answer, and a shape, are numbers that can be computed with.
func (c Case) usable() bool {
	for _, x := range c.Shape {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return c.Plain > 0 && estimate.Plausible(c.Plain)
}

// deviation is ln(measured / plain).
func (k Known) deviation() float64 {
	return math.Log(k.Seconds / k.Plain)
}

// Corrections are what a set of measurements tells of the plain rules. It is safe for
// concurrent use.
type Corrections struct{ kinds map[string]*pool }

// Learn compares plain answers with what was measured. What cannot be computed with is
// left out.
func Learn(known []Known) *Corrections {
	byKind := map[string][]Known{}
	for _, k := range known {
		if k.usable() && k.Seconds > 0 && estimate.Plausible(k.Seconds) {
			byKind[k.Kind] = append(byKind[k.Kind], k)
		}
	}
	c := &Corrections{kinds: map[string]*pool{}}
	for kind, of := range byKind {
		c.kinds[kind] = newPool(bounded(of))
	}
	return c
}

// Predict corrects the plain answer of a case. It is unknown where there is none.
func (c *Corrections) Predict(q Case) estimate.Estimate {
	if !q.usable() {
		return estimate.Estimate{}
	}
	p := c.kinds[q.Kind]
	if p == nil {
		p = newPool(nil)
	}
	mean, half := p.predict(q)
	v := q.Plain * math.Exp(mean)
	return estimate.Estimate{Value: v, Low: v * math.Exp(-half), High: v * math.Exp(half), Basis: estimate.Transferred}
}
