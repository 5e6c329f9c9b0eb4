package frameworks

import (
	"strings"

	"sweetspot/engine/profile"
)

// unknown stands for what a script does not tell.
const unknown = -1

// script is a training as its author knows it.
type script struct {
	file      string
	framework string // that it stands on besides PyTorch, "" for none
	args      []string
	only      string                  // the environment that it needs, "" for new and old
	launch    func(s launch) []string // nil for python file args
	exit      int                     // its status

	ranks, iterations        int     // processes that train (0 for 1), and the steps of each
	batch, samples           float64 // of all ranks
	perEpoch, epochs, steps  float64 // steps of an epoch, and the length of the training as it declares it
	validations, checkpoints int
	precision                string          // "" where that is not compared
	warning                  string          // what is rightly said of it, as of one that trains again
	timed                    bool            // it times its own steps
	tuning                   *profile.Tuning // of a language model's training; nil where that is not compared
	seed                     bool            // its output, with the weights in its last line, is the same in every run
}

// name is that of the script, with its arguments.
func (s script) name() string {
	return strings.Join(append([]string{strings.TrimSuffix(s.file, ".py")}, s.args...), " ")
}

// launch is what a command is made of.
type launch struct {
	python, file, dir string // dir is a folder for its files
	args              []string
}

// sharedOut is said where ranks are not data-parallel.
const sharedOut = "2 ranks share the network out and work on one batch; predictions take all ranks for data-parallel"

// torchrun starts a script with two ranks on this machine.
func torchrun(l launch) []string {
	return append([]string{l.python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", l.file},
		l.args...)
}

var scripts = []script{
	{file: "plain_loop.py", iterations: 21, batch: 16, samples: 100, perEpoch: 7, epochs: 3, steps: unknown,
		validations: 3, seed: true},
	{file: "accumulation.py", iterations: 6, batch: 32, samples: 96, perEpoch: 3, epochs: 2, steps: unknown, seed: true},
	{file: "accumulation.py", args: []string{"--at-first"}, iterations: 6, batch: 32, samples: 96, perEpoch: 3, epochs: 2,
		steps: unknown, seed: true},
	{file: "left_optimizers.py", iterations: 40, batch: 6, samples: unknown, perEpoch: unknown, epochs: unknown,
		steps: 40, seed: true},
	{file: "two_optimizers.py", iterations: 10, batch: 10, samples: 50, perEpoch: 5, epochs: 2, steps: unknown,
		seed: true},
	{file: "closure.py", iterations: 8, batch: 20, samples: 40, perEpoch: 2, epochs: 4, steps: unknown, seed: true},
	{file: "iterable.py", iterations: 10, batch: 10, samples: 45, perEpoch: 5, epochs: 2, steps: unknown, seed: true},
	{file: "eval_every_k.py", iterations: 24, batch: 5, samples: 40, perEpoch: 8, epochs: 3, steps: unknown,
		validations: 4},
	{file: "no_loader.py", iterations: 12, batch: 16, samples: unknown, perEpoch: 4, epochs: 3, steps: unknown,
		validations: 3, seed: true},
	{file: "broken_off.py", iterations: 30, batch: 8, samples: 120, perEpoch: 6, epochs: 5, steps: unknown,
		validations: 5, seed: true},
	{file: "folds_in_epochs.py", iterations: 60, batch: 8, samples: 40, perEpoch: 5, epochs: 12, steps: unknown,
		validations: 12, seed: true},
	{file: "folds_tested.py", iterations: 45, batch: 8, samples: 40, perEpoch: 5, epochs: 9, steps: unknown,
		validations: 12, seed: true},
	{file: "folds.py", iterations: 48, batch: 15, samples: 60, perEpoch: 4, epochs: 12, steps: unknown,
		validations: 12, checkpoints: 3, seed: true},
	{file: "across_epochs.py", iterations: 20, batch: 24, samples: 54, perEpoch: 2.25, epochs: unknown, steps: unknown,
		seed: true},
	{file: "set_through_wrapper.py", iterations: 24, batch: 6, samples: 72, perEpoch: 12, epochs: 2, steps: unknown,
		validations: 6, seed: true},
	{file: "whole_set.py", iterations: 60, batch: 40, samples: 40, perEpoch: 1, epochs: 60, steps: unknown,
		validations: 4, seed: true},
	{file: "workers.py", iterations: 8, batch: 16, samples: 64, perEpoch: 4, epochs: 2, steps: unknown, validations: 2},
	{file: "ranks.py", args: []string{"2"}, launch: torchrun, ranks: 2, iterations: 16, batch: 10, samples: 80,
		perEpoch: 8, epochs: 2, steps: unknown, validations: 2},
	// Several optimizers, one after the other in a batch or in the training.
	{file: "gan.py", iterations: 30, batch: 6, samples: 60, perEpoch: 10, epochs: 3, steps: unknown, seed: true},
	{file: "critic.py", iterations: 24, batch: 10, samples: 120, perEpoch: 12, epochs: 2, steps: unknown, seed: true},
	{file: "layers.py", iterations: 24, batch: 8, samples: 64, perEpoch: 8, epochs: 3, steps: unknown, seed: true},
	{file: "in_backward.py", iterations: 20, batch: 8, samples: 80, perEpoch: 10, epochs: 2, steps: unknown, seed: true},
	{file: "one_function.py", iterations: 24, batch: 10, samples: 60, perEpoch: 6, epochs: 4, steps: unknown,
		validations: 4, seed: true},
	{file: "stages.py", iterations: 60, batch: 5, samples: 50, perEpoch: 10, epochs: 6, steps: unknown, seed: true,
		warning: "it trains again and again, and how often is unknown; only the epochs of the trainings so far are " +
			"counted"},
	{file: "turns.py", iterations: 48, batch: 5, samples: 40, perEpoch: 8, epochs: 6, steps: unknown, seed: true},
	// Precisions.
	{file: "amp.py", iterations: 24, batch: 8, samples: 64, perEpoch: 8, epochs: 3, steps: unknown, seed: true},
	{file: "bf16.py", iterations: 12, batch: 12, samples: 48, perEpoch: 4, epochs: 3, steps: unknown, validations: 3,
		seed: true},
	// What torch.compile does: as many graphs and breaks as without a probe.
	{file: "compiled_model.py", iterations: 30, batch: 16, samples: 150, perEpoch: 10, epochs: 3, steps: unknown,
		seed: true},
	{file: "compiled_step.py", iterations: 40, batch: unknown, samples: unknown, perEpoch: unknown, epochs: unknown,
		steps: 40, seed: true},
	{file: "compiled_optimizer.py", iterations: 20, batch: 32, samples: unknown, perEpoch: unknown, epochs: unknown,
		steps: 20, seed: true},
	// Traced before it is trained, as to show its graph.
	{file: "traced.py", args: []string{"trace"}, iterations: 18, batch: 10, samples: 60, perEpoch: 6, epochs: 3,
		steps: unknown, seed: true},
	{file: "traced.py", args: []string{"export"}, iterations: 18, batch: 10, samples: 60, perEpoch: 6, epochs: 3,
		steps: unknown, seed: true},
	{file: "traced.py", args: []string{"strict"}, iterations: 18, batch: 10, samples: 60, perEpoch: 6, epochs: 3,
		steps: unknown, seed: true},
	// Some batches of its endless stream are passed over.
	{file: "passed_over.py", iterations: 27, batch: 10, samples: 52, perEpoch: 5, epochs: unknown, steps: unknown,
		seed: true},
	// Two ranks.
	{file: "ddp.py", launch: torchrun, ranks: 2, iterations: 24, batch: 10, samples: 80, perEpoch: 8, epochs: 3,
		steps: unknown, seed: true},
	{file: "parts.py", launch: torchrun, ranks: 2, iterations: 24, batch: 10, samples: 80, perEpoch: 8, epochs: 3,
		steps: unknown, seed: true},
	{file: "spawned.py", args: []string{"spawn"}, ranks: 2, iterations: 24, batch: 12, samples: 96, perEpoch: 8, epochs: 3,
		steps: unknown, validations: 3, seed: true},
	{file: "spawned.py", args: []string{"fork"}, ranks: 2, iterations: 24, batch: 12, samples: 96, perEpoch: 8, epochs: 3,
		steps: unknown, validations: 3, seed: true},
	{file: "fsdp2.py", launch: torchrun, ranks: 2, iterations: 16, batch: 8, samples: 64, perEpoch: 8, epochs: 2,
		steps: unknown, seed: true},
	{file: "model_parallel.py", args: []string{"tensors"}, launch: torchrun, ranks: 2, iterations: 16, batch: 8,
		samples: 64, perEpoch: 8, epochs: 2, steps: unknown, seed: true, warning: sharedOut},
	{file: "model_parallel.py", args: []string{"stages"}, launch: torchrun, ranks: 2, iterations: 16, batch: 8,
		samples: 64, perEpoch: 8, epochs: 2, steps: unknown, seed: true, warning: sharedOut},
	{file: "tensor_plan.py", framework: "transformers", launch: torchrun, ranks: 2, iterations: 16, batch: 8,
		samples: 64, perEpoch: 8, epochs: 2, steps: unknown, seed: true, warning: sharedOut},
	// Language models of the script's own.
	{file: "llama_loop.py", args: []string{"checkpointing"}, iterations: 24, batch: 8, samples: 96, perEpoch: 12,
		epochs: 2, steps: unknown, seed: true, tuning: llamaLoop(80, 10, true)},
	{file: "llama_loop.py", args: []string{"ddp"}, launch: torchrun, ranks: 2, iterations: 12, batch: 16, samples: 96,
		perEpoch: 6, epochs: 2, steps: unknown, seed: true, tuning: shared(llamaLoop(192, 12, false), "ddp", "none", 211832)},
	{file: "llama_loop.py", args: []string{"fsdp"}, launch: torchrun, ranks: 2, iterations: 12, batch: 16, samples: 96,
		perEpoch: 6, epochs: 2, steps: unknown, seed: true,
		tuning: shared(llamaLoop(192, 12, false), "fsdp", "zero3", 105976)},
	// Optimizers that are none of PyTorch's.
	{file: "engine.py", iterations: 12, batch: 16, samples: 64, perEpoch: 4, epochs: 3, steps: unknown, validations: 3,
		seed: true},
	{file: "own_optimizer.py", iterations: 24, batch: 10, samples: 60, perEpoch: 6, epochs: 4, steps: unknown, seed: true},
	{file: "by_hand.py", iterations: 40, batch: 16, samples: unknown, perEpoch: 10, epochs: 4, steps: unknown,
		validations: 4, seed: true},
	{file: "then_by_hand.py", iterations: 30, batch: 12, samples: 60, perEpoch: 5, epochs: 6, steps: unknown, seed: true,
		warning: "it trains again further down (line 39); the total assumes that all of its epochs take equally long"},
	{file: "recurrent_by_hand.py", iterations: 60, batch: 1, samples: unknown, perEpoch: unknown, epochs: unknown,
		steps: 60, seed: true},
	{file: "tensors.py", iterations: 50, batch: 64, samples: unknown, perEpoch: unknown, epochs: unknown, steps: 50,
		seed: true},
	{file: "ema.py", iterations: 24, batch: 5, samples: 40, perEpoch: 8, epochs: 3, steps: unknown, validations: 4,
		seed: true},
	{file: "keras_fit.py", framework: "Keras", iterations: 28, batch: 32, samples: 200, perEpoch: 7, epochs: 4,
		steps: unknown, validations: 5, checkpoints: 4, seed: true},
	{file: "keras_torch.py", framework: "Keras", iterations: 25, batch: 48, samples: 240, perEpoch: 5, epochs: 5,
		steps: unknown, validations: 1, seed: true,
		warning: "it trains again further down (line 30); the total assumes that all of its epochs take equally long"},
	{file: "keras_rounds.py", args: []string{"rounds"}, framework: "Keras", iterations: 96, batch: 16, samples: 128,
		perEpoch: 8, epochs: 12, steps: unknown, validations: 12, seed: true},
	{file: "keras_rounds.py", args: []string{"networks"}, framework: "Keras", iterations: 44, batch: 16, samples: 128,
		perEpoch: 44 / 7.0, epochs: 7, steps: unknown, validations: 1, seed: true,
		warning: "it trains again further down (line 38); the total assumes that all of its epochs take equally long"},
	{file: "jax_loop.py", framework: "JAX", iterations: 24, batch: 32, samples: 180, perEpoch: 6, epochs: 4,
		steps: unknown, validations: 5, seed: true},
	{file: "jax_split.py", framework: "JAX", iterations: 24, batch: 32, samples: 180, perEpoch: 6, epochs: 4,
		steps: unknown, validations: 4, seed: true},
	{file: "jax_inner_loop.py", framework: "JAX", iterations: 40, batch: unknown, samples: unknown, perEpoch: 5,
		epochs: 8, steps: unknown, validations: 8, seed: true,
		warning: "every call of run_epoch makes 5 steps, whose times are equal parts of its own; samples are not counted"},
	{file: "jax_not_jitted.py", framework: "JAX", iterations: 24, batch: 24, samples: 190, perEpoch: 8, epochs: 3,
		steps: unknown, seed: true},
	{file: "jax_time_major.py", framework: "JAX", iterations: 50, batch: 12, samples: unknown, perEpoch: unknown,
		epochs: unknown, steps: 50, seed: true},
	{file: "jax_again.py", framework: "JAX", iterations: 30, batch: 16, samples: unknown, perEpoch: unknown,
		epochs: unknown, steps: 30, seed: true,
		warning: "it trains again, by another function (train_step); only the steps of the training before are counted"},
	{file: "jax_saved.py", framework: "JAX", iterations: 18, batch: 16, samples: 96, perEpoch: 6, epochs: 3,
		steps: unknown, checkpoints: 3, seed: true},
	{file: "jax_sgd.py", framework: "JAX", iterations: 60, batch: 40, samples: unknown, perEpoch: unknown,
		epochs: unknown, steps: 60, seed: true},
	{file: "jax_mapped.py", framework: "JAX", iterations: 60, batch: 24, samples: unknown, perEpoch: unknown,
		epochs: unknown, steps: 60, validations: 5, seed: true},
	{file: "jax_whole_set.py", iterations: 50, batch: 48, samples: 48, perEpoch: 1, epochs: 50, steps: unknown,
		framework: "JAX", validations: 5, seed: true},
	{file: "jax_flax.py", framework: "Flax", only: "new", iterations: 100, batch: 24, samples: unknown,
		perEpoch: unknown, epochs: unknown, steps: 100, validations: 4, seed: true},
}
