package sliders

import (
	"math"

	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
	"sweetspot/tui/components/slider"
)

// ShowMemory marks the memory of a function that suits the limit. The slider goes there unless a
// size is set, in GiB.
func ShowMemory(s *slider.Slider, of *serving.Procured, setGiB float64) {
	suits, inTime := of.Memory.Suits(of.Settings.StrictLimitS, of.Settings.Function.Prices)
	s.Marks = []float64{suits}
	if setGiB > 0 {
		s.SetNote(quantity.Duration(of.Settings.Function.Seconds))
		return
	}
	s.Set(suits)
	s.SetNote("none is in time")
	if inTime {
		s.SetNote("cheapest in time")
	}
}

// ShowAccuracy has the slider reach over the variants to choose from. Where there are none it stays
// as it is.
func ShowAccuracy(s *slider.Slider, of *serving.Procured) {
	s.SetNote(quantity.Several(len(of.Served), "choice"))
	if len(of.Variants.List) == 0 {
		return
	}
	s.SetDirection(slider.AtLeast)
	if of.Variants.LowerIsBetter {
		s.SetDirection(slider.AtMost)
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range of.Variants.List {
		if !math.IsNaN(v.Accuracy) {
			lo, hi = min(lo, v.Accuracy), max(hi, v.Accuracy)
		}
	}
	if lo >= hi {
		lo, hi = Accuracy.Lo, Accuracy.Hi
	}
	s.SetRange(lo, hi)
}
