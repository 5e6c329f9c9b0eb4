package estimate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

var allBases = []Basis{Unknown, Measured, Published, Reconstructed, OtherBatch, Transferred, Spec}

func TestBasisTravelsAsItsWord(t *testing.T) {
	for _, b := range allBases[1:] {
		text, err := b.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseBasis(string(text))
		if err != nil || back != b {
			t.Errorf("%q came back as %v, %v", text, back, err)
		}
	}
	for _, s := range []string{"unknown", "", "Measured", "guessed"} {
		if b, err := ParseBasis(s); err == nil {
			t.Errorf("ParseBasis(%q) = %v, want an error", s, b)
		}
	}
	if got := Basis(99).String(); got != "unknown" {
		t.Errorf("an impossible basis is called %q", got)
	}
}

func TestWeakest(t *testing.T) {
	for _, a := range allBases {
		for _, b := range allBases {
			want := max(a, b)
			if a == Unknown || b == Unknown {
				want = Unknown
			}
			if got := Weakest(a, b); got != want {
				t.Errorf("Weakest(%v, %v) = %v, want %v", a, b, got, want)
			}
		}
	}
}

// estimates draws estimates as measurements give them: positive, the interval
// around the value.
func estimates() *rapid.Generator[Estimate] {
	return rapid.Custom(func(t *rapid.T) Estimate {
		v := rapid.Float64Range(1e-6, 1e6).Draw(t, "value")
		return Estimate{
			Value: v,
			Low:   v * rapid.Float64Range(0.01, 1).Draw(t, "low"),
			High:  v * rapid.Float64Range(1, 100).Draw(t, "high"),
			Basis: rapid.SampledFrom(allBases[1:]).Draw(t, "basis"),
		}
	})
}

func TestPlus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := estimates().Draw(t, "a"), estimates().Draw(t, "b")
		sum := a.Plus(b)
		if sum != b.Plus(a) {
			t.Fatalf("%v + %v depends on the order", a, b)
		}
		const slack = 1e-9
		worst := sum.Value * slack
		switch {
		case sum.Value != a.Value+b.Value:
			t.Fatalf("value %g", sum.Value)
		case sum.Low > sum.Value || sum.High < sum.Value:
			t.Fatalf("%v is not around its value", sum)
		case sum.Low < a.Low+b.Low-worst || sum.High > a.High+b.High+worst:
			t.Fatalf("%v is wider than if both erred fully at once", sum)
		case sum.Value-sum.Low < max(a.Value-a.Low, b.Value-b.Low)-worst:
			t.Fatalf("%v is surer than one of its parts", sum)
		case sum.Basis != Weakest(a.Basis, b.Basis):
			t.Fatalf("basis %v", sum.Basis)
		}
	})
}

func TestTimesKeepsTheRelativeInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, k := estimates().Draw(t, "e"), rapid.Float64Range(1e-3, 1e3).Draw(t, "k")
		got := e.Times(k)
		if math.Abs(got.HalfWidth()-e.HalfWidth()) > 1e-9*(1+e.HalfWidth()) || math.Abs(got.LogSigma()-e.LogSigma()) > 1e-9 ||
			got.Basis != e.Basis {
			t.Fatalf("%v × %g = %v", e, k, got)
		}
	})
}

func TestSpreadIsSymmetricInFactors(t *testing.T) {
	e := Spread(10, 0.25, Published)
	if e.Low != 8 || e.High != 12.5 || e.Value != 10 {
		t.Errorf("got %+v, want 8 … 10 … 12.5", e)
	}
	if want := math.Log(1.25) / Z90; math.Abs(e.LogSigma()-want) > 1e-12 {
		t.Errorf("LogSigma %g, want %g", e.LogSigma(), want)
	}
}

func TestNarrowCases(t *testing.T) {
	if e := Around(1, 5, Measured); e.Low != 0 || e.High != 6 {
		t.Errorf("Around(1, 5) = %+v: a time is never below zero", e)
	}
	if e := Exact(3, Published); e.HalfWidth() != 0 || e.LogSigma() != 0 || !e.Known() {
		t.Errorf("Exact(3) = %+v", e)
	}
	var unknown Estimate
	if unknown.Known() || unknown.HalfWidth() != 0 || unknown.LogSigma() != 0 {
		t.Errorf("the zero estimate claims to know something: %+v", unknown)
	}
	if got := Spread(1, 0.1, Measured).Plus(unknown); got.Known() {
		t.Errorf("known + unknown = %+v, want unknown", got)
	}
}
