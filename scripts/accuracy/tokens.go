package main

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"sweetspot/engine/tokens"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

// asked is a question of a set with the answer, and which of its cases it is.
type asked struct {
	tokens.Known
	of, model string // for people; the model, whose cases err alike
}

// leaveOut asks the groups in so many folds, each answered by the others: nothing of a
// fold is known, neither to the regressions nor to their weights and intervals. Fewer
// folds hide more than is asked, more take longer.
func leaveOut(cases []asked, folds int) []validate.Case {
	fold := foldsOf(cases, folds)
	out := make([]validate.Case, len(cases))
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for f := range folds {
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			var others []tokens.Known
			for i, c := range cases {
				if fold[i] != f {
					others = append(others, c.Known)
				}
			}
			learned := tokens.Learn(others)
			for i, c := range cases {
				if fold[i] == f {
					out[i] = validate.Case{Of: c.of, Group: c.model, Truth: c.Seconds, Predicted: learned.Predict(c.Case),
						Plain: c.Plain}
				}
			}
		})
	}
	wait.Wait()
	return out
}

// foldsOf deals the groups out to folds, kind by kind, so that no fold hides most of one.
func foldsOf(cases []asked, folds int) []int {
	type group struct{ kind, name string }
	of := map[group]int{}
	for _, c := range cases {
		of[group{c.Kind, c.Group}] = 0
	}
	order := slices.SortedFunc(maps.Keys(of), func(a, b group) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name))
	})
	names := map[string]int{} // a group that is of several kinds is hidden from all at once
	for _, g := range order {
		if _, dealt := names[g.name]; !dealt {
			names[g.name] = len(names) % folds
		}
	}
	out := make([]int, len(cases))
	for i, c := range cases {
		out[i] = names[c.Group]
	}
	return out
}

// curve is a series of points that differ in one thing only.
type curve[T any] struct {
	about  T
	points []tokens.Point // rising, each At once
}

// curvesOf gathers measurements by key; repeats count as one, by their middle or mean.
func curvesOf[T any](all []T, key func(T) string, point func(T) tokens.Point, one func([]float64) float64) []curve[T] {
	about, at := map[string]T{}, map[string]map[float64][]float64{}
	for _, m := range all {
		k, p := key(m), point(m)
		if at[k] == nil {
			about[k], at[k] = m, map[float64][]float64{}
		}
		at[k][p.At] = append(at[k][p.At], p.Seconds)
	}
	var out []curve[T]
	for _, k := range slices.Sorted(maps.Keys(at)) {
		c := curve[T]{about: about[k]}
		for _, x := range slices.Sorted(maps.Keys(at[k])) {
			c.points = append(c.points, tokens.Point{At: x, Seconds: one(at[k][x])})
		}
		out = append(out, c)
	}
	return out
}

func meanOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func key(parts ...any) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprint(&b, p, "\x00")
	}
	return b.String()
}

// otherConcurrency asks for the TPOT between the ends of each series, from these or
// from the middle one too.
func otherConcurrency(points []convert.Serving, probes int, whole bool) []asked {
	var out []asked
	for _, c := range servingCurves(points) {
		n := len(c.points)
		if n < 3 {
			continue
		}
		low, middle, high := c.points[0], tokens.Middle(c.points), c.points[n-1]
		a := c.about
		for i := 1; i < n-1; i++ {
			there := key(a.Model, a.Backend, a.GPU, a.Precision)
			k := tokens.Known{Case: tokens.Case{
				Kind: a.Backend, Group: key(there, a.Version, a.Setup, a.Input, a.Output),
				Tags: []string{a.Model, there, key(there, a.Setup)},
			}, Seconds: c.points[i].Seconds}
			if whole {
				k.Group = there
			}
			switch {
			case probes == 2:
				k.Plain, k.Shape = tokens.Line(low, high, c.points[i].At)
			case i == middle:
				continue
			default:
				k.Plain, k.Shape = tokens.Parabola(low, c.points[middle], high, c.points[i].At)
			}
			k.Shape = append(k.Shape, tokens.Logs(a.Input, a.Output, a.GPUs)...)
			out = append(out, asked{Known: k, model: a.Model, of: fmt.Sprintf("%s on %s with %s, %v at once", a.Model, a.GPU,
				a.Backend, c.points[i].At)})
		}
	}
	return out
}

// batchKey is what the batches of a series have in common, but for their size or length.
func batchKey(b convert.Batch, besides float64) string {
	return key(b.Hardware, b.Count, b.Framework, b.Model, besides)
}

// otherBatch asks for the latency between the ends of batch sizes or of lengths.
func otherBatch(batches []convert.Batch, lengths, whole bool) []asked {
	at, besides := func(b convert.Batch) float64 { return b.Size }, func(b convert.Batch) float64 { return b.Length }
	rule, what := tokens.Line, "batch"
	if lengths {
		at, besides, rule, what = besides, at, tokens.Squares, "length"
	}
	curves := curvesOf(batches, func(b convert.Batch) string { return batchKey(b, besides(b)) },
		func(b convert.Batch) tokens.Point { return tokens.Point{At: at(b), Seconds: b.Seconds} }, meanOf)
	var out []asked
	for _, c := range curves {
		n := len(c.points)
		for i := 1; i < n-1; i++ {
			a := c.about
			plain, shape := rule(c.points[0], c.points[n-1], c.points[i].At)
			group := batchKey(a, besides(a))
			if whole {
				group = key(a.Hardware, a.Model, a.Framework)
			}
			out = append(out, asked{model: a.Model, of: fmt.Sprintf("%s on %v %s with %s, %s %v", a.Model, a.Count, a.Hardware,
				a.Framework, what, c.points[i].At), Known: tokens.Known{Seconds: c.points[i].Seconds, Case: tokens.Case{
				Kind: a.Framework, Group: group, Plain: plain,
				Tags:  []string{a.Hardware, key(a.Hardware, a.Model), key(a.Hardware, a.Model, a.Count)},
				Shape: append(shape, tokens.Logs(besides(a), a.Count)...),
			}}})
		}
	}
	return out
}
