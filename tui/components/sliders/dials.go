package sliders

import "sweetspot/tui/components/slider"

// Dial is a slider that always has a value, and the number of a question that it
// sets.
type Dial[Q any] struct {
	slider.Config
	At func(q *Q) *float64
}

// Dials are the sliders of dials.
func Dials[Q any](dials []Dial[Q]) (s Stack) {
	for _, d := range dials {
		s.All = append(s.All, slider.NewDial(d.Config))
	}
	return s
}
