package transfer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/steady"
)

// row is one thing known, or asked: a deviation from the plain prediction, in
// units of the spread expected of it.
type row struct {
	at      []float64 // where, coordinates scaled so that 1 apart is half forgotten
	y       float64
	subject Subject
	place   Place
	dataset string
	octave  float64 // log2 of the batch size
	doubt   float64 // how much less it counts than others, as a factor on its variance less 1
}

// kernel is how much of a deviation two rows share, as a covariance, where they
// lie as near each other as measured by likeness.
type kernel func(x, y *row, near float64) float64

// likeness measures how near to each other two rows lie.
type likeness func(x, y *row) float64

// among is the likeness of rows to each other.
func (l likeness) among(rows []row) *mat.SymDense {
	if len(rows) == 0 {
		return nil
	}
	out := mat.NewSymDense(len(rows), nil)
	for i := range rows {
		for j := i; j < len(rows); j++ {
			out.SetSym(i, j, l(&rows[i], &rows[j]))
		}
	}
	return out
}

// to is the likeness of rows to one row.
func (l likeness) to(x *row, rows []row) []float64 {
	out := make([]float64, len(rows))
	for i := range rows {
		out[i] = l(x, &rows[i])
	}
	return out
}

// near falls from 1 to 0 with the distance of two rows.
func near(x, y *row) float64 {
	d := 0.0
	for i := range x.at {
		d += (x.at[i] - y.at[i]) * (x.at[i] - y.at[i])
	}
	return math.Exp(-d / 2)
}

// field is a Gaussian-process regression through rows. How far to trust it is
// learnt by leaving out each model in turn.
type field struct {
	rows      []row
	kernel    kernel
	noise     float64
	inverse   mat.SymDense
	weights   []float64
	scale     float64 // of the standard deviations, as found by leaving models out
	models    int
	evidence  float64 // logarithm of the likelihood of the rows, their scale left open
	z90       float64 // bounds the 90 % interval in standard deviations
	unchecked float64 // the scale where one model's rows cannot be held against another's
}

// priorModels is how many models' worth of trust the expected spread is given
// beside what leaving models out shows: a scale found on two is no more than a
// hint.
const priorModels = 2.0

// newField fits to rows of some likeness to each other; without rows it predicts
// 0 with the kernel's own spread.
func newField(rows []row, among *mat.SymDense, k kernel, noise, unchecked float64) *field {
	f := &field{rows: rows, kernel: k, noise: noise, scale: 1, z90: estimate.Z90, unchecked: unchecked}
	n := len(rows)
	if n == 0 {
		return f
	}
	cov := mat.NewSymDense(n, nil)
	y := mat.NewVecDense(n, nil)
	for i := range rows {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, k(&rows[i], &rows[j], among.At(i, j)))
		}
		cov.SetSym(i, i, cov.At(i, i)+noise*(1+rows[i].doubt))
		y.SetVec(i, rows[i].y)
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) || chol.InverseTo(&f.inverse) != nil {
		return newField(nil, nil, k, noise, unchecked) // not a number among the rows: know nothing
	}
	var w mat.VecDense
	w.MulVec(&f.inverse, y)
	f.weights = w.RawVector().Data
	f.evidence = -float64(n)/2*math.Log(mat.Dot(y, &w)/float64(n)+1e-12) - chol.LogDet()/2
	f.calibrate()
	f.z90 = f.bound()
	return f
}

// predict returns the deviation expected at x and its standard deviation, given
// the likeness of x to itself and to the rows.
func (f *field) predict(x *row, self float64, near []float64) (mean, sd float64) {
	variance := f.kernel(x, x, self) + f.noise
	if len(f.rows) == 0 {
		return 0, f.scale * math.Sqrt(variance)
	}
	k := make([]float64, len(f.rows))
	for i := range f.rows {
		k[i] = f.kernel(x, &f.rows[i], near[i])
		mean += k[i] * f.weights[i]
	}
	variance -= quadratic(&f.inverse, k)
	return mean, f.scale * math.Sqrt(math.Max(variance, f.noise/10))
}

// quadratic is v'·a·v, of which half is worked out: a is symmetric.
func quadratic(a *mat.SymDense, v []float64) float64 {
	raw, sum := a.RawSymmetric(), 0.0
	for i, x := range v {
		row := raw.Data[i*raw.Stride:][:raw.N]
		sum += x * (x*row[i] + 2*floats.Dot(row[i+1:], v[i+1:]))
	}
	return sum
}

// groups are the rows of each model, in the order of the rows.
func (f *field) groups() [][]int {
	var out [][]int
	of := map[string]int{}
	for i, r := range f.rows {
		g, seen := of[r.subject.Model]
		if !seen {
			g = len(out)
			of[r.subject.Model], out = g, append(out, nil)
		}
		out[g] = append(out[g], i)
	}
	return out
}

// calibrate sets the scale: the deviations of each model's rows from what the
// other models predict for them should be nine times of ten inside the
// interval. With C the inverse covariance they are C_gg⁻¹·(C·y)_g, of
// covariance C_gg⁻¹.
func (f *field) calibrate() {
	groups := f.groups()
	f.models = len(groups)
	if f.models < 2 {
		f.scale = f.unchecked
		return
	}
	var z []float64
	for _, g := range groups {
		z = append(z, f.leftOut(g)...)
	}
	if len(z) == 0 {
		return
	}
	slices.Sort(z)
	found := stat.Quantile(0.9, stat.LinInterp, z, nil) / estimate.Z90
	n := float64(f.models)
	f.scale = math.Sqrt((priorModels + n*found*found) / (priorModels + n))
}

// doubted are the rows, those of models that the others do not foretell as well
// as expected counting less by as much: what is odd about one model is no rule
// for the next.
func (f *field) doubted() []row {
	rows := slices.Clone(f.rows)
	if f.models <= fewModels {
		return rows
	}
	for _, g := range f.groups() {
		sum := 0.0
		for _, z := range f.leftOut(g) {
			sum += z * z
		}
		for _, i := range g {
			rows[i].doubt = math.Max(0, sum/float64(len(g))/(f.scale*f.scale)-1)
		}
	}
	return rows
}

// fewModels are too few to say which of them is the odd one.
const fewModels = 5

// leftOut are the sizes of the deviations of a model's rows from what the
// others predict, in standard deviations.
func (f *field) leftOut(rows []int) []float64 {
	n := len(rows)
	block, w := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, a := range rows {
		w.SetVec(i, f.weights[a])
		for j := i; j < n; j++ {
			block.SetSym(i, j, f.inverse.At(a, rows[j]))
		}
	}
	var chol mat.Cholesky
	var cov mat.SymDense
	if !chol.Factorize(block) || chol.InverseTo(&cov) != nil {
		return nil
	}
	var e mat.VecDense
	e.MulVec(&cov, w)
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Abs(e.AtVec(i)) / math.Sqrt(cov.At(i, i))
	}
	return out
}

// bound is that of the 90 % interval in standard deviations: Student's t where
// the scale was found on a few models and places.
func (f *field) bound() float64 {
	if f.models < 2 {
		return estimate.Z90
	}
	type pair struct {
		model string
		place Place
	}
	pairs := map[pair]bool{}
	for _, r := range f.rows {
		pairs[pair{r.subject.Model, r.place}] = true
	}
	return steady.T90(len(pairs) + 1)
}
