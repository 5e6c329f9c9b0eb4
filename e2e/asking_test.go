package e2e

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// asking is a program that looks at its terminal and asks, which then works for a while.
const asking = `
import subprocess, time
print("cells:", subprocess.run(["stty", "size"], capture_output=True, text=True).stdout, flush=True)
print("hello " + input(), flush=True)
for i in range(600):
    print("working", flush=True)
    time.sleep(0.1)
`

// A script has the terminal of the probe: it sees its size, reads what is typed, and gets
// ctrl-c from then on, which is no failure of it. Ctrl-z stops both, as it stops any job.
func TestAScriptThatAsks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		lack(t, "Linux")
	}
	python := needTorch(t)
	s := startCommand(t, newHome(t), nil, 100, 30, []string{"bash", "--norc", "-i"})
	s.write(strings.Join([]string{quoted(program), "probe", "--", quoted(python), "-c", quoted(asking)}, " "))
	s.keys("Enter")
	s.waitFor("cells: 30 100", timeout)
	s.write("Ada")
	s.keys("Enter")
	s.waitFor("hello Ada", timeout)
	s.keys("C-z")
	s.waitFor("Stopped", timeout)
	s.tmux("clear-history")
	s.write("clear")
	s.keys("Enter")
	s.waitUntil("a clear screen", timeout, func(screen string) bool { return !strings.Contains(screen, "working") })
	s.write("fg")
	s.keys("Enter")
	s.waitUntil("working again", timeout, func(screen string) bool { return strings.Count(screen, "working") > 3 })
	s.keys("C-c")
	s.waitFor("stopped by you", timeout)
	s.write("echo the shell is $((40 + 2))")
	s.keys("Enter")
	s.waitFor("the shell is 42", timeout)
	if status := single[string](t, sound(t, s.home.profiles()), "SELECT status FROM runs"); status != "interrupted" {
		t.Errorf("the run is %s", status)
	}
}

// A script reads what is piped into the probe.
func TestAScriptThatReadsAPipe(t *testing.T) {
	t.Parallel()
	const script = "read name; echo hello $name; cat | wc -c"
	cmd := exec.Command(program, "probe", "--max-seconds", "1m", "--", "sh", "-c", script)
	cmd.Stdin = strings.NewReader("Ada\n" + strings.Repeat("x", 1<<20))
	s := finish(t, cmd, newHome(t).env())
	if !strings.Contains(s.stderr, "hello Ada\n1048576\n") {
		t.Errorf("%+v", s)
	}
}
