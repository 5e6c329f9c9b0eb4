package remote

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sweetspot/probes/porttest"
)

// sshd is a real server on loopback with keys of its own; the ssh of the test
// reads a configuration of its own too.
type sshd struct {
	t    *testing.T
	dir  string
	host Host
	cmd  *exec.Cmd
	home string // XDG_STATE_HOME there
}

// need skips a test without a program; in CI its absence fails.
func need(t *testing.T, program, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed: apt install %s", program, pkg)
	}
	t.Skipf("%s is not installed: apt install %s", program, pkg)
	return ""
}

// serve starts a server; more lines go into its configuration.
func serve(t *testing.T, more ...string) *sshd {
	t.Helper()
	program, keygen := need(t, "/usr/sbin/sshd", "openssh-server"), need(t, "ssh-keygen", "openssh-client")
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // as its service does at boot
			t.Fatal(err)
		}
	}
	s := &sshd{t: t, dir: t.TempDir(), home: t.TempDir()}
	for _, key := range []string{"host", "client"} {
		if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f",
			filepath.Join(s.dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	port := porttest.Free(t)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	s.host = Host{Destination: me.Username + "@127.0.0.1", Port: port}
	s.write("sshd_config", append([]string{
		"ListenAddress 127.0.0.1", "Port " + port, "HostKey " + filepath.Join(s.dir, "host"), "PidFile none",
		"AuthorizedKeysFile " + filepath.Join(s.dir, "client.pub"), "StrictModes no", "UsePAM no", "PermitRootLogin yes",
		// What starts the shells of whoever runs the tests may take long, or leave a lock behind.
		"SetEnv HOME=" + t.TempDir() + " XDG_STATE_HOME=" + s.home + " TMPDIR=" + t.TempDir(),
	}, more...))
	public, err := os.ReadFile(filepath.Join(s.dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("known_hosts", []string{"[127.0.0.1]:" + port + " " + string(public)})
	s.write("ssh_config", []string{
		"IdentityFile " + filepath.Join(s.dir, "client"), "IdentitiesOnly yes", "UserKnownHostsFile " +
			filepath.Join(s.dir, "known_hosts"),
		"GlobalKnownHostsFile none",
	})
	t.Setenv(SSHVariable, "ssh -F "+filepath.Join(s.dir, "ssh_config"))
	s.start(program)
	return s
}

func (s *sshd) start(program string) {
	s.t.Helper()
	log := filepath.Join(s.dir, "log")
	s.cmd = exec.Command(program, "-D", "-f", filepath.Join(s.dir, "sshd_config"), "-E", log)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // killed, as asked
		if s.t.Failed() {
			said, _ := os.ReadFile(log)
			s.t.Logf("sshd: %s", said)
		}
	})
	waitFor(s.t, "sshd to listen", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+s.host.Port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

func (s *sshd) write(name string, lines []string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// cut kills the server's processes for the sessions under way, as a network
// that goes away would end them, and leaves the one that listens.
func (s *sshd) cut() {
	s.t.Helper()
	n := 0
	for _, pid := range descendants(s.cmd.Process.Pid) {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.HasPrefix(string(name), "sshd") {
			if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
				n++
			}
		}
	}
	if n == 0 {
		s.t.Fatal("no session to cut")
	}
}

func descendants(pid int) []int {
	var all []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		for _, word := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(append(all, child), descendants(child)...)
			}
		}
	}
	return all
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited 30 s for %s", what)
}

// SSHD is a server for the tests of what is built on this package.
type SSHD struct{ *sshd }

// ServeForTests starts one; more lines go into its configuration.
func ServeForTests(t *testing.T, more ...string) SSHD { return SSHD{serve(t, more...)} }

// Address is its host, as a user writes it.
func (s SSHD) Address() string { return s.host.String() }

// Cut ends the connections under way.
func (s SSHD) Cut() { s.cut() }
