package hook

import (
	"slices"
	"testing"

	"sweetspot/probes/runner"
)

// What a program sets up between a step and an evaluation is part of that, and of no step. What it does once the next
// step has begun, or after it paused, is part of a step, and what it does after its last step of neither.
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
		without    int // more validations, without it
	}{
		{name: "after a step, but for the last", without: 1, text: `
for epoch in range(4):
    for x, y in loader: learn(x, y)
    set_up()
    evaluate()
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
		{name: "after a batch, or a checkpoint", ofStep: true, text: `
for epoch in range(2):
    for i, (x, y) in enumerate(loader):
        if i == 3:
            set_up()
            evaluate()
        learn(x, y)
    torch.save(model.state_dict(), "checkpoint.pt")
    if epoch == 0:
        set_up()
        evaluate()
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
			if len(long) != 3 || len(r.validations) != 3+c.without || r.exit.Code != 0 {
				t.Errorf("%g s with the set-up, %+v, exit %+v, warnings %q, stderr %q", long, r.validations, r.exit,
					r.warnings, r.stderr)
			}
		})
	}
}

// What a program measures and tells without gradients is a validation, where it asks for neither evaluation mode nor a
// loader. What it only computes so, or measures of each step's own batch, is none.
func TestMeasuredWithoutGradients(t *testing.T) {
	t.Parallel()
	const common = `
x, y = data.tensors
X_test, y_test = other.tensors
loss_fn = nn.functional.mse_loss
`
	for _, c := range []struct {
		name, text  string
		validations int
	}{
		{"data held out, after each step", `
for i in range(6):
    learn(x, y)
    with torch.no_grad():
        loss = loss_fn(model(X_test), y_test)
        print("test loss:", loss.item())
`, 6},
		{"now and then, told later or by a function as a whole", `
@torch.no_grad()
def test():
    loss = loss_fn(model(X_test), y_test)
    return loss.item()
for i in range(1, 13):
    learn(x, y)
    if i % 4 == 0:
        with torch.inference_mode():
            mse = (model(x) - y).pow(2).mean()
        print(f"{i}: {mse}")
    elif i % 4 == 2:
        print(test())
`, 6},
		{"one batch of a loader, a whole one, and evaluation mode within", `
val = DataLoader(other, batch_size=6)
def one_batch():
    with torch.no_grad():
        vx, vy = next(iter(val))
        losses = loss_fn(model(vx), vy)
        print(losses.item())
def whole():
    with torch.no_grad():
        error = sum(loss_fn(model(vx), vy) for vx, vy in val)
        print(error)
def with_mode():
    with torch.no_grad():
        model.eval()
        loss = loss_fn(model(X_test), y_test)
        print(loss)
        model.train()
ways = [one_batch, whole, with_mode]
for epoch in range(6):
    for bx, by in DataLoader(data, batch_size=6): learn(bx, by)
    ways[epoch // 2]()
`, 6},
		{"of each step's own batch, nothing that is told, and one that fails", `
for epoch in range(3):
    for bx, by in DataLoader(data, batch_size=6):
        learn(bx, by)
        with torch.no_grad():
            error = loss_fn(model(bx), by)
            print(error.item())
for i in range(6):
    learn(x, y)
    with torch.no_grad():
        error = loss_fn(model(x), y)
        print(error.item())
def td_error(reward):
    with torch.no_grad():
        error = reward + 0.9 * model(x) - y
    return error
for i in range(12):
    learn(x, y)
    if i % 4 == 3:
        td_error(1)
        with torch.no_grad():
            target = model(x)
            print(target.shape)
        with torch.no_grad():
            loss = loss_fn(x, x)
            print(loss)
        with torch.no_grad():
            error = (model(x) - y).abs()
            weights = torch.log(error + 1)
        try:
            with torch.no_grad():
                loss = loss_fn(model(X_test), None)
                print(loss)
        except Exception:
            pass
`, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+common+c.text)}}, nil)
			if len(r.validations) != c.validations || r.exit.Code != 0 || len(r.warnings) > 0 {
				t.Errorf("%d validations, %d steps, exit %+v, warnings %q, stderr %q", len(r.validations),
					len(r.iterations), r.exit, r.warnings, r.stderr)
			}
		})
	}
}
