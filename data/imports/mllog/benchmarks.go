package mllog

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"sweetspot/data/catalog"
	"sweetspot/engine/profile"
)

// Names of several machines: 8xND96amsr_A100_v4, dgx2h_n30_ngc19.05_pytorch.
var (
	numbered = regexp.MustCompile(`^([1-9][0-9]{0,4})x([A-Za-z].*)$`)
	nodes    = regexp.MustCompile(`^(.+)_n([1-9][0-9]{0,4})(_.*)?$`)
)

// setMachine sets what a run was on: so many machines of a kind, or one with so
// many GPUs.
func setMachine(run *profile.Run, platform string) {
	run.InstanceType, run.Count = platform, 1
	count, name := "", ""
	if m := numbered.FindStringSubmatch(platform); m != nil {
		count, name = m[1], m[2]
	} else if m := nodes.FindStringSubmatch(platform); m != nil {
		count, name = m[2], m[1]+m[3]
	} else {
		return
	}
	n, _ := strconv.Atoi(count) // at most five digits
	if run.InstanceType = name; catalog.MemoryOf(name) == nil {
		run.Count = n
		return
	}
	run.GPU, run.GPUCount = cmp.Or(run.GPU, name), n
}

// metrics are those of the MLPerf Training rules for each benchmark.
var metrics = map[string]struct {
	name   string
	higher bool
}{
	"resnet": {"top-1", true}, "ssd": {"mAP", true}, "retinanet": {"mAP", true}, "maskrcnn": {"mAP", true},
	"unet3d": {"mean DICE", true},
	"bert":   {"masked-LM accuracy", true}, "rnnt": {"WER", false}, "dlrm": {"AUC", true}, "dlrm_dcnv2": {"AUC", true},
	"gnn":  {"accuracy", true},
	"rgat": {"accuracy", true}, "gpt3": {"log perplexity", false}, "llama2_70b_lora": {"loss", false},
	"llama31_8b":   {"log perplexity", false},
	"llama31_405b": {"log perplexity", false}, "gnmt": {"BLEU", true}, "transformer": {"BLEU", true},
	"ncf": {"hit rate", true}, "minigo": {"win rate", true},
}

// units are the samples of benchmarks, where known.
var units = func() map[string]string {
	out := map[string]string{}
	for _, image := range []string{"resnet", "ssd", "retinanet", "maskrcnn", "unet3d", "stable_diffusion"} {
		out[image] = "image"
	}
	for name := range metrics {
		if !slices.Contains([]string{"resnet", "ssd", "retinanet", "maskrcnn", "unet3d"}, name) {
			out[name] = "sample"
		}
	}
	return out
}()
