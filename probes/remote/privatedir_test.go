package remote

import (
	"os/exec"
	"sync"
	"testing"
)

// A directory that is being made there is never taken for a stale one, however many agents look for these.
func TestManyAgentsMakeDirectoriesAtOnce(t *testing.T) {
	python := need(t, "python3", "python3")
	const program = `
import os, shutil
from command import PrivateDirectory
made = []
for i in range(200):
    made.append(PrivateDirectory(b""))
    if i % 10 == 9:
        for d in made:
            assert os.path.exists(d.control), d.control
            shutil.rmtree(d.dir)
        del made[:]
`
	t.Setenv("TMPDIR", t.TempDir())
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			c := exec.CommandContext(t.Context(), python, "-c", program)
			c.Env = append(c.Environ(), "PYTHONPATH=python", "PYTHONDONTWRITEBYTECODE=1")
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
}
