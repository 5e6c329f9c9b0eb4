package lightning

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/imports/source"
)

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
		if h.model == "" {
			h.model = value
		}
	case "dataset", "dataset_name":
		if h.dataset == "" {
			h.dataset = value
		}
	case "batch_size", "train_batch_size":
		if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 1<<31 && h.batch == 0 {
			h.batch = n
		}
	case "precision":
		if h.precision == "" {
			h.precision = precision(value)
		}
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
