package hook

import (
	"slices"
	"testing"

	"sweetspot/probes/runner"
)

// What a program sets up between its last step and an evaluation is part of that, and of no step. What it does once the
// next step has begun, or after it paused, is part of a step.
func TestAnEvaluationHoldsItsSetUp(t *testing.T) {
	t.Parallel()
	const common = `
import time
def set_up(): time.sleep(0.2)
def evaluate():
    model.eval()
    with torch.no_grad(): print(sum(nn.functional.mse_loss(model(x), y) for x, y in DataLoader(other, batch_size=6)))
    model.train()
loader = DataLoader(data, batch_size=6)
`
	for _, c := range []struct {
		name, text string
		ofStep     bool
	}{
		{name: "after a step", text: `
for epoch in range(3):
    for x, y in loader: learn(x, y)
    set_up()
    evaluate()
learn(x, y)
`},
		{name: "after the last of two optimizers", text: `
second = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for x, y in loader:
        learn(x, y)
        learn(x, y, step=False)
        second.step()
    set_up()
    evaluate()
learn(x, y)
`},
		{name: "between two optimizers", ofStep: true, text: `
second = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        learn(x, y)
        if i == 3: set_up()
        learn(x, y, step=False)
        second.step()
    evaluate()
learn(x, y)
`},
		{name: "after a batch", ofStep: true, text: `
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        if i == 3:
            set_up()
            evaluate()
        learn(x, y)
`},
		{name: "after gradients", ofStep: true, text: `
(x, y), *_ = loader
for i in range(12):
    learn(x, y, step=False)
    if i % 4 == 3:
        set_up()
        evaluate()
    learn(x, y)
`},
		{name: "after a checkpoint", ofStep: true, text: `
for epoch in range(3):
    for x, y in loader: learn(x, y)
    torch.save(model.state_dict(), "checkpoint.pt")
    set_up()
    evaluate()
learn(x, y)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			argv := []string{torch(t), script(t, preamble+common+c.text)}
			r := watch(t, runner.Command{Argv: argv, Dir: t.TempDir()}, nil)
			var seconds []float64
			for _, v := range r.validations {
				seconds = append(seconds, v.Seconds)
			}
			if c.ofStep {
				seconds = nil
				for _, i := range r.iterations {
					seconds = append(seconds, i.Seconds)
				}
			}
			long := slices.DeleteFunc(seconds, func(s float64) bool { return s < 0.2 })
			if len(long) != 3 || len(r.validations) != 3 || r.exit.Code != 0 {
				t.Errorf("%g s with the set-up, %+v, exit %+v, warnings %q, stderr %q", long, r.validations, r.exit,
					r.warnings, r.stderr)
			}
		})
	}
}
