package frameworks

// public are scripts in the style of well-known repositories and tutorials.
var public = []script{
	{file: "mode_after_batch.py", iterations: 24, batch: 10, samples: 80, perEpoch: 8, epochs: 3, steps: unknown,
		validations: 3, seed: true},
	{file: "words_first.py", iterations: 30, batch: 4, samples: unknown, perEpoch: 10, epochs: 3, steps: unknown,
		validations: 4, seed: true},
	{file: "cut_by_hand.py", iterations: 120, batch: 20, samples: unknown, perEpoch: 20, epochs: 6, steps: unknown,
		validations: 6, seed: true},
	{file: "padded.py", iterations: 12, batch: 8, samples: 48, perEpoch: 6, epochs: 2, steps: unknown, validations: 2,
		seed: true},
	{file: "pictures.py", iterations: 16, batch: 4, samples: 30, perEpoch: 8, epochs: 2, steps: unknown, validations: 2,
		seed: true},
	{file: "layer_by_layer.py", iterations: 20, batch: 50, samples: 50, perEpoch: 1, epochs: unknown,
		steps: unknown, seed: true},
	{file: "rate_finder.py", iterations: 50, batch: 8, samples: 80, perEpoch: 10, epochs: 5, steps: unknown,
		checkpoints: 3, seed: true},
	{file: "rollouts.py", iterations: 48, batch: 16, samples: unknown, perEpoch: unknown, epochs: unknown,
		steps: unknown, seed: true},
	{file: "episodes.py", iterations: 20, batch: 10, samples: 100, perEpoch: 10, epochs: 2, steps: unknown,
		validations: 2, seed: true},
	{file: "attacked.py", iterations: 20, batch: 8, samples: 80, perEpoch: 10, epochs: 2, steps: unknown,
		validations: 2, seed: true},
	{file: "side_by_side.py", iterations: 30, batch: 16, samples: 160, perEpoch: 10, epochs: 3, steps: unknown,
		validations: 3, seed: true},
}
