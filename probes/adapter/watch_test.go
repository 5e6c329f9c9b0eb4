package adapter

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"sweetspot/probes/protocol"
)

// chunks gives one of its strings at every read.
type chunks []string

func (c *chunks) Read(p []byte) (int, error) {
	if len(*c) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*c)[0])
	*c = (*c)[1:]
	return n, nil
}

func TestWatch(t *testing.T) {
	in := chunks{"log\n\r  0%", "|  | 0/2\r 50%|# | 1/2", "\r100%|##| 2/2", "\n", "par", "tial\r\nlast"}
	whole := strings.Join(in, "")
	var seen []string
	out, err := io.ReadAll(Watch(&in, func(line string) { seen = append(seen, line) }))
	if err != nil || string(out) != whole {
		t.Errorf("passed on %q, %v", out, err)
	}
	// A drawing in two pieces is shown again when it is whole.
	want := []string{"log", "  0%", "  0%|  | 0/2", " 50%|# | 1/2", "100%|##| 2/2", "partial", "last"}
	if !slices.Equal(seen, want) {
		t.Errorf("saw %q, want %q", seen, want)
	}
	if _, err := io.ReadAll(Watch(iotest.ErrReader(errors.ErrUnsupported), func(string) {})); !errors.Is(err,
		errors.ErrUnsupported) {
		t.Errorf("the reader's error became %v", err)
	}
	long := strings.Repeat("x", maxLine+10)
	_, _ = io.Copy(io.Discard, Watch(iotest.OneByteReader(strings.NewReader(long+"\nshort\n")), func(line string) {
		if line != "short" {
			t.Errorf("a line of %d bytes is shown", len(line))
		}
	}))
}

// tqdmScript appends to every drawing the time at which it was made: when this
// test's process gets to read it depends on the machine.
const tqdmScript = `
import sys, time
from tqdm import tqdm
class Stamped:
    encoding = "utf-8"
    def write(self, text):
        stamp = " t=%.6f" % time.monotonic() if text.strip() else ""
        sys.stderr.write(text + stamp)
    def flush(self):
        sys.stderr.flush()
for epoch in range(2):
    for _ in tqdm(range(20), desc="epoch %d" % epoch, mininterval=0, file=Stamped()):
        time.sleep(0.01)
    for _ in tqdm(range(5), desc="validate", mininterval=0, file=Stamped()):
        time.sleep(0.01)
`

// The real tqdm on a pipe: its drawings have no line ends, and come through
// while it draws.
func TestRealTQDM(t *testing.T) {
	path := "/usr/bin/python3"
	if err := exec.Command(path, "-c", "import tqdm").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("tqdm is missing, and with CI=true nothing may be skipped (apt install python3-tqdm)")
		}
		t.Skip("tqdm is not installed (apt install python3-tqdm)")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", tqdmScript)
	cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a, err := New(Auto, "")
	if err != nil {
		t.Fatal(err)
	}
	var steps, validations int
	var first, now, total float64
	last := 0
	var perEpoch []float64
	_, err = io.Copy(io.Discard, Watch(stderr, func(line string) {
		if _, stamp, ok := strings.Cut(line, " t="); ok {
			var err error
			if now, err = strconv.ParseFloat(stamp, 64); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			first = cmp.Or(first, now)
		}
		for _, e := range a.Line(now, line) {
			switch e := e.(type) {
			case protocol.Iteration:
				steps++
				total += e.Seconds
				last = e.Epoch
			case protocol.Validation:
				validations++
				if e.Seconds < 0.05 {
					t.Errorf("a validation that slept 0.05 s took %g s", e.Seconds)
				}
			case protocol.Model:
				perEpoch = append(perEpoch, *e.IterationsPerEpoch)
			}
		}
	}))
	if werr := cmd.Wait(); err != nil || werr != nil {
		t.Fatal(err, werr)
	}
	if steps != 40 || last != 1 || validations != 2 || !slices.Equal(perEpoch, []float64{20}) {
		t.Errorf("%d steps, last epoch %d, %d validations, per epoch %v", steps, last, validations, perEpoch)
	}
	// Sleeping takes at least as long as was asked; what it takes at most
	// depends on the machine, but never more than the whole.
	if total < 0.4 || total > now-first {
		t.Errorf("40 steps of 0.01 s took %g s", total)
	}
}
