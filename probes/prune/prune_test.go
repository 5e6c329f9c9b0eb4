package prune

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

func TestParse(t *testing.T) {
	for text, want := range map[string][]Degree{
		"0":                         {""},
		"0,0.3,0.5":                 {"", "0.3", "0.5"},
		" 30% , 0.3, 33.3 %":        {"0.3", "0.333"},
		"0:0.3:0.1":                 {"", "0.1", "0.2", "0.3"},
		"conv1=0.3,conv2=0.5":       {"conv1=0.3,conv2=0.5"},
		"conv2=50%, conv1=0.3":      {"conv1=0.3,conv2=0.5"},
		"conv10=0.1,conv2=0.1":      {"conv2=0.1,conv10=0.1"},
		"conv1=0.3;conv2=0.5":       {"conv1=0.3", "conv2=0.5"},
		"conv1=0.3,0,0.5;b.0=.25":   {"", "0.5", "conv1=0.3", "b.0=0.25"},
		"conv1=0.1:0.3:0.1":         {"conv1=0.1", "conv1=0.2", "conv1=0.3"},
		"conv1=0:50%:25%,conv2=0.5": {"conv2=0.5", "conv1=0.25,conv2=0.5", "conv1=0.5,conv2=0.5"},
		"a=0:0.1:0.1,b=0:0.1:0.1":   {"", "b=0.1", "a=0.1", "a=0.1,b=0.1"},
		"0=0.5,4=0.3":               {"0=0.5,4=0.3"},
	} {
		got, err := Parse(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
		// Written again it is the same.
		for _, d := range got {
			again, err := Parse(string(d))
			if d != "" && (err != nil || len(again) != 1 || again[0] != d || d.Check() != nil) {
				t.Errorf("%q is read again as %q, %v", d, again, err)
			}
		}
	}
}

// The study's plane: conv1 from 0 to 60 % and conv2 from 0 to 50 %, both ends included.
func TestGrid(t *testing.T) {
	got, err := Parse("conv1=0:0.6:0.1,conv2=0:0.5:0.1")
	if err != nil || len(got) != 7*6 {
		t.Fatalf("%d variants, %v", len(got), err)
	}
	for i := range 7 {
		for j := range 6 {
			want := []string{fmt.Sprintf("conv1=0.%d", i), fmt.Sprintf("conv2=0.%d", j)}
			want = slices.DeleteFunc(want, func(s string) bool { return strings.HasSuffix(s, "0.0") })
			if !slices.Contains(got, Degree(strings.Join(want, ","))) {
				t.Errorf("%q is missing in %q", want, got)
			}
		}
	}
}

func TestParseRefusesInOneSentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "a pruning is missing",
		"0.3,":                            "a pruning is missing",
		"0.3;;0.5":                        "a pruning is missing",
		"x":                               "is not a fraction",
		"30":                              "is above 1",
		"1":                               "leaves nothing of the model",
		"-0.1":                            "is not a fraction",
		"NaN":                             "is not a fraction",
		"conv1=":                          "is not a fraction",
		"=0.3":                            "is not the name of a layer",
		"a b=0.3":                         "is not the name of a layer",
		"conv1=0.3,conv1=0.5":             "named twice in one variant",
		"conv1=0.3=0.5":                   "is not the name of a layer",
		"conv1=100%":                      "leaves nothing",
		"conv1=0:1:0.5":                   "leaves nothing",
		"conv1=0:0.6":                     "is not a range",
		"conv1=0.6:0:0.1":                 "is not a range",
		"conv1=0:0.6:0":                   "is not a range",
		"conv1=0:0.6:0.25":                "end the range at 0.5",
		"0:0.9:0.0001":                    "is not a range",
		"a=0:0.9:0.01,b=0:0.9:0.01":       "wider steps",
		strings.Repeat("a", 300) + "=0.1": "is not the name",
	} {
		got, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestNamesAndProfiles(t *testing.T) {
	for d, want := range map[Degree]struct {
		name   string
		ratio  float64
		layers map[string]float64
	}{
		"0.3":                 {"pruned 30 %", 0.3, nil},
		"0.125":               {"pruned 12.5 %", 0.125, nil},
		"conv1=0.3,conv2=0.5": {"conv1 0.3, conv2 0.5", 0, map[string]float64{"conv1": 0.3, "conv2": 0.5}},
		"conv2=0.5":           {"conv2 0.5", 0, map[string]float64{"conv2": 0.5}},
	} {
		p := d.Profile()
		if d.Name() != want.name || (want.ratio > 0) != (p.Ratio != nil) || p.Ratio != nil && *p.Ratio != want.ratio ||
			!maps.Equal(p.Layers, want.layers) || p.Kind != "filters by L1 norm" {
			t.Errorf("%s: %q, %+v", d, d.Name(), p)
		}
		if again, ok := Of(p); !ok || again != d {
			t.Errorf("%s comes back as %q, %v", d, again, ok)
		}
	}
	if Degree("").Profile() != nil || Degree("").Name() != "" {
		t.Error("nothing removed is a pruning")
	}
	third := 1.0 / 3
	for _, c := range []struct {
		p    *profile.Pruning
		want Degree
		ok   bool
	}{
		{nil, "", true}, {&profile.Pruning{Kind: "magnitude"}, "", false},
		{&profile.Pruning{Ratio: &third}, "0.333333333", true},
		{&profile.Pruning{Layers: map[string]float64{"a b": 0.5}}, "a b=0.5", false},
	} {
		if d, ok := Of(c.p); d != c.want || ok != c.ok {
			t.Errorf("%+v: %q, %v", c.p, d, ok)
		}
	}
}

// A model is no smaller than another where none of its layers loses more.
func TestMayBeSmaller(t *testing.T) {
	for _, c := range []struct {
		d, other Degree
		want     bool
	}{
		{"", "", false}, {"", "0.3", false}, {"0.3", "", true}, {"0.3", "0.3", false}, {"0.5", "0.3", true},
		{"a=0.3", "a=0.3,b=0.1", false}, {"a=0.3,b=0.1", "a=0.3", true}, {"a=0.3", "b=0.9", true},
		{"a=0.3", "0.5", false}, {"a=0.6", "0.5", true}, {"0.1", "a=0.9,b=0.9", true},
	} {
		if got := c.d.MayBeSmaller(c.other); got != c.want {
			t.Errorf("%q beside %q: %v", c.d, c.other, got)
		}
	}
}
