package transfer

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"sweetspot/engine/estimate"
)

// Size is a data-parallel training on a number of workers, its world size.
type Size struct {
	Workers int               // GPUs over all VMs, or processes where there are none
	Batch   int               // global
	Step    estimate.Estimate // seconds of an iteration
}

// pace is ln(units that a worker does in a second).
func (s Size) pace() float64 {
	return math.Log(float64(s.Batch) / (float64(s.Workers) * s.Step.Value))
}

// Efficiency is the scaling efficiency: what a worker does in a second, relative to what it
// does on another number of workers.
func (s Size) Efficiency(base Size) estimate.Estimate {
	if s == base {
		return estimate.Exact(1, s.Step.Basis)
	}
	return logNormal(s.pace()-base.pace(), math.Hypot(s.Step.LogSigma(), base.Step.LogSigma()), estimate.Z90,
		estimate.Weakest(s.Step.Basis, base.Step.Basis))
}

// Three laws say what a doubling of the workers beyond two measured numbers of them costs.
// Either the loss between these two was its own, as of leaving the host or of another way
// to split the network, and a doubling costs what it usually does; or a part of the step
// takes as long on any number of workers, as Amdahl has it; or a part grows in proportion
// to them, as with one parameter server. Where the measured loss is usual the first is most
// likely, however the step goes on.
//
// The chances and spreads were chosen on 16 step times of llama2-70b with LoRA on 4 to 1,024
// GPUs (MLPerf Training v4.1 and v5.0: median error 8 %, by linear scaling 10 %) and 16 of
// Malta's networks with a parameter server on 1 to 16 GPUs (14 %, by linear scaling 64 %).
const (
	usualLaw, fixedLaw, growingLaw = 0.6, 0.1, 0.3
	usualSpread                    = 0.08 // standard deviation of ln(time), per doubling
	lawSpread                      = 0.16
)

// onward is where a law has ln(time), and how likely it is.
type onward struct{ chance, mean, sd float64 }

// AtSize predicts the time of a step on more workers than those known, of which the two
// largest numbers count. It is unknown where there are fewer than two.
func AtSize(known []Size, workers, batch int) estimate.Estimate {
	known = slices.DeleteFunc(slices.Clone(known), func(s Size) bool {
		return s.Workers < 1 || s.Batch < 1 || !s.Step.Known() || !(s.Step.Value > 0)
	})
	slices.SortStableFunc(known, func(a, b Size) int { return cmp.Compare(a.Workers, b.Workers) })
	known = slices.CompactFunc(known, func(a, b Size) bool { return a.Workers == b.Workers })
	if len(known) < 2 || batch < 1 || workers <= known[len(known)-1].Workers {
		return estimate.Estimate{}
	}
	a, b := known[len(known)-2], known[len(known)-1]
	laws := lawsOf(a, b, float64(workers), float64(batch))
	at := func(p float64) float64 { return math.Exp(quantileOf(laws, p)) }
	return estimate.Estimate{Value: at(0.5), Low: at(0.05), High: at(0.95),
		Basis: estimate.Weakest(a.Step.Basis, b.Step.Basis, estimate.Transferred)}
}

func lawsOf(a, b Size, workers, batch float64) []onward {
	doublings := math.Log2(workers / float64(b.Workers))
	known := math.Hypot(a.Step.LogSigma(), b.Step.LogSigma())
	loss := (a.pace() - b.pace()) / math.Log2(float64(b.Workers)/float64(a.Workers))
	usual := distuv.Normal{Mu: exchangeCost, Sigma: exchangeSpread}
	laws := []onward{{
		chance: usualLaw * usual.Prob(loss),
		mean:   math.Log(batch/workers) - b.pace() + exchangeCost*doublings,
		sd:     math.Hypot(usualSpread*doublings, known),
	}}
	for _, l := range []struct {
		chance float64
		part   func(workers float64) float64
	}{
		{fixedLaw, func(float64) float64 { return 1 }},
		{growingLaw, func(workers float64) float64 { return workers }},
	} {
		if perUnit, part, ok := split(a, b, l.part); ok {
			laws = append(laws, onward{l.chance, math.Log(perUnit*batch/workers + part*l.part(workers)),
				math.Hypot(lawSpread*doublings, known)})
		}
	}
	return laws
}

// split parts two steps into what a unit takes a worker and what comes on top of it, in
// seconds per part; false where the two do not tell them apart.
func split(a, b Size, part func(workers float64) float64) (perUnit, onTop float64, ok bool) {
	x1, x2 := float64(a.Batch)/float64(a.Workers), float64(b.Batch)/float64(b.Workers)
	g1, g2 := part(float64(a.Workers)), part(float64(b.Workers))
	d := x1*g2 - x2*g1
	if math.Abs(d) < 1e-9*x1*g2 {
		return 0, 0, false
	}
	perUnit, onTop = (a.Step.Value*g2-b.Step.Value*g1)/d, (x1*b.Step.Value-x2*a.Step.Value)/d
	switch {
	case onTop < 0:
		perUnit, onTop = b.Step.Value/x2, 0
	case perUnit < 0:
		perUnit, onTop = 0, b.Step.Value/g2
	}
	return perUnit, onTop, true
}

// quantileOf is that of the mixture of laws, by halving.
func quantileOf(laws []onward, p float64) float64 {
	below := func(x float64) (sum float64) {
		all := 0.0
		for _, l := range laws {
			sum += l.chance * distuv.Normal{Mu: l.mean, Sigma: l.sd}.CDF(x)
			all += l.chance
		}
		return sum / all
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range laws {
		low, high = math.Min(low, l.mean-8*l.sd), math.Max(high, l.mean+8*l.sd)
	}
	for range 64 {
		if middle := (low + high) / 2; below(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// bySizes predicts a cell from fewer of the same GPU, where at least two numbers of them
// ran the subject: at the global batch size, else at that of each GPU.
func (t *Table) bySizes(c Cell) (e estimate.Estimate, why string) {
	if t.mode != "train" || t.PerEpoch || t.cpus[c.Platform] {
		return e, ""
	}
	own := int(c.all())
	for _, same := range []func(o Cell) bool{
		func(o Cell) bool { return o.Batch == c.Batch },
		func(o Cell) bool { return o.Batch*own == c.Batch*int(o.all()) },
	} {
		var sizes []Size
		for _, p := range t.platforms[c.Subject] {
			for _, o := range t.cellsAt[p] {
				if o.Subject == c.Subject && t.gpus[p.VM] == t.gpus[c.VM] && same(o) {
					sizes = append(sizes, Size{int(o.all()), o.Batch, t.times[o]})
				}
			}
		}
		if e := AtSize(sizes, own, c.Batch); e.Known() {
			return e, fmt.Sprintf("from %d world sizes of the same GPU", len(sizes))
		}
	}
	return e, ""
}
