package question

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
)

// Models whose names differ in case alone come in one order.
func TestQuestionsHaveOneOrder(t *testing.T) {
	var set profile.Set
	for _, model := range []string{"net", "NET", "Net", "nET", "neT"} {
		set.Runs = append(set.Runs, profile.Run{Model: model, Mode: profile.Infer,
			Steady: estimate.Exact(1, estimate.Measured)})
	}
	want := Questions(&set)
	for range 50 {
		if got := Questions(&set); !slices.Equal(got, want) {
			t.Fatalf("%v now, %v before", got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	of := func(model string, mode profile.Mode, n int) []profile.Run {
		out := make([]profile.Run, n)
		for i := range out {
			out[i] = profile.Run{Model: model, Mode: mode, Steady: estimate.Exact(1, estimate.Measured)}
		}
		return out
	}
	var set profile.Set
	set.Runs = append(set.Runs, of("fcn", profile.Train, 5)...)
	set.Runs = append(set.Runs, of(Opening, profile.Infer, 2)...)
	set.Runs = append(set.Runs, of("resnet", profile.Train, 1)...)
	set.Runs = append(set.Runs, of("resnet", profile.Infer, 3)...)
	set.Runs = append(set.Runs, profile.Run{Model: "empty", Mode: profile.Train})
	for name, c := range map[string]struct {
		model string
		mode  profile.Mode
		want  Question
		err   string
	}{
		"nothing said":           {"", "", Question{Model: Opening, Mode: profile.Infer}, ""},
		"only training":          {"", profile.Train, Question{Model: "fcn", Mode: profile.Train}, ""},
		"most runs of the model": {"resnet", "", Question{Model: "resnet", Mode: profile.Infer}, ""},
		"another case":           {"ResNet", profile.Train, Question{Model: "resnet", Mode: profile.Train}, ""},
		"a mode without runs":    {"imagenet-1k", profile.Train, Question{}, "no training runs, only inference runs"},
		"unknown model":          {"vgg", "", Question{}, "the database has fcn, ImageNet-1k, resnet"},
		"a model without times":  {"empty", "", Question{}, `no model "empty"`},
		"unknown mode":           {"fcn", "serve", Question{}, "neither train nor infer"},
	} {
		got, err := Resolve(&set, c.model, c.mode)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %+v, %v, want an error with %q", name, got, err, c.err)
			}
		case err != nil || got.Model != c.want.Model || got.Mode != c.want.Mode:
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
	// Runs of the user's own come before what is built in, the newest first.
	for i, own := range []string{"fcn", "resnet"} {
		set.Runs = append(set.Runs, profile.Run{ID: int64(i + 1), Model: own, Mode: profile.Train,
			Steady: estimate.Exact(1, estimate.Measured)})
		if got, err := Resolve(&set, "", ""); err != nil || got.Model != own || got.Mode != profile.Train {
			t.Errorf("after a run of %s: %+v, %v", own, got, err)
		}
		if got, err := Resolve(&set, "", profile.Infer); err != nil || got.Model != Opening {
			t.Errorf("inference after a training of %s: %+v, %v", own, got, err)
		}
	}
	if _, err := Resolve(&profile.Set{}, "", ""); err == nil || !strings.Contains(err.Error(), "sweetspot probe") {
		t.Errorf("an empty database must say how to get a run: %v", err)
	}
}

func TestParseWeights(t *testing.T) {
	for in, want := range map[string]Weights{
		"":                {objective.Time: 1, objective.Cost: 1},
		"time=1,cost=2":   {objective.Time: 1, objective.Cost: 2},
		"cost = 3":        {objective.Cost: 3},
		"time=0.5,cost=0": {objective.Time: 0.5, objective.Cost: 0},
		"energy=1":        {objective.Energy: 1},
	} {
		if got, err := ParseWeights(in); err != nil || !maps.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"time=0,cost=0", "time", "time=-1", "time=NaN", "time=Inf", "speed=1", "1,2", ",",
		"time=1e10"} {
		if got, err := ParseWeights(in); err == nil {
			t.Errorf("%q was read as %v", in, got)
		}
	}
}

// A question names the variant as everything else does, and is read back as asked.
func TestUnchangedIsTheNameOfAVariant(t *testing.T) {
	q := Default()
	q.Model, q.Variants = "net", []string{"", "half"}
	text, err := json.Marshal(q)
	if err != nil || !strings.Contains(string(text), `"variants":["unchanged","half"]`) {
		t.Fatalf("%v: %s", err, text)
	}
	var again Query
	if err := json.Unmarshal(text, &again); err != nil || !slices.Equal(again.Variants, q.Variants) {
		t.Errorf("%v: %q", err, again.Variants)
	}
}

func TestParseSort(t *testing.T) {
	for _, s := range Sorts() {
		if got, err := ParseSort(string(s)); err != nil || got != s {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	if _, err := ParseSort("price"); err == nil || !strings.Contains(err.Error(), words(Sorts())) ||
		!strings.HasPrefix(words(Sorts()), "time, cost, energy") || !strings.HasSuffix(words(Sorts()), "score, tar, car") {
		t.Errorf("a wrong word must name the right ones: %v", err)
	}
}

func TestSortWordsReadAsASentence(t *testing.T) {
	if got := SortWords(); !strings.HasPrefix(got, "time, cost, ") || !strings.HasSuffix(got, ", tar or car") {
		t.Errorf("the orders in words: %q", got)
	}
}

func FuzzParseWeights(f *testing.F) {
	f.Add("time=1,cost=2")
	f.Add("cost=1e-300")
	f.Fuzz(func(t *testing.T, in string) {
		w, err := ParseWeights(in)
		sum := 0.0
		for _, v := range w {
			sum += v
		}
		if err == nil && !(slices.Min(slices.Collect(maps.Values(w))) >= 0 && sum > 0 && sum < 1e10) {
			t.Fatalf("%q was read as %+v", in, w)
		}
	})
}
