package request

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// checkEffective rejects flags that would have no effect: the user expects one.
func (r Request) checkEffective() error {
	s := r.Spec
	ofTimes := []option{{"layers", s.Layers}, {"eval", s.Eval != ""}, {"fine-tune", s.FineTune > 0}}
	isPruned := func(p float64) bool { return p > 0 }
	switch {
	case r.IsCommand():
		if ineffective := flags(r.ofModel()); ineffective != "" {
			return fmt.Errorf("a command sets its own batch size, precision, pruning, data and interpreter; leave out %s, "+
				"or give a --model", ineffective)
		}
	case s.FitBatch > 0 && flags(ofTimes) != "":
		return fmt.Errorf("--largest-batch only finds that size; leave out either it or %s", flags(ofTimes))
	case s.FineTune > 0 && !slices.ContainsFunc(r.Prunes, isPruned):
		return errors.New("--fine-tune trains pruned models and nothing is pruned; add --prune, such as --prune 0.3, " +
			"or leave out --fine-tune")
	}
	return nil
}

// IsElsewhere reports whether some of the probes run on other hosts.
func (r Request) IsElsewhere() bool {
	return slices.ContainsFunc(r.Hosts, func(h string) bool { return h != "" })
}

// option is a flag and whether the request uses it.
type option struct {
	flag string
	is   bool
}

// ofModel lists the flags that only apply to a model. The interpreter of
// another host also runs the agent.
func (r Request) ofModel() []option {
	s := r.Spec
	return []option{
		{"batch", len(r.Batches) > 0}, {"precision", len(r.Precisions) > 0}, {"prune", len(r.Prunes) > 0},
		{"input", s.Input != ""}, {"data", s.Data != ""}, {"train-size", s.TrainSize != 0}, {"optimizer", s.Optimizer != ""},
		{"eval", s.Eval != ""}, {"fine-tune", s.FineTune != 0}, {"layers", s.Layers}, {"largest-batch", s.FitBatch != 0},
		{"python", r.Python != "" && !r.IsElsewhere()},
	}
}

// flags lists those that are used: "--eval, --layers and --data".
func flags(all []option) string {
	var names []string
	for _, a := range all {
		if a.is {
			names = append(names, "--"+a.flag)
		}
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}
