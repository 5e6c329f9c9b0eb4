package store

import (
	"encoding/json"
	"strings"
	"testing"

	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func TestTextIsCleaned(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	d := description()
	d.Model.Name, d.Machine.Host, d.Variant.Name = "net\x1b[31m", "ho\x07st\n", "v\u202e"
	rec, err := s.Start(ctx, d)
	must(t, err)
	must(t, rec.Append(ctx, Batch{Log: []LogLine{{Text: "\x1b]0;title\x07line"}}}))
	run := loadSet(t, s).Runs[0]
	var line string
	must(t, s.read.QueryRow("SELECT text FROM log_lines").Scan(&line))
	if run.Model != "net" || run.InstanceType != "host " || run.Variant.Name != "v" || line != "line" {
		t.Errorf("%q %q %q %q", run.Model, run.InstanceType, run.Variant.Name, line)
	}
}

// Another program can write what it likes; nothing of it reaches a terminal.
func TestTextOfOthersIsCleaned(t *testing.T) {
	ctx := t.Context()
	s := openTemp(t)
	rec, err := s.Start(ctx, description())
	must(t, err)
	must(t,
		rec.Append(ctx, Batch{Iterations: series(30), Validations: []profile.Validation{{Metric: "top1", Value: new(0.5)}}}))
	must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done,
		Accuracy: &profile.Accuracy{Metric: "top1", Value: 0.5}}}))
	_, err = s.Import(ctx, &profile.Set{VMTypes: []profile.VMType{{Cloud: "c", Region: "r", InstanceType: "i", GPU: "g",
		Prices: []profile.Price{{Purchase: profile.OnDemand, USDPerHour: 1, Source: "s", AsOf: "2021"}}}}})
	must(t, err)
	const hostile = "'a\x1b[31m' || char(10) || 'b\u202e\u009b2J'"
	for table, columns := range map[string][]string{
		"models": {"name", "dataset", "task", "unit", "source_file"}, "variants": {"name", "precision", "pruning_kind"},
		"machines": {"host", "gpu", "cloud", "region", "instance_type"}, "runs": {"metric", "source", "as_of",
			"mode", "status"},
		"validations": {"metric"}, "vm_types": {"cloud", "region", "instance_type", "gpu"},
		"prices": {"purchase", "source", "as_of"},
	} {
		for _, column := range columns {
			_, err := s.write.Exec("UPDATE " + table + " SET " + column + " = " + hostile)
			must(t, err)
		}
	}
	_, err = s.write.Exec("UPDATE variants SET pruning_layers = " + hostile + " || '=0.5'")
	must(t, err)
	set := loadSet(t, s)
	text, err := json.Marshal(set)
	must(t, err)
	for _, bad := range []string{`\u001b`, `\n`, "\u202e", "\u009b", `\u0000`} {
		if strings.Contains(string(text), bad) {
			t.Errorf("%q is left in %s", bad, text)
		}
	}
	if got := set.Runs[0].Model; got != "a b" || set.Models[0].Name != got ||
		set.Runs[0].Variant.Pruning.Layers[got] != 0.5 {
		t.Errorf("%+v of %+v", set.Runs[0], set.Models[0])
	}
}

// A database that holds what nobody can have measured opens, with that unknown.
func TestImplausibleNumbersAreUnknown(t *testing.T) {
	ctx := t.Context()
	for _, value := range []string{"1e160", "1e200", "1e308", "1e-165", "1e-300"} {
		s := openTemp(t)
		for range 2 {
			rec, err := s.Start(ctx, description())
			must(t, err)
			must(t, rec.Append(ctx, Batch{Iterations: series(40), Validations: []profile.Validation{{Metric: "top1",
				Value: new(0.5)}}}))
			must(t, rec.Finish(ctx, Finish{Run: profile.Run{Status: profile.Done, SteadyN: 30,
				Steady: estimate.Around(1, 0.1, estimate.Measured)}}))
		}
		rec, err := s.Start(ctx, description()) // goes on
		must(t, err)
		must(t, rec.Append(ctx, Batch{Iterations: series(40)}))
		for _, sql := range []string{
			"UPDATE runs SET steady_s = " + value + ", total_s = " + value +
				" WHERE id = 1", "UPDATE validations SET seconds = 1e200",
			"UPDATE runs SET steady_high_s = 1e308 WHERE id = 2", "UPDATE iterations SET seconds = " + value +
				" WHERE idx % 9 = 7",
		} {
			_, err := s.write.Exec(sql)
			must(t, err)
		}
		set := loadSet(t, s)
		for i, r := range set.Runs[:2] {
			if r.Steady.Known() || i == 0 && r.TotalS != nil || r.Validations[0].Seconds != 0 {
				t.Errorf("%s is known: %+v", value, r)
			}
		}
		if e := set.Runs[2].Steady; e.Known() && !(e.High > e.Value && e.High <= estimate.Largest) {
			t.Errorf("the mean of times like %s is known to be %+v", value, e)
		}
	}
}
