package hook

import "testing"

// While the objects of a class are looked for, other threads make tuples: none that is half made may be held, for
// CPython could not shorten it then.
func TestObjectsBesideThreads(t *testing.T) {
	t.Parallel()
	says(t, "3 [] True\n", script(t, `
import sys, threading
from sweetspot_hook import objects

class Meta(type):
    def __eq__(self, other): raise ValueError("not comparable")

class Base: pass
class Part(Base): pass
class Odd(Base, metaclass=Meta): pass

kept = [Base(), Part(), Odd(), *([i] for i in range(50000))]
failures, over, made = [], False, 0

def make():
    global made
    while not over:
        try:
            tuple(x for x in range(3))
            made += 1
        except SystemError as err:
            failures.append(err)

sys.setswitchinterval(1e-6)
thread = threading.Thread(target=make)
thread.start()
try:
    found = {len(objects.of(Base)) for _ in range(50)}
finally:
    over = True
    thread.join()
print(*found, failures, made > 50)
`))
}
