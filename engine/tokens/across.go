package tokens

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// mirrors reports whether a curve is of the same model, weights and loads on another server.
func (c *curve) mirrors(o *curve) bool {
	return c.like(o.common) && c.server.Variant.Key() == o.server.Variant.Key() && !c.server.Same(o.server) &&
		profile.SameLanguageModel(c.server.Model, o.server.Model)
}

// ratio is the plain rule's case on a server, from a probe at a place there and on another one.
func ratio(from, to *curve, here, there sample, asked Point) Case {
	plain, shape := Ratio(here.Seconds, there.Seconds, asked.Seconds)
	model, between := profile.NetworkName(to.server.Model), from.server.Words()+"\x00"+to.server.Words()
	return Case{Kind: "ratio", Group: fmt.Sprint(model, to.common), Plain: plain,
		Tags: []string{model, between, model + "\x00" + between},
		Shape: append(shape, Logs(asked.At, asked.At/here.At, to.common[0], to.common[1],
			max(float64(to.server.GPUs), 1))...)}
}

// both are the places that were measured on two servers, with what each took.
func both(from, to *curve) (here, there []sample) {
	for _, s := range from.samples {
		if o, ok := to.measured(s.At); ok {
			here, there = append(here, s), append(there, o)
		}
	}
	return here, there
}

// pairs are the cases of each two servers, from a probe in the middle of what both measured.
func (m *measure) pairs() (out []Known) {
	for i := range m.byNumber {
		for j := range m.byNumber {
			from, to := &m.byNumber[i], &m.byNumber[j]
			if !from.mirrors(to) {
				continue
			}
			here, there := both(from, to)
			if len(here) < 2 {
				continue
			}
			probe := len(here) / 2
			for k := range here {
				if k != probe {
					out = append(out, Known{ratio(from, to, here[probe], there[probe], here[k].Point), there[k].Seconds})
				}
			}
		}
	}
	return out
}

// across is what another server's loads tell of one, from the nearest of those that both measured.
func (m *measure) across(from, to *curve, l Load, kinds map[estimate.Basis]profile.Kind) Answer {
	asked := m.along(from, l, kinds)
	here, there := both(from, to)
	if !asked.Known() || len(here) == 0 {
		return Answer{}
	}
	at, probe := from.at(l), 0
	for i, s := range here {
		if math.Abs(math.Log(s.At/at)) < math.Abs(math.Log(here[probe].At/at)) {
			probe = i
		}
	}
	e := m.learned().Predict(ratio(from, to, here[probe], there[probe], Point{at, asked.Value}))
	if !e.Known() {
		return Answer{}
	}
	a := Answer{Estimate: e.By(asked.Times(1 / asked.Value))}
	a.Basis = estimate.Transferred
	a.Why = fmt.Sprintf("as on %s, by the ratio at %g at once", from.server.Words(), here[probe].At)
	a.Runs = slices.Concat(there[probe].runs, asked.Runs)
	return a
}
