package frameworks

import "strings"

// unknown stands for what a script does not tell.
const unknown = -1

// script is a training as its author knows it.
type script struct {
	file      string
	framework string // that it stands on besides PyTorch, "" for none
	args      []string
	only      string                  // the environment that it needs, "" for every one
	launch    func(s launch) []string // nil for python file args
	exit      int                     // its status

	ranks, iterations        int     // processes that train (0 for 1), and the steps of each
	batch, samples           float64 // of all ranks
	perEpoch, epochs, steps  float64 // steps of an epoch, and the length of the training as it declares it
	validations, checkpoints int
	seed                     bool // its output, with the weights in its last line, is the same in every run
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

// torchrun starts a script with two ranks on this machine.
func torchrun(l launch) []string {
	return append([]string{l.python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", l.file},
		l.args...)
}

var scripts = []script{
	{file: "plain_loop.py", iterations: 21, batch: 16, samples: 100, perEpoch: 7, epochs: 3, steps: unknown,
		validations: 3},
	{file: "accumulation.py", iterations: 6, batch: 32, samples: 96, perEpoch: 3, epochs: 2, steps: unknown},
	{file: "two_optimizers.py", iterations: 10, batch: 10, samples: 50, perEpoch: 5, epochs: 2, steps: unknown},
	{file: "closure.py", iterations: 8, batch: 20, samples: 40, perEpoch: 2, epochs: 4, steps: unknown},
	{file: "iterable.py", iterations: 10, batch: 10, samples: 45, perEpoch: 5, epochs: 2, steps: unknown},
	{file: "eval_every_k.py", iterations: 24, batch: 5, samples: 40, perEpoch: 8, epochs: 3, steps: unknown,
		validations: 4},
	{file: "no_loader.py", iterations: 12, batch: unknown, samples: unknown, perEpoch: unknown, epochs: 3, steps: unknown,
		validations: 2},
	{file: "workers.py", iterations: 8, batch: 16, samples: 64, perEpoch: 4, epochs: 2, steps: unknown, validations: 4},
	{file: "ranks.py", args: []string{"2"}, launch: torchrun, ranks: 2, iterations: 16, batch: 10, samples: 80,
		perEpoch: 8, epochs: 2, steps: unknown, validations: 1},
}
