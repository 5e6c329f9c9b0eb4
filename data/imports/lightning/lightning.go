// Package lightning reads metrics.csv of Lightning's CSVLogger (Lightning 2,
// lightning_logs/version_N) and hparams.yaml beside it. The table has epoch (from
// 0), step and a column for every name that was logged, train_loss_step or
// val_acc, say; a row fills only what was logged together.
//
// No column holds a time unless the user logged one: epoch_time, epoch_seconds
// or epoch_duration are taken as the seconds of an epoch, and --epoch-time gives
// them for all. Without either the run has its epochs and validations and no
// time. Of the hyperparameters model, model_name, arch or architecture name the
// model, batch_size or train_batch_size the batch and precision the precision;
// whether a batch is that of one GPU they do not say, and it is taken as the global
// one. Unknown are the GPU, the price and memory. The basis is measured.
package lightning

import (
	"bytes"
	"cmp"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/imports/curvelog"
	"sweetspot/data/imports/source"
)

// Format is how a folder of the CSVLogger is recognised and read.
var Format = source.Format{Name: "lightning", Rows: true, Title: "Lightning CSV", Claims: claims,
	Group: source.ByFolder, Read: read}

func claims(p string, head []byte) bool {
	if isParameters(p) {
		return bytes.Contains(head, []byte(":")) || len(bytes.TrimSpace(head)) == 0
	}
	names := source.Header(head, ',')
	return source.HaveAll(names, "epoch", "step") && len(names) > 2
}

func isParameters(p string) bool {
	base := path.Base(p)
	return base == "hparams.yaml" || base == "hparams.yml"
}

func read(files []source.File, given source.Given) []source.Report {
	var h parameters
	return source.Pair{
		Describes: isParameters,
		Load:      h.load,
		Read:      func(r *source.Report, f source.File) { metrics(r, f, h, given) },
		Alone:     "hyperparameters alone make no run; import metrics.csv together with them",
		Note:      "hyperparameters of the table beside it",
	}.Reports(files)
}

// times are the names under which users log the seconds of an epoch.
var times = []string{"epoch_time", "epoch_seconds", "epoch_duration", "epoch_time_s", "time_per_epoch"}

func metrics(r *source.Report, f source.File, h parameters, given source.Given) {
	l := curvelog.Log{TimeColumns: times, StepColumn: "step", Title: "Lightning", Tail: 4, Separator: ','}
	l.Run.Model = given.ModelOr(h.model, folder(f.Path), f.Stem())
	l.Run.BatchSize = cmp.Or(given.BatchSize, h.batch)
	l.Run.Variant.Precision = cmp.Or(h.precision, given.Precision)
	l.Run.Dataset = h.dataset
	l.Read(r, f, given)
}

// folder is the name of a run: that of the folder above lightning_logs, as
// version_3 says nothing.
func folder(p string) string {
	for dir := path.Dir(p); dir != "." && dir != "/" && dir != ".."; dir = path.Dir(dir) {
		base := path.Base(dir)
		if base != "lightning_logs" && base != "csv_logs" && !strings.HasPrefix(base, "version_") {
			return source.Text(base)
		}
	}
	return ""
}

// parameters are what is read of hparams.yaml.
type parameters struct {
	model, dataset, precision string
	batch                     int
}

const maxParameters = 1 << 20

// load reads the scalars of the file, which may hold anything that Python can
// write: objects with tags are left alone.
func (h *parameters) load(f source.File) error {
	text, err := f.Whole(maxParameters)
	if err != nil {
		return err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return f.Wrong("is no YAML; is the file cut off?")
	}
	if len(document.Content) == 0 {
		return nil
	}
	if document.Content[0].Kind != yaml.MappingNode {
		return f.Wrong("is no mapping of hyperparameters")
	}
	h.take(document.Content[0], 0)
	return nil
}

// take reads a mapping and those in it; outer names win.
func (h *parameters) take(node *yaml.Node, depth int) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		value := node.Content[i+1]
		if value.Kind == yaml.ScalarNode {
			h.scalar(strings.ToLower(node.Content[i].Value), value.Value)
		}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if value := node.Content[i+1]; value.Kind == yaml.MappingNode && depth < 5 {
			h.take(value, depth+1)
		}
	}
}

func (h *parameters) scalar(name, value string) {
	value = source.Text(value)
	if source.Unknown(value) {
		return
	}
	switch name {
	case "model", "model_name", "arch", "architecture", "model_name_or_path":
		h.model = cmp.Or(h.model, value)
	case "dataset", "dataset_name":
		h.dataset = cmp.Or(h.dataset, value)
	case "batch_size", "train_batch_size":
		if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 1<<31 && h.batch == 0 {
			h.batch = n
		}
	case "precision":
		h.precision = cmp.Or(h.precision, precision(value))
	}
}

// precision is the project's word for Lightning's.
func precision(value string) string {
	switch strings.ToLower(value) {
	case "32", "32-true":
		return "fp32"
	case "16", "16-mixed", "16-true":
		return "fp16"
	case "bf16", "bf16-mixed", "bf16-true":
		return "bf16"
	}
	return ""
}
