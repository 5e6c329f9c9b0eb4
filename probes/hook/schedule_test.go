package hook

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// steps calls each script's step() with its own frames, of a training of 12 epochs.
const steps = `
import sys
from sweetspot_hook import epochs, schedule
told = set()
class Any:
    def __getattr__(self, name): return Any()
    def __call__(self, *a, **k): return Any()
    def __getitem__(self, key): return Any()
    def __iter__(self): return iter([Any(), Any()])
    def __setattr__(self, name, value): pass
    def __len__(self): return 100
def step():
    frames = epochs.frames_of(sys._getframe(1))
    told.add(schedule.words(frames, schedule.find(frames, 12)))
def DataLoader(*a, **k): return [(Any(), Any())] * 2
path = sys.argv[1]
names = dict.fromkeys(("model", "ema", "data", "loader", "optimizer", "torch", "evaluate", "args", "Subset", "F"), Any())
exec(compile(open(path).read(), path, "exec"), dict(names, __name__="__main__", step=step, DataLoader=DataLoader, Any=Any))
print(*(told - {None}))
`

// inText runs a Python program on a script of this text and returns what it prints. It needs no
// PyTorch.
func inText(t *testing.T, program, source string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.py")
	writeFile(t, file, source)
	command := exec.Command(anyPython(t), "-S", "-c", program, file)
	command.Dir = "python"
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v", source, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// What makes the work of a training's steps hang on the epoch or the step is read in its
// text, and what does not is left alone.
func TestSchedulesInTheText(t *testing.T) {
	t.Parallel()
	const epochs = "for epoch in range(12):"
	const each = "\n    for x, y in loader:\n        step()"
	for source, want := range map[string]string{
		epochs + "\n    size = 16 if epoch < 8 else 32" + each: "epoch: size = 16 if epoch < 8 else 32 (line 2)",
		"def train(epoch):\n    batch = 8 * 2 ** (epoch // 4)\n    for x, y in DataLoader(data, batch_size=batch):\n" +
			"        step()\nfor epoch in range(12): train(epoch)": "epoch: batch = 8 * 2 ** (epoch // 4) (line 2)",
		"sizes = [16] * 12\nfor e in range(12):\n    side = sizes[e]" + each: "epoch: side = sizes[e] (line 3)",
		"for e in range(12):\n    n = int(100 * min(1, 0.2 + e / 10))\n    for x, y in DataLoader(Subset(data, n)):\n" +
			"        step()": "epoch: for x, y in DataLoader(Subset(data, n)): (line 3)",
		"step_ = 0\nwhile step_ < 9:\n    step_ += 1\n    step()": "",
		"for step_num in range(20):\n    length = min(64, 8 + step_num)\n    x = torch.randint(0, 9, (8, length))\n" +
			"    step()": "step: length = min(64, 8 + step_num) (line 2)",
		epochs + "\n    if epoch == 4:\n        for p in model.parameters():\n            p.requires_grad = True" +
			each: "epoch: if epoch == 4: (line 2)",

		epochs + each + "\n        if epoch >= 6: ema.update()": "epoch: if epoch >= 6: ema.update() (line 4)",

		"mix = True\nfor epoch in range(12):\n    if epoch > 8:\n        mix = False" + each: "epoch: if epoch > 8: (line 3)",

		epochs + each + "\n    if epoch > 8: evaluate()": "epoch: if epoch > 8: evaluate() (line 4)",

		epochs + "\n    if epoch == 0: size = 16\n    else: size = 32" + each: "epoch: if epoch == 0: size = 16 (line 2)",

		epochs + each + "\n        if epoch < 5: model(x)": "epoch: if epoch < 5: model(x) (line 4)",

		epochs + "\n    for i, (x, y) in enumerate(loader):\n        done = epoch * len(loader) + i\n" +
			"        if done < 40:\n            model(x)\n            step()\n            continue\n" +
			"        step()": "step: if done < 40: (line 4)",

		// What comes after the last epoch.
		"n = 12\n" + epochs + each + "\n    final_epoch = epoch + 1 == n\n    if n and final_epoch: evaluate()": "",

		epochs + each + "\n    late = epoch + 1 > 6\n    if late: evaluate()": "epoch: if late: evaluate() (line 5)",

		// What holds for every step.
		"train = step\nfor step in range(20):\n    if step > 4:\n        model(0)\n        train()": "",

		// Rates, messages, files, what recurs, and what never comes.
		epochs + "\n    lr = 0.1 * 0.5 ** (epoch // 30)\n    if epoch < 3: warmup = True" + each:             "",
		epochs + each + "\n    if epoch == 11: torch.save(model)\n    torch.log(epoch)":                      "",
		epochs + each + "\n    if (epoch + 1) % 4 == 0: evaluate(model)":                                     "",
		epochs + "\n    if epoch >= 300: size = 32" + each:                                                   "",
		"off = 0\nfor epoch in range(12):\n    if off and epoch >= off: loader.mixup_enabled = False" + each: "",
		"for i in range(12):\n    x = data[i * 8 : (i + 1) * 8]\n    step()":                                 "",
		epochs + "\n    torch.manual_seed(epoch)\n    loader.sampler.set_epoch(epoch)" + each:                "",
		epochs + "\n    total = 0" + each + "\n        total += 1\n        mean = total / (epoch + 1)":       "",
		"EPOCH = 3\nfor k in range(EPOCH):\n    scores = data.zeros(EPOCH)\n    for i in range(4): step()":   "",
		epochs + each + "\n    if epoch == 11: evaluate(model)":                                              "",
		epochs + each + "\n        if epoch == 0: model(x)":                                                  "",
		"n = 12\nfor epoch in range(n):" + each + "\n    if epoch == n - 1: evaluate(model)":                 "",
		"last = 20\nclosed = False\n" + epochs + "\n    if not closed and epoch >= 12 - last:\n        closed = True\n" +
			"        loader.mosaic = False" + each: "", // from the first epoch on
		"last = 4\nclosed = False\n" + epochs + "\n    if not closed and epoch >= 12 - last:\n        closed = True\n" +
			"        loader.mosaic = False" + each: "epoch: if not closed and epoch >= 12 - last: (line 4)",
		"kept = False\nfor epoch in range(12):" + each + "\n        if kept:\n            if epoch < 5: model(x)": "",
		"warm = 0\nfor epoch in range(12):" + each + "\n        if epoch < warm: model(x)":                        "",
		epochs + each + "\n        if epoch > 2: torch.nn.utils.clip_grad_norm_(model.parameters(), 1)":           "",
		epochs + "\n    frac = epoch / 12" + each + "\n        avg_len = 100 / (epoch + 1)":                       "",
		"for e in range(12):\n    frac = e / 12\n    for x, y in DataLoader(Subset(data, int(frac * 100))):\n" +
			"        step()": "epoch: for x, y in DataLoader(Subset(data, int(frac * 100))): (line 3)",
		epochs + each + "\n    if epoch != 0 and args.divisible_by(epoch, 4): ema.eval()":                        "",
		"batches = [Any()] * 9\nfor step_num in range(9):\n    batch = batches[step_num]\n    step()":            "",
		"for step_num in range(9):\n    if step_num == 0: model(step_num)\n    step()":                           "",
		epochs + each + "\n    best_epoch = epoch if epoch > 3 else 0":                                           "",
		"size = 32\nfor epoch in range(12):\n    for x, y in DataLoader(data, batch_size=size):\n        step()": "",
	} {
		if got := strings.TrimPrefix(inText(t, steps, source), "its work changes with the "); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
