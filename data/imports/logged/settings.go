package logged

import (
	"cmp"
	"strconv"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// Settings are what is read of the parameters that a training was logged with.
type Settings struct {
	Model, Dataset, Precision string
	BatchSize                 int
	Epochs                    float64
	GPU                       string
	GPUs                      int
}

// Take takes a parameter by the names that scripts and trainers give it; the first one
// of a kind counts.
func (s *Settings) Take(name, value string) {
	value = source.Text(value)
	if source.Unknown(value) {
		return
	}
	name = strings.ToLower(name)
	if at := strings.LastIndexAny(name, "./"); at >= 0 {
		name = name[at+1:] // of a group of parameters: training.batch_size
	}
	switch name {
	case "model", "model_name", "arch", "architecture", "model_name_or_path":
		s.Model = cmp.Or(s.Model, value)
	case "dataset", "dataset_name", "data_set":
		s.Dataset = cmp.Or(s.Dataset, value)
	case "batch_size", "train_batch_size", "batch-size", "batchsize", "total_batch_size":
		if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 1<<31 {
			s.BatchSize = cmp.Or(s.BatchSize, n)
		}
	case "epochs", "num_epochs", "max_epochs", "num_train_epochs", "n_epochs":
		if v, ok := source.Number(value); ok && v != nil && *v > 0 && *v < 1e9 {
			s.Epochs = cmp.Or(s.Epochs, *v)
		}
	case "precision", "dtype", "mixed_precision":
		s.Precision = cmp.Or(s.Precision, precisions[strings.ToLower(value)])
	}
}

// precisions are the words of trainers and scripts.
var precisions = map[string]string{
	"32": "fp32", "32-true": "fp32", "fp32": "fp32", "float32": "fp32", "tf32": "tf32",
	"16": "fp16", "16-mixed": "fp16", "16-true": "fp16", "fp16": "fp16", "float16": "fp16",
	"bf16": "bf16", "bf16-mixed": "bf16", "bf16-true": "bf16", "bfloat16": "bf16",
}

// Run is the run that the settings begin, with what the user gave.
func (s Settings) Run(given source.Given, names ...string) profile.Run {
	run := profile.Run{Model: given.ModelOr(append([]string{s.Model}, names...)...), Dataset: s.Dataset,
		BatchSize: cmp.Or(s.BatchSize, given.BatchSize), GPU: s.GPU,
		Variant: profile.Variant{Precision: cmp.Or(s.Precision, given.Precision)}}
	if s.GPU != "" {
		run.GPUCount = max(s.GPUs, 1)
	}
	if s.Epochs > 0 {
		run.Epochs = &s.Epochs
	}
	return run
}
