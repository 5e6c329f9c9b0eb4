package session

import (
	"strings"
	"testing"
)

const traceback = "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    step()\n" +
	"    ~~~~^^\n"

// The error is what ended the script, not what was written last.
func TestFault(t *testing.T) {
	for name, c := range map[string]struct{ stderr, want string }{
		"an exception": {"loading\n" + traceback + "ValueError: the seventh batch is bad\n",
			"ValueError: the seventh batch is bad"},
		"before a warning": {traceback + "ValueError: bad\n/usr/lib/python3.11/multiprocessing/resource_tracker.py:254: " +
			"UserWarning: resource_tracker: There appear to be 1 leaked semaphore objects\n  warnings.warn('x')\n",
			"ValueError: bad"},
		"handled on the way": {traceback + "KeyError: 'x'\n\nDuring handling of the above exception, another exception " +
			"occurred:\n\n" + traceback + "RuntimeError: no such layer\n", "RuntimeError: no such layer"},
		"in a worker": {traceback + "RuntimeError: Caught ValueError in DataLoader worker process 0.\nOriginal " +
			traceback + "ValueError: bad\n", "ValueError: bad"},
		"of a rank": {"[rank1]: Traceback (most recent call last):\n[rank1]:   File \"t.py\", line 1\n" +
			"[rank1]: ValueError: bad\n[rank0]: Traceback (most recent call last):\n[rank0]:   File \"t.py\"\n" +
			"[rank0]: RuntimeError: Connection closed by peer\nW1123 17:00:00.000 12 torch/agent.py:9] Sending SIGTERM\n" +
			traceback + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n" +
			"============================================\ntrain.py FAILED\n" +
			"--------------------------------------------\n", "ValueError: bad"},
		"and an abort": {traceback + "ValueError: bad\nterminate called without an active exception\n",
			"ValueError: bad"},
		"an abort alone": {"terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: " +
			"invalid device\n", "CUDA error: invalid device"},
		"a thread's": {"Exception in thread Thread-1:\n" + traceback + "OSError: gone\ncannot go on\n", "cannot go on"},
		"ignored ones": {traceback + "ValueError: bad\nException ignored in: <function f>\n" + traceback +
			"TypeError: 'NoneType' object is not callable\n", "ValueError: bad"},
		"a refusal": {"usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --x\n",
			"train.py: error: unrecognized arguments: --x"},
		"only warnings": {"a.py:1: UserWarning: old\n", "a.py:1: UserWarning: old"},
		"nothing":       {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var f fault
			for line := range strings.Lines(c.stderr) {
				f.add(strings.TrimSuffix(line, "\n"))
			}
			if got := f.said(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
