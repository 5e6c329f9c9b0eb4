package remote

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/probes/runner"
)

// With the interpreter of an environment, the command's own python3 is that one, and the
// folder is one of that host.
func TestEnvironmentThere(t *testing.T) {
	s := serve(t)
	python := need(t, "python3", "python3")
	env := filepath.Join(t.TempDir(), "env")
	if out, err := exec.Command(python, "-m", "venv", "--without-pip", env).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	folder := t.TempDir()
	c := runner.Command{Argv: []string{"python3", "-c",
		"import os, sys; print(sys.prefix, os.environ['VIRTUAL_ENV'], os.getcwd())"},
		Dir: folder}
	p, out := start(t, s, c, Options{Python: filepath.Join(env, "bin", "python3")})
	p.Wait()
	out.wg.Wait()
	if got, want := strings.TrimSpace(out.stdout.String()), env+" "+env+" "+folder; got != want {
		t.Errorf("%q, want %q; %s", got, want, out.stderr.String())
	}
}
