package hook

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sweetspot/probes/runner"
)

// An engine as DeepSpeed's steps its optimizer once for each group of parameters, of which it keeps
// copies, and lets it see none but these: one step, whose state is that of all. The real one is run
// where the frameworks are.
func TestEngineOfSeveralGroups(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"deepspeed/__init__.py": "", "deepspeed/runtime/__init__.py": "",
		"deepspeed/runtime/engine.py": engineOfGroups, "train.py": trainByEngine} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), text)
	}
	r := watch(t, runner.Command{Argv: []string{torch(t), filepath.Join(dir, "train.py")}}, nil)
	if r.exit.Code != 0 || len(r.warnings)+len(r.others) != 0 || len(r.models) == 0 || len(r.tunings) == 0 {
		t.Fatalf("exit %+v, warnings %q, others %q, stderr %q", r.exit, r.warnings, r.others, r.stderr)
	}
	if got := units(r.iterations); !slices.Equal(got, repeat(6, 8)) {
		t.Errorf("units of the steps %v", got)
	}
	const learn, tensors = 20*6 + 20*6 + 20, 3 // Adam's state: two numbers each, and the steps of each tensor
	m, s := r.models[len(r.models)-1], r.tunings[len(r.tunings)-1].Tuning
	if number(m.Params) != learn || m.Precision != "bf16" || s.LearningIn != "fp32" || s.WeightsIn != "bf16" ||
		s.Method != "full" || number(s.OptimizerBytes) != 8*learn+4*tensors || number(s.TokensPerStep) != 8*5 {
		t.Errorf("%+v\n%+v", m, s)
	}
}

const engineOfGroups = `
import torch

class DeepSpeedEngine(torch.nn.Module):
    def __init__(self, module, groups, steps):
        super().__init__()
        self.module, self.steps, self.micro_steps, self.device = module, steps, 0, torch.device("cpu")
        self.groups = groups
        self.copies = [[p.detach().float().clone() for p in g] for g in groups]
        self.optimizer = torch.optim.Adam([{"params": c} for c in self.copies], lr=0.01)
        for g in self.optimizer.param_groups:
            g["params"] = []
    def forward(self, x):
        return self.module(x)
    def step(self):
        self.micro_steps += 1
        if self.micro_steps % self.steps == 0:
            self._take_model_step(None)
    def _take_model_step(self, lr_kwargs):
        for group, copies, seen in zip(self.groups, self.copies, self.optimizer.param_groups):
            for p, copy in zip(group, copies):
                copy.grad = p.grad.float()
            seen["params"] = copies
            self.optimizer.step()
            seen["params"] = []
            for p, copy in zip(group, copies):
                p.data.copy_(copy)
                p.grad = None
`

const trainByEngine = `
import torch
from torch import nn
from torch.utils.data import DataLoader
from deepspeed.runtime.engine import DeepSpeedEngine

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Embedding(20, 6), nn.Linear(6, 20)).bfloat16()
matrices = [p for p in model.parameters() if p.dim() > 1]
engine = DeepSpeedEngine(model, [matrices, [model[1].bias]], 2)
for epoch in range(2):
    for words in DataLoader(torch.randint(20, (24, 5)), batch_size=4):
        nn.functional.cross_entropy(engine(words).float().flatten(0, 1), words.flatten()).backward()
        engine.step()
`
