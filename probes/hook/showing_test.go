package hook

import (
	"testing"

	"sweetspot/probes/runner"
)

// The words of a program's text tell whether what it computes is measured, or only looked at. Others that hold the
// letters of these, as indices those of dice, say nothing.
func TestWhatIsMeasured(t *testing.T) {
	t.Parallel()
	const want = `codes: True
parts: None
earlier: True
outputs: None
samples: True
pictures: generation
predict: prediction
accuracy: False
dice: False
criterion: False
printed: False
evaluated: False
by_a_name: True
by_a_count: False
decorated_images: True
decorated: False
`
	says(t, want, script(t, `
import sys
from sweetspot_hook import epochs, showing

class Net:
    def eval(self): print(showing.is_shown(epochs.frames_of(sys._getframe(1))))
    def __call__(self, *_): return self
    def __getattr__(self, name): return self

net = images = idx = loader = apply = previous = Net()
def stderr(*_): pass
make_grid = save_image = mean_iou = CrossEntropyLoss = evaluateModel = accelerator = stderr

def codes():
    net.eval()
    hard = make_grid(net.decode(net.get_codebook_indices(images)))
def parts():
    net.eval()
    sampled_idx = idx
    out = net(sampled_idx)
def earlier():
    net.eval()
    previous = accelerator(net.apply(images), stderr)
    plot = net(previous)
def outputs():
    net.eval()
    return net.cpu()
def samples():
    net.eval()
    return net.sample(4)
def pictures():
    net.eval()
    save_image(net(images), "testing.png")
def predict():
    net.eval()
    return net(images)
def accuracy():
    net.eval()
    testacc = net(images)
def dice():
    net.eval()
    dices = mean_iou(net(images))
def criterion():
    net.eval()
    found = CrossEntropyLoss(net(images))
def printed():
    net.eval()
    stderr("images: %d, average loss %f", net(images))
def evaluated():
    net.eval()
    found = evaluateModel(net, images)

def evaluateWords(): return [net(words).topk(1) for words in "ab"]
def evaluateRandomly(): said = evaluateWords()
def testGames(): return sum(1 for game in "ab" if net(game))
def by_a_name():
    net.eval()
    evaluateRandomly()
def by_a_count():
    net.eval()
    wins = testGames()

def in_evaluation(fn):
    def inner(*args):
        net.eval()
        out = fn(*args)
        net.train()
        return out
    return inner
@in_evaluation
def draw_images():
    return net(images)
@in_evaluation
def mean_loss():
    return net.loss(images)
def decorated_images(): draw_images()
def decorated(): mean_loss()

for function in (codes, parts, earlier, outputs, samples, pictures, predict, accuracy, dice, criterion, printed, evaluated,
                 by_a_name, by_a_count, decorated_images, decorated):
    print(function.__name__, end=": ")
    function()
`))
}

// What is computed in evaluation mode after a validation, without training mode in between, is part of it where that
// calls it, and else something to look at, if its text measures nothing.
func TestTriedOutAtTheEnd(t *testing.T) {
	t.Parallel()
	const text = `
def outputs(xs):
    model.eval()
    found = []
    for x in xs.split(4): found.append(model(x).detach())
    return torch.cat(found)
def test():
    model.eval()
    errors = outputs(data.tensors[0]) - data.tensors[1]
    return errors.mean(), (outputs(other.tensors[0]) - other.tensors[1]).mean()
def tag(x):
    model.eval()
    return model(x).argmax(1)
for epoch in range(3):
    model.train()
    for i in range(4): learn(*data[i])
    print(test())
print(tag(data.tensors[0][:1]))
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text)}}, nil)
	if len(r.validations) != 3 || len(r.pauses) != 1 || r.pauses[0].Kind != "generation" || len(r.warnings) > 0 {
		t.Errorf("%d validations, pauses %+v, exit %+v, warnings %q, stderr %q", len(r.validations), r.pauses, r.exit,
			r.warnings, r.stderr)
	}
}

// A few batches that are looked at beside a validation, from a loader of their own, are no further one, not even after
// the last step.
func TestABatchBesideAValidation(t *testing.T) {
	t.Parallel()
	const text = `
val = DataLoader(other, batch_size=6)
for epoch in range(4):
    model.train()
    for x, y in DataLoader(data, batch_size=6): learn(x, y)
    model.eval()
    with torch.no_grad(): print(sum(nn.functional.mse_loss(model(x), y) for x, y in val))
    some, _ = next(iter(DataLoader(other, batch_size=3)))
    model.eval()
    images_generated = model(some)
`
	r := watch(t, runner.Command{Argv: []string{torch(t), script(t, preamble+text)}}, nil)
	if len(r.validations) != 4 || len(r.warnings) > 0 {
		t.Errorf("%d validations, pauses %+v, exit %+v, warnings %q, stderr %q", len(r.validations), r.pauses, r.exit,
			r.warnings, r.stderr)
	}
}
