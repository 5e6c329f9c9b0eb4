package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/probes/load/loadtest"
)

// learning is a script that validates after every epoch and prints what that gave.
const learning = `
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

def blobs(n):
    y = torch.randint(0, 3, (n,))
    return TensorDataset(torch.randn(n, 16) + 2 * nn.functional.one_hot(y, 16).float(), y)

train, val = DataLoader(blobs(960), batch_size=16), DataLoader(blobs(500), batch_size=100)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(1, 6):
    net.train()
    right = 0
    for x, y in train:
        optimizer.zero_grad()
        out = net(x)
        nn.functional.cross_entropy(out, y).backward()
        optimizer.step()
        right += (out.argmax(1) == y).sum().item()
    print(f"epoch {epoch}: train_acc {right / 960:.4f}")
    net.eval()
    with torch.no_grad():
        acc = sum((net(x).argmax(1) == y).sum().item() for x, y in val) / 500
    print(f"epoch {epoch}: val_loss 0.5 val_acc {acc:.4f} best 0.9999")
`

// From a script that prints its accuracy to the time until a target: it is read, said at
// once, and its target can be asked for.
func TestAccuracyOfAScript(t *testing.T) {
	t.Parallel()
	python := needTorch(t)
	script := filepath.Join(t.TempDir(), "learn.py")
	if err := os.WriteFile(script, []byte(learning), 0o600); err != nil {
		t.Fatal(err)
	}
	user := newHome(t)
	s := finish(t, exec.Command(program, "probe", "--no-metadata", "--keep-running", "--", python, script), user.env())
	if s.code != 0 || !strings.Contains(s.out, "reads val_acc: ") || !strings.Contains(s.out,
		"is that your accuracy?") {
		t.Fatalf("%+v", s)
	}
	db := sound(t, user.profiles())
	last := ""
	for _, line := range strings.Split(s.stderr, "\n") {
		if _, after, ok := strings.Cut(line, "val_acc "); ok {
			last, _, _ = strings.Cut(after, " ")
		}
	}
	if got := single[string](t, db, "SELECT printf('%.4f', accuracy) FROM runs"); got != last {
		t.Errorf("accuracy %s is kept, %s was printed", got, last)
	}
	if got := single[string](t, db, "SELECT group_concat(epoch || metric || (seconds > 0) || units) FROM validations "+
		"WHERE value IS NOT "+
		"NULL"); got != "0accuracy1500.0,1accuracy1500.0,2accuracy1500.0,3accuracy1500.0,4accuracy1500.0" {
		t.Errorf("validations %s", got)
	}
	first := single[string](t, db, "SELECT printf('%.4f', value) FROM validations WHERE epoch = 0")
	s = finish(t, exec.Command(program, "rank", "--db", user.profiles(), "--target-accuracy", first), user.env())
	if s.code != 0 || !strings.Contains(s.out, "train to ") {
		t.Errorf("rank to %s: %+v", first, s)
	}
	s = finish(t, exec.Command(program, "rank", "--db", user.profiles(), "--target-accuracy", "99.99%"), user.env())
	if s.code != 3 || !strings.Contains(s.stderr, "the best came to") {
		t.Errorf("rank to what was not reached: %+v", s)
	}
}

// Other work beside a probe is named, and the interval reaches to what a step may take
// without it.
func TestInterferenceIsNamed(t *testing.T) {
	loadtest.Busy(t)
	// The load is read at least every five seconds, and it takes two readings.
	const steps = `
import time
end = time.monotonic() + 12
while time.monotonic() < end:
    begin = time.monotonic()
    sum(range(300000))
    print('{"sweetspot":1,"event":"iteration","seconds":%.9f}' % (time.monotonic() - begin), flush=True)
`
	s := run(t, newHome(t), "probe", "--json", "--no-metadata", "--keep-running", "--", "python3", "-c", steps)
	var shown struct {
		Run struct {
			Steady struct {
				S   float64 `json:"s"`
				Low float64 `json:"low"`
			} `json:"steady_iteration"`
		} `json:"run"`
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal([]byte(s.out), &shown); err != nil {
		t.Fatalf("%v: %+v", err, s)
	}
	of := shown.Run.Steady
	if !strings.Contains(strings.Join(shown.Warnings, "\n"), "other programs used") || !(of.Low < 0.8*of.S) {
		t.Errorf("steady %+v, warnings %q", of, shown.Warnings)
	}
}
