package tokens

import (
	"cmp"
	"math"
	"slices"

	"sweetspot/engine/profile"
)

// Loads are those of a server that can be told of, by length and number: the numbers that are asked
// for, or where there are none those that were measured and powers of two between these. Zero lengths of
// the load that is asked for stand for all that were measured.
func (s *Served) Loads(on profile.Server, atOnce []float64, lengths Load) (out []Load) {
	for _, c := range slices.Concat(s.tpot.of(on), s.latency.of(on)) {
		l := Load{Input: c.common[0], Output: c.common[1]}
		if lengths.Input > 0 || lengths.Output > 0 {
			l.Input, l.Output = cmp.Or(lengths.Input, l.Input), cmp.Or(lengths.Output, l.Output)
		}
		numbers := atOnce
		if len(numbers) == 0 {
			numbers = c.numbers()
		}
		for _, n := range numbers {
			l.AtOnce = n
			listed := func(o Load) bool { return o.AtOnce == n && byNumber.matches(byNumber.common(o), byNumber.common(l)) }
			if !slices.ContainsFunc(out, listed) {
				out = append(out, l)
			}
		}
	}
	slices.SortFunc(out, func(a, b Load) int {
		return cmp.Or(cmp.Compare(a.Input, b.Input), cmp.Compare(a.Output, b.Output), cmp.Compare(a.AtOnce, b.AtOnce))
	})
	return out
}

// of are the curves of a server, and of others that tell of it, each with the lengths of the server's own.
func (m *measure) of(on profile.Server) (out []curve) {
	for _, c := range m.byNumber {
		if !c.server.Same(on) {
			continue
		}
		out = append(out, c)
		for _, o := range m.byNumber {
			if o.mirrors(&c) {
				o.common = c.common
				out = append(out, o)
			}
		}
	}
	return out
}

// numbers are those of a curve that were measured, and powers of two between them.
func (c *curve) numbers() (out []float64) {
	for _, s := range c.samples {
		out = append(out, s.At)
	}
	first, last := out[0], out[len(out)-1]
	for n := math.Exp2(math.Ceil(math.Log2(first))); n < last; n *= 2 {
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
