package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// timeout is for anything that should be there at once; the
// machine may be busy with other tests.
const timeout = 30 * time.Second

// terminal is the program in a tmux pane, with a tmux server of its own.
type terminal struct {
	t    testing.TB
	home home
	dir  string // of the socket and of what the shell around the program notes
	work string // where the program runs
}

// start runs the program in a terminal of w×h cells, in a clean home.
func start(t testing.TB, w, h int, args ...string) *terminal {
	return startAt(t, newHome(t), nil, w, h, args...)
}

// startAt runs the program for a user, with more in the environment.
func startAt(t testing.TB, user home, env []string, w, h int, args ...string) *terminal {
	t.Helper()
	return startCommand(t, user, env, w, h, append([]string{program}, args...))
}

func startCommand(t testing.TB, user home, env []string, w, h int, words []string) *terminal {
	t.Helper()
	needTmux(t)
	user.askedBefore(t)
	dir, err := os.MkdirTemp("", "tm") // short: a socket's path may not be long
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t: t, home: user, dir: dir, work: t.TempDir()}
	t.Cleanup(s.end)
	words = slices.Clone(words)
	for i, w := range words {
		words[i] = quoted(w)
	}
	// A shell stays behind the program, so that what it leaves can be seen.
	script := fmt.Sprintf("cd %s\nstty sane; stty -g >%[2]s/before\nsh -c 'echo $$ >%[2]s/pid; exec \"$@\"' sh %s\n"+
		"code=$?\nstty -g >%[2]s/after\necho \"[exit $code]\"\nexec cat\n",
		quoted(s.work), dir, strings.Join(words, " "))
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := s.tmuxCommand("new-session", "-d", "-x", strconv.Itoa(w), "-y", strconv.Itoa(h), "sh "+dir+"/script")
	cmd.Env = append(cmd.Env, env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v: %s", err, out)
	}
	return s
}

// end takes the terminal down and waits for the program, which may have
// something to save.
func (s *terminal) end() {
	text, _ := os.ReadFile(filepath.Join(s.dir, "pid"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	_, left := os.Stat(filepath.Join(s.dir, "after"))
	_ = s.tmuxCommand("kill-server").Run()
	for deadline := time.Now().Add(5 * time.Second); err == nil && left != nil &&
		alive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = os.RemoveAll(s.dir)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (s *terminal) tmuxCommand(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-f", "/dev/null", "-S", filepath.Join(s.dir, "socket")},
		args...)...)
	cmd.Env = s.home.env("TERM=xterm-256color", "SWEETSPOT_PYTHON="+os.Getenv("SWEETSPOT_PYTHON"))
	return cmd
}

func (s *terminal) tmux(args ...string) string {
	s.t.Helper()
	out, err := s.tmuxCommand(args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// keys presses keys one after the other, by tmux's names.
func (s *terminal) keys(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys", "--"}, keys...)...)
}

// write types text as it is.
func (s *terminal) write(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", "--", text)
}

// screen is what the terminal shows.
func (s *terminal) screen() string {
	s.t.Helper()
	return s.tmux("capture-pane", "-p")
}

// captured is what the terminal shows, with the escape sequences of its pens.
func (s *terminal) captured() string {
	s.t.Helper()
	return s.tmux("capture-pane", "-e", "-p")
}

// state is a variable of the terminal, as tmux names it.
func (s *terminal) state(name string) string {
	s.t.Helper()
	return strings.TrimSpace(s.tmux("display-message", "-p", "#{"+name+"}"))
}

// waitFor waits until the screen shows text, and returns it.
func (s *terminal) waitFor(text string, timeout time.Duration) string {
	s.t.Helper()
	return s.waitUntil("showing "+strconv.Quote(text), timeout,
		func(screen string) bool { return strings.Contains(screen, text) })
}

// waitUntil waits until the screen satisfies ok, and returns it.
func (s *terminal) waitUntil(what string, timeout time.Duration, ok func(screen string) bool) string {
	s.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		screen := s.screen()
		if ok(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("not %s within %s:\n%s", what, timeout, screen)
		}
	}
}

// settled waits until the screen stands still, and returns it.
func (s *terminal) settled() string {
	s.t.Helper()
	last, same := "", 0
	return s.waitUntil("standing still", timeout, func(screen string) bool {
		if same++; screen != last {
			last, same = screen, 0
		}
		return same >= 3
	})
}

// pid is the number of the program's process.
func (s *terminal) pid() int {
	s.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(s.dir, "pid"))
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return pid
		}
		if time.Now().After(deadline) {
			s.t.Fatal("the program did not start")
		}
	}
}

// left waits until the program has ended with an exit code and checks that it
// left the terminal as it found it.
func (s *terminal) left(code int) {
	s.t.Helper()
	screen := s.waitFor("[exit ", timeout)
	if !strings.Contains(screen, fmt.Sprintf("[exit %d]", code)) {
		s.t.Errorf("not left with exit code %d:\n%s", code, screen)
	}
	for name, want := range map[string]string{"alternate_on": "0", "cursor_flag": "1", "mouse_any_flag": "0",
		"mouse_sgr_flag": "0"} {
		if got := s.state(name); got != want {
			s.t.Errorf("%s is %s after the program", name, got)
		}
	}
	before, err := os.ReadFile(filepath.Join(s.dir, "before"))
	if err != nil {
		s.t.Fatal(err)
	}
	if after, _ := os.ReadFile(filepath.Join(s.dir, "after")); string(after) != string(before) {
		s.t.Errorf("the terminal's settings were %s and are %s", before, after)
	}
}

// lines checks that no line of a screen is wider than the terminal, and
// returns the lines up to the last that is not empty.
func lines(t testing.TB, screen string, width int) []string {
	t.Helper()
	all := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	for i, line := range all {
		if w := ansi.StringWidth(line); w > width {
			t.Errorf("line %d is %d cells wide, the terminal %d: %s", i, w, width, line)
		}
	}
	return all
}
