package request

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// Here is the name of this machine in a list of hosts.
const Here = "here"

// Argv is the request as arguments of "sweetspot probe", for a background
// process and for users who want to run it again.
func (r Request) Argv() []string {
	var out []string
	add := func(flag string, value any) {
		if value == true {
			out = append(out, "--"+flag)
		} else if !reflect.ValueOf(value).IsZero() {
			out = append(out, fmt.Sprintf("--%s=%v", flag, value))
		}
	}
	s := r.Spec
	add("model", s.Model)
	add("name", r.Name)
	add("mode", s.Mode)
	add("input", s.Input)
	add("batch", list(r.Batches, ","))
	add("precision", list(r.Precisions, ","))
	add("prune", list(r.Prunes, ","))
	add("epochs", s.Epochs)
	add("data", s.Data)
	add("train-size", s.TrainSize)
	add("optimizer", s.Optimizer)
	add("eval", s.Eval)
	add("fine-tune", s.FineTune)
	add("layers", s.Layers)
	add("largest-batch", s.FitBatch)
	add("repeat", max(r.Repeats, 1))
	for _, h := range r.Hosts {
		add("host", cmp.Or(h, Here))
	}
	add("precision-target", r.Rule.Target)
	add("max-seconds", r.Rule.MaxSeconds)
	add("max-cost", r.Rule.MaxUSD)
	add("max-steps", r.Rule.MaxN)
	add("python", r.Python)
	if vm := r.Machine.VM; vm.InstanceType != "" {
		add("vm", vm.Cloud+"/"+vm.Region+"/"+vm.InstanceType)
	}
	if usd := r.Machine.USDPerHour; usd != nil {
		add("price", fmt.Sprint(*usd))
	}
	add("adapter", r.Adapter)
	add("pattern", r.Pattern)
	add("no-metadata", r.NoMetadata)
	add("keep-running", r.KeepRunning)
	add("detach", r.Detach)
	if r.IsCommand() {
		out = append(append(out, "--"), r.Command...)
	}
	return out
}

// list joins the values' words.
func list[T any](values []T, between string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, between)
}
