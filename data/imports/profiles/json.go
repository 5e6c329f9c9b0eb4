package profiles

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"sweetspot/data/contract"
	"sweetspot/data/imports/source"
	"sweetspot/data/profilecsv"
	"sweetspot/data/store"
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
	return source.IsObject(head) &&
		ourKeys.Match(head[:min(len(head), 1000)])
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
		var written json.RawMessage
		if err := in.Next(&written); err != nil {
			return err
		}
		run, err := readRun(written)
		switch {
		case err != nil:
			return in.Wrong("%s", cmp.Or(textfile.WrongJSON(err), err.Error()))
		case len(set.Runs) >= source.MaxRuns:
			return in.Wrong("more than %d runs; split the file", source.MaxRuns)
		}
		set.Runs = append(set.Runs, run)
	}
	return in.Leave()
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return source.Text(*s)
}

// readRun reads a run as contract.RecordedRun writes it.
func readRun(written []byte) (r profile.Run, err error) {
	var w contract.RecordedRun
	var values map[string]json.RawMessage
	if err := cmp.Or(json.Unmarshal(written, &w), json.Unmarshal(written, &values)); err != nil {
		return r, err
	}
	if err := profilecsv.Decode(values, &r); err != nil {
		return r, err
	}
	if r.Basis, err = estimate.ParseBasis(w.Basis); err != nil {
		return r, fmt.Errorf("has an unknown %w", err)
	}
	r.Variant.Name, r.InstanceType = profile.VariantOfTitle(r.Variant.Name), cmp.Or(r.InstanceType, text(w.Host))
	r.Mode, r.Count, r.Status = profile.Mode(w.Mode), max(w.Count, 1),
		cmp.Or(profile.Status(w.Status), profile.Done)
	r.NoGPU = w.GPUCount != nil && *w.GPUCount == 0
	r.WarmupExtraS, r.EpochStartsS, r.Serving = w.WarmupExtraS, w.EpochStartsS, w.Serving
	for _, word := range w.Command {
		r.Command = append(r.Command, source.Text(word))
	}
	if r.Tuning, err = profile.ParseTuning(string(values["tuning"])); err != nil {
		return r, fmt.Errorf("has a tuning whose %w", err)
	}
	if r.Sizes, err = profile.ParseSizes(string(values["sizes"])); err != nil {
		return r, err
	}
	if p := w.Pruning; p != nil {
		r.Variant.Pruning = &profile.Pruning{Kind: text(p.Kind), Ratio: p.Ratio}
		for name, ratio := range p.Layers {
			if r.Variant.Pruning.Layers == nil {
				r.Variant.Pruning.Layers = map[string]float64{}
			}
			r.Variant.Pruning.Layers[source.Text(name)] = ratio
		}
	}
	if err := estimates(&w, &r); err != nil {
		return r, err
	}
	lists(&w, &r)
	return r, check(&r)
}

func estimates(w *contract.RecordedRun, r *profile.Run) error {
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
			return fmt.Errorf("has an accuracy of unknown %w", err)
		}
		r.Accuracy = &profile.Accuracy{Metric: source.Text(a.Metric), Value: a.Value, StdDev: a.StdDev,
			HigherIsBetter: a.HigherIsBetter, Basis: basis}
	}
	if !r.Steady.Known() && r.TotalS == nil {
		summarise(w.Iterations, r)
	}
	return nil
}

// summarise summarises iterations without a summary. The slowest rank of a step
// counts.
func summarise(iterations []store.Iteration, r *profile.Run) {
	type step struct{ epoch, index int }
	at := map[step]int{}
	var seconds []float64
	for _, it := range iterations {
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

func lists(w *contract.RecordedRun, r *profile.Run) {
	for _, v := range w.Validations {
		one := profile.Validation{Epoch: v.Epoch, Metric: text(v.Metric), Value: v.Value, HigherIsBetter: v.HigherIsBetter,
			Units: v.Units, AtS: v.AtS, Iterations: v.Iterations}
		if v.Seconds != nil {
			one.Seconds = *v.Seconds
		}
		r.AddValidation(one)
	}
	for _, p := range w.Pauses {
		r.Pauses = append(r.Pauses, profile.Pause{AtS: p.AtS, Seconds: p.Seconds, Kind: text(p.Kind),
			Iterations: p.Iterations})
	}
}

// check refuses what export does not write.
func check(r *profile.Run) error {
	switch {
	case r.Model == "":
		return errors.New("has no model")
	case r.Mode != profile.Train && r.Mode != profile.Infer:
		return errors.New("has a mode other than train and infer")
	case !slices.Contains([]profile.Status{profile.Running, profile.Done, profile.OutOfMemory, profile.Failed,
		profile.Interrupted}, r.Status):
		return errors.New("has an unknown status")
	case r.Serving != nil && r.Serving.Check() != nil:
		return fmt.Errorf("has no load on a server: %w", r.Serving.Check())
	case !slices.IsSorted(r.EpochStartsS):
		return errors.New("has epochs out of order")
	}
	var numbers []*float64
	for _, v := range slices.Concat(r.Untrained, r.Validations) {
		if v.Iterations != nil && *v.Iterations < 0 {
			return profilecsv.ErrNumber
		}
		numbers = append(numbers, &v.Seconds, v.Units, v.AtS)
	}
	for _, p := range r.Pauses {
		numbers = append(numbers, &p.AtS, &p.Seconds)
	}
	e := r.Steady
	if e.Known() {
		numbers = append(numbers, &e.Value, &e.Low, &e.High)
	}
	switch {
	case slices.ContainsFunc(numbers, func(v *float64) bool { return v != nil && !textfile.IsQuantity(*v) }):
		return profilecsv.ErrNumber
	case e.Known() && (e.Value <= 0 || e.Low > e.Value || e.High < e.Value):
		return errors.New("has a steady time outside its interval")
	}
	return nil
}
