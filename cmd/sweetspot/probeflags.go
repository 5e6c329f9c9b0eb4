package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/probes/adapter"
	"sweetspot/probes/harness"
	"sweetspot/probes/prune"
	"sweetspot/probes/request"
	"sweetspot/probes/slurm"
)

// probeFlags are the flags of probe as given by the user.
type probeFlags struct {
	model, name, input, data, optimizer, eval string
	mode                                      profile.Mode
	batch                                     []int
	precision, prune, hosts                   []string
	epochs, trainSize                         float64 // 0 is not given
	fineTune, repeat, fitBatch                int
	rule                                      steady.Rule
	price                                     *float64
	python, vm, adapter, pattern              string
	folder, rent                              string
	timeLimit                                 float64 // seconds of use of a rented VM
	dryRun                                    bool
	accuracyPattern                           string
	layers, yes, noMetadata, noTUI            bool
	keepRunning, detach, workOnly             bool
	on                                        string
	gpus                                      []string
	slurm                                     slurm.Options // over those of the config file
	infra                                     []string      // so, too
}

func (f *probeFlags) register(fl *pflag.FlagSet) {
	f.rule = steady.DefaultRule()
	fl.StringVar(&f.model, "model", "", "the model to run: file.py:factory, package.module:factory, timm:resnet18, "+
		"transformers:BertConfig, file.pt, file.pt2, file.onnx, or example:fashion-cnn")
	fl.StringVar(&f.name, "name", "", "name of the model in the database (default: that of the factory, the file or "+
		"the script)")
	fl.StringVar(&f.input, "input", "", "shape of one input sample, 3x224x224")
	fl.IntSliceVar(&f.batch, "batch", nil, "batch sizes (default 128)")
	fl.StringSliceVar(&f.precision,
		"precision", nil, "arithmetic precisions: fp32, tf32, bf16, fp16, int8 (default fp32)")
	fl.StringArrayVar(&f.prune, "prune", nil, "fractions of filters to remove from every convolution, 0,0.3 or 0,30%, or "+
		"from some: conv1=0.3,conv2=0.5 is one variant, conv1=0:0.6:0.1 a range, ranges of several layers a grid")
	fl.Var(flagOf(&f.mode, modes, "train"), "mode", "the mode: train or infer")
	fl.Var(flagOf(&f.epochs, parseEpochs, ""), "epochs",
		"epochs of the training, also used for estimates (default 10, or the "+
			"script's own; estimates 5, 10 and 20); for inference, passes over the data (default: until stopped)")
	fl.StringVar(&f.data, "data", "", "input of the model: auto, fashion-mnist or synthetic (default auto: a "+
		"dataset that fits)")
	fl.Var(flagOf(&f.trainSize, quantity.ParseCount, ""), "train-size", "units in your training set, for synthetic input")
	fl.StringVar(&f.optimizer, "optimizer", "", "optimizer of the training: sgd or adam (default sgd)")
	fl.StringVar(&f.eval, "eval", "", "labelled set for measuring accuracy: file.py:factory")
	fl.IntVar(&f.fineTune, "fine-tune", 0, "epochs to train a pruned model before measuring it, in inference")
	fl.BoolVar(&f.layers, "layers", false, "measure each layer's share of the time of a forward pass")
	fl.IntVar(&f.fitBatch, "largest-batch", 0, "find the largest batch size up to this that fits in memory, instead of "+
		"measuring times")
	fl.BoolVar(&f.workOnly, "work-only", false, "only count operations, parameters and activations, in the first step "+
		"of a command, from which rank estimates times; measure nothing")
	fl.IntVar(&f.repeat, "repeat", 1, "number of repetitions, each in a fresh process")
	fl.StringArrayVar(&f.hosts, "host", nil, "probe on user@vm or user@vm:port over ssh; several hosts run in parallel")
	fl.StringVar(&f.on, "on", "", "probe in the queue of a cluster: slurm on a login host, or "+
		"slurm:user@login-host; or on clusters that your SkyPilot rents and ends: sky")
	fl.StringSliceVar(&f.gpus, "gpu", nil, "with --on, the GPU types to probe: a100,v100, or a100:2 for two of them; see "+
		"sweetspot queue offers")
	fl.StringSliceVar(&f.infra, "infra", nil, "with --on sky, where clusters may be, as SkyPilot names it: aws, "+
		"gcp/us-central1, or one's own, such as ssh/pool (default: every cloud of the catalog)")
	f.registerSlurm(fl)
	fl.Var(flagOf(&f.rule.MaxSeconds, aboveZero(parseSeconds), ""), "max-seconds",
		"time cap of each probe, such as 90s or 5m (default: none; 10m "+
			"for an inference without any cap, 5m in a queue)")
	fl.Var(flagOf(&f.rule.MaxUSD, aboveZero(quantity.ParseMoney), ""), "max-cost",
		"cost cap in dollars for all probes together; needs a price")
	fl.IntVar(&f.rule.MaxN, "max-steps", 0, "iteration cap of each probe")
	fl.Var(flagOf(&f.rule.Target, aboveZero(quantity.ParseFraction), "0.02"), "precision-target",
		"stop at this relative half-width of the mean's 90 "+
			"% interval (0.02 or 2%)")
	fl.BoolVar(&f.keepRunning, "keep-running", false, "let the script run to its end regardless of precision; caps "+
		"still apply")
	fl.StringVar(&f.python, "python", "",
		"Python that has PyTorch (default: $SWEETSPOT_PYTHON, python3, /usr/bin/python3)")
	fl.StringVar(&f.adapter, "adapter", "", "how to read the output of a script without PyTorch: auto, keras, tqdm, "+
		"mllog (default auto)")
	fl.StringVar(&f.pattern, "pattern", "", "regular expression that finds the steps in a script's output, with "+
		"groups such as (?P<ms>…) or (?P<step>…)")
	fl.StringVar(&f.accuracyPattern, "accuracy-pattern", "", "regular expression that finds the accuracy of a "+
		"validation in a script's output, with the group (?P<value>…) and perhaps (?P<epoch>…)")
	fl.Var(optional(&f.price, quantity.ParseMoney), "price", "price of the machine in dollars an hour")
	fl.StringVar(&f.vm, "vm", "", "the VM type of the machine in the catalog (p3.2xlarge, or aws/us-east-1/p3.2xlarge); "+
		"with --rent and --on sky several, separated by commas")
	fl.StringVar(&f.folder, "folder", "", "the folder that the command runs in: with --rent and --on sky it is copied, "+
		"with --host it is one of that host (default: the current one; on a host the home there)")
	fl.Var(flagOf(&f.rent, oneOf(renterNames()...), ""), "rent", "rent the VM types of --vm with sky (SkyPilot), aws or "+
		"gcloud, probe on each of them, and end them; see --dry-run")
	fl.Var(flagOf(&f.timeLimit, aboveZero(parseSeconds), defaultLimit.String()), "time-limit", "how long a rented VM is "+
		"used at most; it then ends by itself")
	fl.BoolVar(&f.dryRun, "dry-run", false, "with --rent, only say what would be rented and what it costs at most, and "+
		"write the scripts that do it")
	fl.BoolVar(&f.noMetadata,
		"no-metadata", false, "do not ask the cloud's metadata service which VM type the machine is")
	fl.BoolVar(&f.detach, "detach", false,
		"keep running when the terminal or the connection is lost; see sweetspot attach")
	fl.BoolVar(&f.yes, "yes", false, "spend the expected cost of the probes without asking")
	fl.BoolVar(&f.noTUI, "no-tui", false, "print plain output without a line that updates itself")
}

// ofQueue are the flags that are passed on to a cluster.
var ofQueue = []string{"account", "qos", "partition", "constraint", "container", "module", "sbatch", "spool"}

// registerSlurm registers what is passed on to a cluster. The config file has the same.
func (f *probeFlags) registerSlurm(fl *pflag.FlagSet) {
	fl.StringVar(&f.slurm.Account, "account", "", "with --on slurm, the account of its jobs")
	fl.StringVar(&f.slurm.QoS, "qos", "", "with --on slurm, the quality of service of its jobs")
	fl.StringVar(&f.slurm.Partition, "partition", "", "with --on slurm, the partition of its jobs")
	fl.StringVar(&f.slurm.Constraint, "constraint", "", "with --on slurm, the features that nodes must have")
	fl.StringVar(&f.slurm.Container, "container", "", "with --on slurm, run in this image (Pyxis), or in this .sif file "+
		"(Apptainer)")
	fl.StringArrayVar(&f.slurm.Modules, "module", nil, "with --on slurm, load this environment module first")
	fl.StringArrayVar(&f.slurm.Options, "sbatch", nil, "with --on slurm, one more option of sbatch, such as "+
		"--sbatch=--mem=16G")
	fl.StringVar(&f.slurm.Spool, "spool", "", "with --on slurm, folder for the records of probes, on a file system that "+
		"all nodes share (default: in the home)")
}

// cluster is the config file's word on engines, and over it that of the flags.
func (f *probeFlags) cluster() (request.Engines, error) {
	e, err := clusterConfig()
	if err != nil {
		return e, err
	}
	if f.infra != nil {
		e.Sky.Infra = f.infra
	}
	o := &e.Slurm
	for to, given := range map[*string]string{&o.Account: f.slurm.Account, &o.QoS: f.slurm.QoS,
		&o.Partition: f.slurm.Partition, &o.Constraint: f.slurm.Constraint, &o.Container: f.slurm.Container,
		&o.Spool: f.slurm.Spool} {
		*to = cmp.Or(given, *to)
	}
	if f.slurm.Modules != nil {
		o.Modules = f.slurm.Modules
	}
	if f.slurm.Options != nil {
		o.Options = f.slurm.Options
	}
	return e, nil
}

// check finds out, too, which hosts are this machine. An unset shell variable
// leaves empty values behind: a size of 0, a host without a name.
func (f *probeFlags) check(fl *pflag.FlagSet, args []string) error {
	dash := fl.ArgsLenAtDash()
	switch {
	case len(args) > 0 && dash != 0:
		return usageError("%q is not a flag; put the command to probe after --", args[0])
	case len(args) > 0 && f.model != "":
		return usageError("--model and a command after -- exclude each other: the command runs its own model")
	case len(args) == 0 && f.model == "":
		return usageError(
			"nothing to probe: give --model file.py:factory, --model example:fashion-cnn, or a command after --")
	case f.repeat < 1:
		return usageError("--repeat %d: must be at least 1", f.repeat)
	case fl.Changed("max-steps") && f.rule.MaxN < 1:
		return usageError("--max-steps %d: give a number of at least 1, or leave it out", f.rule.MaxN)
	case f.rent == "" && (f.dryRun || fl.Changed("time-limit")):
		return usageError("--dry-run and --time-limit are of a VM that is rented; add --rent sky and the VM type as --vm")
	case f.rent != "" && f.vm == "":
		return usageError("--rent needs the VM types to rent; add --vm, such as --vm aws/us-east-1/g6.xlarge")
	case f.rent != "" && (len(f.hosts) > 0 || f.detach || f.python != ""):
		return usageError("--rent probes on the VM that it rents, with the Python set up there; leave out --host, --detach " +
			"and --python")
	case f.rent != "" && f.workOnly:
		return usageError("--work-only measures nothing, so no VM is needed; leave out either it or --rent")
	case fl.Changed("largest-batch") && f.fitBatch < 1:
		return usageError("--largest-batch %d: give the largest batch size to try, such as 4096", f.fitBatch)
	}
	if f.on != onSky && fl.Changed("infra") {
		return usageError("--infra is of SkyPilot; add --on sky, or leave it out")
	}
	if f.on == "" {
		for _, name := range ofQueue {
			if fl.Changed(name) {
				return usageError("--%s is of a queue; add --on slurm, or leave it out", name)
			}
		}
	}
	for i, host := range f.hosts {
		switch strings.TrimSpace(host) {
		case "":
			return usageError("--host %q names no machine (is a variable unset?); leave it out, or write --host %s, for "+
				"this machine", host, request.Here)
		case request.Here:
			f.hosts[i] = ""
		}
	}
	for _, batch := range f.batch {
		if batch < 1 {
			return usageError("--batch %d: a batch holds at least one sample", batch)
		}
	}
	return nil
}

// request returns the request that the flags describe.
func (f *probeFlags) request(args []string) (r request.Request, err error) {
	r = request.Request{
		Command: args, Input: os.Stdin,
		On: f.on, GPUs: f.gpus,
		Name: f.name, Batches: f.batch, Repeats: f.repeat, Hosts: f.hosts, Detach: f.detach, Python: f.python,
		Folder: f.folder, Adapter: adapter.Kind(strings.ToLower(f.adapter)), Pattern: f.pattern,
		AccuracyPattern: f.accuracyPattern, NoMetadata: f.noMetadata, KeepRunning: f.keepRunning, Rule: f.rule,
		Spec: harness.Spec{
			Model: f.model, Mode: f.mode, Input: strings.ToLower(f.input),
			Data:      harness.Data(strings.ToLower(f.data)),
			Optimizer: strings.ToLower(f.optimizer), Eval: f.eval, FineTune: f.fineTune, Layers: f.layers, FitBatch: f.fitBatch,
			WorkOnly:  f.workOnly,
			TrainSize: int(f.trainSize), Epochs: int(f.epochs),
		},
	}
	if f.on != "" {
		e, err := f.cluster()
		if err != nil {
			return r, err
		}
		r.Slurm, r.Sky = e.Slurm, e.Sky
	}
	for _, p := range f.precision {
		r.Precisions = append(r.Precisions, strings.ToLower(strings.TrimSpace(p)))
	}
	if r.Prune = strings.Join(f.prune, ";"); r.Prune == "" {
		return r, nil
	}
	if _, err := prune.Parse(r.Prune); err != nil {
		return r, usageError("--prune: %w", err)
	}
	return r, nil
}

// parseEpochs reads a whole number of at least 1.
func parseEpochs(s string) (float64, error) {
	v, err := quantity.ParseCount(s)
	if err != nil || v != math.Trunc(v) || v > math.MaxInt32 {
		return 0, fmt.Errorf("%q is not a number of epochs; give a whole number of at least 1, such as 20", s)
	}
	return v, nil
}

// estimated returns the numbers of epochs to estimate: those of the flag, else
// those of the script.
func (f *probeFlags) estimated(r profile.Run, command bool) []float64 {
	switch {
	case f.epochs > 0:
		return []float64{f.epochs}
	case command && r.Epochs != nil:
		return []float64{*r.Epochs}
	}
	return defaultEpochs
}

// aboveZero reads a number that must not be 0.
func aboveZero(read func(string) (float64, error)) func(string) (float64, error) {
	return func(s string) (float64, error) {
		v, err := read(s)
		if err == nil && v <= 0 {
			err = fmt.Errorf("%q must be above 0", s)
		}
		return v, err
	}
}

// parseSeconds reads a duration; a bare number means seconds, as in the flag's
// name.
func parseSeconds(s string) (float64, error) {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		s += "s"
	}
	return quantity.ParseDuration(s)
}

// place sets the machine's VM type and price as the user gave them.
func (f *probeFlags) place(r *request.Request, set *profile.Set) error {
	m := &r.Machine
	if f.vm != "" {
		vm, err := profile.FindVMType(set.VMTypes, f.vm)
		if err != nil {
			return usageError("--vm: %w", err)
		}
		m.VM = vm.Key()
		if price, ok := vm.PriceOf(profile.OnDemand); ok {
			m.USDPerHour = &price.USDPerHour
		}
	}
	m.USDPerHour = cmp.Or(f.price, m.USDPerHour)
	return nil
}
