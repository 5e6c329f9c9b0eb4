package metric

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Split is the part of the data that a value was measured on.
type Split uint8

// The splits. Unsaid is that of a line that does not tell.
const (
	Unsaid Split = iota
	Train
	Validation
	Test
)

// splits are the words that name a part of the data.
var splits = map[string]Split{
	"train": Train, "training": Train, "trn": Train, "trained": Train,
	"val": Validation, "valid": Validation, "validation": Validation, "validate": Validation, "validating": Validation,
	"validated": Validation, "vali": Validation, "dev": Validation, "eval": Validation, "evaluation": Validation,
	"evaluate": Validation, "evaluating": Validation, "holdout": Validation, "heldout": Validation, "vld": Validation,
	"test": Test, "testing": Test, "tst": Test, "tested": Test,
}

// ofSteps are parts of the names of what is printed for a batch or so.
var ofSteps = []string{"batch", "minibatch", "running", "step", "iter", "tr"}

// unit is how a value is to be read.
type unit uint8

const (
	fraction unit = iota // in [0,1], or in per cent
	own                  // a unit of its own
)

// measure is a metric of a model's quality.
type measure struct {
	name   string
	lower  bool // is better
	unit   unit
	rank   int  // of several the lowest is taken for the accuracy of the run
	strict bool // its word means other things, too: it counts only where its split is said, or as a share
}

// lossRank is that of what is no accuracy.
const lossRank = 9

// measures are the metrics by the parts of their names, of which several may be
// one after another; the first that a name contains is the one it is.
var measures = []struct {
	parts string
	measure
}{
	{"loss", measure{name: "loss", lower: true, unit: own, rank: lossRank}},
	{"top 1 err", measure{name: "top1 error", lower: true, rank: 1}},
	{"top 1 error", measure{name: "top1 error", lower: true, rank: 1}},
	{"err 1", measure{name: "top1 error", lower: true, rank: 1}},
	{"top 5 err", measure{name: "top5 error", lower: true, rank: 6}},
	{"top 5 error", measure{name: "top5 error", lower: true, rank: 6}},
	{"err 5", measure{name: "top5 error", lower: true, rank: 6}},
	{"word error rate", measure{name: "wer", lower: true, unit: own, rank: 3}},
	{"wer", measure{name: "wer", lower: true, unit: own, rank: 3}},
	{"character error rate", measure{name: "cer", lower: true, unit: own, rank: 4}},
	{"cer", measure{name: "cer", lower: true, unit: own, rank: 4}},
	{"error rate", measure{name: "error", lower: true, rank: 1}},
	{"err rate", measure{name: "error", lower: true, rank: 1}},
	{"classification error", measure{name: "error", lower: true, rank: 1}},
	{"balanced accuracy", measure{name: "balanced accuracy", rank: 3}},
	{"balanced acc", measure{name: "balanced accuracy", rank: 3}},
	{"pixel accuracy", measure{name: "pixel accuracy", rank: 4}},
	{"pixel acc", measure{name: "pixel accuracy", rank: 4}},
	{"pix acc", measure{name: "pixel accuracy", rank: 4}},
	{"token accuracy", measure{name: "token accuracy", rank: 4}},
	{"token acc", measure{name: "token accuracy", rank: 4}},
	{"acc 1", measure{name: "top1", rank: 0}},
	{"prec 1", measure{name: "top1", rank: 0}},
	{"top 1", measure{name: "top1", rank: 0}},
	{"acc 5", measure{name: "top5", rank: 6}},
	{"prec 5", measure{name: "top5", rank: 6}},
	{"top 5", measure{name: "top5", rank: 6}},
	{"top k", measure{name: "top-k", rank: 6}},
	{"acc", measure{name: "accuracy", rank: 0}},
	{"accuracy", measure{name: "accuracy", rank: 0}},
	{"accuracies", measure{name: "accuracy", rank: 0}},
	{"acc norm", measure{name: "accuracy", rank: 0}},
	{"map 50 95", measure{name: "map50-95", rank: 2}},
	{"map 0 5 0 95", measure{name: "map50-95", rank: 2}},
	{"map 5 95", measure{name: "map50-95", rank: 2}},
	{"map 50", measure{name: "map50", rank: 5}},
	{"map 75", measure{name: "map75", rank: 6}},
	{"map 0 5", measure{name: "map50", rank: 5}},
	{"map 5", measure{name: "map50", rank: 5}},
	{"mean average precision", measure{name: "map", rank: 2}},
	{"average precision", measure{name: "average precision", rank: 2}},
	{"map", measure{name: "map", rank: 2, strict: true}},
	{"mean iou", measure{name: "miou", rank: 2}},
	{"miou", measure{name: "miou", rank: 2}},
	{"jaccard", measure{name: "iou", rank: 2}},
	{"iou", measure{name: "iou", rank: 2}},
	{"dice", measure{name: "dice", rank: 2}},
	{"exact match", measure{name: "exact match", rank: 2}},
	{"em", measure{name: "exact match", rank: 2, strict: true}},
	{"f 1", measure{name: "f1", rank: 3}},
	{"f score", measure{name: "f1", rank: 3}},
	{"fscore", measure{name: "f1", rank: 3}},
	{"auc", measure{name: "auc", rank: 3}},
	{"auroc", measure{name: "auc", rank: 3}},
	{"rocauc", measure{name: "auc", rank: 3}},
	{"aucroc", measure{name: "auc", rank: 3}},
	{"auprc", measure{name: "auprc", rank: 4}},
	{"bleu", measure{name: "bleu", unit: own, rank: 3}},
	{"sacrebleu", measure{name: "bleu", unit: own, rank: 3}},
	{"rouge", measure{name: "rouge", unit: own, rank: 4}},
	{"rouge l", measure{name: "rouge-l", unit: own, rank: 4}},
	{"rougel", measure{name: "rouge-l", unit: own, rank: 4}},
	{"chrf", measure{name: "chrf", unit: own, rank: 4}},
	{"mcc", measure{name: "mcc", unit: own, rank: 3}},
	{"matthews correlation", measure{name: "mcc", unit: own, rank: 3}},
	{"kappa", measure{name: "kappa", unit: own, rank: 3}},
	{"qwk", measure{name: "kappa", unit: own, rank: 3}},
	{"r 2", measure{name: "r2", unit: own, rank: 3}},
	{"r²", measure{name: "r2", unit: own, rank: 3}},
	{"r squared", measure{name: "r2", unit: own, rank: 3}},
	{"pearson", measure{name: "pearson", unit: own, rank: 3}},
	{"pearsonr", measure{name: "pearson", unit: own, rank: 3}},
	{"spearman", measure{name: "spearman", unit: own, rank: 3}},
	{"spearmanr", measure{name: "spearman", unit: own, rank: 3}},
	{"ndcg", measure{name: "ndcg", rank: 3}},
	{"mrr", measure{name: "mrr", rank: 4}},
	{"psnr", measure{name: "psnr", unit: own, rank: 4}},
	{"ssim", measure{name: "ssim", unit: own, rank: 5}},
	{"fid", measure{name: "fid", lower: true, unit: own, rank: 4}},
	{"perplexity", measure{name: "perplexity", lower: true, unit: own, rank: 5}},
	{"ppl", measure{name: "perplexity", lower: true, unit: own, rank: 5}},
	{"bpb", measure{name: "bits per byte", lower: true, unit: own, rank: 5}},
	{"bpc", measure{name: "bits per character", lower: true, unit: own, rank: 5}},
	{"recall", measure{name: "recall", rank: 6, strict: true}},
	{"precision", measure{name: "precision", rank: 7, strict: true}},
	{"rmse", measure{name: "rmse", lower: true, unit: own, rank: 7, strict: true}},
	{"mae", measure{name: "mae", lower: true, unit: own, rank: 7, strict: true}},
	{"mape", measure{name: "mape", lower: true, unit: own, rank: 7, strict: true}},
	{"error", measure{name: "error", lower: true, rank: 1, strict: true}},
	{"err", measure{name: "error", lower: true, rank: 1, strict: true}},
	{"correct", measure{name: "accuracy", rank: 0, strict: true}},
}

// sequences are the parts of the names of measures, stems all of them.
var sequences, stems = func() (lists [][]string, all map[string]bool) {
	all = map[string]bool{}
	for _, m := range measures {
		list := strings.Fields(m.parts)
		lists = append(lists, list)
		for _, part := range list {
			all[part] = true
		}
	}
	return lists, all
}()

// foreign are parts that make a name that of something else: gradient
// accumulation, a threshold, a deviation.
var foreign = []string{"grad", "gradient", "gradients", "accum", "steps", "threshold", "std", "stddev", "var",
	"delta",
	"weight", "coef", "lambda", "time", "lr", "class", "classes", "label", "labels", "per", "num",
	"diff", "gap", "gain",
	"improvement", "increase", "drop", "count", "counter", "seconds"}

// remembered are parts of what is no new result: the best so far, a goal.
var remembered = []string{"best", "max", "maximum", "highest", "previous", "prev", "target", "goal", "desired",
	"threshold", "baseline", "chance", "random", "expected", "required", "min", "minimum", "lowest", "old", "record",
	"peak"}

var joints = regexp.MustCompile(`[\pL²]+|\d+`)

// parts are the words and numbers that a name is made of, in lower case: valAcc@1
// is val, acc and 1; mIoU and mAP stay whole.
func parts(name string) []string {
	var out []string
	for _, p := range joints.FindAllString(name, 20) {
		runes, from := []rune(p), 0
		for i := 2; i+1 < len(runes); i++ {
			if unicode.IsLower(runes[i-1]) && unicode.IsUpper(runes[i]) && unicode.IsLower(runes[i+1]) && i-from > 1 {
				out = append(out, strings.ToLower(string(runes[from:i])))
				from = i
			}
		}
		out = append(out, strings.ToLower(string(runes[from:])))
	}
	return out
}

// measureOf is the metric with a name of these parts.
func measureOf(name []string) (measure, bool) {
	for i, of := range sequences {
		if sequence(name, of) >= 0 {
			return measures[i].measure, !isForeign(name)
		}
	}
	return measure{}, false
}

// isForeign reports a name of something else.
func isForeign(name []string) bool {
	return slices.ContainsFunc(name, func(p string) bool { return slices.Contains(foreign, p) })
}

// sequence is where the parts stand in the name one after another; -1 for nowhere.
func sequence(name, of []string) int {
	for i := 0; i+len(of) <= len(name); i++ {
		if slices.Equal(name[i:i+len(of)], of) {
			return i
		}
	}
	return -1
}

// splitOf is the split that the name of a metric says.
func splitOf(name []string) Split {
	for _, p := range name {
		if s := splits[p]; s != Unsaid {
			return s
		}
	}
	if slices.ContainsFunc(name, func(p string) bool { return slices.Contains(ofSteps, p) }) {
		return Train
	}
	return Unsaid
}

// headOf is the split that a word by itself says, such as val, test_set or
// validation-results; the word train.py says none, and Train/Val the first.
func headOf(name []string) Split {
	split := Unsaid
	for _, p := range name {
		switch {
		case split == Train && splits[p] != Unsaid:
		case splits[p] != Unsaid:
			split = splits[p]
		case !slices.Contains(ofSplit, p):
			return Unsaid
		}
	}
	return split
}

// ofSplit are words that stand with that of a split.
var ofSplit = []string{"set", "sets", "data", "dataset", "split", "result", "results", "metric", "metrics", "stats",
	"score", "scores", "phase", "summary", "report", "epoch", "images", "samples", "examples"}
