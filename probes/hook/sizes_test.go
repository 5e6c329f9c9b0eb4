package hook

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// sizesProgram tells the sizes at the script's first step, and compares them with what its
// names hold at every step.
const sizesProgram = `
import sys
from sweetspot_hook import epochs, schedule, sizes
told, first = [], True
class Any:
    def __getattr__(self, name): return Any()
    def __call__(self, *a, **k): return Any()
    def __iter__(self): return iter([Any(), Any()])
    def __len__(self): return 100
def of_round(s, count): return [v for at, v in zip(s.at, s.values) if at <= count][-1]
def step(count):
    global told, first
    frames = epochs.frames_of(sys._getframe(1))
    if first:
        first = False
        places = schedule.find(frames, 12)
        told = sizes.find(frames, places, 12, 12) if places else "no schedule"
        print(told if not isinstance(told, list) else " ".join(
            s.words + "=" + ",".join("%d:%g" % p for p in zip(s.at, s.values)) for s in told) or "stays")
    for s in told if isinstance(told, list) else ():
        for f in frames:
            try: real = eval(s.words, f.f_globals, f.f_locals)
            except Exception: continue
            real = len(real) if isinstance(real, (list, range)) else real
            if real != of_round(s, count): print("WRONG", s.words, count, real, of_round(s, count))
            break
def DataLoader(*a, **k): return [(Any(), Any())] * 2
def called(e): return 16 + e
path = sys.argv[1]
names = dict.fromkeys(("model", "data", "optimizer", "torch", "F"), Any())
exec(compile(open(path).read(), path, "exec"), dict(
    names, __name__="__main__", step=step, DataLoader=DataLoader, Subset=lambda d, r: r, loader=[1, 2, 3], called=called))
`

// Where the text decides what a size is in each epoch or step, it is told, and is what the
// program makes it; where it does not, nothing is told. It needs no PyTorch.
func TestSizesInTheText(t *testing.T) {
	const epochs = "for epoch in range(12):"
	const each = "\n    for x in loader:\n        step(epoch)"
	for source, want := range map[string]string{
		epochs + "\n    size = 16 if epoch < 8 else 32" + each: "size=0:16,8:32",
		"def train(epoch):\n    batch = 8 * 2 ** (epoch // 4)\n    for x, y in DataLoader(data, batch_size=batch):\n" +
			"        step(epoch)\nfor epoch in range(12): train(epoch)": "batch=0:8,4:16,8:32",
		"sizes = [16] * 6 + [24] * 6\nfor e in range(12):\n    side = sizes[e]\n    for x in loader: step(e)": "side=0:16,6:24",
		"AT = {0: 12, 3: 20, 6: 28}\nsize = 12\nfor epoch in range(1, 13):\n    if epoch in AT:\n        size = AT[epoch]\n" +
			"    for x in loader: step(epoch - 1)": "size=0:12,2:20,5:28",
		"class Net:\n    def __init__(self): self.low, self.high = 16, 32\n    def train(self, epoch):\n" +
			"        if epoch < 4: side = self.low\n        elif epoch < 8: side = (self.low + self.high) // 2\n" +
			"        else: side = self.high\n        for x in loader: step(epoch)\n    def run(self):\n" +
			"        for epoch in range(12): self.train(epoch)\nNet().run()": "side=0:16,4:24,8:32",
		"for e in range(12):\n    n = int(100 * min(1, 0.2 + e / 10))\n    for x in DataLoader(Subset(data, range(n))): step(e)": "range(n)=" +
			"0:20,1:30,2:40,3:50,4:60,5:70,6:80,7:89,8:100",
		"for step_num in range(12):\n    length = min(16, 8 + step_num // 2)\n    step(step_num)":      "length=0:8,2:9,4:10,6:11,8:12,10:13",
		epochs + "\n    size = 16 if epoch < 300 else 32" + each:                                       "stays",
		"size = 16\n" + epochs + each + "\n    if epoch in (3, 6): size = size * 2":                    "size=0:16,4:32,7:64",
		epochs + "\n    for x in loader:\n        size = 16 if epoch < 8 else 32\n        step(epoch)": "size=0:16,8:32",
		epochs + "\n    size, batch = 16, 32\n    if epoch >= 5:\n        size = 32\n        batch = 16" + each: "size=0:16,5:32 " +
			"batch=0:32,5:16",
		epochs + "\n    size = 16\n    if epoch < 5:\n        for x in loader: step(epoch)\n        continue\n    size = 32" +
			"\n    for x in loader: step(epoch)": "no schedule",

		// What is not decidable: another function's work, chance, what is changed elsewhere.

		epochs + "\n    size = called(epoch)" + each: "no schedule",

		"import random\n" + epochs + "\n    size = random.choice([16, 32]) if epoch > 2 else 16" + each: "no schedule",

		"import random\n" + epochs + "\n    k = random.randint(0, 9)\n    size = 16 + k if epoch > 2 else 16" + each: "None",
		"sizes = [16] * 12\ndef more(): sizes.append(3)\n" + epochs + "\n    size = sizes[epoch]" + each:             "None",
		"low = 16\ndef more():\n    global low\n    low = 8\n" + epochs + "\n    size = low + epoch" + each:          "None",
		"class Odd(int):\n    def __add__(self, other): return 99\nlow = Odd(16)\n" + epochs + "\n    size = low + epoch" +
			each: "None",
		"size = 16\nfor epoch in range(12):\n    size += epoch" + each +
			"\n    epoch_size = called(size)": "size=0:16,1:17,2:19,3:22,4:26,5:31,6:37,7:44,8:52,9:61,10:71,11:82",
		"size = 16\nfor epoch in range(12):\n    size += 1 + epoch" + each: "None",

		epochs + "\n    if epoch == 4: model.unfreeze()\n    size = 16 if epoch < 8 else 32" + each:                   "None",
		"k = 1\n" + epochs + "\n    size = 16 + epoch * k\n    for x in loader:\n        step(epoch)\n        k += 1": "None",
	} {
		if got := inText(t, sizesProgram, source); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", source, got, want)
		}
	}
}

// expression is a random one of numbers.
func expression(r *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{"e", "n", "3", "0.5", "t[e % 3]", "d[2]", "len(t)"}[r.IntN(7)]
	}
	a, b, c := expression(r, depth-1), expression(r, depth-1), expression(r, r.IntN(depth))
	switch r.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s if %s < %s else %s)", a, b, c, b)
	case 1:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[r.IntN(2)], a, b)
	case 2:
		return fmt.Sprintf("%s(%s)", []string{"int", "round", "abs", "float", "math.ceil"}[r.IntN(5)], a)
	case 3:
		return fmt.Sprintf("(%s and %s)", a, b)
	case 4:
		return fmt.Sprintf("(not %s in (1, %s))", a, b)
	case 5:
		return fmt.Sprintf("(-%s)", a)
	default:
		return fmt.Sprintf("(%s %s %s)", a, []string{"+", "-", "*", "//", "/", "%", "**", "==", ">="}[r.IntN(9)], b)
	}
}

// The evaluator gives what Python gives, or nothing.
func TestEvaluatorAgainstPython(t *testing.T) {
	t.Parallel()
	const program = `
import ast, math, sys
from sweetspot_hook import evaluate
names = dict(n=7, t=[4, 5, 6], d={2: 9}, math=math)
known = 0
for line in sys.stdin:
    for e in range(4):
        tree, own = ast.parse(line, mode="eval").body, dict(names, e=e)
        def get(node):
            if isinstance(node, ast.Name) and type(own[node.id]) in evaluate.PLAIN: return own[node.id]
            if ast.unparse(node) == "len(t)": return 3
            raise evaluate.Unknown
        try: ours = evaluate.value(tree, get)
        except evaluate.Unknown: continue
        real = eval(compile(ast.Expression(tree), "", "eval"), own)
        known += 1
        if ours != real or type(ours) != type(real): print("e =", e, line.strip(), ours, real)
print("known", known > 1500)
`
	r := rand.New(rand.NewPCG(1, 2))
	var lines strings.Builder
	for range 800 {
		fmt.Fprintln(&lines, expression(r, 1+r.IntN(3)))
	}
	command := exec.Command(anyPython(t), "-S", "-c", program)
	command.Dir, command.Stdin = "python", strings.NewReader(lines.String())
	if out, err := command.CombinedOutput(); err != nil || string(out) != "known True\n" {
		t.Errorf("%v: %s", err, out)
	}
}
