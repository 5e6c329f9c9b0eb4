package memory

import "sweetspot/engine/transformer"

// tokens are those of a micro-batch.
func (j Job) tokens() float64 { return float64(j.MicroBatch) * float64(j.Tuning.Sequence) }

// activations are what the layers save for the backward pass; with checkpointing the input
// of each, and all of the one that is computed again.
func (j Job) activations() Part {
	a := j.Architecture
	layer := j.ofLayer()
	layers := float64(a.Layers)
	var all Part
	if j.Tuning.Again() {
		all = exactly("", half*float64(a.Hidden)*layers).plus(layer)
	} else {
		all = layer.times(layers)
	}
	// The last norm saves its input in 32 bits, what it normalises and its output.
	all = all.plus(exactly("", (single+2*half)*float64(a.Hidden)))
	all.Name = "activations"
	return all.times(j.tokens())
}

// ofLayer is what a layer of transformers' Llama saves of a token in 16 bits, as
// torch.autograd.graph.saved_tensors_hooks shows:
//
//   - attention by PyTorch's fused kernels: queries, keys, values, its output, and the
//     logarithm of each head's sum in 32 bits;
//   - each norm: its input in 32 bits, and one number;
//   - the feed-forward network: gate, its activation and the other branch;
//   - what is multiplied with weights that learn. Inputs of LoRA's matrices are cast to their
//     32 bits, one copy for each, unless autocast takes them in 16.
func (j Job) ofLayer() Part {
	a, t := j.Architecture, j.Tuning
	hidden, q, kv := float64(a.Hidden), float64(a.Heads*a.HeadSize), float64(a.KVHeads*a.HeadSize)
	experts := float64(max(a.ExpertsOfToken, 1))
	wide := float64(a.Intermediate) * experts
	norms := float64(a.NormsOfLayer)
	layer := exactly("", half*2*(q+kv)+single*float64(a.Heads)+norms*(single*hidden+single)+half*3*wide)
	if a.HeadNorms {
		layer = layer.plus(exactly("", single*(q+kv)))
	}
	if a.Experts > 0 { // each expert gets copies of its tokens, and gives them back
		layer = layer.plus(exactly("", 2*half*hidden*experts+single*float64(a.Experts)))
	}
	if a.Softcapped { // only some kernels cap; else scores and probabilities of all pairs are there
		layer.High += (single + 2*half) * float64(a.Heads) * float64(t.Sequence)
	}
	if t.Method == transformer.Full {
		return layer.plus(exactly("", half*(norms*hidden+2*hidden+wide)))
	}
	for _, m := range a.Matrices() {
		if !t.Targeted(m) {
			continue
		}
		copies := 1.0
		if m.Expert {
			copies = experts
		}
		in, rank := copies*float64(m.In), copies*float64(t.Rank)
		width := j.learning()
		// Dropout keeps a byte more of each input to LoRA.
		layer = layer.plus(Part{"", half * (in + rank), width * (in + rank), (width+1)*in + width*rank})
	}
	return layer
}

// logits are the scores of the whole vocabulary for each token and what the loss makes of
// them: in 16 bits, in 32 with their log-softmax and its gradient. The lower end is for
// losses that take the tokens in chunks, the upper for versions of transformers that return
// the scores in 32 bits.
func (j Job) logits() Part {
	of := float64(j.Architecture.Vocabulary) * j.tokens()
	return Part{"logits", half / 4 * of, (half + 2*single) * of, 4 * single * of}
}

// working is what a layer's backward pass makes and drops: gradients of its activations,
// and of QLoRA the matrix that is multiplied, in 16 bits.
func (j Job) working() Part {
	a := j.Architecture
	of := half * (2*float64(a.Intermediate)*float64(max(a.ExpertsOfToken, 1)) + 2*float64(a.Hidden)) * j.tokens()
	p := Part{"working", 0, of, 2 * of}
	if j.Tuning.Method == transformer.QLoRA {
		p = p.plus(exactly("", half*float64(a.Hidden)*float64(a.Intermediate)))
	}
	return p
}
