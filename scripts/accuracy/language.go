package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"sweetspot/data/imports"
	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/tokens"
	"sweetspot/engine/validate"
	"sweetspot/scripts/convert"
)

// languageSet is the folder of the tables about language models.
const languageSet = "llm"

// Of few series, each tells much of the others, so little beside the one asked may be
// hidden; of many, folds would take long.
const (
	manyFolds = 40
	fewFolds  = 10
)

// languageTable is one of them: how it is read, and the rows that it answers.
type languageTable struct {
	file string
	ask  func(source.File, *report) error
}

var languageTables = []languageTable{
	{"serving_points.csv", askServing}, {"batch_latency.csv", askBatches}, {"lora_runs.csv", askTunings},
}

// askLanguage asks all tables about language models that are in a folder, and tells
// how many there are. One that is not is named in the notes.
func (r *report) askLanguage(data string, notes io.Writer) (read int, err error) {
	var damaged []error
	for _, t := range languageTables {
		paths, err := filepath.Glob(filepath.Join(data, languageSet, t.file+"*"))
		paths = slices.DeleteFunc(paths, func(p string) bool {
			return filepath.Base(p) != t.file && filepath.Base(p) != t.file+".gz"
		})
		if err != nil || len(paths) == 0 {
			fmt.Fprintf(notes, "accuracy: %s/%s.gz is not in %s\n", languageSet, t.file, data)
			continue
		}
		if err := t.ask(imports.File(paths[0]), r); err != nil {
			damaged = append(damaged, fmt.Errorf("the table %s is left out: %w", filepath.Base(paths[0]), err))
			continue
		}
		read++
	}
	return read, errors.Join(damaged...)
}

// answer adds the cases of a row, if there are any.
func (r *report) answer(name, asks string, cases []validate.Case) {
	if len(cases) > 0 {
		question := validate.Question{Name: name, Asks: asks}
		r.answers = append(r.answers, answers{languageSet, question, cases, validate.Summarise(cases)})
	}
}

// apart names the rows of which nothing else of the model is known on that hardware.
func apart(alone bool) (name, asks string) {
	if alone {
		return "-alone", ", nothing else of the model known there"
	}
	return "", ""
}

func askServing(f source.File, r *report) error {
	points, err := convert.ReadServing(f)
	if err != nil {
		return err
	}
	for _, alone := range []bool{false, true} {
		name, also := apart(alone)
		r.answer("tpot-3"+name, "TPOT at another concurrency, from three probes"+also,
			leaveOut(otherConcurrency(points, 3, alone), manyFolds))
		r.answer("tpot-2"+name, "TPOT at another concurrency, from two probes"+also,
			leaveOut(otherConcurrency(points, 2, alone), manyFolds))
	}
	r.answer("loads-3", "TPOT at another concurrency as traffic loads predicts it, from three probes", asLoads(points, 3))
	r.answer("loads-2", "TPOT at another concurrency as traffic loads predicts it, from two probes", asLoads(points, 2))
	r.answer("tpot-gpu", "TPOT on another GPU, from one probe there and one GPU", leaveOut(otherGPU(points), manyFolds))
	return nil
}

func askBatches(f source.File, r *report) error {
	batches, err := convert.ReadBatches(f)
	if err != nil {
		return err
	}
	for _, alone := range []bool{false, true} {
		name, also := apart(alone)
		sizes := otherBatch(batches, false, alone)
		cases := leaveOut(sizes, fewFolds)
		var ofVLLM []validate.Case
		for i, q := range sizes {
			if q.Kind == "vLLM" {
				ofVLLM = append(ofVLLM, cases[i])
			}
		}
		r.answer("llm-batch"+name, "latency at another batch size, from the two ends"+also, cases)
		r.answer("vllm-batch"+name, "the same with vLLM", ofVLLM)
		r.answer("llm-length"+name, "latency at another length, from the two ends"+also,
			leaveOut(otherBatch(batches, true, alone), fewFolds))
	}
	r.answer("llm-hardware", "latency on other hardware, from one probe there and one other",
		leaveOut(otherHardware(batches), fewFolds))
	return nil
}

func askTunings(f source.File, r *report) error {
	read, err := convert.ReadTunings(f)
	if err != nil {
		return err
	}
	runs := make([]tokens.Tuning, len(read))
	for i, t := range read {
		runs[i] = tokens.Tuning{System: t.Name(), Batch: t.Batch, Samples: t.Samples, AtS: t.AtS}
	}
	r.answer("lora-total", "total of a LoRA fine-tuning from its first two evaluations, samples known",
		totalsOf(read, runs))
	samples, times := samplesOf(read, runs)
	r.answer("lora-samples", "samples to the target, whole systems left out; "+times, samples)
	return nil
}

// totalsOf asks for the total of each run by all others.
func totalsOf(read []convert.Tuning, runs []tokens.Tuning) []validate.Case {
	var out []validate.Case
	for i, t := range read {
		n := len(t.Samples)
		if n < 3 {
			continue
		}
		others := tokens.NewTunings(slices.Delete(slices.Clone(runs), i, i+1))
		first := tokens.Tuning{System: t.Name(), Batch: t.Batch, Samples: t.Samples[:2], AtS: t.AtS[:2]}
		total, mayStall := others.Total(first, t.Samples[n-1])
		plain, _ := tokens.NewTunings(nil).Total(first, t.Samples[n-1])
		out = append(out, validate.Case{Of: t.Name() + ", run " + t.Run, Group: t.Name(), Truth: t.TotalS, Predicted: total,
			Flagged: mayStall, Plain: plain.Value})
	}
	return out
}

// samplesOf asks for the samples to the target of each system by the others. times
// tells how wide the intervals are, in terms of the spread within a system.
func samplesOf(read []convert.Tuning, runs []tokens.Tuning) (out []validate.Case, times string) {
	type system struct {
		name  string
		batch float64
	}
	samples := map[system][]float64{}
	var order []system
	for _, t := range read {
		s := system{t.Name(), t.Batch}
		if samples[s] == nil {
			order = append(order, s)
		}
		samples[s] = append(samples[s], t.Samples[len(t.Samples)-1])
	}
	var widths, spreads []float64
	for _, s := range order {
		others := tokens.NewTunings(slices.DeleteFunc(slices.Clone(runs),
			func(t tokens.Tuning) bool { return t.System == s.name }))
		predicted := others.SamplesToTarget(s.batch)
		for _, truth := range samples[s] {
			out = append(out, validate.Case{Of: s.name, Group: s.name, Truth: truth, Predicted: predicted, Plain: math.NaN()})
		}
		if predicted.Known() {
			widths = append(widths, math.Log(predicted.High/predicted.Low))
			spreads = append(spreads, math.Log(slices.Max(samples[s])/slices.Min(samples[s])))
		}
	}
	if len(widths) == 0 {
		return out, "none known"
	}
	middle := func(x []float64) float64 { return math.Exp(estimate.Median(x)) }
	most := func(x []float64) float64 { return math.Exp(slices.Max(x)) }
	return out, fmt.Sprintf("intervals ×%.2f, ×%.2f at most, within a system ×%.2f, ×%.2f at most", middle(widths),
		most(widths), middle(spreads), most(spreads))
}
