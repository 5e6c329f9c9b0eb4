package transfer

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// blend is the mean of several regressions through the same rows, each counting
// as much as the rows speak for it.
type blend struct {
	alike  likeness
	fields []*field
	share  []float64 // of each, together 1
}

// newBlend weighs the regressions by their evidence. The rows of one model are
// not so many witnesses: together they count as one.
func newBlend(fields []*field, alike likeness) *blend {
	b := &blend{alike: alike, fields: fields, share: make([]float64, len(fields))}
	most, sum := math.Inf(-1), 0.0
	for _, f := range fields {
		most = math.Max(most, f.evidence)
	}
	for i, f := range fields {
		b.share[i] = math.Exp((f.evidence - most) * float64(f.models) / math.Max(float64(len(f.rows)), 1))
		sum += b.share[i]
	}
	for i := range b.share {
		b.share[i] /= sum
	}
	return b
}

// leastShare is what a regression must count to be asked.
const leastShare = 0.05

// sure is the blend whose odd models count less, see doubted.
func (b *blend) sure(among *mat.SymDense) *blend {
	out := &blend{alike: b.alike, fields: make([]*field, len(b.fields)), share: b.share}
	for i, f := range b.fields {
		if out.fields[i] = f; b.share[i] >= leastShare {
			out.fields[i] = newField(f.doubted(), among, f.kernel, f.noise, f.unchecked)
			out.fields[i].scale = f.scale // its own is without the odd ones
		}
	}
	return out
}

// predict returns the deviation expected at x and its standard deviation, what
// the regressions differ by included.
func (b *blend) predict(x *row) (mean, sd float64) {
	near, self := b.alike.to(x, b.fields[0].rows), b.alike(x, x)
	squares, asked := 0.0, 0.0
	for i, f := range b.fields {
		if b.share[i] >= leastShare {
			m, s := f.predict(x, self, near)
			mean += b.share[i] * m
			squares += b.share[i] * (m*m + s*s)
			asked += b.share[i]
		}
	}
	mean /= asked
	return mean, math.Sqrt(math.Max(squares/asked-mean*mean, 0))
}

// z90 bounds the 90 % interval in standard deviations.
func (b *blend) z90() float64 { return b.fields[0].z90 }
