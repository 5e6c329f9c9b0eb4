package request

import (
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/probes/harness"
)

// Every flag of a model is refused beside a command, by its name, and all of
// them in one sentence.
func TestCommandFlagsWithoutEffect(t *testing.T) {
	command := []string{"python3", "train.py"}
	for flag, r := range map[string]Request{
		"--batch":         {Batches: []int{32}},
		"--precision":     {Precisions: []string{"bf16"}},
		"--prune":         {Prune: "0"},
		"--input":         {Spec: harness.Spec{Input: "3x4x4"}},
		"--data":          {Spec: harness.Spec{Data: harness.Auto}},
		"--train-size":    {Spec: harness.Spec{TrainSize: 100}},
		"--optimizer":     {Spec: harness.Spec{Optimizer: "adam"}},
		"--eval":          {Spec: harness.Spec{Eval: "s.py:set"}},
		"--fine-tune":     {Spec: harness.Spec{FineTune: 1}},
		"--layers":        {Spec: harness.Spec{Layers: true}},
		"--largest-batch": {Spec: harness.Spec{FitBatch: 64}},
		"--python":        {Python: "/usr/bin/python3"},
	} {
		r.Command = command
		_, err := r.Cells()
		if err == nil || !strings.Contains(err.Error(), "leave out "+flag) {
			t.Errorf("%s with a command: %v", flag, err)
		}
	}
	_, err := Request{Command: command, Batches: []int{8}, Python: "python3", Spec: harness.Spec{Eval: "s.py:set"}}.Cells()
	if err == nil || !strings.Contains(err.Error(), "leave out --batch, --eval and --python") {
		t.Errorf("three at once: %v", err)
	}
	for name, r := range map[string]Request{
		"its own flags":                 {Spec: harness.Spec{Mode: profile.Train, Epochs: 30}, Repeats: 2},
		"the interpreter of a host":     {Python: "/opt/python", Hosts: []string{"me@vm"}},
		"the same beside this machine":  {Python: "/opt/python", Hosts: []string{"", "me@vm"}},
		"this machine by its own words": {Hosts: []string{""}},
	} {
		r.Command = command
		if _, err := r.Cells(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestModelFlagsWithoutEffect(t *testing.T) {
	spec := func(change func(*harness.Spec)) harness.Spec {
		s := harness.Spec{Model: "example:fashion-cnn", Mode: profile.Infer}
		change(&s)
		return s
	}
	tuned := spec(func(s *harness.Spec) { s.FineTune = 2 })
	for want, r := range map[string]Request{
		"leave out either it or --layers": {Spec: spec(func(s *harness.Spec) {
			s.FitBatch,
				s.Layers = 512, true
		})},
		"leave out either it or --eval and --fine-tune": {Spec: spec(func(s *harness.Spec) {
			s.FitBatch, s.Eval,
				s.FineTune = 512, "s.py:set", 1
		}), Prune: "0.3"},
		"nothing is pruned; add --prune":       {Spec: tuned},
		"nothing is pruned; add --prune, such": {Spec: tuned, Prune: "0"},
	} {
		if _, err := r.Cells(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	for name, r := range map[string]Request{
		"fine-tuning of one of two": {Spec: tuned, Prune: "0,0.3"},
		"a size to find":            {Spec: spec(func(s *harness.Spec) { s.FitBatch = 512 })},
		"layers":                    {Spec: spec(func(s *harness.Spec) { s.Layers = true })},
	} {
		if _, err := r.Cells(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
