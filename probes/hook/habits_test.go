package hook

import (
	"testing"

	"sweetspot/probes/runner"
)

// Habits of training scripts that a careless count gets wrong.
func TestHabits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body          string
		n                   int
		batch, perEpoch     float64
		first, last         float64 // units
		validations, models int
	}{
		{"one batch fetched ahead", `
for epoch in range(2):
    ahead = None
    for batch in DataLoader(data, batch_size=6):
        if ahead is not None: learn(*ahead)
        ahead = batch
    learn(*ahead)
`, 8, 6, 4, 6, 6, 0, 1},
		{"one batch kept to look at", `
loader = DataLoader(data, batch_size=6)
batches = iter(loader); kept = next(batches)
for step in range(11):
    try: x, y = next(batches)
    except StopIteration:
        batches = iter(loader)
        x, y = next(batches)
    learn(x, y)
`, 11, 6, 4, 6, 6, 0, 1},
		{"all batches kept in a list", `
batches = list(DataLoader(data, batch_size=6))
for epoch in range(2):
    for x, y in batches: learn(x, y)
`, 8, 6, 4, 6, unknown, 0, 1},
		{"one step of the whole epoch", `
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=6): learn(x, y, step=False)
    optimizer.step(); optimizer.zero_grad()
`, 3, 24, 1, 24, 24, 0, 1},
		{"accumulation with a remainder", `
loader = DataLoader(data, batch_size=4)
for epoch in range(2):
    for i, (x, y) in enumerate(loader, 1): learn(x, y, step=i % 4 == 0 or i == len(loader))
`, 4, 16, 2, 16, 8, 0, 1},
		{"two optimizers that step once more now and then", `
second, k = torch.optim.SGD(model.parameters(), lr=0.01), 0
for epoch in range(4):
    for x, y in DataLoader(data, batch_size=6):
        learn(x, y)
        if k % 3 == 0: learn(x, y)
        learn(x, y, step=False)
        second.step()
        if k % 3 == 0: second.step()
        k += 1
`, 16, 6, 4, 6, 6, 0, 1},
		{"one of two optimizers that steps twice with each batch", `
second = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=6):
        learn(x, y)
        learn(x, y)
        second.step()
`, 16, 6, 8, 6, unknown, 0, 2},
		{"two loaders in one loop", `
a, b = DataLoader(data, batch_size=6), DataLoader(other, batch_size=3)
for epoch in range(2):
    for (x, y), (u, v) in zip(a, b): learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"an image from the test set after the first step", `
for epoch in range(2):
    for i, (x, y) in enumerate(DataLoader(data, batch_size=6)):
        learn(x, y)
        if i == 0: model(next(iter(DataLoader(other, batch_size=3)))[0])
`, 8, 6, 4, 6, 6, 0, 1},
		{"a look at the test set before", `
examples = iter(DataLoader(other, batch_size=12)); next(examples)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"validation without a mode, training mode set late", `
train, val = DataLoader(data, batch_size=6), DataLoader(other, batch_size=6)
for epoch in range(2):
    for x, y in train:
        model.train(); learn(x, y)
    with torch.no_grad():
        for x, y in val: model(x)
    model.eval()
    for x, y in val: model(x)
`, 8, 6, 4, 6, 6, 2, 1},
		{"trained in evaluation mode", `
for epoch in range(2):
    model.eval()
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"a text decoded in the evaluation mode of the last validation", `
def greedy_decode(net, start): return net(start)
def validate(net): return float(((net(xs) - ys) ** 2).mean())
xs, ys = torch.randn(8, 4), torch.randn(8, 1)
def train():
    for epoch in range(3):
        model.train()
        for x, y in DataLoader(data, batch_size=6): learn(x, y)
        model.eval()
        validate(model)
    model.eval()
    print(greedy_decode(model, xs[:1]))
train()
`, 12, 6, 4, 6, 6, 3, 1},
		{"micro-batches cut by hand", `
xs, ys, parts = torch.randn(60, 4), torch.randn(60, 1), 3
for step in range(8):
    for k in range(parts):
        learn(xs[4 * k : 4 * k + 4], ys[4 * k : 4 * k + 4], step=False)
    optimizer.step(); optimizer.zero_grad()
`, 8, 12, unknown, unknown, unknown, 0, 1},
		{"two looks at data cut by hand", `
xs, ys = torch.randn(60, 4), torch.randn(60, 1)
for step in range(8):
    for k in range(2):
        learn(xs[:6], ys[:6], step=False)
        learn(xs[6:12], ys[6:12], step=False)
    optimizer.step(); optimizer.zero_grad()
`, 8, unknown, unknown, unknown, unknown, 0, 1},
		{"one batch for a closure that is called often", `
xs, ys = torch.randn(17, 4), torch.randn(17, 1)
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5, tolerance_grad=0, tolerance_change=0)
for i in range(6):
    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xs), ys)
        loss.backward()
        return loss
    optimizer.step(closure)
`, 6, 17, unknown, unknown, unknown, 0, 1},
		{"words one after the other", `
class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 6)
    def forward(self, x, state): return self.cell(x, state)
cells, head = Cells(), nn.Linear(6, 1)
optimizer = torch.optim.SGD([*cells.parameters(), *head.parameters()], lr=0.01)
for i in range(9):
    words, state = torch.randn(5, 1, 4), torch.zeros(1, 6)
    for k in range(5): state = cells(words[k], state)
    head(state).sum().backward()
    optimizer.step(); optimizer.zero_grad()
`, 9, 1, unknown, unknown, unknown, 0, 1},
		{"a network of no module", `
del optimizer
xs, ys = torch.randn(60, 4), torch.randint(0, 3, (60,))
w, b, table = torch.randn(12, 3), torch.zeros(3), torch.randn(9, 4)
words = torch.randint(0, 9, (60, 3))
for p in (w, b, table): p.requires_grad_()
for step in range(9):
    ix = torch.randint(0, 60, (8,))
    loss = nn.functional.cross_entropy(table[words[ix]].view(-1, 12) @ w + b, ys[ix]) + 0.01 * (w ** 2).mean()
    for p in (w, b, table): p.grad = None
    loss.backward()
    for p in (w, b, table): p.data -= 0.1 * p.grad
`, 9, 8, unknown, unknown, unknown, 0, 1},
		{"a network of no module that sees each word of its texts", `
w, table = torch.randn(4, 3), torch.randn(9, 4)
for p in (w, table): p.requires_grad_()
optimizer = torch.optim.SGD([w, table], lr=0.1)
for step in range(9):
    words, tags = torch.randint(0, 9, (8, 5)), torch.randint(0, 3, (40,))
    nn.functional.cross_entropy(table[words].view(-1, 4) @ w, tags).backward()
    optimizer.step(); optimizer.zero_grad()
`, 9, unknown, unknown, unknown, unknown, 0, 1},
		{"another network computes word by word before", `
first = nn.GRU(4, 4)
state = torch.zeros(1, 1, 4)
for k in range(5): _, state = first(torch.randn(1, 1, 4), state)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(9): learn(torch.randn(7, 4), torch.randn(7, 1))
`, 9, 7, unknown, unknown, unknown, 0, 1},
		{"letters one after the other, once a look was taken, and steps by hand", `
del optimizer
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.both, self.out = nn.Linear(7, 3), nn.Linear(7, 2)
    def forward(self, x, state):
        both = torch.cat((x, state), 1)
        return nn.functional.log_softmax(self.out(both), 1), self.both(both)
cell = Cell()
cell(torch.randn(1, 4), torch.zeros(1, 3)); cell(torch.randn(1, 4), torch.zeros(1, 3))
for i in range(12):
    state = torch.zeros(1, 3)
    cell.zero_grad()
    for letter in torch.randn(3 + i % 4, 1, 4): out, state = cell(letter, state)
    nn.functional.nll_loss(out, torch.tensor([1])).backward()
    for p in cell.parameters():
        if p.grad is not None: p.data.add_(p.grad, alpha=-0.1)
`, 12, 1, unknown, unknown, unknown, 0, 2},
		{"a curve by hand", `
del optimizer
xs = torch.linspace(-1, 1, 50)
a, b = torch.randn(()), torch.randn(())
for p in (a, b): p.requires_grad_()
for i in range(12):
    ((a + b * xs - xs.sin()) ** 2).sum().backward()
    with torch.no_grad():
        for p in (a, b):
            p -= 1e-3 * p.grad
            p.grad = None
`, 12, 50, unknown, unknown, unknown, 0, 1},
		{"losses of several computations in one", `
xs, ys = torch.randn(60, 4), torch.randn(60, 1)
for step in range(8):
    loss = 0
    for k in range(3): loss = loss + nn.functional.mse_loss(model(xs[4 * k : 4 * k + 4]), ys[4 * k : 4 * k + 4])
    loss.backward(); optimizer.step(); optimizer.zero_grad()
`, 8, unknown, unknown, unknown, unknown, 0, 1},
		{"one loss of two networks that are given the same", `
xs, ys, also = torch.randn(60, 4), torch.randn(60, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *also.parameters()], lr=0.01)
for step in range(10):
    for k in range(2): model(xs[k : k + 1]) # it acts, and learns one step in two
    x, loss = xs[:12], 0
    for of in (model, also): loss = loss + nn.functional.mse_loss(of(x), ys[:12])
    if step > 1: loss.backward(); optimizer.step(); optimizer.zero_grad()
`, 8, 12, unknown, unknown, unknown, 0, 1},
		{"a network that learns from all that it did", `
xs, optimizer = torch.randn(60, 4), torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(8):
    seen = [xs[k] for k in torch.randperm(60) if k < 50 or torch.rand(1) < 0.5]
    for x in seen: model(x)
    loss = nn.functional.mse_loss(model(torch.stack(seen)), torch.zeros(len(seen), 1))
    loss.backward(); optimizer.step(); optimizer.zero_grad()
`, 8, unknown, 1, unknown, unknown, 0, 1},
		{"a network that learns from so many rounds that it did", `
xs, optimizer = torch.randn(60, 4), torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(8):
    for k in range(12): model(xs[k])
    loss = nn.functional.mse_loss(model(xs[:12]), torch.zeros(12, 1))
    loss.backward(); optimizer.step(); optimizer.zero_grad()
`, 8, 12, 1, unknown, unknown, 0, 1},
		{"one loss of two networks that join what they are given", `
xs, ys, also = torch.randn(60, 2), torch.randn(60, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *also.parameters()], lr=0.01)
for step in range(10):
    for k in range(2): model(torch.cat([xs[k : k + 1], xs[k : k + 1]], 1))
    x, loss = xs[:12], 0
    for of in (model, also): loss = loss + nn.functional.mse_loss(of(torch.cat([x, x], 1)), ys[:12])
    if step > 1: loss.backward(); optimizer.step(); optimizer.zero_grad()
`, 8, 12, unknown, unknown, unknown, 0, 1},
		{"one loss of two networks that are given others of as many rows", `
xs, ys, also = torch.randn(60, 4), torch.randn(60, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*model.parameters(), *also.parameters()], lr=0.01)
for step in range(10):
    for k in range(2): model(xs[k : k + 1])
    loss = nn.functional.mse_loss(model(xs[:12]), ys[:12]) + nn.functional.mse_loss(also(xs[12:24]), ys[12:24])
    if step > 1: loss.backward(); optimizer.step(); optimizer.zero_grad()
`, 8, unknown, unknown, unknown, unknown, 0, 1},
		{"a network that is given arrays", `
class Of(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = model
    def forward(self, names, x): return self.model(torch.from_numpy(x))
whole, names, xs = Of(), ["a", "b"], torch.randn(12, 4).numpy()
for step in range(8): whole(names, xs).sum().backward(); optimizer.step(); optimizer.zero_grad()
`, 8, 12, unknown, unknown, unknown, 0, 1},
		{"a network that acts before it learns", `
xs, ys = torch.randn(60, 4), torch.randn(60, 1)
for step in range(10):
    for k in range(2): model(xs[k])
    if step > 1: learn(xs[:12], ys[:12])
`, 8, 12, unknown, unknown, unknown, 0, 1},
		{"a test that asks for no batch after the last", `
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
    loader = DataLoader(other, batch_size=6)
    batches = iter(loader)
    for i in range(len(loader)): model(next(batches)[0])
`, 12, 6, 4, 6, 6, 3, 1},
		{"pictures by a function called evaluate", `
def save_image(image, name): pass
def evaluate(dataset, name):
    with torch.no_grad(): output = model(torch.stack([x for x, _ in dataset]))
    save_image(output, name)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
    model.eval()
    evaluate(other, "at_%d.png" % epoch)
    model.train()
`, 8, 6, 4, 6, 6, 0, 1},
		{"a function called evaluate that draws and scores", `
def save_image(image, name): pass
def evaluate(dataset, name):
    with torch.no_grad(): output = model(torch.stack([x for x, _ in dataset]))
    save_image(output, name)
    return output.abs().mean().item(), "mean error"
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
    model.eval()
    evaluate(other, "at_%d.png" % epoch)
    model.train()
`, 8, 6, 4, 6, 6, 2, 1},
		{"the batch of each step is scored in evaluation mode", `
loader = DataLoader(data, batch_size=6)
for epoch in range(2):
    for x, y in loader:
        model.train(); learn(x, y)
        model.eval()
        score = (model(x) - y).abs().mean()
    model.eval()
    for x_val, y_val in list(other): model(x_val)
`, 8, 6, 4, 6, 6, 2, 1},
		{"a whole set is gone over in each step", `
loader = DataLoader(data, batch_size=6)
for epoch in range(2):
    for x, y in loader:
        model.train(); learn(x, y)
        model.eval()
        for a, b in DataLoader(other, batch_size=6): model(a)
`, 8, 6, 4, 6, 6, 8, 1},
		{"a set without a loader is tried in each step", `
loader, xs_test = DataLoader(data, batch_size=6), torch.randn(20, 4)
for epoch in range(2):
    for x, y in loader:
        model.train(); learn(x, y)
        model.eval()
        out = model(xs_test)
`, 8, 6, 4, 6, 6, 8, 1},
		{"a loader for a second loss", `
loader, also = DataLoader(data, batch_size=6), DataLoader(other, batch_size=6)
for epoch in range(2):
    more = iter(also)
    for i, (x, y) in enumerate(loader):
        if i < 2: learn(*next(more), step=False)
        learn(x, y)
`, 8, 6, 4, 6, 6, 0, 2},
		{"a loader that makes iterators of its own", `
from torch.utils.data import dataloader
class Iterator(dataloader._SingleProcessDataLoaderIter): pass
class Stateful(DataLoader):
    def _get_iterator(self): return Iterator(self)
    def __iter__(self):
        self.iterator = self._get_iterator()
        return self.iterator
loader = Stateful(data, batch_size=6)
for epoch in range(2):
    for x, y in loader: learn(x, y)
`, 8, 6, 4, 6, 6, 0, 1},
		{"steps within a step", `
class Ahead(torch.optim.Optimizer):
    def __init__(self, base):
        self.base = base
        super().__init__(base.param_groups, {})
    def step(self, closure=None):
        self.base.step(); self.base.step()
optimizer = Ahead(optimizer)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
    scheduler.step()
`, 8, 6, 4, 6, 6, 0, 1},
		{"an image of the batch in evaluation mode", `
def save_image(image, name, value_range): pass
for epoch in range(2):
    for i, (x, y) in enumerate(DataLoader(data, batch_size=6)):
        learn(x, y)
        if i == 1:
            model.eval()
            with torch.no_grad(): sample = model(x[:3])
            save_image(sample, "sample.png", value_range=(0, 1))
            model.train()
`, 8, 6, 4, 6, 6, 0, 1},
		{"a measured sample in evaluation mode", `
for epoch in range(2):
    for i, (x, y) in enumerate(DataLoader(data, batch_size=6)):
        learn(x, y)
        if i == 1:
            model.eval()
            with torch.no_grad(): sample = model(data.tensors[0])
            print("error", (sample - data.tensors[1]).abs().mean().item())
            model.train()
`, 8, 6, 4, 6, 6, 2, 1},
		{"samples one by one", `
for epoch in range(2):
    for x, y in [data[i] for i in range(5)]: learn(x, y)
`, 10, 1, 5, unknown, unknown, 0, 2},
		{"words of one sample", `
words = [(torch.tensor([1, 2, 3]), torch.tensor([[1.0]])), (torch.tensor([0, 2]), torch.tensor([[2.0]]))]
class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(4, 6), nn.Linear(6, 1)
    def forward(self, x): return self.out(self.words(x).sum(0).view(1, -1))
model = Sum()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(3):
    for x, y in words: learn(x, y)
`, 6, 1, 2, unknown, unknown, 0, 1},
		{"packed sentences, words before samples", `
class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.cells = nn.Embedding(4, 6), nn.GRU(6, 1)
    def forward(self, x, lengths):
        return self.cells(nn.utils.rnn.pack_padded_sequence(self.words(x), lengths))[1][0]
model = Sum()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    model(torch.randint(4, (5, 3)), torch.tensor([5, 4, 2])).sum().backward()
    optimizer.step()
`, 4, 3, unknown, unknown, unknown, 0, 1},
		{"several steps with one batch", `
for epoch in range(2):
    for x, y in DataLoader(data, batch_size=12):
        learn(x, y); learn(x, y)
`, 8, 12, 4, 12, unknown, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+c.body)}}, nil)
			if r.exit.Code != 0 || len(r.warnings) != 0 || len(r.models) == 0 {
				t.Fatalf("exit %+v, warnings %q, stderr %q", r.exit, r.warnings, r.stderr)
			}
			m, n := r.models[len(r.models)-1], len(r.iterations)
			if n != c.n || len(r.validations) != c.validations || r.facts() != c.models {
				t.Errorf("%d iterations, %d validations, %d models; want %d, %d, %d", n, len(r.validations), len(r.models), c.n,
					c.validations, c.models)
			}
			got := units(r.iterations)
			if number(m.BatchSize) != c.batch || number(m.IterationsPerEpoch) != c.perEpoch || got[0] != c.first ||
				got[n-1] != c.last {
				t.Errorf("batch %g, per epoch %g, units %v; want %g, %g, %g … %g", number(m.BatchSize),
					number(m.IterationsPerEpoch), got, c.batch, c.perEpoch, c.first, c.last)
			}
		})
	}
}
