package runner

import (
	"bufio"
	"context"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// shell starts a shell script and collects its streams.
func shell(t *testing.T, ctx context.Context, script string) (p *Process,
	output func() (events, stdout, stderr string)) {
	t.Helper()
	p, err := Start(ctx, Command{Argv: []string{"/bin/sh", "-c", script}, Grace: 300 * time.Millisecond,
		Env: []string{"COLOUR=green"}})
	if err != nil {
		t.Fatal(err)
	}
	var got [3]string
	var wg sync.WaitGroup
	for i, r := range []io.Reader{p.Events(), p.Stdout(), p.Stderr()} {
		wg.Go(func() {
			all, err := io.ReadAll(r)
			if err != nil {
				t.Errorf("stream %d: %v", i, err)
			}
			got[i] = string(all)
		})
	}
	return p, func() (string, string, string) {
		wg.Wait()
		return got[0], got[1], got[2]
	}
}

func TestStreamsAndStatus(t *testing.T) {
	p, output := shell(t, t.Context(), `echo out; echo err >&2; echo "$SWEETSPOT_EVENTS $COLOUR" >&3; exit 7`)
	events, stdout, stderr := output()
	if events != "fd:3 green\n" || stdout != "out\n" || stderr != "err\n" {
		t.Errorf("events %q, stdout %q, stderr %q", events, stdout, stderr)
	}
	if exit := p.Wait(); exit != (Exit{Code: 7}) {
		t.Errorf("exit %+v", exit)
	}
}

func TestSignalStatus(t *testing.T) {
	p, output := shell(t, t.Context(), `kill -SEGV $$`)
	output()
	if exit := p.Wait(); exit != (Exit{Code: 128 + int(syscall.SIGSEGV)}) {
		t.Errorf("exit %+v", exit)
	}
}

func TestStopIsHeard(t *testing.T) {
	p, err := Start(t.Context(), Command{Argv: []string{"/bin/sh", "-c", `trap 'echo bye; exit 3' INT; echo ready; ` +
		`while :; do sleep 0.01; done`}})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p.Events()) }()
	go func() { _, _ = io.Copy(io.Discard, p.Stderr()) }()
	out := bufio.NewReader(p.Stdout())
	if line, err := out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	p.Stop()
	p.Stop()
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if exit := p.Wait(); string(rest) != "bye\n" || exit.Code != 3 {
		t.Errorf("stdout %q, exit %+v", rest, exit)
	}
}

// A script deaf to SIGINT and SIGTERM is killed, and so is what it started.
func TestStopOfTheDeafAndItsChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, Command{Argv: []string{"/bin/sh", "-c", `trap '' INT TERM; sh -c 'trap "" INT TERM; echo ` +
		`$$; while :; do sleep 0.05; done'`}, Grace: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p.Events()) }()
	go func() { _, _ = io.Copy(io.Discard, p.Stderr()) }()
	out := bufio.NewReader(p.Stdout())
	grandchild := readPID(t, out)
	cancel()
	if exit := p.Wait(); exit != (Exit{Code: 128 + int(syscall.SIGKILL)}) {
		t.Errorf("exit %+v", exit)
	}
	waitFor(t, "the grandchild to die", func() bool { return !running(grandchild) })
	_, _ = io.Copy(io.Discard, out)
}

// A background process neither outlives the command nor holds up its end.
func TestLeftBehindChildDies(t *testing.T) {
	p, output := shell(t, t.Context(), `sleep 300 & echo $!`)
	_, stdout, _ := output()
	if exit := p.Wait(); exit.Code != 0 {
		t.Errorf("exit %+v", exit)
	}
	child, err := strconv.Atoi(strings.TrimSpace(stdout))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the background process to die", func() bool { return !running(child) })
}

// What a command wrote is read, however long after its end.
func TestLateReader(t *testing.T) {
	p, err := Start(t.Context(), Command{Argv: []string{"sh", "-c", "head -c 60000 /dev/zero; head -c 50000 /dev/zero >&3"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Wait()
	time.Sleep(lateOutput + 100*time.Millisecond)
	for want, r := range map[int]io.Reader{60000: p.Stdout(), 50000: p.Events(), 0: p.Stderr()} {
		if got, err := io.ReadAll(r); err != nil || len(got) != want {
			t.Errorf("%d bytes of %d, %v", len(got), want, err)
		}
	}
}

// A command that leaves its process group, as a shell with job control does, is
// ended as well.
func TestCommandThatLeavesItsGroup(t *testing.T) {
	const script = `
import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.write(1, b"x")
    time.sleep(300)
while os.getpgid(child) != child:
    time.sleep(0.01)
os.setpgid(0, child)
os.write(1, b"x")
time.sleep(300)
`
	p, err := Start(t.Context(), Command{Argv: []string{"python3", "-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(p.Stdout(), make([]byte, 2)); err != nil {
		t.Fatal(err)
	}
	group, err := syscall.Getpgid(p.cmd.Process.Pid)
	if err != nil || group == p.cmd.Process.Pid {
		t.Fatalf("group %d, %v", group, err)
	}
	defer func() { _ = syscall.Kill(-group, syscall.SIGKILL) }()
	p.StopWithin(20 * time.Millisecond)
	if exit := p.Wait(); exit.Code != 128+int(syscall.SIGTERM) {
		t.Errorf("%+v", exit)
	}
}

// Nobody waits for ever for a command that no signal ends.
func TestCommandThatCannotBeEnded(t *testing.T) {
	p, err := Start(t.Context(), Command{Argv: []string{"sleep", "300"}})
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	p.reaped = true // so that it gets no signal
	p.mu.Unlock()
	p.StopWithin(20 * time.Millisecond)
	if exit := p.Wait(); exit.Code != 137 {
		t.Errorf("%+v", exit)
	}
	if _, err := io.ReadAll(p.Stdout()); err != nil {
		t.Error(err)
	}
}

func TestStartErrors(t *testing.T) {
	plain := t.TempDir() + "/plain.py"
	if err := os.WriteFile(plain, []byte("print(1)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command Command
		want    string
	}{
		{Command{}, "no command to run"},
		{Command{Argv: []string{"no-such-program-here"}}, "on the PATH"},
		{Command{Argv: []string{"/nowhere/python"}}, "does not exist"},
		{Command{Argv: []string{plain}}, "is not executable"},
		{Command{Argv: []string{"/bin/sh"}, Dir: "/nowhere"}, "directory /nowhere"},
	} {
		p, err := Start(t.Context(), c.command)
		if err == nil {
			p.signal(syscall.SIGKILL)
			t.Errorf("%v started", c.command.Argv)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %q, want %q", c.command.Argv, err, c.want)
		}
	}
}

// Nothing stays after many runs: no goroutine, no descriptor, no zombie.
func TestNothingLeaks(t *testing.T) {
	once := func() {
		p, output := shell(t, t.Context(), `echo x`)
		output()
		p.Wait()
	}
	once()
	goroutines, files := runtime.NumGoroutine(), descriptors()
	for range 20 {
		once()
		_, _ = Start(t.Context(), Command{Argv: []string{"no-such-program-here"}})
	}
	waitFor(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines })
	waitFor(t, "descriptors to close", func() bool { return descriptors() <= files })
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err == nil {
		t.Errorf("a child is left: %d", pid)
	}
}

func readPID(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// running reports whether the process exists and is no zombie waiting for
// whoever inherited it.
func running(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, rest, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(rest, "Z")
	} else if _, err := os.Stat("/proc/self"); err == nil {
		return false
	}
	return syscall.Kill(pid, 0) == nil
}

func descriptors() int {
	entries, _ := os.ReadDir("/dev/fd")
	return len(entries)
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 500 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited 5 s for %s", what)
}

// Who asks again with less grace need not wait for what the first granted.
func TestStopCanBeHurried(t *testing.T) {
	p, output := shell(t, t.Context(), `trap '' INT TERM; echo ready >&3; while :; do sleep 0.1; done`)
	time.Sleep(200 * time.Millisecond)
	begin := time.Now()
	p.StopWithin(time.Minute)
	p.StopWithin(100 * time.Millisecond)
	output()
	if exit := p.Wait(); exit.Code <= 128 || time.Since(begin) > 30*time.Second {
		t.Errorf("exit %+v after %s", exit, time.Since(begin))
	}
}
