package source

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func inMemory(path, text string) File {
	return File{Path: path, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func TestNumber(t *testing.T) {
	for cell, want := range map[string]*float64{
		"": nil, "NaN": nil, "nan": nil, "NA": nil, "None": nil, "-inf": nil, "Infinity": nil, "0": new(0.0),
		"1e-3": new(1e-3), "-2.5": new(-2.5), ".5": new(0.5),
	} {
		got, ok := Number(cell)
		if !ok || (got == nil) != (want == nil) || (got != nil && *got != *want) {
			t.Errorf("%q: %v, %v", cell, got, ok)
		}
	}
	for _, cell := range []string{"0x10", "1_000", "1,5", "1e999", "5 s", "--1", "e", "[1.0]", "1e25"} {
		if v, ok := Number(cell); ok {
			t.Errorf("%q is read as %g", cell, *v)
		}
	}
}

func TestLoose(t *testing.T) {
	var got map[string]Loose
	if err := json.Unmarshal([]byte(`{"a":1.5,"b":"2","c":null,"d":[3],"e":"x","f":{"g":1},"h":true,"i":-1,"j":1.5}`),
		&got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"a": 1.5, "b": 2, "d": 3, "i": -1} {
		if v := got[name].V; v == nil || *v != want {
			t.Errorf("%s: %v, want %g", name, v, want)
		}
	}
	for _, name := range []string{"c", "e", "f", "h"} {
		if v := got[name].V; v != nil {
			t.Errorf("%s is read as %g", name, *v)
		}
	}
	if got["i"].Positive() != nil || got["j"].Whole() != 0 || got["b"].Whole() != 2 {
		t.Error("a negative number is no quantity, and 1.5 no count")
	}
}

// What Python cannot write as JSON becomes null, and what is JSON stays.
func TestStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": NaN, "b": [Infinity, -Infinity, -1]}`: `{"a": null, "b": [null, null, -1]}`,
		`{"NaN": "-Infinity \" NaN", "a": NaN}`:      `{"NaN": "-Infinity \" NaN", "a": null}`,
		`{"a": "NaN`:                                 `{"a": "NaN`,
	} {
		if got := string(Strict([]byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]string{"NaN", "Infinity", "-", `"`, `\`, "a"}),
			rapid.String())).Draw(t, "words")
		text, err := json.Marshal(map[string]any{"a": words, "NaN": strings.Join(words, "")})
		if err != nil {
			t.Fatal(err)
		}
		if got := Strict(text); !bytes.Equal(got, text) {
			t.Fatalf("%s is changed to %s", text, got)
		}
	})
}

func TestMetrics(t *testing.T) {
	for name, want := range map[string]bool{
		"val_acc": true, "eval_loss": false, "val/wer": false, "epoch_loss": false, "BLEU": true, "eval_f1": true,
		"classification": true, "rmse": false,
	} {
		if HigherIsBetter(name) != want {
			t.Errorf("%s: higher is better: %v", name, !want)
		}
	}
	order := []string{"epoch_accuracy", "eval_f1", "eval_bleu", "val_loss"}
	for i := 1; i < len(order); i++ {
		if metricRank(order[i-1]) >= metricRank(order[i]) {
			t.Errorf("%s does not come before %s", order[i-1], order[i])
		}
	}
	for _, name := range []string{"eval_runtime", "epoch", "step", "learning_rate", "eval_samples_per_second"} {
		if metricRank(name) >= 0 {
			t.Errorf("%s is no metric of quality", name)
		}
	}
}

func TestFractions(t *testing.T) {
	run := func(metric string, values ...float64) *profile.Run {
		r := &profile.Run{Basis: estimate.Measured}
		for _, v := range values {
			r.Validations = append(r.Validations, profile.Validation{Metric: metric, Value: &v})
		}
		LastAccuracy(r)
		return r
	}
	for _, c := range []struct {
		run     *profile.Run
		want    float64
		changed bool
	}{
		{run("val_acc", 0.5, 0.9), 0.9, false}, {run("val_acc", 0.5, 90), 0.9, true}, {run("val_loss", 2, 1.5), 1.5, false},
		{run("accuracy", 101, 150), 150, false}, {run("accuracy", 50, 40), 0.4, true},
	} {
		if changed := Fractions(c.run); changed != c.changed || c.run.Accuracy.Value != c.want {
			t.Errorf("%v, accuracy %g, want %v, %g", changed, c.run.Accuracy.Value, c.changed, c.want)
		}
	}
	if Fractions(&profile.Run{}) {
		t.Error("nothing became a fraction")
	}
}

func TestTable(t *testing.T) {
	rows := func(text string) (cells []string, err error) {
		err = Table(inMemory("/a/b/t.csv", text), ',', nil, func(r *Row) error {
			cells = append(cells, r.Text("a")+"|"+r.Text("b")+"|"+r.Text("none"))
			return nil
		})
		return cells, err
	}
	got, err := rows("\ufeffa , b\r\n\"x, y\",\" z\n\"\r\n\r\na , b\r\n1,\r\n")
	if err != nil || strings.Join(got, ";") != "x, y|z|;1||" {
		t.Errorf("%q, %v", got, err)
	}
	for text, want := range map[string]string{
		"":                 "t.csv, row 1: the file is empty",
		"a,a\n1,2\n":       "row 2, column a: the column is duplicated",
		"a,b\n1\n":         "row 2: has 1 cell and the header 2",
		"a,b\n1,\"2\n3":    "row 2: a quote is left open",
		"a,b\n\"1\" x,2\n": "row 2: a quote",
	} {
		if _, err := rows(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want the words %q", text, err, want)
		}
	}
}

func TestNamesOfFiles(t *testing.T) {
	f := inMemory("/home/me/run\x1b[31m7/log.csv", "")
	if f.Base() != "log.csv" || f.Stem() != "log" || f.Folder() != "run7" || f.Tail(2) != "run7/log.csv" ||
		f.Tail(9) != "home/me/run7/log.csv" {
		t.Errorf("%q %q %q %q %q", f.Base(), f.Stem(), f.Folder(), f.Tail(2), f.Tail(9))
	}
}
