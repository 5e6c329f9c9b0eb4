// Package transformer describes decoder-only language models by the figures that their
// config.json publishes, and the ways in which they are trained and fine-tuned: how many
// parameters there are, how many of them learn, and what a token takes.
package transformer

import (
	"errors"
	"fmt"
)

// Architecture is a decoder of equal layers: attention and a gated feed-forward network of
// three matrices, as in Llama, or one of several experts. Numbers are counts of elements.
type Architecture struct {
	Name         string `json:"-"`
	Layers       int    `json:"layers"`       // blocks of attention and feed-forward network
	Hidden       int    `json:"hidden"`       // width of the residual stream
	Heads        int    `json:"heads"`        // of the queries
	KVHeads      int    `json:"kv_heads"`     // of keys and values: fewer than Heads with grouped queries
	HeadSize     int    `json:"head_size"`    // of each
	Intermediate int    `json:"intermediate"` // width of the feed-forward network, or of one expert
	Vocabulary   int    `json:"vocabulary"`
	Tied         bool   `json:"tied"`        // the output matrix is the embedding's
	QKVBias      bool   `json:"qkv_bias"`    // queries, keys and values have biases
	NormsOfLayer int    `json:"layer_norms"` // normalisations in a layer: two, or four with those after each part
	HeadNorms    bool   `json:"head_norms"`  // queries and keys are normalised, with weights shared by all heads
	Softcapped   bool   `json:"softcapped"`  // attention's scores are capped, as in Gemma 2
	// Experts are the feed-forward networks of a layer, of which each token takes a few; 0
	// is a dense network.
	Experts        int    `json:"experts"`
	ExpertsOfToken int    `json:"experts_of_token"`
	MaxPositions   int    `json:"max_positions"` // longest sequence it was made for; 0 is unknown
	Source         string `json:"-"`             // of the figures; "" is a file of the user's
}

// most bounds what a hostile or broken file may claim: a hundred times what today's
// largest networks have.
const most = 1 << 24

// Check says in a sentence which figure cannot be; nil where all can.
func (a Architecture) Check() error {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"num_hidden_layers", a.Layers}, {"hidden_size", a.Hidden}, {"num_attention_heads", a.Heads},
		{"num_key_value_heads", a.KVHeads}, {"head_dim", a.HeadSize}, {"intermediate_size", a.Intermediate},
		{"vocab_size", a.Vocabulary}, {"the norms of a layer", a.NormsOfLayer},
	} {
		if f.value < 1 || f.value > most {
			return fmt.Errorf("%s is %d, and should be a whole number from 1 to %d", f.name, f.value, most)
		}
	}
	switch {
	case a.Heads%a.KVHeads != 0:
		return fmt.Errorf("%d attention heads cannot share %d key-value heads", a.Heads, a.KVHeads)
	case a.Experts < 0 || a.Experts > most || a.ExpertsOfToken < 0 || a.ExpertsOfToken > a.Experts:
		return fmt.Errorf("a token cannot take %d of %d experts", a.ExpertsOfToken, a.Experts)
	case a.Experts > 0 && a.ExpertsOfToken == 0:
		return errors.New("how many experts a token takes is missing")
	case a.MaxPositions < 0:
		return fmt.Errorf("max_position_embeddings is %d", a.MaxPositions)
	}
	return nil
}

// Matrix is a weight of a layer, or of each of its experts.
type Matrix struct {
	Name    string // as transformers names its module: q_proj, down_proj
	In, Out int
	Expert  bool
}

// Matrices are those of one layer that LoRA may target, in the order of the forward pass.
func (a Architecture) Matrices() []Matrix {
	q, kv, expert := a.Heads*a.HeadSize, a.KVHeads*a.HeadSize, a.Experts > 0
	return []Matrix{
		{"q_proj", a.Hidden, q, false}, {"k_proj", a.Hidden, kv, false}, {"v_proj", a.Hidden, kv, false},
		{"o_proj", q, a.Hidden, false},
		{"gate_proj", a.Hidden, a.Intermediate, expert}, {"up_proj", a.Hidden, a.Intermediate, expert},
		{"down_proj", a.Intermediate, a.Hidden, expert},
	}
}

// Params are numbers of parameters by where they are.
type Params struct {
	Embedding float64 // rows of the vocabulary
	Linear    float64 // matrices of all layers, with all experts
	Rest      float64 // norms, biases and routers
	Head      float64 // the output matrix; 0 where it is the embedding's
}

// Total is the number of all parameters.
func (p Params) Total() float64 { return p.Embedding + p.Linear + p.Rest + p.Head }

// Params counts the parameters. All counts are exact in a float64.
func (a Architecture) Params() (p Params) {
	layers, hidden := float64(a.Layers), float64(a.Hidden)
	p.Embedding = float64(a.Vocabulary) * hidden
	if !a.Tied {
		p.Head = p.Embedding
	}
	for _, m := range a.Matrices() {
		p.Linear += layers * float64(m.In) * float64(m.Out) * float64(a.copies(m))
	}
	p.Rest = (layers*float64(a.NormsOfLayer) + 1) * hidden
	if a.QKVBias {
		p.Rest += layers * float64((a.Heads+2*a.KVHeads)*a.HeadSize)
	}
	if a.HeadNorms {
		p.Rest += layers * 2 * float64(a.HeadSize)
	}
	p.Rest += layers * hidden * float64(a.Experts)
	return p
}

// copies is how many of a matrix a layer has.
func (a Architecture) copies(m Matrix) int {
	if m.Expert {
		return a.Experts
	}
	return 1
}

// Active is how many elements of matrices a token is multiplied with in a forward pass:
// those of the layers, of its own experts only, and the output matrix. A look-up in the
// embedding multiplies nothing.
func (a Architecture) Active() (layers, head float64) {
	for _, m := range a.Matrices() {
		n := float64(a.Layers) * float64(m.In) * float64(m.Out)
		if m.Expert {
			n *= float64(a.ExpertsOfToken)
		}
		layers += n
	}
	layers += float64(a.Layers) * float64(a.Hidden) * float64(a.Experts)
	return layers, float64(a.Vocabulary) * float64(a.Hidden)
}

// AttentionFLOPs are the operations of a token's forward pass between queries, keys and
// values in a sequence, a multiply-add counting as two: each token looks at half of the
// others on average, since none looks ahead.
func (a Architecture) AttentionFLOPs(sequence int) float64 {
	return 2 * float64(a.Layers) * float64(a.Heads) * float64(a.HeadSize) * float64(sequence)
}

// KVCacheBytes is what serving keeps of one token: keys and values of all layers, in a
// precision of so many bytes an element.
func (a Architecture) KVCacheBytes(width float64) float64 {
	return 2 * float64(a.Layers) * float64(a.KVHeads) * float64(a.HeadSize) * width
}
