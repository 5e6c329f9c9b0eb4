package profile

import (
	"encoding/json"
	"errors"
	"math"
)

// Size is a number that the work of a training's steps hangs on, as its script's text decides
// it: the side of the images, the length of the sequences, the batch, or the samples of an
// epoch, round by round.
type Size struct {
	Of         SizeOf    `json:"of"`                   // images' side, sequences' length, batch, or an epoch's samples
	Per        string    `json:"per"`                  // epoch or step
	From       []float64 `json:"from"`                 // the round, from 0, from which on it has each value; rising
	Sizes      []float64 `json:"sizes"`                // above 0
	Iterations *float64  `json:"iterations,omitempty"` // of the first epoch; null where they are not known
}

// SizeOf is what a size is of.
type SizeOf string

// The sizes.
const (
	Side    SizeOf = "side"    // of images
	Length  SizeOf = "length"  // of sequences
	Batch   SizeOf = "batch"   // samples of a step
	Samples SizeOf = "samples" // of an epoch
)

// mostSizes bounds the stretches of one size that are kept.
const mostSizes = 512

var errSizes = errors.New("sizes are a list of {of, per, from, sizes, iterations}, as `export --runs` writes it")

// ParseSizes reads what [FormatSizes] wrote; nil of an empty text and of null.
func ParseSizes(text string) ([]Size, error) {
	if text == "" {
		return nil, nil
	}
	var all []Size
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) > 4 {
		return nil, errSizes
	}
	for _, s := range all {
		if !s.isPlausible() {
			return nil, errSizes
		}
	}
	return all, nil
}

// FormatSizes writes them as JSON; "" of none.
func FormatSizes(s []Size) string {
	if len(s) == 0 {
		return ""
	}
	text, err := json.Marshal(s)
	if err != nil {
		return "" // it holds a number that is not finite, which nothing plausible does
	}
	return string(text)
}

func (s Size) isPlausible() bool {
	of := s.Of == Side || s.Of == Length || s.Of == Batch || s.Of == Samples
	if !of || s.Per != "epoch" && s.Per != "step" || len(s.From) != len(s.Sizes) || len(s.From) == 0 ||
		len(s.From) > mostSizes || s.From[0] != 0 || s.Iterations != nil && !(*s.Iterations > 0 && *s.Iterations < 1e12) {
		return false
	}
	for i, v := range s.Sizes {
		if !(v > 0 && v < 1e12) || i > 0 && !(s.From[i] > s.From[i-1]) || math.IsInf(s.From[i], 0) {
			return false
		}
	}
	return true
}
