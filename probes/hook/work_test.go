package hook

import (
	"os/exec"
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/probes/runner"
)

// Images that grow after two epochs of 20 steps are told, once before they do, by the
// script's text, and once when they have.
func TestGrowingImages(t *testing.T) {
	t.Parallel()
	r := run(t, "progressive.py")
	const text = "its work changes with the epoch: side = 8 if epoch < 2 else 12 (line 13)"
	const want = "the work of a step changes: 8 x 1x8x8 until step 40, then 8 x 1x12x12"
	if len(r.warnings) != 2 || !strings.HasPrefix(r.warnings[0], text) || !strings.HasPrefix(r.warnings[1], want) ||
		len(r.iterations) != 80 {
		t.Errorf("%d iterations, warnings %q", len(r.iterations), r.warnings)
	}
	if first, last := r.models[0].Schedule, r.models[len(r.models)-1].Schedule; first != text || last != want {
		t.Errorf("schedule %q, in the end %q", first, last)
	}
	const sizes = `[{"of":"side","per":"epoch","from":[0,2],"sizes":[8,12],"iterations":20}]`
	first, last := profile.FormatSizes(r.models[0].Sizes), profile.FormatSizes(r.models[len(r.models)-1].Sizes)
	if first != sizes || last != sizes {
		t.Errorf("sizes %s, in the end %s", first, last)
	}
}

// A schedule of a second loop is told as well, and no sizes of it: the first step had none.
func TestAScheduleOfALaterLoop(t *testing.T) {
	t.Parallel()
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, `
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
def step(x):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
for epoch in range(2):
    for x, in DataLoader(TensorDataset(torch.randn(16, 1, 8, 8)), batch_size=8): step(x)
for epoch in range(4):
    side = 8 if epoch < 2 else 12
    for x, in DataLoader(TensorDataset(torch.randn(16, 1, side, side)), batch_size=8): step(x)
`)}}, nil)
	last := r.models[len(r.models)-1]
	if r.exit.Code != 0 || len(r.warnings) != 2 || !strings.Contains(r.warnings[0], "trains again further down") ||
		!strings.Contains(r.warnings[1], "says little about later steps") ||
		!strings.Contains(last.Schedule, "side = 8 if epoch < 2 else 12") || last.Sizes != nil {
		t.Errorf("exit %+v, warnings %q, %+v", r.exit, r.warnings, last)
	}
}

// What is no schedule: texts of any length, and the smaller last batch of an epoch.
// It needs no PyTorch.
func TestShapesOfSteps(t *testing.T) {
	t.Parallel()
	python := anyPython(t)
	for source, want := range map[string]string{
		"[(8, (10 + i * 7 % 40,)) for i in range(200)]":                            "",
		"[(3 if i % 20 == 19 else 8, (3, 32, 32)) for i in range(200)]":            "",
		"[(None, (3, 32 + i // 50, 32)) for i in range(200)]":                      "",
		"[(8, (4,)) for i in range(100)] + [(16, (4,)) for i in range(100)]":       "8 x 4 until step 100, then 16 x 4",
		"[(8, (3, 8 + i // 50)) for i in range(100)]":                              "8 x 3x8 until step 50, then 8 x 3x9",
		"[(8, ()) for i in range(20)] + [(9, ()) for i in range(20)]":              "8 x 1 until step 20, then 9 x 1",
		"[(8, (1,))] * 20 + [(8, (2,))] * 15 + [(8, (1,))] * 20 + [(8, (1,))] * 9": "",
	} {
		const program = "from sweetspot_hook import work\nw = work.Work()\nfor n, (units, shape) in enumerate(%):\n" +
			"    told = w.step(units, shape, n + 1)\n    if told: print(told)\n"
		command := exec.Command(python, "-S", "-c", strings.Replace(program, "%", source, 1))
		command.Dir = "python"
		out, err := command.CombinedOutput()
		if got := string(out); err != nil || (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %v, %q, want %q", source, err, got, want)
		}
	}
}

// afterSteps checks what an expression is after steps of these units and shapes.
func afterSteps(t *testing.T, python, steps, expression, want string) {
	t.Helper()
	command := exec.Command(python, "-S", "-c", "from sweetspot_hook import work\nw = work.Work()\n"+
		"for n, (units, shape) in enumerate("+steps+"):\n    w.step(units, shape, n + 1)\nprint("+expression+")")
	command.Dir = "python"
	if out, err := command.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%s: %v, %q, want %s", steps, err, out, want)
	}
}

// The shape of a unit is told once sixteen steps had no other, however many units they had.
func TestShapeOfAUnit(t *testing.T) {
	t.Parallel()
	python := anyPython(t)
	for source, want := range map[string]string{
		"[(8 - i % 3, (3, 32, 32)) for i in range(16)]": "3x32x32",
		"[(8, (3, 32, 32)) for i in range(15)]":         "None",
		"[(8, (10 + i % 5,)) for i in range(200)]":      "None",
		"[(8, (5,))] + [(8, (6,))] * 100":               "None",
		"[(8, None)] * 100":                             "None",
		"[(8, ())] * 100":                               "None",
		"[(8, (3, 64))] * 20 + [(8, (3, 128))] * 50":    "3x64",
	} {
		afterSteps(t, python, source, "w.shape", want)
	}
}

// The batch is that of a usual step: samples may be drawn by chance, a gradient may be gathered over more and more
// batches, and the last of an epoch is smaller. It needs no PyTorch.
func TestBatchOfSteps(t *testing.T) {
	t.Parallel()
	python := anyPython(t)
	for source, want := range map[string]string{
		"[64, 16]":               "64",
		"[8, 8, 8, 2] * 5":       "8",
		"[56, 71, 62, 66, 60]":   "62",
		"[8, 16, 24, 40, 64]":    "24",
		"[8] * 40 + [16] * 17":   "16", // it changed for good
		"[None, 8, None, 8]":     "8",
		"[None] * 3":             "None",
		"[5] + [9, 9, 3, 9] * 9": "9",
	} {
		afterSteps(t, python, "[(n, (4,)) for n in "+source+"]", "w.batch()", want)
	}
}
