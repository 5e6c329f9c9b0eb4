package workload

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/serving"
)

func ExampleParseKind() {
	w, err := ParseKind(`name=search,models=resnet50+a\+b,share=70%,slo=100ms,min-accuracy=88%`)
	fmt.Println(w.Name, w.Models, w.Share, w.LimitS, *w.MinAccuracy, err)
	// Output: search [resnet50 a+b] 0.7 0.1 0.88 <nil>
}

// near tells numbers apart beyond what whole nanoseconds round.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b)) }

func sameKind(a, b serving.Kind) bool {
	same := func(x, y *float64) bool { return (x == nil) == (y == nil) && (x == nil || near(*x, *y)) }
	if (a.Function == nil) != (b.Function == nil) || len(a.Measured) != len(b.Measured) ||
		strings.Join(a.Models, "\n") != strings.Join(b.Models, "\n") {
		return false
	}
	for i := range a.Measured {
		if !near(a.Measured[i].MemoryGiB, b.Measured[i].MemoryGiB) || !near(a.Measured[i].Seconds, b.Measured[i].Seconds) {
			return false
		}
	}
	if a.Function != nil && !(near(a.Function.Seconds(1), b.Function.Seconds(1)) &&
		near(a.Function.Seconds(3), b.Function.Seconds(3)) && near(a.Function.KneeGiB, b.Function.KneeGiB)) {
		return false
	}
	return a.Name == b.Name && a.VM == b.VM && a.Best == b.Best && near(a.Share, b.Share) && near(a.LimitS, b.LimitS) &&
		near(a.MemoryGiB, b.MemoryGiB) && same(a.MinAccuracy, b.MinAccuracy) && same(a.MaxUSDPerMillion, b.MaxUSDPerMillion)
}

// What is written of a kind of request is read as the same kind.
func TestKindsAreReadAsWritten(t *testing.T) {
	name := rapid.StringMatching(`[a-z\\,+=.0-9]{1,12}`).Filter(func(s string) bool { return s == strings.TrimSpace(s) })
	rapid.Check(t, func(t *rapid.T) {
		w := serving.Kind{Name: name.Draw(t, "name"), Wanted: serving.Wanted{Models: rapid.SliceOfN(name, 1, 3).Draw(t,
			"models"), Best: serving.Cost}}
		maybe := func(what string, set func()) {
			if rapid.Bool().Draw(t, what) {
				set()
			}
		}
		number := func(what string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, what) }
		maybe("vm", func() { w.VM = name.Draw(t, "vm") })
		maybe("share", func() { w.Share = number("share", 0.001, 1) })
		maybe("slo", func() { w.LimitS = number("slo", 0.001, 60) })
		maybe("accuracy", func() { w.MinAccuracy = new(number("accuracy", 0, 1)) })
		maybe("cost", func() { w.MaxUSDPerMillion, w.Best = new(number("cost", 0.01, 99)), serving.Accuracy })
		maybe("memory", func() { w.MemoryGiB = number("memory", 0.5, 10) })
		maybe("function", func() {
			m, err := serving.MemoryWith(number("time", 0.01, 9), 1.5, number("knee", 0.5, 10), number("fixed", 0, 1))
			if err != nil {
				t.Fatal(err)
			}
			w.Function = &m
		})
		text := KindText(w)
		got, err := ParseKind(text)
		if err != nil || !sameKind(got, w) {
			t.Fatalf("%s is read as %+v, not %+v: %v", text, got, w, err)
		}
	})
}

// Measured times stay what they are, and say so.
func TestMeasuredFunctionTimes(t *testing.T) {
	w, err := ParseKind("models=m,function-times=0.5:1.2s+1:600ms+2:310ms")
	if err != nil || len(w.Measured) != 3 || w.Function == nil {
		t.Fatalf("%+v, %v", w, err)
	}
	if text := KindText(w); text != "models=m,function-times=0.5:1200ms+1:600ms+2:310ms" {
		t.Error(text)
	}
}

func FuzzKind(f *testing.F) {
	for _, s := range []string{"name=a,models=x+y,share=60%,slo=200ms", "models=x,function-times=0.5:1s+1:600ms",
		"models=x,max-cost=$5,min-accuracy=0.8,vm=t", "models=x,function-knee=NaN", "=", ",,", "share=1e999,models=x",
		`name=a\,b,models=\++\\`, `models=\`, "models=+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w, err := ParseKind(s)
		if err != nil {
			return
		}
		if len(w.Models) == 0 || !(w.Share >= 0 && w.Share <= 1) || !(w.LimitS >= 0 && w.LimitS < 1e12) {
			t.Errorf("%q is read as %+v", s, w)
		}
		if again, err := ParseKind(KindText(w)); err != nil || strings.Join(again.Models, "\n") != strings.Join(w.Models,
			"\n") || again.Name != w.Name {
			t.Errorf("%q is written %q and read as %+v, %v", s, KindText(w), again, err)
		}
	})
}

func FuzzPhases(f *testing.F) {
	for _, s := range []string{"10,50,100,200", "1e3", "", "-1", "NaN", "1,,2", " 3 , 4 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rates, err := ParsePhases(s)
		if err != nil {
			return
		}
		for _, r := range rates {
			if !(r >= 0 && r <= serving.MaxPerSecond) {
				t.Errorf("%q has a load of %g", s, r)
			}
		}
		if again, err := ParsePhases(PhasesText(rates)); err != nil || len(again) != len(rates) {
			t.Errorf("%q is written %q", s, PhasesText(rates))
		}
	})
}
