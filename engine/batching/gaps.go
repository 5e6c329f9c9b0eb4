package batching

import (
	"math"
	"sort"
)

// Gaps is the distribution of the times between one token of a request and its
// next, to within 0.2 %: tokens counted by the leading bits of the gap.
type Gaps struct {
	tokens []int64
	total  int64
}

const (
	gapBits    = 8                          // of the fraction: bins are at most 0.4 % wide
	gapShift   = 52 - gapBits               //
	lowestGap  = (1023 - 40) << gapBits     // 2⁻⁴⁰ s; shorter gaps count as that
	highestGap = (1023 + 30) << gapBits     // 2³⁰ s
	gapBins    = highestGap - lowestGap + 1 //
	halfOfABin = 1 << (gapShift - 1)        //
)

func binOf(s float64) int {
	return min(max(int(math.Float64bits(s)>>gapShift)-lowestGap, 0), gapBins-1)
}

// add counts n gaps of each of some sequences, the first of s seconds and each
// longer by grow than the one before.
func (g *Gaps) add(s, grow float64, n, sequences int) {
	g.total += int64(n) * int64(sequences)
	for from := 0; from < n; {
		bin := binOf(s + grow*float64(from))
		to := n
		if binOf(s+grow*float64(n-1)) != bin {
			to = from + 1 + sort.Search(n-from-1, func(k int) bool { return binOf(s+grow*float64(from+1+k)) != bin })
		}
		g.tokens[bin] += int64(to-from) * int64(sequences)
		from = to
	}
}

// Tokens is how many gaps there are.
func (g *Gaps) Tokens() int64 { return g.total }

// Quantile is the gap in seconds that a share p in (0,1] of all gaps does not
// exceed; NaN where there are none.
func (g *Gaps) Quantile(p float64) float64 {
	if g.total == 0 {
		return math.NaN()
	}
	rank := int64(math.Ceil(p * float64(g.total)))
	for bin, n := range g.tokens {
		if rank -= n; rank <= 0 {
			return math.Float64frombits(uint64(bin+lowestGap)<<gapShift + halfOfABin)
		}
	}
	return math.NaN()
}

// merge adds the gaps of another replica.
func (g *Gaps) merge(o *Gaps) {
	g.total += o.total
	for bin, n := range o.tokens {
		g.tokens[bin] += n
	}
}
