package architecture

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/transformer"
)

// mostBytes of a config.json; real ones have a few thousand.
const mostBytes = 1 << 20

// config is what transformers writes of a decoder's configuration.
type config struct {
	ModelType         string `json:"model_type"`
	Layers            *int   `json:"num_hidden_layers"`
	Hidden            *int   `json:"hidden_size"`
	Heads             *int   `json:"num_attention_heads"`
	KVHeads           *int   `json:"num_key_value_heads"`
	HeadSize          *int   `json:"head_dim"`
	Intermediate      *int   `json:"intermediate_size"`
	Vocabulary        *int   `json:"vocab_size"`
	Tied              *bool  `json:"tie_word_embeddings"`
	AttentionBias     bool   `json:"attention_bias"`
	MLPBias           bool   `json:"mlp_bias"`
	MaxPositions      *int   `json:"max_position_embeddings"`
	LocalExperts      *int   `json:"num_local_experts"`
	Experts           *int   `json:"num_experts"`
	ExpertsOfToken    *int   `json:"num_experts_per_tok"`
	ExpertSize        *int   `json:"moe_intermediate_size"`
	SharedExpertSize  *int   `json:"shared_expert_intermediate_size"`
	SparseStep        *int   `json:"decoder_sparse_step"`
	DenseLayers       []int  `json:"mlp_only_layers"`
	TextConfiguration any    `json:"text_config"`
}

// family is what a kind of model does that its configuration does not say.
type family struct {
	tied, bias, headNorms, capped, experts bool
	norms                                  int
}

// families are the kinds of decoders that are known, by model_type, as their modules in
// transformers are written.
var families = map[string]family{
	"llama":     {norms: 2},
	"mistral":   {norms: 2},
	"mixtral":   {norms: 2, experts: true},
	"qwen2":     {norms: 2, bias: true},
	"qwen3":     {norms: 2, headNorms: true},
	"qwen3_moe": {norms: 2, headNorms: true, experts: true},
	"gemma":     {norms: 2, tied: true},
	"gemma2":    {norms: 4, tied: true, capped: true},
	"phi3":      {norms: 2},
}

// IsConfig reports whether a path is that of a config.json, or of a folder with one.
func IsConfig(path string) bool { return configIn(path) != "" }

// configIn is the config.json that a path means; "" where it means none.
func configIn(path string) string {
	if strings.HasSuffix(strings.ToLower(path), ".json") {
		return path
	}
	if file := filepath.Join(path, "config.json"); path != "" && isFile(file) {
		return file
	}
	return ""
}

func isFile(path string) bool {
	f, err := textfile.OpenFile(path)
	if err == nil {
		_ = f.Close()
	}
	return err == nil
}

// ReadFile reads the config.json of a path, or of a folder. The model is named by its folder.
func ReadFile(path string) (a transformer.Architecture, err error) {
	file := configIn(path)
	if file == "" {
		return a, fmt.Errorf("%s has no config.json", plaintext.Quote(path))
	}
	f, err := textfile.OpenFile(file)
	if err != nil {
		return a, fmt.Errorf("%s: %w", plaintext.Quote(file), textfile.Unreadable(err))
	}
	defer f.Close()
	if a, err = Read(f); err != nil {
		return a, fmt.Errorf("%s: %w", plaintext.Quote(file), err)
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return a, fmt.Errorf("%s: %w", plaintext.Quote(file), err)
	}
	a.Name = nameOf(absolute)
	return a, nil
}

// nameOf is the folder of a config.json, or the file's own name where it has another.
func nameOf(file string) string {
	name := filepath.Base(filepath.Dir(file))
	if base := filepath.Base(file); base != "config.json" {
		name = base[:len(base)-len(filepath.Ext(base))]
	}
	return cmp.Or(plaintext.Line(strings.Trim(name, "/."), 100), "model")
}

// Read reads a config.json. The architecture has no name. Errors say what is wrong in a
// sentence, and are of the content unless reading itself fails.
func Read(r io.Reader) (a transformer.Architecture, err error) {
	text, err := io.ReadAll(io.LimitReader(plaintext.Unmarked(r), mostBytes+1))
	if err != nil {
		return a, fmt.Errorf("reading: %w", err)
	}
	if len(text) > mostBytes {
		return a, fmt.Errorf("it is longer than %d MiB; is it the config.json of a model?", mostBytes>>20)
	}
	var c config
	if err := json.Unmarshal(text, &c); err != nil {
		return a, errors.New(cmp.Or(textfile.WrongJSON(err), "it is no JSON object of a model's configuration"))
	}
	return c.architecture()
}

func (c config) architecture() (a transformer.Architecture, err error) {
	kind, known := families[c.ModelType]
	switch names := strings.Join(slices.Sorted(maps.Keys(families)), ", "); {
	case c.ModelType == "" && c.Layers == nil:
		return a, errors.New("it names no model_type; give the config.json that lies beside a model's weights")
	case !known && c.TextConfiguration != nil:
		return a, fmt.Errorf("model_type %s takes more than text, of which nothing is known; known are %s",
			plaintext.Quote(c.ModelType), names)
	case !known:
		return a, fmt.Errorf("model_type %s is not one of %s", plaintext.Quote(c.ModelType), names)
	}
	missing := ""
	need := func(name string, v *int) int {
		if v == nil {
			missing = cmp.Or(missing, name)
			return 0
		}
		return *v
	}
	a = transformer.Architecture{
		Layers: need("num_hidden_layers", c.Layers), Hidden: need("hidden_size", c.Hidden),
		Heads: need("num_attention_heads", c.Heads), Vocabulary: need("vocab_size", c.Vocabulary),
		QKVBias: kind.bias, NormsOfLayer: kind.norms, HeadNorms: kind.headNorms, Softcapped: kind.capped,
		Tied: kind.tied, MaxPositions: or(c.MaxPositions, 0),
	}
	if c.Tied != nil {
		a.Tied = *c.Tied
	}
	a.KVHeads = or(c.KVHeads, a.Heads)
	a.HeadSize = or(c.HeadSize, a.Hidden/max(a.Heads, 1))
	width := c.Intermediate
	if kind.experts {
		if width, err = c.experts(&a); err != nil {
			return a, err
		}
	}
	if a.Intermediate = need("intermediate_size", width); missing != "" {
		return a, fmt.Errorf("%s is missing; is the file whole?", missing)
	}
	if c.MLPBias || c.AttentionBias {
		return a, errors.New("attention_bias or mlp_bias is set, and networks with such biases are not known")
	}
	return a, a.Check()
}

// experts reads how many there are, and how wide one is.
func (c config) experts(a *transformer.Architecture) (width *int, err error) {
	a.Experts = or(c.LocalExperts, or(c.Experts, 0))
	a.ExpertsOfToken = or(c.ExpertsOfToken, 0)
	switch {
	case a.Experts == 0:
		return nil, errors.New("num_local_experts or num_experts is missing; is the file whole?")
	case len(c.DenseLayers) > 0 || or(c.SparseStep, 1) != 1 || or(c.SharedExpertSize, 0) != 0:
		return nil, errors.New("its layers are not equal, or share an expert; such networks are not known")
	case c.ExpertSize != nil:
		return c.ExpertSize, nil
	}
	return c.Intermediate, nil
}

func or(v *int, otherwise int) int {
	if v == nil {
		return otherwise
	}
	return *v
}
