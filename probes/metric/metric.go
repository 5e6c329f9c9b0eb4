// Package metric reads the results of validations from what a script prints:
// accuracies and the like, with their direction, unit and epoch.
//
// A line counts by what it says: the name of a metric, then its number. The words
// val, valid, eval, dev and test before a name, in it, or after the number say what
// it was measured on, and hold until another such word; train and training
// take it out. "accuracy: 0.91 - val_accuracy: 0.88" gives the first to the
// training. A number is a fraction of units (9153/10000), one in per cent (88.1 %),
// or bare; bare ones above 1 make all of that metric in the run per cent. The best so
// far, a goal, the accuracy of one class and progress are no results, and a loss
// is no accuracy.
//
// A line that does not say what it was measured on counts where a validation was
// seen to end and no step followed, if no such line comes elsewhere: see [Log].
package metric

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"sweetspot/engine/plaintext"
)

// longest is the most of a line that is read, in bytes.
const longest = 4096

// Reader reads lines, which may stand for little without those before them.
type Reader struct {
	pattern *regexp.Regexp // the user's; nil for none
	table   *table
}

// NewReader returns a reader. A pattern, "" for none, is a regular expression with the
// group value and perhaps the group epoch; then only what it matches is read.
func NewReader(pattern string) (*Reader, error) {
	if pattern == "" {
		return &Reader{}, nil
	}
	const form = `with the group value, such as 'R@1 = (?P<value>[\d.]+)'`
	if len(pattern) > longest/2 {
		return nil, fmt.Errorf("the pattern of accuracies is longer than %d bytes; match less of a line", longest/2)
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern of accuracies is not a valid regular expression: %s",
			plaintext.Line(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 200))
	}
	for _, name := range expression.SubexpNames() {
		if name != "" && name != "value" && name != "epoch" {
			return nil, fmt.Errorf("the pattern of accuracies has the group %q; its groups are value and epoch",
				plaintext.Line(name, 40))
		}
	}
	names := slices.DeleteFunc(slices.Clone(expression.SubexpNames()), func(n string) bool { return n == "" })
	slices.Sort(names)
	switch {
	case !slices.Contains(names, "value"):
		return nil, errors.New("give a pattern of accuracies " + form)
	case len(slices.Compact(names)) != len(expression.SubexpNames())-1-unnamed(expression):
		return nil, errors.New("the pattern of accuracies has a group twice; name it once")
	}
	return &Reader{pattern: expression}, nil
}

func unnamed(e *regexp.Regexp) (n int) {
	for _, name := range e.SubexpNames()[1:] {
		if name == "" {
			n++
		}
	}
	return n
}

// hints are in every line that is worth a closer look, in lower case.
var hints = []string{"acc", "top", "prec", "err", "f1", "f-", "score", "auc", "auroc", "map", "iou", "dice",
	"jaccard",
	"match", "bleu", "rouge", "chrf", "wer", "cer", "ppl", "perplex", "r2", "r²", "r^2", "squared", "mcc",
	"matthews", "kappa",
	"qwk", "pearson", "spearman", "ndcg", "mrr", "recall", "psnr", "ssim", "fid", "bpb", "bpc", "mae", "mape",
	"rmse", "em",
	"correct", "loss", "epoch", "ep ", "val", "eval", "test", "dev"}

// read reads one line of output, or one drawing of a progress bar.
func (r *Reader) read(raw string) line {
	if len(raw) > longest {
		raw = raw[:longest]
	}
	text := strings.TrimSpace(plaintext.Clean(raw))
	if text == "" {
		return line{}
	}
	if r.pattern != nil {
		return r.matched(text)
	}
	if r.table != nil {
		if l, ok := r.table.row(text); ok {
			l.shape = "a row of a table"
			return l
		}
	}
	low := strings.ToLower(text)
	if !slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(low, h) }) {
		return line{}
	}
	l := read(text)
	if len(l.values) == 0 {
		if t := header(text); t != nil {
			r.table, l.head = t, Unsaid
		}
	}
	return l
}

// matched reads a line by the user's pattern. What was matched before the value names
// the metric; without a name it is an accuracy.
func (r *Reader) matched(text string) line {
	m := r.pattern.FindStringSubmatchIndex(text)
	if m == nil {
		return line{}
	}
	at := 2 * r.pattern.SubexpIndex("value")
	if m[at] < 0 {
		return line{}
	}
	tokens := scan(text[m[at]:m[at+1]])
	if len(tokens) == 0 || tokens[0].kind != number {
		return line{}
	}
	tokens[0].sign = tokens[0].sign || strings.HasPrefix(strings.TrimLeft(text[m[at+1]:], " "), "%")
	before := text[m[0]:m[at]]
	v := Value{measure: measure{name: "accuracy"}, Split: Validation}
	if found, ok := measureOf(parts(before)); ok {
		v.measure = found
		v.strict = false
	}
	v.Label = strings.Trim(plaintext.Name(before), " :=|-([")
	if v.Label == "" {
		v.Label = v.name
	}
	v.take(tokens[0])
	if !v.isSound() {
		return line{}
	}
	l := line{values: []Value{v}, shape: "the pattern"}
	if i := r.pattern.SubexpIndex("epoch"); i >= 0 && m[2*i] >= 0 {
		if e, ok := parse(text[m[2*i]:m[2*i+1]]); ok && e >= 0 && e < 1e6 {
			l.epoch, l.fine = &e, e != math.Trunc(e)
		}
	}
	return l
}
