package library

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// kinds computes the 90 % spread for single numbers of each basis, from the
// numbers of the library that can be compared with others.
func kinds(runs []profile.Run) map[estimate.Basis]profile.Kind {
	out := map[estimate.Basis]profile.Kind{}
	if errors := reconstructionErrors(runs); len(errors) > 0 {
		slices.Sort(errors)
		rel := math.Exp(stat.Quantile(0.9, stat.LinInterp, errors, nil)) - 1
		out[estimate.Reconstructed] = profile.Kind{
			Rel: rel,
			Words: fmt.Sprintf("±%.0f %%: 90 %% of %d totals predicted from reconstructed times are this close to the "+
				"published ones", 100*rel, len(errors)),
		}
	}
	if sigmas := relativeDeviations(runs); len(sigmas) > 0 {
		slices.Sort(sigmas)
		median := stat.Quantile(0.5, stat.LinInterp, sigmas, nil)
		rel := estimate.Z90 * median
		out[estimate.Published] = profile.Kind{
			Rel: rel,
			Words: fmt.Sprintf("±%.0f %%: 90 %% interval for the median standard deviation, %.1f %%, of %d published totals",
				100*rel, 100*median, len(sigmas)),
		}
	}
	return out
}

// reconstructionErrors returns |ln(real / predicted)| of the runs that have
// both: start-up, steady iteration and epochs, and a real total. The
// prediction is the iteration-time method without validation: the first
// iteration is part of the start-up.
func reconstructionErrors(runs []profile.Run) []float64 {
	var errors []float64
	for _, r := range runs {
		startup, known := r.Startup()
		if r.Basis != estimate.Reconstructed || !known || !r.Steady.Known() ||
			r.Epochs == nil || r.IterationsPerEpoch == nil || r.TotalS == nil {
			continue
		}
		predicted := startup + r.Steady.Value*(*r.Epochs**r.IterationsPerEpoch-1)
		errors = append(errors, math.Abs(math.Log(*r.TotalS/predicted)))
	}
	return errors
}

// relativeDeviations returns the standard deviations of the published totals,
// relative to them.
func relativeDeviations(runs []profile.Run) []float64 {
	var sigmas []float64
	for _, r := range runs {
		if r.Basis == estimate.Published && r.TotalS != nil && r.TotalStdDevS != nil && *r.TotalS > 0 {
			sigmas = append(sigmas, *r.TotalStdDevS / *r.TotalS)
		}
	}
	return sigmas
}

// accuracyKind is the 90 % spread for a single accuracy: that of the published
// accuracies with a standard deviation.
func accuracyKind(runs []profile.Run) profile.Kind {
	seen := map[float64]bool{}
	var sigmas []float64
	for _, r := range runs {
		// One accuracy belongs to several VM types; it counts once.
		if a := r.Accuracy; a != nil && a.StdDev != nil && r.Basis == estimate.Published && !seen[a.Value] {
			seen[a.Value] = true
			sigmas = append(sigmas, *a.StdDev)
		}
	}
	if len(sigmas) == 0 {
		return profile.Kind{}
	}
	slices.Sort(sigmas)
	half := estimate.Z90 * stat.Quantile(0.5, stat.LinInterp, sigmas, nil)
	return profile.Kind{Rel: half, Words: fmt.Sprintf("±%.1f points: 90 %% interval for the median standard "+
		"deviation of %d published accuracies", 100*half, len(sigmas))}
}
