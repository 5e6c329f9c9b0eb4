// Package estimate holds the one kind of number sweetspot shows: a value with
// a 90 % interval and a stated basis.
package estimate

import (
	"fmt"
	"math"

	"sweetspot/engine/plaintext"
)

// Basis says what an estimate rests on, in falling order of trust. The zero
// value means that nothing is known.
type Basis uint8

// The bases of the profile database, strongest first.
const (
	Unknown Basis = iota
	Measured
	Published
	Reconstructed
	OtherBatch
	Transferred
	Spec
)

var basisNames = [...]string{"unknown", "measured", "published", "reconstructed", "other-batch", "transferred", "spec"}

// String returns the word used in columns, flags and JSON.
func (b Basis) String() string {
	if int(b) < len(basisNames) {
		return basisNames[b]
	}
	return basisNames[Unknown]
}

// MarshalText writes a basis as its word.
func (b Basis) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads what [Basis.MarshalText] wrote.
func (b *Basis) UnmarshalText(text []byte) (err error) {
	if string(text) == basisNames[Unknown] {
		*b = Unknown
		return nil
	}
	*b, err = ParseBasis(string(text))
	return err
}

// ParseBasis reads the word written by [Basis.String].
func ParseBasis(s string) (Basis, error) {
	for i, name := range basisNames {
		if s == name && i != int(Unknown) {
			return Basis(i), nil
		}
	}
	return Unknown, fmt.Errorf("basis %s is not one of measured, published, reconstructed, other-batch, transferred, spec",
		plaintext.Quote(s))
}

// Weakest returns the least trusted of the bases: the basis of anything
// computed from all of them. Unknown wins over everything.
func Weakest(bases ...Basis) Basis {
	weakest := Measured
	for _, b := range bases {
		if b == Unknown {
			return Unknown
		}
		weakest = max(weakest, b)
	}
	return weakest
}

// Z90 is the standard normal quantile that bounds a two-sided 90 % interval.
const Z90 = 1.6448536269514722

// Largest is above any plausible number, and its inverse below any plausible time:
// squares and products of numbers between them can be computed.
const Largest = 1e24

// Plausible reports whether something may have taken these seconds, or be so many
// units, bytes or dollars.
func Plausible(v float64) bool { return v == 0 || v >= 1/Largest && v <= Largest }

// Estimate is a value with its 90 % interval, Low ≤ Value ≤ High, in the unit
// its holder states. The zero Estimate is unknown.
type Estimate struct {
	Value, Low, High float64
	Basis            Basis
}

// Known reports whether there is a value at all.
func (e Estimate) Known() bool { return e.Basis != Unknown }

// Exact returns an estimate without uncertainty: a price of today, a count.
func Exact(v float64, b Basis) Estimate { return Estimate{v, v, v, b} }

// Spread returns v with the symmetric multiplicative interval
// [v/(1+rel), v·(1+rel)]: the natural one for times, which are positive and
// err by a factor.
func Spread(v, rel float64, b Basis) Estimate {
	return Estimate{Value: v, Low: v / (1 + rel), High: v * (1 + rel), Basis: b}
}

// Around returns v ± half, never below zero.
func Around(v, half float64, b Basis) Estimate {
	return Estimate{Value: v, Low: math.Max(0, v-half), High: v + half, Basis: b}
}

// Times scales the estimate by an exact non-negative factor.
func (e Estimate) Times(k float64) Estimate {
	return Estimate{e.Value * k, e.Low * k, e.High * k, e.Basis}
}

// Plus adds two estimates with independent errors: the half-widths on each
// side add in quadrature and the basis is the weaker one.
func (e Estimate) Plus(f Estimate) Estimate {
	v := e.Value + f.Value
	return Estimate{
		Value: v,
		Low:   v - math.Hypot(e.Value-e.Low, f.Value-f.Low),
		High:  v + math.Hypot(e.High-e.Value, f.High-f.Value),
		Basis: Weakest(e.Basis, f.Basis),
	}
}

// By multiplies two positive estimates with independent errors: on each side the
// distances of the logarithms add in quadrature. The basis is the first one's.
func (e Estimate) By(f Estimate) Estimate {
	v := e.Value * f.Value
	if !(e.Low > 0 && f.Low > 0) {
		return Estimate{v, e.Low * f.Low, e.High * f.High, e.Basis}
	}
	down := math.Hypot(math.Log(e.Value/e.Low), math.Log(f.Value/f.Low))
	up := math.Hypot(math.Log(e.High/e.Value), math.Log(f.High/f.Value))
	return Estimate{v, v * math.Exp(-down), v * math.Exp(up), e.Basis}
}

// Shifted adds what is exactly known.
func (e Estimate) Shifted(by float64) Estimate {
	return Estimate{e.Value + by, e.Low + by, e.High + by, e.Basis}
}

// HalfWidth is half the width of the interval relative to the value, as shown
// after ±; 0 for a value of 0.
func (e Estimate) HalfWidth() float64 {
	if e.Value == 0 {
		return 0
	}
	return (e.High - e.Low) / (2 * math.Abs(e.Value))
}

// LogSigma is the standard deviation of ln(value) of the log-normal whose 90 %
// interval has the same ratio of ends; 0 where there is no interval.
func (e Estimate) LogSigma() float64 {
	if e.Low <= 0 || e.High <= e.Low {
		return 0
	}
	return math.Log(e.High/e.Low) / (2 * Z90)
}
