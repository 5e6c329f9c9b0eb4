package request

import (
	"cmp"
	"strconv"
	"strings"
)

// Here is the name of this machine in a list of hosts.
const Here = "here"

// Argv is the request as arguments of "sweetspot probe", for a background
// process and for users who want to run it again.
func (r Request) Argv() []string {
	var out []string
	text := func(flag, value string) {
		if value != "" {
			out = append(out, "--"+flag+"="+value)
		}
	}
	whole := func(flag string, n int) {
		if n != 0 {
			text(flag, strconv.Itoa(n))
		}
	}
	number := func(flag string, v float64) {
		if v != 0 {
			text(flag, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	truth := func(flag string, v bool) {
		if v {
			out = append(out, "--"+flag)
		}
	}
	s := r.Spec
	text("model", s.Model)
	text("name", r.Name)
	text("mode", string(s.Mode))
	text("input", s.Input)
	text("batch", list(r.Batches, strconv.Itoa))
	text("precision", strings.Join(r.Precisions, ","))
	text("prune", list(r.Prunes, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }))
	whole("epochs", s.Epochs)
	text("data", string(s.Data))
	whole("train-size", s.TrainSize)
	text("optimizer", s.Optimizer)
	text("eval", s.Eval)
	whole("fine-tune", s.FineTune)
	truth("layers", s.Layers)
	whole("largest-batch", s.FitBatch)
	whole("repeat", max(r.Repeats, 1))
	for _, h := range r.Hosts {
		text("host", cmp.Or(h, Here))
	}
	number("precision-target", r.Rule.Target)
	number("max-seconds", r.Rule.MaxSeconds)
	number("max-cost", r.Rule.MaxUSD)
	whole("max-steps", r.Rule.MaxN)
	text("python", r.Python)
	if vm := r.Machine.VM; vm.InstanceType != "" {
		text("vm", vm.Cloud+"/"+vm.Region+"/"+vm.InstanceType)
	}
	if usd := r.Machine.USDPerHour; usd != nil {
		text("price", strconv.FormatFloat(*usd, 'g', -1, 64))
	}
	text("adapter", string(r.Adapter))
	text("pattern", r.Pattern)
	truth("no-metadata", r.NoMetadata)
	truth("keep-running", r.KeepRunning)
	truth("detach", r.Detach)
	if r.IsCommand() {
		out = append(append(out, "--"), r.Command...)
	}
	return out
}

func list[T any](values []T, format func(T) string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = format(v)
	}
	return strings.Join(words, ",")
}
