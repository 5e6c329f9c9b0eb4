package training

import (
	"fmt"
	"math"
	"slices"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// stretch is a part of a training whose steps are of one size.
type stretch struct {
	iterations float64
	least      float64 // work of a step in proportion to one of the first, by the least it grows
	most       float64 // by the most
}

// growth are the powers of a size that a step's work grows with, at least and at most: pixels
// of images; attention looks at pairs of words.
var growth = map[profile.SizeOf][2]float64{
	profile.Side: {2, 2}, profile.Length: {1, 2}, profile.Batch: {1, 1}, profile.Samples: {0, 0},
}

// stretchesOf are those of all n epochs of a training whose sizes are known; nil where they
// are not, or are of another number of epochs: a schedule may go by the part that is done.
func stretchesOf(r profile.Run, n float64) []stretch {
	if len(r.Sizes) == 0 || r.Epochs == nil || *r.Epochs != n || r.IterationsPerEpoch == nil {
		return nil
	}
	perEpoch, varies := *r.IterationsPerEpoch, false
	for _, s := range r.Sizes {
		if s.Iterations != nil {
			perEpoch = *s.Iterations
		}
		varies = varies || s.Of == profile.Batch || s.Of == profile.Samples
	}
	at := []float64{n}
	for _, s := range r.Sizes {
		if s.Per == "step" && varies {
			return nil // the epoch of a step is not known
		}
		for _, from := range s.From {
			if from /= per(s, perEpoch); from < n {
				at = append(at, from)
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	var out []stretch
	for i, from := range at[:len(at)-1] {
		part := stretch{iterations: (at[i+1] - from) * perEpoch, least: 1, most: 1}
		for _, s := range r.Sizes {
			ratio := sizeAt(s, from*per(s, perEpoch)) / s.Sizes[0]
			switch s.Of {
			case profile.Samples:
				part.iterations *= ratio
			case profile.Batch:
				part.iterations /= ratio
			}
			part.least *= math.Pow(ratio, growth[s.Of][0])
			part.most *= math.Pow(ratio, growth[s.Of][1])
		}
		out = append(out, part)
	}
	return out
}

// per is how many rounds of the size an epoch has.
func per(s profile.Size, perEpoch float64) float64 {
	if s.Per == "step" {
		return perEpoch
	}
	return 1
}

// sizeAt is the size in a round. What a round's place was rounded to is allowed for.
func sizeAt(s profile.Size, round float64) float64 {
	i, found := slices.BinarySearch(s.From, round*(1+1e-9))
	if !found {
		i--
	}
	return s.Sizes[i]
}

// sized is how many steady iterations, as long as those that were measured, a training of such
// stretches takes: at least, as is likely, and at most. Nothing shows yet which parts of a step
// stay, grow with its work by the least, and by the most; the ends are those of one part alone,
// and half of a step is likely to stay.
func sized(r profile.Run, parts []stretch) (low, likely, high float64) {
	none := func(stretch) float64 { return 1 }
	half := func(s stretch) float64 { return (1 + s.least) / 2 }
	least := func(s stretch) float64 { return s.least }
	most := func(s stretch) float64 { return s.most }
	of := func(work func(stretch) float64) float64 {
		sum := 0.0
		for _, s := range parts {
			sum += s.iterations * work(s)
		}
		return sum / measured(r, parts, work)
	}
	likely = of(half)
	a, b, c := of(none), of(least), of(most)
	return min(a, b, c, likely), likely, max(a, b, c, likely)
}

// measured is the mean work of the iterations that the steady one is the mean of.
func measured(r profile.Run, parts []stretch, work func(stretch) float64) float64 {
	first := 0.0
	if r.WarmupIterations != nil {
		first = float64(*r.WarmupIterations)
	}
	last, sum, at := first+float64(max(r.SteadyN, 1)), 0.0, 0.0
	for _, s := range parts {
		sum += work(s) * math.Max(0, math.Min(last, at+s.iterations)-math.Max(first, at))
		at += s.iterations
	}
	if seen := math.Min(last, at) - first; seen > 0 {
		return sum / seen
	}
	return 1
}

// HasSizes reports whether the sizes of n epochs of the training are known, and so its total.
func HasSizes(r profile.Run, n float64) bool { return stretchesOf(r, n) != nil }

// IsAtFirstSize reports whether all that was measured of a training was before its first
// change of size.
func IsAtFirstSize(r profile.Run) bool {
	if r.Epochs == nil {
		return false
	}
	parts, seen := stretchesOf(r, *r.Epochs), r.SteadyN
	if r.WarmupIterations != nil {
		seen += *r.WarmupIterations
	}
	return parts != nil && float64(seen) <= parts[0].iterations
}

// ScheduleWords says how the work of the training's steps changes over n epochs, and what its
// total takes for granted of it.
func ScheduleWords(r profile.Run, n float64) string {
	parts := stretchesOf(r, n)
	if parts == nil {
		return r.Schedule
	}
	words, least, most := "", 1.0, 1.0
	for _, s := range r.Sizes {
		if words != "" {
			words += ", "
		}
		words += sizeWords(s)
	}
	for _, p := range parts {
		least, most = min(least, p.most), max(most, p.most)
	}
	if least == most {
		return words + ": a step is assumed to take as long as before"
	}
	return fmt.Sprintf("%s: later steps are assumed to take %.3g–%.3g × as long", words, least, most)
}

func sizeWords(s profile.Size) string {
	first, last := s.Sizes[0], s.Sizes[len(s.Sizes)-1]
	verb := "grow"
	if last < first {
		verb = "shrink"
	}
	of := map[profile.SizeOf]string{
		profile.Side: "images", profile.Length: "sequences", profile.Batch: "batches",
		profile.Samples: "the samples of an epoch",
	}[s.Of]
	var when string
	switch {
	case len(s.From) == 1:
		return of + " stay as they are"
	case len(s.From) == 2:
		when = "after " + quantity.Several(int(s.From[1]), s.Per)
	default:
		when = fmt.Sprintf("from %[1]s to %[1]s", s.Per)
	}
	return fmt.Sprintf("%s %s from %.4g to %.4g %s", of, verb, first, last, when)
}
