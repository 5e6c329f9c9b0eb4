package hook

import "testing"

// A notebook may define functions of one name after each other, and train in loops of its own between calls of them.
func TestTrainingsOfOneName(t *testing.T) {
	t.Parallel()
	says(t, "first: 18\ncalled: 16\nlooped: 12\ngiven: 9\n", script(t, `
import sys
from sweetspot_hook import epochs, repeats

class Loss:
    def backward(self): pass

def step(name):
    if name in told: return
    told.add(name)
    frames = epochs.frames_of(sys._getframe(1))
    _, more = repeats.find(frames)
    print("%s: %d" % (name, epochs.find(frames, ()) + more))

told, n = set(), 2
for epoch in range(n):
    for x in "ab":
        Loss().backward()
        step("first")

def fit():
    for epoch in range(n):
        for x in "ab":
            Loss().backward()
            step("called")

fit()
fit()
for epoch in range(3):
    for x in "ab":
        Loss().backward()
        step("looped")

def batch(x):
    Loss().backward()
    step("given")

def fit(n, batches):
    for epoch in range(n):
        for x in batches: batch(x)

fit(4, "ab")
fit(5, "ab")
`))
}
