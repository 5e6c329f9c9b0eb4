// Package remote runs a probe's command on another host through the system's
// ssh. It sends an agent in plain Python through the connection, so the host
// needs only Python and what the command itself uses. The command's output
// comes back as if it ran here. That of a job goes on without the
// connection, and whoever connects later follows its record.
package remote

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"sweetspot/data/shellwords"
	"sweetspot/engine/plaintext"
	"sweetspot/probes/runner"
)

// SSHVariable is the environment variable with the command to use instead of ssh.
const SSHVariable = "SWEETSPOT_SSH"

// exitTimeout is how long ssh may take to exit after the last frame.
const exitTimeout = 5 * time.Second

// connection is an ssh process: the agent's input and output.
type connection struct {
	host   Host
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	said   *tail // messages of ssh and errors of the agent
	ended  chan struct{}
	mu     sync.Mutex
	reaped bool
}

// Command is the command that starts ssh: that of [SSHVariable], else ssh.
func Command() []string {
	given := os.Getenv(SSHVariable)
	words, err := shellwords.Split(given)
	if err != nil {
		words = strings.Fields(given)
	}
	if len(words) > 0 {
		return words
	}
	return []string{"ssh"}
}

// sshWords is the command line of a connection. ssh itself handles the user's
// configuration, agent, jump hosts and known hosts.
func sshWords(h Host, python string) []string {
	if !plainWord(python) {
		python = "python3"
	}
	if h == Here {
		return []string{"sh", "-c", "exec " + fmt.Sprintf(bootstrap, python)}
	}
	return append(sshOptions(h), "--", h.Destination, fmt.Sprintf(bootstrap, python))
}

// sshOptions is ssh and its options for a host.
func sshOptions(h Host) []string {
	timeout := "ConnectTimeout=10"
	if h.Slow {
		timeout = "ConnectTimeout=90"
	}
	words := append(Command(), "-T", "-o", "BatchMode=yes", "-o", timeout, "-o", "ServerAliveInterval=5", "-o",
		"ServerAliveCountMax=3")
	if h.Port != "" {
		words = append(words, "-p", h.Port)
	}
	return words
}

// dial starts ssh in a process group of its own: an interrupt at the terminal
// is for sweetspot, which then stops the command cleanly.
func dial(h Host, python string) (*connection, error) {
	words := sshWords(h, python)
	c := &connection{host: h, said: &tail{}, ended: make(chan struct{})}
	c.cmd = exec.Command(words[0], words[1:]...)
	c.cmd.Stderr = c.said
	c.cmd.WaitDelay = time.Second // a shared connection's master keeps standard error open
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	reader, writer, err := os.Pipe() // not StdoutPipe: Wait would close it while it is read
	if err != nil {
		return nil, err
	}
	c.out, c.cmd.Stdout = reader, writer
	err = c.cmd.Start()
	_ = writer.Close()
	if err != nil {
		_ = reader.Close()
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("there is no program %q on the PATH, which --host needs; install OpenSSH's client", words[0])
		}
		return nil, fmt.Errorf("%s could not be started: %w", words[0], err)
	}
	go func() {
		_ = c.cmd.Wait() // the state is more precise than the error
		c.mu.Lock()
		c.reaped = true
		c.mu.Unlock()
		close(c.ended)
	}()
	return c, nil
}

// hangUp ends the connection: the agent sees the end of its input.
func (c *connection) hangUp() {
	_ = c.in.Close()
	select {
	case <-c.ended:
	case <-time.After(exitTimeout):
		c.kill()
		<-c.ended
	}
}

// kill ends ssh at once, including the processes it started for jump hosts.
func (c *connection) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// connectError says why no agent answered. banner is the last line that arrived
// instead.
func (c *connection) connectError(banner string) error {
	last, name := c.said.last(), plaintext.Clean(c.host.String())
	if last == saidNothing && banner != "" {
		last = plaintext.Line(banner, shownLine)
	}
	code := c.cmd.ProcessState.ExitCode()
	has := func(part string) bool { return strings.Contains(strings.ToLower(last), part) }
	switch {
	case code == 127:
		return fmt.Errorf("%s has no Python at the usual path (%s); install Python 3 there, or give its path with --python",
			name, last)
	case code != runner.ConnectionLost:
		return fmt.Errorf("%s could not run the probe's agent (exit code %d: %s); check that ssh %s python3 --version "+
			"prints 3.8 or newer", name, code, last, c.host.hint())
	case has("host key verification failed"), has("no matching host key"):
		return fmt.Errorf("the host key of %s is unknown or has changed (%s); check it and connect once with ssh %s", name,
			last, c.host.hint())
	case has("permission denied"), has("too many authentication failures"):
		return fmt.Errorf("%s refused the login (%s); load the right key with ssh-add or set it in ~/.ssh/config: "+
			"passwords are not supported", name, last)
	case has("could not resolve"):
		return fmt.Errorf("%s was not found (%s); check its name", name, last)
	case has("connection refused"), has("timed out"), has("no route"), has("unreachable"):
		return fmt.Errorf("%s can't be reached (%s); check that it is running, its port and its firewall", name, last)
	}
	return fmt.Errorf("ssh could not connect to %s: %s; try ssh %s true", name, last, c.host.hint())
}

// hint is the host as one types it for ssh.
func (h Host) hint() string {
	if h.Port == "" {
		return plaintext.Clean(h.Destination)
	}
	return "-p " + h.Port + " " + plaintext.Clean(h.Destination)
}

// saidNothing replaces a missing message.
const saidNothing = "no message"

// tail keeps the last bytes written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - keptText; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// last is the last line with text, for a message.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(string(t.text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if text := strings.Trim(plaintext.Line(lines[i], shownLine), " ."); text != "" {
			return text
		}
	}
	return saidNothing
}

// Host is where to run: a destination of ssh, including names from the user's
// ssh configuration.
type Host struct {
	Destination string // user@vm, vm
	Port        string // "" for ssh's own choice
	Slow        bool   // ssh goes through a program that may take long to start
}

// Parse reads user@vm, user@vm:port, ssh://user@vm:port or user@[address]:port.
// Names may be passed to commands in the user's ssh configuration, so only
// characters that are safe in a shell word are accepted.
func Parse(text string) (Host, error) {
	shown := plaintext.Cut(plaintext.Clean(text), 80)
	wrong := func(what string) (Host, error) {
		return Host{}, fmt.Errorf("%q is not a host: %s; write user@vm or user@vm:port", shown, what)
	}
	rest := strings.TrimSuffix(strings.TrimPrefix(text, "ssh://"), "/")
	user, place := "", rest
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		if user, place = rest[:i], rest[i+1:]; user == "" {
			return wrong("the user before the @ is missing")
		}
	}
	name, port, err := splitPort(place)
	switch {
	case err != nil:
		return wrong(err.Error())
	case name == "":
		return wrong("it has no name")
	case strings.HasPrefix(user, "-") || strings.HasPrefix(name, "-"):
		return wrong("a name cannot begin with -")
	}
	marks := "._-"
	if strings.Contains(name, ":") {
		marks = "._-:%" // an address, with its zone
	}
	for _, part := range [][2]string{{user, "._-+@"}, {name, marks}} {
		for _, r := range part[0] {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(part[1], r) {
				return wrong(fmt.Sprintf("%q is not allowed in a name", r))
			}
		}
	}
	if user != "" {
		name = user + "@" + name
	}
	return Host{Destination: name, Port: port}, nil
}

// splitPort splits off the port; an IPv6 address needs brackets for that.
func splitPort(place string) (name, port string, err error) {
	if inner, ok := strings.CutPrefix(place, "["); ok {
		address, after, closed := strings.Cut(inner, "]")
		if _, err := netip.ParseAddr(address); !closed || err != nil || !strings.Contains(address, ":") {
			return "", "", fmt.Errorf("the brackets do not contain an IPv6 address")
		}
		if after != "" && after[0] != ':' {
			return "", "", fmt.Errorf("only : and a port may follow the brackets")
		}
		return address, strings.TrimPrefix(after, ":"), checkPort(after)
	}
	switch strings.Count(place, ":") {
	case 0:
		return place, "", nil
	case 1:
		name, port, _ = strings.Cut(place, ":")
		return name, port, checkPort(":" + port)
	}
	if _, err := netip.ParseAddr(place); err != nil {
		return "", "", fmt.Errorf("it has more than one colon and is not an IPv6 address")
	}
	return place, "", nil
}

func checkPort(text string) error {
	if text == "" {
		return nil
	}
	if n, err := strconv.Atoi(text[1:]); err != nil || n < 1 || n > 65535 || text[1] == '+' {
		return fmt.Errorf("a port is a number from 1 to 65535")
	}
	return nil
}

// String is the host as [Parse] reads it.
func (h Host) String() string {
	if h == Here {
		return "this machine"
	}
	if h.Port == "" {
		return h.Destination
	}
	user, name := "", h.Destination
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		user, name = name[:i+1], name[i+1:]
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	return user + name + ":" + h.Port
}
