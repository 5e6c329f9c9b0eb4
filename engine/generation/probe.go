package generation

import (
	"fmt"
	"math"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/tokens"
)

// Probe is how long a batch took on a GPU, measured by whoever asks.
type Probe struct {
	Batch
	Seconds float64
}

// Unlike is how far two batches differ in size and lengths, in logarithms.
func (b Batch) Unlike(o Batch) float64 {
	far := 0.0
	for _, pair := range [][2]int{{b.Sequences, o.Sequences}, {b.Input, o.Input}, {b.Output, o.Output}} {
		far += math.Abs(math.Log(float64(pair[0]) / float64(pair[1])))
	}
	return far
}

// Through are the seconds of a batch by the rule, as many times as long as a probe was on that GPU. How
// far ratios of the rule were off between published batches corrects that, and tells the interval. It
// is unknown without published figures.
func (s *Speeds) Through(b Batch, p Probe, gpu string) (e estimate.Estimate, why string) {
	g, known := s.set.GPUSpec(gpu)
	q, ok := p.asks(b, g)
	if !known || !ok {
		return e, ""
	}
	if e = s.ratios().Predict(q); !e.Known() {
		return e, ""
	}
	e.Basis = estimate.OtherBatch
	return e, fmt.Sprintf("one load of %d at once, %d tokens in and %d out, and the GPU's published figures", p.Sequences,
		p.Input, p.Output)
}

// asks is the rule's case for another batch on the same GPU.
func (p Probe) asks(b Batch, g profile.GPUSpec) (q tokens.Case, ok bool) {
	here, known := p.Plain(g)
	asked, also := b.Plain(g)
	if !known || !also || b.GPUs != p.GPUs {
		return q, false
	}
	model, chip := b.Architecture.Name, fmt.Sprint(chipOf(g.Name))
	q.Tags, q.Group = []string{model, chip, model + chip}, model+chip
	ratio := func(a, b int) float64 { return float64(a) / float64(b) }
	q.Plain, q.Shape = tokens.Ratio(here, p.Seconds, asked)
	q.Shape = append(q.Shape, tokens.Logs(float64(b.Sequences), float64(b.Input+b.Output), ratio(b.Sequences, p.Sequences),
		ratio(b.Input, p.Input), ratio(b.Output, p.Output), float64(b.GPUs))...)
	return q, true
}

// learn compares ratios of the rule with those between published batches.
func (s *Speeds) learn() *tokens.Corrections {
	var known []tokens.Known
	for _, p := range s.known {
		for _, b := range s.known {
			if p.Batch == b.Batch || p.Architecture != b.Architecture || p.gpu.Name != b.gpu.Name {
				continue
			}
			if q, ok := p.asks(b.Batch, p.gpu); ok {
				known = append(known, tokens.Known{Case: q, Seconds: b.Seconds})
			}
		}
	}
	return tokens.Learn(known)
}
