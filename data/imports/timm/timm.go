// Package timm reads the benchmarks of timm (huggingface/pytorch-image-models,
// results/benchmark-*.csv since 2021) and joins them with its accuracies
// (results-imagenet.csv and the other results-*.csv).
//
// A benchmark has the columns model, infer_samples_per_sec, infer_step_time
// (milliseconds a batch), infer_batch_size, infer_img_size, param_count
// (millions), infer_gmacs (1e9 multiply-adds of an image's forward pass, two
// operations each) and infer_macts (1e6 elements of the outputs of its convolutions and
// matrix products), or the same with train_ in place of infer_; files with both give
// both, and the work of inference is that of training with images of the same size.
// What is empty or 0 after rounding is unknown. Results have model, img_size, top1, top5
// (percent) and param_count. The machine, precision, layout, versions and compiler
// stand in the name of a benchmark only:
// benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv. A file whose name tells no machine
// is a machine of its own, named after it.
//
// The join is on the name before the first dot and the size of the image: a
// model with several tags in the results is a variant per tag, all with the
// time of the one network that was timed. All networks of a data set are
// variants of one model, since they do the same work and are what a frontier
// is over; layout, version and compiler are part of the variant. Networks without a
// result keep an unknown accuracy.
//
// Unknown are the host, the price, memory, the spread of the times, and in
// training the epochs. An amp in the name is taken as fp16, timm's default.
package timm

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
)

// Format is how timm's files are recognised and read.
var Format = source.Format{Name: "timm", Rows: true, Title: "timm benchmark", Claims: claims,
	Group: func(string) string { return "" }, Read: read}

// modes are the prefixes of the columns of a benchmark.
var modes = []struct {
	prefix string
	mode   profile.Mode
}{{"infer_", profile.Infer}, {"train_", profile.Train}}

func claims(_ string, head []byte) bool {
	names := source.Header(head, ',')
	return isBenchmark(names) || isResults(names)
}

func isBenchmark(names []string) bool {
	return slices.Contains(names, "model") && (slices.Contains(names, "infer_step_time") ||
		slices.Contains(names, "train_step_time"))
}

func isResults(names []string) bool {
	return source.HaveAll(names, "model", "img_size", "top1")
}

func read(files []source.File, given source.Given) []source.Report {
	reports := make([]source.Report, len(files))
	var benchmarks []int
	var found []*results
	for i, f := range files {
		reports[i].File = f.Path
		is, err := kind(f)
		if err == nil && is == accuracies {
			r := &results{file: f, at: i}
			if err = r.load(); err == nil {
				found = append(found, r)
			}
		} else if err == nil {
			benchmarks = append(benchmarks, i)
		}
		reports[i].Err = err
	}
	for _, i := range benchmarks {
		b := bench{file: files[i], given: given, results: nearest(files[i], found), report: &reports[i]}
		b.read()
	}
	for _, r := range found {
		r.explain(&reports[r.at], len(benchmarks))
	}
	return reports
}

// nearest are the results meant for a benchmark: those of its own folder before
// others, those of ImageNet itself before those of its offshoots.
func nearest(f source.File, found []*results) *results {
	best, rank := &results{}, -1
	for _, r := range found {
		n := 0
		if path.Dir(r.file.Path) == path.Dir(f.Path) {
			n += 2
		}
		if r.file.Base() == "results-imagenet.csv" {
			n++
		}
		if n > rank {
			best, rank = r, n
		}
	}
	best.used = true
	return best
}

// explain says of a results file what became of it.
func (r *results) explain(report *source.Report, benchmarks int) {
	if benchmarks == 0 {
		report.Err = r.file.Wrong("has accuracies but no times; import it together with timm's benchmark-*.csv")
		return
	}
	report.Set = &profile.Set{}
	if r.used {
		report.Note("accuracies of %s, joined with the benchmarks", quantity.Several(r.n, "model"))
	} else {
		report.Note("not used: other accuracies are nearer to the benchmarks")
	}
}

type what int

const (
	benchmark what = iota + 1
	accuracies
)

// kind tells benchmarks and results apart.
func kind(f source.File) (is what, err error) {
	err = source.Head(f, ',', func(r *source.Row) error {
		switch names := r.Columns(); {
		case isBenchmark(names):
			is = benchmark
		case isResults(names):
			is = accuracies
		default:
			return r.Wrong("is not a table of timm: there is neither infer_step_time or train_step_time nor img_size and top1")
		}
		return nil
	})
	return is, err
}

// results are accuracies by network and size of its image.
type results struct {
	file source.File
	at   int
	used bool
	n    int
	by   map[key][]result
}

type key struct{ network, size string }

type result struct {
	name string // with its tag
	top1 *float64
}

func (r *results) load() error {
	r.by = map[key][]result{}
	return source.Table(r.file, ',', nil, func(row *source.Row) error {
		top1 := row.Positive("top1")
		if top1 != nil && *top1 > 100 {
			return row.Wrong("top1 %g is above 100 %%", *top1)
		}
		name := row.Text("model")
		if name == "" {
			return row.Wrong("model is empty")
		}
		k := key{network(name), row.Text("img_size")}
		r.by[k] = append(r.by[k], result{name, top1})
		r.n++
		return nil
	})
}

// network is a model's name without its tag.
func network(model string) string {
	name, _, _ := strings.Cut(model, ".")
	return name
}

// dataset names the data set of a results file.
func (r *results) dataset() string {
	switch name := strings.TrimPrefix(r.file.Stem(), "results-"); name {
	case "", ".", "imagenet":
		return "ImageNet"
	default:
		return name
	}
}

// conditions are what the name of a benchmark says and its table does not.
type conditions struct {
	machine   string // that it ran on: a GPU, or a CPU
	isGPU     bool
	precision string
	others    []string // that its times depend on: layout, versions, compiler
}

var (
	gpuName   = regexp.MustCompile(`^(rtx|gtx|titan)-?([0-9a-z]+)$|^(a|h|b|v|p|t|l|k|m)([0-9]{1,4})(g|s)?(-.*)?$`)
	cardName  = regexp.MustCompile(`^[1-9]0[5-9]0(ti|super)?$`) // of a series that it does not name
	torchName = regexp.MustCompile(`^pt([0-9])([0-9]+)$`)
	platform  = regexp.MustCompile(`^(cu[0-9]+|rocm[0-9]+|cpu)$`)
	precision = map[string]string{"amp": "fp16", "fp16": "fp16", "float16": "fp16", "bfloat16": "bf16", "bf16": "bf16",
		"amp_bf16": "bf16", "fp32": "fp32", "float32": "fp32"}
)

// conditionsOf reads benchmark-infer-amp-nchw-pt240-cu124-rtx4090-dynamo.csv: the
// machine follows the platform, or ends the name.
func conditionsOf(f source.File) (c conditions) {
	words := strings.Split(strings.ToLower(plaintext.Clean(f.Stem())), "-")
	for i, w := range words {
		isLast := i == len(words)-1
		switch torch := torchName.FindStringSubmatch(w); {
		case i == 0, w == "infer", w == "train":
		case platform.MatchString(words[i-1]):
			c.machine, c.isGPU = w, words[i-1] != "cpu"
		case c.machine == "" && isLast && gpuName.MatchString(w):
			c.machine, c.isGPU = w, true
		case precision[w] != "":
			c.precision = precision[w]
		case w == "nchw" || w == "nhwc":
			c.others = append(c.others, strings.ToUpper(w))
		case torch != nil:
			c.others = append(c.others, "PyTorch "+release(torch[1], torch[2]))
		case c.machine != "":
			c.others = append(c.others, w)
		}
	}
	if c.isGPU {
		c.machine = gpuOf(c.machine)
	}
	return c
}

// release is a version written without dots: 113 is 1.13, 291 is 2.9.1, 240 is 2.4.
func release(major, rest string) string {
	if major == "1" || len(rest) == 1 {
		return major + "." + rest
	}
	return strings.TrimSuffix(major+"."+rest[:1]+"."+rest[1:], ".0")
}

// gpuOf is the usual name of a GPU: RTX 4090 for rtx4090 and 4090.
func gpuOf(word string) string {
	word = strings.ToUpper(word)
	if cardName.MatchString(strings.ToLower(word)) {
		return "RTX " + word
	}
	for _, series := range []string{"RTX", "GTX", "TITAN"} {
		if number, ok := strings.CutPrefix(word, series); ok {
			return series + " " + strings.TrimPrefix(number, "-")
		}
	}
	return word
}
