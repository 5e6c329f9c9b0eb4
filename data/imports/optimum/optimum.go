// Package optimum reads reports of Hugging Face's optimum-benchmark (0.2 to 0.6):
// benchmark_report.json with benchmark_config.json beside it, or both in one
// benchmark.json as config and report.
//
// A report has targets (load_model, first_forward, forward | first_generate,
// generate, prefill, decode | first_call, call | overall, warmup, train) with
// latency{unit "s", values, count, mean, stdev, stdev_ in % of the mean}, memory
// {unit "MB", max_process_vram …} and throughput. In inference an iteration is one
// forward, generate or call of a whole batch; loading and the first one are what
// precedes it. In training it is a step, the warm-up left out.
//
// Without a configuration the model, batch size and machine are unknown. Memory
// is kept for one GPU only, since the report adds up several. The configuration's
// gpu_vram_mb is in bytes, summed over all GPUs. Accuracy, price
// and epochs are never told. The basis is measured.
package optimum

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Format is how reports of optimum-benchmark are recognised and read.
var Format = source.Format{Name: "optimum-benchmark", Title: "optimum-benchmark", Claims: claims,
	Group: source.ByFolder, Read: read}

var reportKeys = regexp.MustCompile(
	`"(forward|generate|call|train|overall|prefill|decode|load_model)(_model)?"\s*:\s*\{\s*"(memory|latency)"`)

func claims(p string, head []byte) bool {
	if !source.IsObject(head) {
		return false
	}
	switch path.Base(p) {
	case "benchmark_report.json", "benchmark_config.json":
		return true
	case "benchmark.json":
		return bytes.Contains(head, []byte(`"scenario"`)) || bytes.Contains(head, []byte(`"report"`))
	}
	return reportKeys.Match(head)
}

type latency struct {
	Unit   source.Words   `json:"unit"`
	Values []source.Loose `json:"values"`
	Count  source.Loose   `json:"count"`
	Mean   source.Loose   `json:"mean"`
	StdDev source.Loose   `json:"stdev"`
	Share  source.Loose   `json:"stdev_"` // % of the mean
}

type memory struct {
	Unit      source.Words `json:"unit"`
	Process   source.Loose `json:"max_process_vram"`
	Global    source.Loose `json:"max_global_vram"`
	Reserved  source.Loose `json:"max_reserved"`
	Allocated source.Loose `json:"max_allocated"`
}

type target struct {
	Latency *latency `json:"latency"`
	Memory  *memory  `json:"memory"`
}

type configuration struct {
	Backend struct {
		Model     source.Words `json:"model"`
		Task      source.Words `json:"task"`
		Device    source.Words `json:"device"`
		DeviceIDs source.Words `json:"device_ids"`
		Precision source.Words `json:"torch_dtype"`
		Quantised source.Words `json:"quantization_scheme"`
		Name      source.Words `json:"name"`
	} `json:"backend"`
	Scenario struct {
		Name   source.Words `json:"name"`
		Shapes struct {
			BatchSize source.Loose `json:"batch_size"`
		} `json:"input_shapes"`
		Arguments struct {
			BatchSize  source.Loose `json:"per_device_train_batch_size"`
			Accumulate source.Loose `json:"gradient_accumulation_steps"`
		} `json:"training_arguments"`
	} `json:"scenario"`
	Environment struct {
		GPU   json.RawMessage `json:"gpu"`
		Count source.Loose    `json:"gpu_count"`
		VRAM  source.Loose    `json:"gpu_vram_mb"` // bytes of all, whatever its name says
	} `json:"environment"`
}

// both is a file that holds the two.
type both struct {
	Config *configuration  `json:"config"`
	Report json.RawMessage `json:"report"`
}

func read(files []source.File, given source.Given) []source.Report {
	var config *configuration
	named := func(p, name string) bool { return path.Base(p) == name }
	apart := slices.ContainsFunc(files, func(f source.File) bool { return named(f.Path, "benchmark_report.json") })
	return source.Pair{
		Describes: func(p string) bool { return named(p, "benchmark_config.json") },
		Load: func(f source.File) error {
			config = &configuration{}
			return f.JSON(config)
		},
		Read: func(r *source.Report, f source.File) {
			if apart && named(f.Path, "benchmark.json") {
				r.Note("has the same content as benchmark_report.json next to it: not used")
				return
			}
			one(r, f, config, given)
		},
		Alone: "is a configuration without times; import benchmark_report.json together with it",
		Note:  "configuration of the report beside it",
	}.Reports(files)
}

func one(r *source.Report, f source.File, config *configuration, given source.Given) {
	var document both
	if r.Err = f.JSON(&document); r.Err != nil {
		return
	}
	var text []byte
	if document.Report != nil {
		config, text = cmp.Or(document.Config, config), document.Report
	} else if text, r.Err = f.Whole(source.MaxDocumentBytes); r.Err != nil {
		return
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(source.Strict(text), &parts); err != nil {
		r.Err = f.Wrong("is not a report of optimum-benchmark")
		return
	}
	targets := map[string]target{}
	for name, part := range parts {
		var t target
		if json.Unmarshal(part, &t) == nil {
			targets[name] = t
		}
	}
	b := bench{file: f, report: r, given: given, targets: targets}
	if config == nil {
		r.Note("there is no benchmark_config.json next to it: model, batch size and machine are unknown")
		config = &configuration{}
	}
	b.run(config)
}

type bench struct {
	file    source.File
	report  *source.Report
	given   source.Given
	targets map[string]target
}

// steps are the targets that an iteration is one of, with what comes first.
var steps = []struct {
	name, first string
	mode        profile.Mode
}{
	{"train", "", profile.Train}, {"forward", "first_forward", profile.Infer},
	{"generate", "first_generate", profile.Infer}, {"call", "first_call", profile.Infer},
}

func (b *bench) run(c *configuration) {
	for _, s := range steps {
		t, ok := b.targets[s.name]
		if !ok || t.Latency == nil {
			continue
		}
		run := b.described(c, s.mode)
		if b.report.Err = b.time(&run, s.name, t.Latency); b.report.Err != nil {
			return
		}
		run.InitS = b.once("load_model", "load")
		run.FirstIterationS = b.once(s.first)
		if s.mode == profile.Train {
			b.warmup(&run)
		}
		if run.GPUCount <= 1 {
			run.PeakMemoryBytes = t.Memory.peak()
		}
		run.Source += ", " + s.name
		b.report.Set = &profile.Set{Runs: []profile.Run{run},
			Models: []profile.Model{{Name: run.Model, Task: string(c.Backend.Task), Unit: run.Unit}}}
		return
	}
	b.report.Err = b.file.Wrong("has no latency of forward, generate, call or train")
}

func (b *bench) described(c *configuration, mode profile.Mode) profile.Run {
	run := profile.Run{
		Model: b.given.ModelOr(string(c.Backend.Model), b.file.Folder(), b.file.Stem()), Unit: cmp.Or(b.given.Unit, "sample"),
		Mode: mode, Count: 1,
		Status: profile.Done, Basis: estimate.Measured, Source: "optimum-benchmark " + b.file.Tail(2),
		Variant: profile.Variant{Precision: precision(string(c.Backend.Precision)), Name: string(c.Backend.Quantised)},
	}
	if name := string(c.Backend.Name); name != "" && name != "pytorch" {
		run.Variant.Name = strings.TrimSpace(name + " " + run.Variant.Name)
	}
	run.Variant.Precision = cmp.Or(run.Variant.Precision, b.given.Precision)
	if c.Backend.Device == "cuda" {
		b.gpus(&run, c)
	}
	run.BatchSize = c.Scenario.Shapes.BatchSize.Whole()
	if mode == profile.Train {
		a := c.Scenario.Arguments
		run.BatchSize = a.BatchSize.Whole() * max(a.Accumulate.Whole(), 1) * max(cmp.Or(run.GPUCount, b.given.GPUs()), 1)
	}
	if run.BatchSize == 0 && b.given.BatchSize == 0 {
		b.report.Note("the batch size is unknown; give it with --batch")
	}
	return run
}

func (b *bench) gpus(run *profile.Run, c *configuration) {
	var names []source.Words
	if json.Unmarshal(c.Environment.GPU, &names) != nil || len(names) == 0 {
		var name source.Words
		if json.Unmarshal(c.Environment.GPU, &name) == nil && name != "" {
			names = []source.Words{name}
		}
	}
	if len(names) > 0 {
		run.GPU = string(names[0])
	}
	all := max(c.Environment.Count.Whole(), len(names))
	if ids := string(c.Backend.DeviceIDs); ids != "" {
		run.GPUCount = len(strings.Split(ids, ","))
	} else {
		run.GPUCount = all // 0 is not told
	}
	if v := c.Environment.VRAM.Positive(); v != nil && all > 0 {
		run.GPUMemGiB = memoryOf(*v / float64(all))
	}
}

// memoryOf is the memory of a GPU in GiB, unknown if no GPU has that much: the
// unit was then not bytes.
func memoryOf(bytes float64) *float64 {
	gib := bytes / (1 << 30)
	if gib < 0.1 || gib > 4096 {
		return nil
	}
	return &gib
}

func precision(name string) string {
	switch strings.TrimPrefix(name, "torch.") {
	case "float16", "fp16":
		return "fp16"
	case "bfloat16", "bf16":
		return "bf16"
	case "float32", "fp32":
		return "fp32"
	}
	return ""
}

// time returns mean and spread, computed from the values if present.
func (b *bench) time(run *profile.Run, name string, l *latency) error {
	if l.Unit != "" && l.Unit != "s" {
		return b.file.Wrong("%s is in %s, not in seconds", name, l.Unit)
	}
	mean, stddev, n := l.Mean.Positive(), l.StdDev.Positive(), l.Count.Whole()
	if m, sd, k := spread(l.Values); k >= 2 {
		mean, stddev, n = &m, &sd, k
	} else if stddev == nil && mean != nil && l.Share.Positive() != nil {
		stddev = new(*l.Share.V / 100 * *mean)
	}
	if mean == nil {
		return b.file.Wrong("%s has no time above 0", name)
	}
	source.Steady(run, *mean, stddev, n)
	return nil
}

func spread(values []source.Loose) (mean, stddev float64, n int) {
	var sum, squares float64
	for _, v := range values {
		if x := v.Positive(); x != nil {
			sum, n = sum+*x, n+1
		}
	}
	mean = sum / float64(max(n, 1))
	for _, v := range values {
		if x := v.Positive(); x != nil {
			squares += (*x - mean) * (*x - mean)
		}
	}
	return mean, math.Sqrt(squares / float64(max(n-1, 1))), n
}

// once is the time of a one-off step, under either name.
func (b *bench) once(names ...string) *float64 {
	for _, name := range names {
		if t, ok := b.targets[name]; ok && t.Latency != nil && (t.Latency.Unit == "" || t.Latency.Unit == "s") {
			if v := t.Latency.Mean.Positive(); v != nil {
				return v
			}
		}
	}
	return nil
}

// warmup is the extra time of the steps before the steady ones.
func (b *bench) warmup(run *profile.Run) {
	w := b.targets["warmup"].Latency
	if w == nil || len(w.Values) < 2 {
		return
	}
	run.FirstIterationS = w.Values[0].Positive()
	n, extra := 0, 0.0
	for _, v := range w.Values[1:] {
		if x := v.Positive(); x != nil {
			n++
			extra += *x - run.Steady.Value
		}
	}
	run.WarmupIterations, run.WarmupExtraS = &n, &extra
}

// peak is the memory in bytes of the one GPU: that of the process, or else of
// the allocator.
func (m *memory) peak() *float64 {
	if m == nil || !slices.Contains([]source.Words{"", "MB"}, m.Unit) {
		return nil
	}
	for _, v := range []source.Loose{m.Process, m.Reserved, m.Allocated, m.Global} {
		if mb := v.Positive(); mb != nil {
			return new(*mb * 1e6)
		}
	}
	return nil
}
