package hook

import "testing"

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

for function in codes, parts, earlier, outputs, samples, pictures, predict, accuracy, dice, criterion, printed, evaluated:
    print(function.__name__, end=": ")
    function()
`))
}
