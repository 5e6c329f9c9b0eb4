package frameworks

// trainers are scripts on what others wrote around the loop, and those counted in steps.
var trainers = []script{
	{file: "transformers_epochs.py", framework: "transformers", iterations: 30, batch: 16, samples: 160, perEpoch: 10,
		epochs: 3, steps: unknown, validations: 4, checkpoints: 3, seed: true},
	{file: "transformers_steps.py", framework: "transformers", iterations: 40, batch: 12, samples: unknown,
		perEpoch: unknown, epochs: unknown, steps: 40, validations: 4, checkpoints: 2, seed: true},
	{file: "transformers_causal.py", framework: "transformers, peft", args: []string{"--stop_after", "105"},
		iterations: 105, batch: 6, samples: 120, perEpoch: 20, epochs: unknown, steps: 105, checkpoints: 1, seed: true},
	{file: "transformers_causal.py", framework: "transformers, peft", args: []string{"--stop_after", "60"},
		iterations: 60, batch: 6, samples: 120, perEpoch: 20, epochs: unknown, steps: 60, checkpoints: 1, seed: true},
	{file: "transformers_lora.py", framework: "transformers, peft", only: "new", iterations: 60, batch: 6, samples: 180,
		perEpoch: 30, epochs: 2, steps: unknown, seed: true, tuning: loraOfTrainer()},
	{file: "accelerate_loop.py", framework: "accelerate", iterations: 48, batch: 8, samples: 128, perEpoch: 16,
		epochs: 3, steps: unknown, validations: 3, checkpoints: 3, seed: true},
	{file: "accelerate_loop.py", framework: "accelerate launch", launch: accelerated, iterations: 48, batch: 8,
		samples: 128, perEpoch: 16, epochs: 3, steps: unknown, validations: 3, checkpoints: 3, seed: true},
	{file: "accelerate_no_trainer.py", framework: "accelerate", args: []string{"--max_train_steps", "30"},
		iterations: 30, batch: 16, samples: 200, perEpoch: 13, epochs: unknown, steps: 30, validations: 3, checkpoints: 3,
		seed: true},
	{file: "accelerate_no_trainer.py", framework: "accelerate", args: []string{"--max_train_steps", "39"},
		iterations: 39, batch: 16, samples: 200, perEpoch: 13, epochs: unknown, steps: 39, validations: 3, checkpoints: 3,
		seed: true},
	{file: "lightning_unfreezes.py", framework: "Lightning", iterations: 30, batch: 8, samples: 80, perEpoch: 10,
		epochs: 3, steps: unknown, seed: true, warning: "a callback of Lightning's, Later, changes its work in later " +
			"epochs; what was timed says little about later steps"},
	{file: "lightning_epochs.py", framework: "Lightning", iterations: 48, batch: 10, samples: 120, perEpoch: 12,
		epochs: 4, steps: unknown, validations: 5, checkpoints: 4, seed: true},
	{file: "lightning_epochs.py", framework: "Lightning", args: []string{"--length", "1", "--limit", "8"},
		iterations: 8, batch: 10, samples: 120, perEpoch: 8, epochs: 1, steps: unknown,
		validations: 1 /* with the test right after it */, checkpoints: 1, seed: true},
	{file: "lightning_epochs.py", framework: "Lightning", args: []string{"--fits", "2"}, iterations: 96, batch: 10,
		samples: 120, perEpoch: 12, epochs: 8, steps: unknown, validations: 9, checkpoints: 8, seed: true},
	{file: "lightning_epochs.py", framework: "Lightning", args: []string{"--resume"}, iterations: 96, batch: 10,
		samples: 120, perEpoch: 12, epochs: 8, steps: unknown, validations: 9, checkpoints: 8, seed: true},
	{file: "lightning_steps.py", framework: "Lightning", iterations: 50, batch: 16, samples: 320, perEpoch: 20,
		epochs: unknown, steps: 50, validations: 5, checkpoints: 5, seed: true},
	{file: "lightning_gan.py", framework: "Lightning", iterations: 40, batch: 12, samples: 96, perEpoch: 8, epochs: 5,
		steps: unknown, seed: true},
	{file: "fabric_loop.py", framework: "Fabric", iterations: 15, batch: 30, samples: 150, perEpoch: 5, epochs: 3,
		steps: unknown, validations: 3, checkpoints: 3, seed: true},
	{file: "timm_loop.py", framework: "timm", iterations: 24, batch: 8, samples: 100, perEpoch: 12, epochs: 2,
		steps: unknown, validations: 2, checkpoints: 2, seed: true},
	{file: "timm_loop.py", framework: "timm", args: []string{"--ema", "v2", "--epochs", "3"}, iterations: 36, batch: 8,
		samples: 100, perEpoch: 12, epochs: 3, steps: unknown, validations: 3, checkpoints: 3, seed: true},
	{file: "torchvision_references.py", framework: "torchvision", args: []string{"--epochs", "12"}, iterations: 96,
		batch: 8, samples: 64, perEpoch: 8, epochs: 12, steps: unknown, validations: 12, checkpoints: 24, seed: true},
	{file: "notebook.ipynb", framework: "nbconvert", only: "new", launch: notebook, iterations: 40, batch: 12,
		samples: 120, perEpoch: 10, epochs: 4, steps: unknown, validations: 4},
	{file: "nanogpt_like.py", iterations: 61, batch: 12, samples: unknown, perEpoch: unknown, epochs: unknown,
		steps: 61, validations: 4, checkpoints: 2, seed: true},
	{file: "nanogpt_like.py", args: []string{"--compile=True"}, iterations: 61, batch: 12, samples: unknown,
		perEpoch: unknown, epochs: unknown, steps: 61, validations: 4, checkpoints: 2, seed: true},
	{file: "infinite_sampler.py", iterations: 60, batch: 5, samples: 90, perEpoch: unknown, epochs: unknown, steps: 60,
		validations: 2, seed: true},
	{file: "steps_option.py", args: []string{"--steps", "150"}, iterations: 150, batch: 12, samples: unknown,
		perEpoch: unknown, epochs: unknown, steps: 150, seed: true},
	{file: "dcgan_like.py", args: []string{"--niter", "15"}, iterations: 105, batch: 16, samples: 100, perEpoch: 7,
		epochs: 15, steps: unknown, checkpoints: 30, seed: true},
	{file: "accelerate_loop.py", framework: "accelerate, torchrun", launch: torchrun, ranks: 2, iterations: 24,
		batch: 16, samples: 128, perEpoch: 8, epochs: 3, steps: unknown, validations: 3, checkpoints: 3, seed: true},
}

// timed are scripts whose steps take some milliseconds, and which time these themselves.
var timed = []script{
	{file: "timed_loop.py", iterations: 160, batch: 25, samples: 1000, perEpoch: 40, epochs: 4, steps: unknown,
		validations: 4, checkpoints: 4, timed: true, seed: true},
	{file: "timed_loop.py", args: []string{"--compile", "--epochs", "3"}, iterations: 120, batch: 25, samples: 1000,
		perEpoch: 40, epochs: 3, steps: unknown, validations: 3, checkpoints: 3, timed: true, seed: true},
	{file: "timed_loop.py", args: []string{"--amp", "--epochs", "3"}, iterations: 120, batch: 25, samples: 1000,
		perEpoch: 40, epochs: 3, steps: unknown, validations: 3, checkpoints: 3, timed: true, seed: true},
	{file: "timed_trainer.py", framework: "transformers", iterations: 150, batch: 12, samples: 660, perEpoch: 55,
		epochs: unknown, steps: 150, validations: 3, timed: true, seed: true},
	{file: "timed_lightning.py", framework: "Lightning", iterations: 200, batch: 32, samples: 1280, perEpoch: 40,
		epochs: 5, steps: unknown, validations: 5, timed: true, seed: true},
	{file: "timed_keras.py", framework: "Keras", iterations: 150, batch: 40, samples: 1200, perEpoch: 30, epochs: 5,
		steps: unknown, timed: true, seed: true},
	{file: "timed_jax.py", framework: "JAX", iterations: 240, batch: 64, samples: unknown, perEpoch: unknown,
		epochs: unknown, steps: 240, timed: true, seed: true},
}

// accelerated starts a script as accelerate does, which on CPUs of one machine is one
// process, whatever their number.
func accelerated(l launch) []string {
	return append([]string{l.python, "-m", "accelerate.commands.launch", "--num_processes", "2", "--cpu", l.file},
		l.args...)
}

// notebook executes one, as jupyter nbconvert does.
func notebook(l launch) []string {
	return []string{l.python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", l.dir, l.file}
}
