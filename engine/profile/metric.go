package profile

import (
	"slices"
	"strings"
)

// fractionWords are parts of names of metrics that are fractions, or percent.
var fractionWords = []string{"acc", "accuracy", "top1", "top5", "f1", "auc", "auroc", "precision", "recall", "iou",
	"miou", "map", "dice", "match", "em"}

// IsFraction says from a metric's name that it is a fraction, so that a value
// above 1 is one in percent. What is counted in a unit of its own, BLEU or WER,
// is none.
func IsFraction(metric string) bool {
	words := metricWords(metric)
	for i, w := range words {
		if w == "top" && i+1 < len(words) && strings.Trim(words[i+1], "0123456789") == "" {
			return true // top-5
		}
	}
	return HasWord(metric, fractionWords...)
}

// HasWord reports whether one of the words is a part of the metric's name.
func HasWord(metric string, words ...string) bool {
	return slices.ContainsFunc(metricWords(metric), func(part string) bool { return slices.Contains(words, part) })
}

func metricWords(metric string) []string {
	return strings.FieldsFunc(strings.ToLower(metric), func(r rune) bool { return strings.ContainsRune("_/-. :@()", r) })
}
