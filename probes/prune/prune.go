// Package prune reads and names degrees of pruning: a fraction of the filters of
// every convolution, or one for each of some layers, as in the TAR/CAR study
// (Rathnayake et al. 2020).
package prune

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Degree is what one variant of a model loses, written in one way only: "" for
// nothing, "0.3" of the filters of every convolution, "conv1=0.3,conv2=0.5" of
// those of two layers. [Parse] makes it.
type Degree string

// most bounds the degrees of one text: as many as a matrix may have probes.
const most = 256

// longest bounds a layer's name.
const longest = 200

// Parse reads degrees as users write them. Semicolons separate groups. In a
// group every fraction alone is a degree of its own, and the layers together are
// one: "0,30%; conv1=0.3,conv2=0.5". A range such as conv1=0:0.6:0.1 has both of
// its ends, and several ranges make a grid. Each degree is returned once.
func Parse(text string) ([]Degree, error) {
	var out []Degree
	for group := range strings.SplitSeq(text, ";") {
		degrees, err := parseGroup(group)
		if err != nil {
			return nil, err
		}
		if out = append(out, degrees...); len(out) > most {
			return nil, fmt.Errorf("%s are more than %d degrees of pruning; give fewer, or wider steps",
				plaintext.Quote(text), most)
		}
	}
	return unique(out), nil
}

func unique(degrees []Degree) []Degree {
	var out []Degree
	for _, d := range degrees {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func parseGroup(group string) ([]Degree, error) {
	var whole []Degree
	layers := []map[string]float64{{}} // a grid of the layers named so far
	for part := range strings.SplitSeq(group, ",") {
		if strings.TrimSpace(part) == "" {
			return nil, fmt.Errorf("a pruning is missing in %s; write 0.3, or conv1=0.3 for one layer", plaintext.Quote(group))
		}
		layer, text, named := cutLayer(part)
		values, err := fractions(text)
		if err != nil {
			return nil, err
		}
		if !named {
			for _, v := range values {
				whole = append(whole, canonical(map[string]float64{"": v}))
			}
			continue
		}
		if err := checkLayer(layer, layers[0]); err != nil {
			return nil, err
		}
		if layers = crossed(layers, layer, values); len(layers) > most {
			return nil, fmt.Errorf("the ranges of %s make more than %d variants; take wider steps",
				plaintext.Quote(group), most)
		}
	}
	if len(layers[0]) == 0 {
		return whole, nil
	}
	for _, l := range layers {
		whole = append(whole, canonical(l))
	}
	return whole, nil
}

func cutLayer(part string) (layer, text string, named bool) {
	if i := strings.LastIndexByte(part, '='); i >= 0 {
		return strings.TrimSpace(part[:i]), part[i+1:], true
	}
	return "", part, false
}

func checkLayer(layer string, others map[string]float64) error {
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '=' || r == ':' }
	_, twice := others[layer]
	switch {
	case layer == "" || len(layer) > longest || strings.ContainsFunc(layer, odd):
		return fmt.Errorf("%s is not the name of a layer; write it as conv1=0.3", plaintext.Quote(layer))
	case twice:
		return fmt.Errorf("%s is named twice in one variant; separate two variants by a semicolon", plaintext.Quote(layer))
	}
	return nil
}

// crossed combines every variant with every fraction of one more layer.
func crossed(layers []map[string]float64, layer string, values []float64) []map[string]float64 {
	var out []map[string]float64
	for _, l := range layers {
		for _, v := range values {
			next := maps.Clone(l)
			next[layer] = v
			out = append(out, next)
		}
	}
	return out
}

// fractions reads 0.3, 30% or the range 0:0.6:0.1.
func fractions(text string) ([]float64, error) {
	parts := strings.Split(text, ":")
	var v []float64
	for _, part := range parts {
		f, err := quantity.ParseFraction(part)
		if err != nil {
			return nil, err
		}
		v = append(v, rounded(f))
	}
	if len(v) == 1 {
		return v, below1(v[0], text)
	}
	if len(v) != 3 {
		return nil, fmt.Errorf("%s is not a range; write the first, the last and the step, as 0:0.6:0.1",
			plaintext.Quote(text))
	}
	return steps(v[0], v[1], v[2], text)
}

// steps lists a range with both of its ends.
func steps(first, last, step float64, text string) ([]float64, error) {
	n := math.Round((last - first) / step)
	switch {
	case first >= last || step <= 0 || n > most:
		return nil, fmt.Errorf("%s is not a range; write the first, the last and the step, as 0:0.6:0.1",
			plaintext.Quote(text))
	case math.Abs(first+n*step-last) > 1e-6:
		reached := rounded(first + math.Floor((last-first)/step)*step)
		return nil, fmt.Errorf("steps of %g from %g pass %g; end the range at %g, or take another step",
			step, first, last, reached)
	}
	var out []float64
	for i := range int(n) + 1 {
		out = append(out, rounded(first+float64(i)*step))
	}
	return out, below1(last, text)
}

func below1(v float64, text string) error {
	if v >= 1 {
		return fmt.Errorf("%s leaves nothing of the model; a fraction below 1, such as 0.3 or 30%%, removes three filters "+
			"in ten", plaintext.Quote(strings.TrimSpace(text)))
	}
	return nil
}

// rounded drops what dividing by 100 or adding up steps leaves behind.
func rounded(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// canonical writes fractions by layer, "" being every convolution; what nothing
// is removed from is left out.
func canonical(layers map[string]float64) Degree {
	var words []string
	for _, layer := range slices.SortedFunc(maps.Keys(layers), inOrder) {
		word := strconv.FormatFloat(rounded(layers[layer]), 'g', -1, 64)
		if layer != "" {
			word = layer + "=" + word
		}
		if layers[layer] > 0 {
			words = append(words, word)
		}
	}
	return Degree(strings.Join(words, ","))
}

// inOrder sorts conv2 before conv10.
func inOrder(a, b string) int {
	stem := func(s string) string { return strings.TrimRightFunc(s, unicode.IsDigit) }
	if x, y := stem(a), stem(b); x == y {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
	return strings.Compare(a, b)
}

// Check reports what is wrong with a degree that [Parse] did not make.
func (d Degree) Check() error {
	if d == "" {
		return nil
	}
	all, err := Parse(string(d))
	if err == nil && (len(all) != 1 || all[0] != d) {
		err = fmt.Errorf("%s is not one degree of pruning", plaintext.Quote(string(d)))
	}
	return err
}

// fractions by layer, "" being every convolution.
func (d Degree) fractions() map[string]float64 {
	out := map[string]float64{}
	for part := range strings.SplitSeq(string(d), ",") {
		layer, text, _ := cutLayer(part)
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			out[layer] = v
		}
	}
	return out
}

// Ratio is the fraction removed from every convolution, if it is the same.
func (d Degree) Ratio() (ratio float64, ok bool) {
	ratio, ok = d.fractions()[""]
	return ratio, ok
}

// Name is a variant's name in the database: "pruned 30 %", "conv1 0.3, conv2 0.5",
// or "" where nothing is removed.
func (d Degree) Name() string {
	if ratio, ok := d.Ratio(); ok {
		return fmt.Sprintf("pruned %.3g %%", 100*ratio)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(d), "=", " "), ",", ", ")
}

// filters names the harness's way of pruning: whole filters, the smallest L1 norm first
// (Li et al. 2017, the method of the TAR/CAR study).
const filters = "filters by L1 norm"

// Profile is the degree in a profile, nil where nothing is removed.
func (d Degree) Profile() *profile.Pruning {
	if ratio, ok := d.Ratio(); ok {
		return &profile.Pruning{Kind: filters, Ratio: &ratio}
	}
	if d == "" {
		return nil
	}
	return &profile.Pruning{Kind: filters, Layers: d.fractions()}
}

// Of is the degree of a variant in a profile; ok is false where the profile does
// not say what can be pruned again.
func Of(p *profile.Pruning) (d Degree, ok bool) {
	if p == nil {
		return "", true
	}
	layers := p.Layers
	if p.Ratio != nil {
		layers = map[string]float64{"": *p.Ratio}
	}
	d = canonical(layers)
	return d, len(layers) > 0 && d.Check() == nil
}

// Compare sorts the degrees that remove the most first.
func Compare(a, b Degree) int {
	x, y := a.fractions(), b.fractions()
	return cmp.Or(cmp.Compare(y[""], x[""]), cmp.Compare(sum(y), sum(x)), strings.Compare(string(a), string(b)))
}

func sum(layers map[string]float64) (total float64) {
	for _, layer := range slices.Sorted(maps.Keys(layers)) {
		total += layers[layer]
	}
	return total
}

// MayBeSmaller reports whether a model pruned to d may be smaller than one pruned
// to other: it is not where no layer loses more.
func (d Degree) MayBeSmaller(other Degree) bool {
	mine, theirs := d.fractions(), other.fractions()
	for layer, v := range mine {
		theirs := max(theirs[layer], theirs[""])
		if v > theirs {
			return true
		}
	}
	return false
}
