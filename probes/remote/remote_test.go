package remote

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"sweetspot/probes/runner"
)

// output collects the three streams.
type output struct {
	mu                     sync.Mutex
	wg                     sync.WaitGroup
	events, stdout, stderr strings.Builder
}

func collect(t *testing.T, p *Process) *output {
	t.Helper()
	o := &output{}
	for to, from := range map[*strings.Builder]io.Reader{&o.events: p.Events(), &o.stdout: p.Stdout(),
		&o.stderr: p.Stderr()} {
		o.wg.Go(func() {
			for lines := bufio.NewReader(from); ; {
				line, err := lines.ReadString('\n')
				o.mu.Lock()
				to.WriteString(line)
				o.mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	return o
}

func (o *output) eventLines() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Count(o.events.String(), "\n")
}

func start(t *testing.T, s *sshd, c runner.Command, o Options) (*Process, *output) {
	t.Helper()
	o.NoMetadata = true
	p, err := Start(t.Context(), s.host, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return p, collect(t, p)
}

func sh(script string) runner.Command {
	return runner.Command{Argv: []string{"/bin/sh", "-c", script}, Grace: 500 * time.Millisecond}
}

func TestRunsThere(t *testing.T) {
	s := serve(t)
	c := sh(`echo "out $COLOUR $(cat "$0")"; echo err >&2; echo "{\"fd\":\"$SWEETSPOT_EVENTS\"}" >&3; echo ` +
		`'{"path":1}' >>"$SWEETSPOT_EVENTS_PATH"; stat -c %a "${0%/*/*}"; exit 7`)
	c.Argv = append(c.Argv, "{sweetspot-dir}/sub/file.txt")
	c.Env = []string{"COLOUR=it's \"$green\" `x`\n{sweetspot-dir}"}
	c.Files = fstest.MapFS{"sub/file.txt": {Data: []byte("whole\x00file\n")}}
	p, out := start(t, s, c, Options{})
	exit := p.Wait()
	out.wg.Wait()
	if exit != (runner.Exit{Code: 7}) || !p.Collected() {
		t.Errorf("exit %+v, collected %t", exit, p.Collected())
	}
	if got := out.events.String(); got != "{\"fd\":\"fd:3\"}\n{\"path\":1}\n" {
		t.Errorf("events %q", got)
	}
	lines := strings.Split(out.stdout.String(), "\n")
	if len(lines) != 4 || lines[0] != "out it's \"$green\" `x`" || !strings.HasSuffix(lines[1], " wholefile") ||
		lines[2] != "700" {
		t.Errorf("stdout %q", lines)
	}
	dir := strings.Fields(lines[1])[0]
	if _, err := os.Stat(dir); !strings.Contains(dir, "sweetspot-probe-") || err == nil {
		t.Errorf("the directory %q is still there", dir)
	}
	if out.stderr.String() != "err\n" {
		t.Errorf("stderr %q", out.stderr.String())
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := p.Facts(); !ok || f.Host != host || f.OS != runtime.GOOS+"/"+runtime.GOARCH || f.CPUs < 1 ||
		len(f.Metadata) != 0 {
		t.Errorf("facts %+v, %t", f, ok)
	}
	if age := time.Since(p.Started()); age < 0 || age > time.Minute {
		t.Errorf("started %s ago", age)
	}
}

// A program that ends by a signal, one that leaves a child behind, one that
// prints long lines and binary rubbish.
func TestEndsThere(t *testing.T) {
	s := serve(t)
	p, out := start(t, s, sh(`sleep 300 & echo $!; head -c 3000000 /dev/zero | tr '\0' x >&3; head -c 100000 `+
		`/dev/urandom >&2; kill -SEGV $$`), Options{})
	exit := p.Wait()
	out.wg.Wait()
	if exit != (runner.Exit{Code: 128 + int(syscall.SIGSEGV)}) {
		t.Errorf("exit %+v", exit)
	}
	if n, m := out.events.Len(), out.stderr.Len(); n != 3000000 || m != 100000 {
		t.Errorf("%d bytes of events, %d of errors", n, m)
	}
	child, err := strconv.Atoi(strings.TrimSpace(out.stdout.String()))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the child to end", func() bool { return !running(child) })
}

// steps prints an event a step and watches the control file between them.
const steps = `
import json, mmap, os, signal, sys, time
control = mmap.mmap(os.open(os.environ["SWEETSPOT_CONTROL"], os.O_RDWR), 16)
signal.signal(signal.SIGINT, signal.SIG_IGN)
control[1] = 1
open(sys.argv[1], "w").write(str(os.getpid()))
for i in range(int(sys.argv[2])):
    os.write(3, (json.dumps({"sweetspot": 1, "event": "iteration", "index": i, "seconds": 0.01}) + "\n").encode())
    if control[0]:
        os.write(3, b"stopped at a step\n")
        sys.exit(0)
    time.sleep(0.01)
`

func stepping(t *testing.T, n int) (c runner.Command, pid func() int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pid")
	return runner.Command{
			Argv: []string{"python3", "{sweetspot-dir}/steps.py", path, strconv.Itoa(n)}, Grace: 500 * time.Millisecond,
			Files: fstest.MapFS{"steps.py": {Data: []byte(steps)}},
		}, func() int {
			text, _ := os.ReadFile(path)
			n, _ := strconv.Atoi(string(text))
			return n
		}
}

func TestStopsAtAStep(t *testing.T) {
	s := serve(t)
	c, pid := stepping(t, 100000)
	p, out := start(t, s, c, Options{})
	waitFor(t, "some steps", func() bool { return out.eventLines() > 5 })
	p.StopWithin(10 * time.Second)
	p.StopWithin(10 * time.Second)
	exit := p.Wait()
	out.wg.Wait()
	if exit != (runner.Exit{}) || !strings.HasSuffix(out.events.String(), "stopped at a step\n") {
		t.Errorf("exit %+v, events end %q", exit, last(out.events.String()))
	}
	waitFor(t, "the command to end", func() bool { return !running(pid()) })
}

// One that is deaf to requests and signals is killed.
func TestStopsTheDeaf(t *testing.T) {
	s := serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, s.host, sh(`trap '' INT TERM; echo ready >&3; while :; do sleep 0.05; done`),
		Options{NoMetadata: true})
	if err != nil {
		t.Fatal(err)
	}
	out := collect(t, p)
	waitFor(t, "it to begin", func() bool { return out.eventLines() > 0 })
	cancel()
	if exit := p.Wait(); exit != (runner.Exit{Code: 128 + int(syscall.SIGKILL)}) {
		t.Errorf("exit %+v", exit)
	}
}

// A stop that is in more of a hurry than the first is obeyed.
func TestHurriedStop(t *testing.T) {
	s := serve(t)
	p, out := start(t, s, sh(`trap '' INT TERM; echo ready >&3; while :; do sleep 0.05; done`), Options{})
	waitFor(t, "it to begin", func() bool { return out.eventLines() > 0 })
	p.StopWithin(time.Hour)
	p.StopWithin(100 * time.Millisecond)
	if exit := p.Wait(); exit.Code != 128+int(syscall.SIGKILL) {
		t.Errorf("exit %+v", exit)
	}
}

func TestLimit(t *testing.T) {
	s := serve(t)
	c, _ := stepping(t, 100000)
	p, out := start(t, s, c, Options{Limit: 300 * time.Millisecond})
	exit := p.Wait()
	out.wg.Wait()
	if exit != (runner.Exit{}) || !strings.HasSuffix(out.events.String(), "stopped at a step\n") {
		t.Errorf("exit %+v, events end %q", exit, last(out.events.String()))
	}
}

func TestCutConnection(t *testing.T) {
	s := serve(t)
	c, pid := stepping(t, 100000)
	p, out := start(t, s, c, Options{})
	waitFor(t, "some steps", func() bool { return out.eventLines() > 5 })
	s.cut()
	exit := p.Wait()
	if exit.Lost == nil || p.Collected() {
		t.Fatalf("exit %+v", exit)
	}
	for _, part := range []string{s.host.String(), "was lost after", "what arrived is saved", "--detach"} {
		if !strings.Contains(exit.Lost.Error(), part) {
			t.Errorf("%q lacks %q", exit.Lost, part)
		}
	}
	out.wg.Wait()
	if got := out.events.String(); !strings.HasSuffix(got, "\n") {
		t.Errorf("a line was cut: %q", last(got))
	}
	waitFor(t, "the command to end", func() bool { return !running(pid()) })
}

func last(s string) string { return s[max(0, len(s)-60):] }

func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
