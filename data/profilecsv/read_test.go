package profilecsv

import (
	"errors"
	"math"
	"strings"
	"testing"

	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

func TestReadTakesColumnsInAnyOrder(t *testing.T) {
	set,
		err := Read(strings.NewReader("\ufeffBasis, mode " +
		",colour,model,steady_iteration_s,epochs,iterations_per_epoch,pruning_layers,metric,accuracy,higher_is_better,as_of\r\n" +
		"reconstructed,train,blue,FCN,0.07571,,158.25,conv1=0.3;conv2=0.5,top-1,0.9,true,2021-02\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	run := set.Runs[0]
	if run.Model != "FCN" || run.Mode != profile.Train || run.Basis != estimate.Reconstructed || run.AsOf != "2021-02" {
		t.Errorf("read %+v", run)
	}
	if run.Epochs != nil || run.USDPerHour != nil || run.TotalS != nil {
		t.Errorf("empty or absent cells must stay unknown: %+v", run)
	}
	if *run.IterationsPerEpoch != 158.25 || run.Steady != estimate.Exact(0.07571, estimate.Reconstructed) {
		t.Errorf("numbers: %+v", run)
	}
	if run.Count != 1 || run.Status != profile.Done {
		t.Errorf("defaults: count %d, status %q", run.Count, run.Status)
	}
	if got := FormatLayers(run.Variant.Pruning.Layers); got != "conv1=0.3;conv2=0.5" {
		t.Errorf("layers %q", got)
	}
	if a := run.Accuracy; a.Value != 0.9 || !a.HigherIsBetter || a.Basis != estimate.Reconstructed {
		t.Errorf("accuracy %+v", a)
	}
}

// A byte order mark before a quoted header is no stray quote.
func TestReadTakesAMarkBeforeAQuote(t *testing.T) {
	set, err := Read(strings.NewReader("\ufeff\"model\",\"mode\",\"basis\"\r\n\"a\",\"train\",\"measured\"\r\n"))
	if err != nil || set.Runs[0].Model != "a" {
		t.Errorf("%+v, %v", set, err)
	}
}

// The t-quantile of 0.95 with 9 degrees of freedom is 1.8331 in every table.
func TestSteadyIntervalFromSpread(t *testing.T) {
	set, err := Read(strings.NewReader("model,mode,basis,steady_iteration_s,steady_stddev_s,steady_n\n" +
		"m,train,measured,0.5,0.02,10\n"))
	if err != nil {
		t.Fatal(err)
	}
	half := 1.8331 * 0.02 / math.Sqrt(10)
	s := set.Runs[0].Steady
	if math.Abs(s.High-0.5-half) > 1e-6 || math.Abs(0.5-s.Low-half) > 1e-6 {
		t.Errorf("interval %v, want 0.5 ± %g", s, half)
	}
}

func TestReadRefuses(t *testing.T) {
	const head = "model,mode,basis,batch_size,accuracy,higher_is_better,steady_iteration_s,pruning,count,startup_s,init_s,as_of,pruning_layers,steady_low_s,steady_high_s\n"
	row := func(cells string) string { return head + "ok,train,measured,,,,,,,,,,,,\n" + cells + "\n" }
	for name, c := range map[string]struct {
		in     string
		row    int
		column string
		words  string
	}{
		"empty file":        {"", 1, "", "empty"},
		"another csv":       {"a,b\n1,2\n", 1, "model", "missing"},
		"column twice":      {"model,mode,basis,mode\n", 1, "mode", "duplicated"},
		"no model":          {row(",train,measured,,,,,,,,,,,,"), 3, "model", "empty"},
		"bad mode":          {row("m,training,measured,,,,,,,,,,,,"), 3, "mode", "neither train nor infer"},
		"bad basis":         {row("m,train,guess,,,,,,,,,,,,"), 3, "basis", "not one of"},
		"basis unknown":     {row("m,train,unknown,,,,,,,,,,,,"), 3, "basis", "not one of"},
		"NaN":               {row("m,train,measured,,,,NaN,,,,,,,,"), 3, "steady_iteration_s", "finite"},
		"Inf":               {row("m,train,measured,,,,+Inf,,,,,,,,"), 3, "steady_iteration_s", "finite"},
		"overflow":          {row("m,train,measured,,,,1e999,,,,,,,,"), 3, "steady_iteration_s", "too large"},
		"absurd":            {row("m,train,measured,,,,1e30,,,,,,,,"), 3, "steady_iteration_s", "too large"},
		"hexadecimal":       {row("m,train,measured,,,,0x1p-2,,,,,,,,"), 3, "steady_iteration_s", "decimal"},
		"negative":          {row("m,train,measured,,,,-1,,,,,,,,"), 3, "steady_iteration_s", "negative"},
		"zero time":         {row("m,train,measured,,,,0,,,,,,,,"), 3, "steady_iteration_s", "is 0"},
		"takes no time":     {row("m,train,measured,,,,1e-165,,,,,,,,"), 3, "steady_iteration_s", "too short"},
		"unit in the cell":  {row("m,train,measured,,,,5ms,,,,,,,,"), 3, "steady_iteration_s", "decimal"},
		"percent accuracy":  {row("m,train,measured,,91.2,true,,,,,,,,,"), 3, "accuracy", "0.912"},
		"direction unknown": {row("m,train,measured,,0.9,,,,,,,,,,"), 3, "higher_is_better", "true or false"},
		"percent pruning":   {row("m,train,measured,,,,,30,,,,,,,"), 3, "pruning", "0.3"},
		"half a batch":      {row("m,train,measured,1.5,,,,,,,,,,,"), 3, "batch_size", "whole"},
		"no VMs":            {row("m,train,measured,,,,,,0,,,,,,"), 3, "count", "at least 1 VM"},
		"both start-ups":    {row("m,train,measured,,,,,,,2,1,,,,"), 3, "startup_s", "unknown"},
		"no date":           {row("m,train,measured,,,,,,,,,yesterday,,,"), 3, "as_of", "date"},
		"bad layers":        {row("m,train,measured,,,,,,,,,,conv1,,"), 3, "pruning_layers", "conv1=0.3"},
		"interval off":      {row("m,train,measured,,,,1,,,,,,,2,3"), 3, "steady_low_s", "does not contain"},
		"half an interval":  {row("m,train,measured,,,,1,,,,,,,0.5,"), 3, "steady_low_s", "together"},
		"too few cells":     {row("m,train"), 3, "", "has 2 cells and the header 15"},
		"truncated quote":   {row(`"m,train,measured`), 3, "", "quote"},
		"10 MiB line":       {row(strings.Repeat("m", 10<<20)), 3, "", "longer than"},
		"10 MiB open quote": {row(`"` + strings.Repeat("m\n", 5<<20)), 3, "", "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.in))
			var e *textfile.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *textfile.Error", err)
			}
			if e.Row != c.row || e.Column != c.column || !strings.Contains(e.What, c.words) {
				t.Errorf("got %q, want row %d, column %q and the words %q", e, c.row, c.column, c.words)
			}
			if strings.ContainsAny(e.Error(), "\n\x1b") || len(e.Error()) > 300 {
				t.Errorf("not one plain sentence: %q", e.Error())
			}
		})
	}
}

// Only what is a fraction by its name, or may be one for want of a name, is
// refused above 1: BLEU has a unit of its own.
func TestPercentIsRefusedOfFractions(t *testing.T) {
	for metric, refuses := range map[string]bool{"": true, "top-5": true, "val_acc": true, "mAP": true, "BLEU": false,
		"mean reward": false} {
		set, err := Read(strings.NewReader("model,mode,basis,metric,accuracy,higher_is_better\nm,train,measured," + metric +
			",24.5,true\n"))
		if (err != nil) != refuses || (err == nil && set.Runs[0].Accuracy.Value != 24.5) {
			t.Errorf("%q: %v", metric, err)
		}
	}
}

func TestReadCleansText(t *testing.T) {
	set, err := Read(strings.NewReader("model,mode,basis,source\n\x1b]0;title\x07m,infer,spec,\"two\nlines\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Runs[0]; got.Model != "m" || got.Source != "two lines" {
		t.Errorf("model %q, source %q", got.Model, got.Source)
	}
}

func TestModelsAreMerged(t *testing.T) {
	set, err := Read(strings.NewReader("model,mode,basis,unit,params,dataset,variant,pruning\n" +
		"a,infer,spec,,3e7,,half,0.5\na,infer,spec,,1,,net · 64 px,\n" +
		"a,infer,spec,image,60000000,ImageNet,int8,\nb,infer,spec,,,,,\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Models) != 2 || len(set.Runs) != 4 {
		t.Fatalf("%d models, %d runs", len(set.Models), len(set.Runs))
	}
	if a, _ := set.Model("a"); a.Unit != "image" || a.Dataset != "ImageNet" || *a.Params != 6e7 {
		t.Errorf("model a: %+v", a)
	}
}
