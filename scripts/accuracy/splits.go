package main

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"sweetspot/engine/estimate"
	"sweetspot/engine/validate"
)

// Cases of one model, or of one system, err alike: how well a question is
// answered hangs on which ones there are. A constant that fits some of them
// only shows in how far halves of them differ, and whatever they are called,
// since all splits into halves are looked at, or very many drawn by a generator
// that does not know their names.

// splits is what they show, as fractions.
type splits struct {
	groups         int
	mean, coverage span // of the middle nine of ten halves; of the only group, where there is but one
	one            span // of the mean errors of the groups, each by itself
	beside         span // of the mean error less the baseline's, over groups drawn with replacement
}

type span struct{ low, high float64 }

const (
	allSplits   = 12   // groups whose splits are all looked at: 924 of twelve
	drawnSplits = 1000 // of more groups
)

// tally is what the mean and the coverage of cases are made of, and adds up.
type tally struct {
	n, errors, withInterval, inside float64
	compared, excess                float64 // cases that the baseline answers too, and by how much its errors are less
}

func (t tally) plus(o tally) tally {
	return tally{t.n + o.n, t.errors + o.errors, t.withInterval + o.withInterval, t.inside + o.inside,
		t.compared + o.compared, t.excess + o.excess}
}

func (t tally) mean() float64     { return t.errors / t.n }            // NaN without cases
func (t tally) coverage() float64 { return t.inside / t.withInterval } // likewise

// tallies are those of each group with an answer, in the order of the cases.
func tallies(cases []validate.Case) []tally {
	var out []tally
	at := map[string]int{}
	for _, c := range cases {
		e := c.Predicted
		if !e.Known() {
			continue
		}
		i, seen := at[c.Group]
		if !seen {
			i = len(out)
			at[c.Group], out = i, append(out, tally{})
		}
		t := tally{n: 1, errors: c.Error()}
		if e.High > e.Low {
			t.withInterval = 1
			if e.Low <= c.Truth && c.Truth <= e.High {
				t.inside = 1
			}
		}
		if !math.IsNaN(c.Plain) {
			t.compared, t.excess = 1, c.Error()-math.Abs(c.Plain/c.Truth-1)
		}
		out[i] = out[i].plus(t)
	}
	return out
}

func splitsOf(cases []validate.Case) splits {
	groups := tallies(cases)
	var means, coverages, ones []float64
	for _, g := range groups {
		ones = append(ones, g.mean())
	}
	for _, half := range halves(len(groups)) {
		sum := tally{}
		for _, i := range half {
			sum = sum.plus(groups[i])
		}
		means, coverages = append(means, sum.mean()), append(coverages, sum.coverage())
	}
	return splits{
		groups: len(groups), mean: between(means, 0.05, 0.95), coverage: between(coverages, 0.05, 0.95),
		one: between(ones, 0, 1), beside: besideBaseline(groups),
	}
}

// besideBaseline is by how much the mean error exceeds the baseline's, as a paired
// bootstrap over the groups has it: the middle nine of ten draws (Efron and
// Tibshirani, 1993, chapter 13).
func besideBaseline(groups []tally) span {
	draw := rand.New(rand.NewPCG(3, 4))
	var excesses []float64
	for range drawnSplits {
		sum := tally{}
		for range groups {
			sum = sum.plus(groups[draw.IntN(len(groups))])
		}
		excesses = append(excesses, sum.excess/sum.compared)
	}
	return between(excesses, 0.05, 0.95)
}

// halves lists halves of n groups by their places: all there are, or as many as
// are drawn. Of an odd number the half has one more or one less; one group is
// its own half.
func halves(n int) [][]int {
	if n < 2 {
		return [][]int{slices.Repeat([]int{0}, n)}
	}
	var out [][]int
	if n <= allSplits {
		for set := range uint(1) << n {
			if size := bits.OnesCount(set); size == n/2 || size == n-n/2 {
				out = append(out, membersOf(set))
			}
		}
		return out
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range drawnSplits / 2 {
		order := draw.Perm(n)
		out = append(out, order[:n/2], order[n/2:])
	}
	return out
}

func membersOf(set uint) []int {
	var out []int
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros(set))
	}
	return out
}

// between are two quantiles of what is a number.
func between(x []float64, low, high float64) span {
	x = slices.DeleteFunc(x, math.IsNaN)
	slices.Sort(x)
	return span{estimate.Quantile(x, low), estimate.Quantile(x, high)}
}
