package objective

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestListIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range All() {
		if o.Unit == "" || o.Label == "" || o.Flag == "" || o.Help == "" || o.Best == "" || o.Verb == "" || o.Write == nil ||
			o.Read == nil {
			t.Errorf("%s lacks something: %+v", o.Name, o)
		}
		if !strings.Contains(o.Limit, string(o.Name)) || !strings.Contains(o.Flag, string(o.Name)) {
			t.Errorf("%s: the limit is called %s and --%s", o.Name, o.Limit, o.Flag)
		}
		for _, name := range []string{string(o.Name), o.Flag, o.Limit} {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
		if got, ok := Of(o.Name); !ok || got.Name != o.Name {
			t.Errorf("%s is not found: %+v", o.Name, got)
		}
	}
	if _, ok := Of("beauty"); ok {
		t.Error("beauty is an objective")
	}
}

func TestPairs(t *testing.T) {
	var keys []string
	for _, p := range All()[:4].Pairs() {
		keys = append(keys, p.Key())
	}
	want := []string{"time_accuracy", "cost_accuracy", "energy_accuracy", "time_cost", "time_energy", "cost_energy"}
	if !slices.Equal(keys, want) {
		t.Error(keys)
	}
}

func TestDirection(t *testing.T) {
	loss := All().InMetric("loss", false)[0]
	accuracy := All()[0]
	for _, c := range []struct {
		o        Objective
		v, limit float64
		want     bool
	}{
		{accuracy, 0.7, 0.7, true}, {accuracy, 0.69, 0.7, false}, {accuracy, math.NaN(), 0.7, false},
		{loss, 0.7, 0.7, true}, {loss, 0.71, 0.7, false}, {loss, math.NaN(), 0.7, false},
	} {
		if got := c.o.Within(c.v, c.limit); got != c.want {
			t.Errorf("%s %v within %v: %v", c.o.Label, c.v, c.limit, got)
		}
	}
	if loss.Write(2.345678) != "2.346" || accuracy.Write(0.7) != "70.0 %" || loss.Sign() != "≤" || accuracy.Sign() != "≥" {
		t.Error(loss.Write(2.345678), accuracy.Write(0.7), loss.Sign(), accuracy.Sign())
	}
}

func TestEachKeepsItsOrder(t *testing.T) {
	e := ForEach(All()[:4].Minimized(), func(o Objective) *float64 {
		if o.Name == Cost {
			return nil
		}
		return new(1.5)
	})
	text, err := json.Marshal(e)
	if want := `{"time":1.5,"cost":null,"energy":1.5}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	var back Each[*float64]
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, e) {
		t.Errorf("%v, %v, want %v", back, err, e)
	}
	if back.Of(Cost) != nil || *back.Of(Energy) != 1.5 || back.Of("beauty") != nil {
		t.Error(back)
	}
}
