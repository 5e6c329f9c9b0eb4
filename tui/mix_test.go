package tui

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sweetspot/data/contract"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/tui/screens/traffic"
	"sweetspot/tui/screens/traffic/mix"
)

// assorted is a set of two models with runs of inference: served, and a slower and more accurate one.
func assorted(t testing.TB) *profile.Set {
	t.Helper()
	set := served(t)
	set.Models = append(set.Models, profile.Model{Name: "careful"})
	for _, batch := range []int{1, 8} {
		seconds := 0.08 * (1 + 0.4*float64(batch))
		set.Runs = append(set.Runs, profile.Run{ID: int64(len(set.Runs) + 1), Model: "careful", Mode: profile.Infer,
			Status: profile.Done, Variant: profile.Variant{Precision: "fp32"}, InstanceType: "desk", Count: 1, BatchSize: batch,
			Steady:        estimate.Around(seconds, 0.1*seconds, estimate.Measured),
			SteadyStdDevS: new(0.05 * seconds),
			Accuracy:      &profile.Accuracy{Metric: "top-1", Value: 0.96, HigherIsBetter: true}})
	}
	return set
}

func (d *driver) mix() *mix.Desk { return d.app.screens[3].(*traffic.Screen).Mix }

// mixed chooses a mix, with two kinds of request.
func mixed(t testing.TB, w, h int) *driver {
	t.Helper()
	d := drive(t, w, h, &shelf{set: assorted(t)})
	d.press("4", "m", "s", "e", "r", "v", "e", "d", "enter", "m", "m", "i", "x", "enter", "&")
	d.retype("name=review,models=careful+served,share=25%,slo=2s,min-accuracy=95%")
	if d.mix().Shown == nil || len(d.mix().Question().Kinds) != 2 {
		t.Fatalf("no mix of two:\n%s", d.screen())
	}
	return d
}

// retype replaces the line that is edited, and enters it.
func (d *driver) retype(line string) {
	d.send(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	for _, r := range line {
		d.send(press(string(r)))
	}
	d.press("enter")
}

// answered is what is described of the mix.
func (d *driver) answered() contract.Mix { return d.mix().Shown.Described }

func TestMixFrames(t *testing.T) {
	d := mixed(t, 120, 40)
	for _, size := range []struct{ w, h int }{{200, 50}, {160, 50}, {120, 40}, {80, 24}, {50, 15}, {39, 9}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			d.send(tea.WindowSizeMsg{Width: size.w, Height: size.h})
			d.exact()
			golden.RequireEqual(t, []byte(d.screen()))
		})
	}
}

// Each kind gets a model within its own limits; shares add up to all whatever is moved.
func TestMixScrubs(t *testing.T) {
	d := mixed(t, 120, 40)
	got := d.answered()
	if k := got.Kinds; len(k) != 2 || math.Abs(k[1].Share-0.25) > 0.001 || !strings.HasPrefix(k[1].Serves, "careful") ||
		!strings.HasPrefix(k[0].Serves, "careful") && !strings.HasPrefix(k[0].Serves, "served") {
		t.Fatalf("%+v", k)
	}
	first := d.mix().Question()
	shares := func() (out []float64) {
		for _, w := range d.mix().Question().Kinds {
			out = append(out, w.Share)
		}
		return out
	}
	d.press("enter", "4", "0", "enter") // the share of the kind that was added, which has the sliders
	if s := shares(); math.Abs(s[0]-0.6) > 1e-9 || math.Abs(s[1]-0.4) > 1e-9 {
		t.Errorf("shares of %v:\n%s", s, d.screen())
	}
	d.press("]")
	if s := shares(); math.Abs(s[0]+s[1]-1) > 1e-9 || !(s[1] > 0.4) {
		t.Errorf("shares of %v", s)
	}
	d.press("down", "enter", "1", "0", "0", "m", "s", "enter")
	if a := d.mix().Shown; a.Why == "" || a.Unserved != 1 || !strings.Contains(d.screen(), "nothing") {
		t.Errorf("at 100 ms the careful one is too slow, yet: %s\n%s", a.Why, d.screen())
	}
	d.exact()
	d.press("down", "home")
	d.press("enter", "8", "4", "enter")
	if q := d.mix().Question().Kinds[1]; q.MinAccuracy == nil || *q.MinAccuracy != 0.84 ||
		!strings.HasPrefix(d.answered().Kinds[1].Serves, "served") {
		t.Errorf("%+v", d.answered().Kinds)
	}
	d.press("down", "enter", "5", "enter")
	if q := d.mix().Question().Kinds[1]; q.MaxUSDPerMillion == nil || *q.MaxUSDPerMillion != 5 || q.Best != "accuracy" {
		t.Errorf("%+v", q)
	}
	d.press("down", "down", "enter", "6", "0", "0", "m", "s", "enter", "down", "enter", "4", "enter")
	k := d.answered().Kinds[1]
	if k.FunctionFrom != contract.FunctionGiven || d.mix().Question().Kinds[1].Function.KneeGiB != 4 {
		t.Errorf("%+v", k)
	}
	for range 20 {
		d.press("u")
	}
	if n := len(d.mix().Question().Kinds); n != 1 {
		t.Errorf("%d kinds before all", n)
	}
	d.press("U")
	if q := d.mix().Question(); !reflect.DeepEqual(q, first) {
		t.Errorf("the first step leads to %+v, not %+v", q, first)
	}
}

// The last row is of all requests, with sliders of what they share; the sums are those of the rows.
func TestMixOfAll(t *testing.T) {
	d := mixed(t, 120, 40)
	d.press("tab", "end")
	if d.mix().OnKind() || !strings.Contains(d.screen(), "all requests") {
		t.Fatalf("the last row is not of all:\n%s", d.screen())
	}
	usd := 0.0
	for _, k := range d.answered().Kinds {
		usd += *k.OwnUSD.Value
	}
	if total := *d.answered().USD.Value; math.Abs(usd-total) > 1e-9*total {
		t.Errorf("kinds cost %g, all %g", usd, total)
	}
	if s := d.mix().Found; s == nil || s.Described.USD.Low == nil || !(*s.Described.USD.Low < *s.Described.USD.High) {
		t.Errorf("no interval: %+v", s)
	}
	before := d.answered().Trace.Requests
	d.press("tab", "enter", "2", "enter")
	if n := d.answered().Trace.Requests; n != 2*before {
		t.Errorf("twice the load is %d requests, before %d", n, before)
	}
	cost := map[string]float64{}
	for _, s := range d.answered().Schemes {
		cost[s.Scheme] = s.CostUSD
	}
	d.press("down", "down", "down", "down", "down", "down", "down", "enter", "p", "r", "e", "s", "enter")
	for _, s := range d.answered().Schemes {
		if (s.CostUSD != cost[s.Scheme]) != (s.Scheme == "exascale") {
			t.Errorf("another predictor changes %s from %g to %g", s.Scheme, cost[s.Scheme], s.CostUSD)
		}
	}
	d.press("w", "p", "h", "a", "enter")
	d.retype("5,20,10")
	d.press("down", "down", "enter", "1", "0", "m", "enter")
	if tr := d.answered().Trace; tr.PeriodS != 1800 || tr.Requests != 2*600*35 ||
		!strings.Contains(d.screen(), "w: 3 phases") {
		t.Errorf("three phases of 10 m are %+v:\n%s", tr, d.screen())
	}
	d.exact()
}

// Kinds are added, changed, removed and brought back; what is wrong is said where it is typed.
func TestMixKinds(t *testing.T) {
	d := mixed(t, 120, 40)
	d.press("E")
	for words, line := range map[string]string{"names no models": "name=x", "name each kind differently": "name=served," +
		"models=served", "is not one of": "models=served,speed=3", "give 1ms to 1h": "models=served,slo=9h",
		"needs two": "models=served,function-times=1:1s"} {
		d.retype(line)
		if !strings.Contains(d.screen(), words) {
			t.Errorf("%s does not say %s:\n%s", line, words, d.screen())
		}
	}
	d.retype(`name=a\,b,models=careful,share=50%,slo=3s,function-times=1:400ms+2:210ms`)
	k := d.answered().Kinds[1]
	if k.Name != "a,b" || math.Abs(k.Share-0.5) > 0.001 || k.FunctionFrom != contract.FunctionMeasured ||
		k.LimitS != 3 {
		t.Errorf("%+v", k)
	}
	d.press("&", "enter") // as it is offered
	if n := len(d.mix().Question().Kinds); n != 3 || !strings.Contains(d.screen(), "kind 3 of 3") {
		t.Fatalf("%d kinds:\n%s", n, d.screen())
	}
	d.press("m", "c", "a", "r", "enter")
	if m := d.mix().Question().Kinds[2].Models; len(m) != 1 || m[0] != "careful" {
		t.Errorf("models %v", m)
	}
	d.press("n", "d", "e", "s", "k", "enter")
	if vm := d.mix().Question().Kinds[2].VM; vm != "desk" {
		t.Errorf("the VM type is %q", vm)
	}
	d.press("D", "D")
	if n := len(d.mix().Question().Kinds); n != 1 || len(d.answered().Kinds) != 1 || d.answered().Kinds[0].Share != 1 {
		t.Errorf("%d kinds:\n%s", n, d.screen())
	}
	if d.press("D"); len(d.mix().Question().Kinds) != 1 {
		t.Errorf("no kind is left")
	}
	d.press("u", "u")
	if n := len(d.mix().Question().Kinds); n != 3 {
		t.Errorf("%d kinds are back", n)
	}
	d.exact()
	d.press("tab", "end", "m", "n", "o", " ", "m", "o", "d", "enter")
	if s := d.screen(); !strings.Contains(s, "the study's m4.large") {
		t.Errorf("no way back to one model:\n%s", s)
	}
}

// A trace with a column model has the kinds and their shares; a slider takes them over.
func TestMixOfANamedTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "named.csv")
	if err := os.WriteFile(path, []byte("second,requests,model\n0,30,review\n0,10,served\n5,30,review\n9,10,served\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	d := drive(t, 120, 40, &shelf{set: assorted(t)})
	d.press("4", "m", "m", "i", "x", "enter")
	if q, a := d.mix().Question(), d.mix().Shown; len(q.Kinds) != 1 || a.Why != "" {
		t.Fatalf("a mix begins with %+v, %s", q.Kinds, a.Why)
	}
	d.press("E")
	d.retype("name=review,models=careful,slo=2s")
	d.press("o")
	for _, r := range path {
		d.send(press(string(r)))
	}
	d.press("enter")
	q := d.mix().Question()
	if len(q.Kinds) != 2 || !q.FromTrace || q.Kinds[0].Name != "review" || q.Kinds[0].Models[0] != "careful" ||
		q.Kinds[1].Models[0] != "served" || q.Kinds[0].Share != 0.75 {
		t.Fatalf("%+v\n%s", q, d.screen())
	}
	if k := d.answered().Kinds; k[0].Requests != 60 || k[1].Requests != 20 {
		t.Errorf("%+v", k)
	}
	d.press("enter", "5", "0", "enter")
	if k := d.answered().Kinds; d.mix().Question().FromTrace || k[0].Requests != 40 || k[1].Requests != 40 {
		t.Errorf("%+v", k)
	}
	d.press("tab", "end", "0")
	if q := d.mix().Question(); !q.FromTrace || q.Kinds[0].Share != 0.75 {
		t.Errorf("%+v", q)
	}
}

func TestMixIsWritten(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	d := mixed(t, 120, 40)
	d.press("e")
	d.name("mine.json")
	data, err := os.ReadFile(filepath.Join(dir, "mine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m contract.Mix
	if err := json.Unmarshal(data, &m); err != nil || len(m.Kinds) != 2 || m.USD.Low == nil ||
		m.Command != "traffic mix" {
		t.Errorf("%v: %s", err, data)
	}
}
