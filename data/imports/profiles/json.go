package profiles

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"regexp"
	"slices"

	"sweetspot/data/contract"
	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/steady"
)

// JSON is what export --runs --format json writes.
var JSON = source.Format{Name: "profile-json", Title: "sweetspot JSON", Claims: claimsJSON,
	Read: source.Alone(readJSON)}

var ourKeys = regexp.MustCompile(`"schema"\s*:\s*\d+\s*,\s*"command"\s*:\s*"`)

func claimsJSON(_ string, head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("{")) &&
		ourKeys.Match(head[:min(len(head), 1000)])
}

// writtenIn is a run as it was written: the fields of contract.Run and its lists.
type writtenIn struct {
	contract.Run
	Iterations []struct {
		Epoch, Index, Rank int
		Seconds            float64
	} `json:"iterations"`
	Validations []struct {
		Epoch          int      `json:"epoch"`
		Seconds        *float64 `json:"seconds"`
		Metric         *string  `json:"metric"`
		Value          *float64 `json:"value"`
		HigherIsBetter bool     `json:"higher_is_better"`
		Units          *float64 `json:"units"`
		AtS            *float64 `json:"at_s"`
	} `json:"validations"`
	Pauses []struct {
		AtS        float64 `json:"at_s"`
		Seconds    float64 `json:"seconds"`
		Kind       *string `json:"kind"`
		Iterations *int    `json:"iterations"`
	} `json:"pauses"`
}

func readJSON(f source.File, _ source.Given) source.Report {
	set := &profile.Set{}
	err := f.Read(func(text io.Reader) error { return readRuns(text, set) })
	return source.Found(f, set, err, "contains no runs; only the output of sweetspot export --runs can be imported")
}

// readRuns reads the document one run at a time: all iterations of a database
// may not fit in memory.
func readRuns(text io.Reader, set *profile.Set) error {
	in := textfile.NewItems(text, "item", source.MaxDocumentBytes)
	schema, command := 0, ""
	err := in.Each(func(key string) error {
		switch key {
		case "schema":
			return in.Next(&schema)
		case "command":
			return in.Next(&command)
		case "runs":
			if schema != contract.Schema || command != "export" {
				return in.Wrong("its schema is %d and its command %s, not %d and export; was it written by another version "+
					"of sweetspot?", schema, plaintext.Quote(command), contract.Schema)
			}
			in.Unit, in.At = "run", 0
			return readList(in, set)
		}
		return in.Skip()
	})
	if err != nil {
		return err
	}
	return in.End()
}

func readList(in *textfile.Items, set *profile.Set) error {
	if err := in.Enter('['); err != nil {
		return err
	}
	for in.More() {
		var w writtenIn
		if err := in.Next(&w); err != nil {
			return err
		}
		run, what := w.run()
		switch {
		case what != "":
			return in.Wrong("%s", what)
		case len(set.Runs) >= source.MaxRuns:
			return in.Wrong("more than %d runs; split the file", source.MaxRuns)
		}
		source.AddRun(set, run)
	}
	return in.Leave()
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return source.Text(*s)
}

func whole(n *int) int {
	if n == nil || *n < 0 {
		return 0
	}
	return *n
}

// run is the run as exported; what says what is wrong with it.
func (w *writtenIn) run() (run profile.Run, what string) {
	basis, err := estimate.ParseBasis(w.Basis)
	if err != nil {
		return run, "has an unknown " + err.Error()
	}
	r := profile.Run{
		Model: source.Text(w.Model), Dataset: text(w.Dataset), Unit: text(w.Unit),
		Variant: profile.Variant{Name: profile.VariantOfTitle(source.Text(w.Variant)), Precision: text(w.Precision)},
		Mode:    profile.Mode(w.Mode), Cloud: text(w.Cloud), Region: text(w.Region),
		InstanceType: cmp.Or(text(w.InstanceType), text(w.Host)),
		GPU:          text(w.GPU), GPUCount: whole(w.GPUCount), GPUMemGiB: w.GPUMemGiB, Count: max(w.Count, 1),
		USDPerHour: w.USDPerHour,
		BatchSize:  whole(w.BatchSize), Epochs: w.Epochs, IterationsPerEpoch: w.IterationsPerEpoch, TrainSize: w.TrainSize,
		InitS: w.InitS, FirstIterationS: w.FirstIterationS, StartupS: w.StartupS, SteadyStdDevS: w.SteadyStdDevS,
		SteadyN:          whole(w.SteadyN),
		WarmupIterations: w.WarmupIterations, WarmupExtraS: w.WarmupExtraS, FirstValidationS: w.FirstValidationS,
		ValidationS: w.ValidationS,
		TotalS:      w.TotalS, PeakMemoryBytes: w.PeakMemoryBytes, Status: profile.Status(w.Status), Basis: basis,
		Source: text(w.Source), AsOf: text(w.AsOf), Note: text(w.Note), EpochStartsS: w.EpochStartsS,
		EnergyJPerUnit: w.EnergyJPerUnit, AveragePowerW: w.AveragePowerW, EnergyOf: text(w.EnergyOf),
		PowerLimitW: w.PowerLimitW,
	}
	if p := w.Pruning; p != nil {
		r.Variant.Pruning = &profile.Pruning{Kind: source.Text(p.Kind), Ratio: p.Ratio}
		for name, ratio := range p.Layers {
			if r.Variant.Pruning.Layers == nil {
				r.Variant.Pruning.Layers = map[string]float64{}
			}
			r.Variant.Pruning.Layers[source.Text(name)] = ratio
		}
	}
	if what := w.estimates(&r); what != "" {
		return r, what
	}
	w.lists(&r)
	return r, wrong(&r)
}

func (w *writtenIn) estimates(r *profile.Run) (what string) {
	if s := w.Steady; s.S != nil {
		r.Steady = estimate.Exact(*s.S, r.Basis)
		if s.Low != nil && s.High != nil {
			r.Steady.Low, r.Steady.High = *s.Low, *s.High
		}
		if b, err := estimate.ParseBasis(text(s.Basis)); err == nil {
			r.Steady.Basis = b
		}
	}
	if a := w.Accuracy; a != nil {
		basis, err := estimate.ParseBasis(a.Basis)
		if err != nil {
			return "has an accuracy of unknown " + err.Error()
		}
		r.Accuracy = &profile.Accuracy{Metric: source.Text(a.Metric), Value: a.Value, StdDev: a.StdDev,
			HigherIsBetter: a.HigherIsBetter, Basis: basis}
	}
	if !r.Steady.Known() && r.TotalS == nil {
		w.summarise(r)
	}
	return ""
}

// summarise summarises iterations without a summary. The slowest rank of a step
// counts.
func (w *writtenIn) summarise(r *profile.Run) {
	type step struct{ epoch, index int }
	at := map[step]int{}
	var seconds []float64
	for _, it := range w.Iterations {
		s := step{it.Epoch, it.Index}
		i, seen := at[s]
		if !seen {
			i = len(seconds)
			at[s], seconds = i, append(seconds, 0)
		}
		seconds[i] = max(seconds[i], it.Seconds)
	}
	if len(seconds) == 0 || r.SteadyN > 0 {
		return
	}
	if s := steady.Summarise(seconds); s.Steady.Known() {
		s.Describe(r)
	} else {
		r.FirstIterationS = &seconds[0]
	}
}

func (w *writtenIn) lists(r *profile.Run) {
	for _, v := range w.Validations {
		one := profile.Validation{Epoch: v.Epoch, Metric: text(v.Metric), Value: v.Value, HigherIsBetter: v.HigherIsBetter,
			Units: v.Units, AtS: v.AtS}
		if v.Seconds != nil {
			one.Seconds = *v.Seconds
		}
		r.Validations = append(r.Validations, one)
	}
	for _, p := range w.Pauses {
		r.Pauses = append(r.Pauses, profile.Pause{AtS: p.AtS, Seconds: p.Seconds, Kind: text(p.Kind),
			Iterations: p.Iterations})
	}
}

// wrong says what is invalid in a run that export did not write.
func wrong(r *profile.Run) string {
	switch {
	case r.Model == "":
		return "has no model"
	case r.Mode != profile.Train && r.Mode != profile.Infer:
		return "has a mode other than train and infer"
	case !slices.Contains([]profile.Status{"", profile.Running, profile.Done, profile.OutOfMemory, profile.Failed,
		profile.Interrupted}, r.Status):
		return "has an unknown status"
	case !slices.IsSorted(r.EpochStartsS):
		return "has epochs out of order"
	}
	numbers := []*float64{r.GPUMemGiB, r.USDPerHour, r.Epochs, r.IterationsPerEpoch, r.TrainSize, r.InitS,
		r.FirstIterationS, r.StartupS, r.SteadyStdDevS, r.FirstValidationS, r.ValidationS, r.TotalS, r.PeakMemoryBytes,
		r.EnergyJPerUnit, r.AveragePowerW, r.PowerLimitW}
	for _, v := range r.Validations {
		numbers = append(numbers, &v.Seconds, v.Units, v.AtS)
	}
	for _, p := range r.Pauses {
		numbers = append(numbers, &p.AtS, &p.Seconds)
	}
	if r.Steady.Known() {
		numbers = append(numbers, &r.Steady.Value, &r.Steady.Low, &r.Steady.High)
	}
	for _, n := range numbers {
		if n != nil && (*n < 0 || math.IsNaN(*n) || *n > estimate.Largest) {
			return "has a number that is negative or too large"
		}
	}
	if e := r.Steady; e.Known() && (e.Value <= 0 || e.Low > e.Value || e.High < e.Value) {
		return "has a steady time outside its interval"
	}
	return ""
}
