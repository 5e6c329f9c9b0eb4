// Package runner runs a probe's command on this machine: in its own process
// group, so that everything it starts ends with it, with a separate pipe for
// its events. It keeps the exit status.
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Environment variables of the command. EventsVariable says where to write
// events. A command with its own files has two more: PathVariable names the
// events' FIFO for processes that lost the inherited descriptor, and
// ControlVariable the file of [Control].
const (
	EventsVariable  = "SWEETSPOT_EVENTS"
	PathVariable    = "SWEETSPOT_EVENTS_PATH"
	ControlVariable = "SWEETSPOT_CONTROL"
)

// lateOutput is how long output is still read after the command has ended, in
// case a process outside its group holds the pipes open.
const lateOutput = 500 * time.Millisecond

// Command is what to run.
type Command struct {
	Argv []string
	Dir  string   // "" for the current one
	Env  []string // added to the environment, KEY=value
	// Input is what the command reads: a file, a pipe, or a terminal where we are its
	// foreground; nil for nothing.
	Input *os.File
	Grace time.Duration // between SIGINT and SIGTERM, and again before SIGKILL; 0 for 5 s
	// written to a private directory while the command runs; [Directory] in
	// Argv and Env stands for its path. May be nil.
	Files fs.FS
}

// Exit is how the command ended: its own code, or 128 plus the signal that
// ended it.
type Exit struct {
	Code int
	Lost error // the command is on another host, and the connection to it was lost
}

// ConnectionLost is the exit code of ssh for its own failures, and of a command on another host that could no
// longer be followed.
const ConnectionLost = 255

// Process is a command under way. Its three streams must be read to the end.
type Process struct {
	events, stdout, stderr io.Reader

	started time.Time
	grace   time.Duration
	cmd     *exec.Cmd
	tty     *terminal   // nil for a command that reads none
	dir     *privateDir // nil for a command without files
	ended   chan struct{}
	exit    Exit
	stuck   chan struct{} // closed when no signal ends it

	mu        sync.Mutex
	reaped    bool // the process group may belong to someone else
	stopping  bool
	stopGrace time.Duration // between two steps of a stop
	shortened chan struct{} // closed when stopGrace shrinks
}

// Start starts the command. When ctx ends, the command is stopped as by
// [Process.Stop].
func Start(ctx context.Context, c Command) (*Process, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("there is no command to run; give one after --")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Grace <= 0 {
		c.Grace = 5 * time.Second
	}
	p := &Process{grace: c.Grace, ended: make(chan struct{}), stuck: make(chan struct{})}
	pipes, err := p.prepare(&c)
	if err != nil {
		pipes.close()
		p.dir.remove()
		return nil, err
	}
	p.cmd = exec.Command(c.Argv[0], c.Argv[1:]...)
	p.cmd.Dir = c.Dir
	p.cmd.Env = append(append(os.Environ(), "PYTHONUNBUFFERED=1"), c.Env...)
	p.cmd.Env = append(append(p.cmd.Env, EventsVariable+"=fd:3"), p.dir.env()...)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = pipes.write[0], pipes.write[1], pipes.write[2:]
	p.cmd.SysProcAttr = ownGroup()
	p.read(c.Input)
	p.stdout, p.stderr, p.events = &stream{File: pipes.read[0]}, &stream{File: pipes.read[1]}, &stream{File: pipes.read[2]}

	result := make(chan error)
	go p.run(result, pipes)
	if err := <-result; err != nil {
		p.dir.remove()
		return nil, startError(c, err)
	}
	context.AfterFunc(ctx, p.Stop)
	return p, nil
}

// read lets the command read a file. A terminal in whose background we are stays closed
// to it: to read there would only stop it.
func (p *Process) read(input *os.File) {
	if input == nil {
		return
	}
	info, err := input.Stat()
	if err != nil {
		return
	}
	if info.Mode()&os.ModeCharDevice != 0 {
		if p.tty = openTerminal(input); p.tty == nil {
			return
		}
	}
	p.cmd.Stdin = input
}

// prepare creates what the command needs before it starts: its streams and, if
// it has files, its directory.
func (p *Process) prepare(c *Command) (*pipes, error) {
	streams := &pipes{}
	full := func(err error) error {
		return fmt.Errorf("can't create a pipe for the output of %s: %w; close other programs or raise ulimit -n",
			c.Argv[0], err)
	}
	for range 2 {
		if err := streams.open(); err != nil {
			return streams, full(err)
		}
	}
	if c.Files == nil {
		if err := streams.open(); err != nil {
			return streams, full(err)
		}
		return streams, nil
	}
	var err error
	if p.dir, err = newPrivateDir(c.Files); err != nil {
		return streams, err
	}
	c.Argv, c.Env = p.dir.place(c.Argv), p.dir.place(c.Env)
	if err := streams.openFIFO(p.dir.fifo()); err != nil {
		return streams, full(err)
	}
	return streams, nil
}

// run starts the command, waits for it and cleans up. It keeps its thread: on
// Linux the kernel signals the command when the thread that started it ends, as
// it does when sweetspot is killed.
func (p *Process) run(result chan<- error, pipes *pipes) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		pipes.close()
		result <- err
		return
	}
	pipes.started()
	if p.tty != nil {
		go p.tty.watch(p.cmd.Process.Pid)
	}
	result <- nil
	waited := make(chan struct{})
	go func() {
		_ = p.cmd.Wait() // the state is more precise than the error
		close(waited)
	}()
	select {
	case <-waited:
		p.exit = exitOf(p.cmd.ProcessState)
	case <-p.stuck: // in the kernel, waiting for a disk or a driver
		p.exit = Exit{Code: 128 + int(syscall.SIGKILL)}
	}
	pipes.closeWriters()
	p.mu.Lock()
	// Processes that the command started and left behind end with it. The
	// group's ID cannot be reused while a member lives, nor in the instant
	// since the command was reaped.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	p.reaped = true
	p.mu.Unlock()
	if p.tty != nil {
		p.tty.takeBack()
	}
	pipes.deadline(time.Now().Add(lateOutput))
	p.dir.remove()
	close(p.ended)
}

// Events is the stream of the command's events.
func (p *Process) Events() io.Reader { return p.events }

// Stdout is the command's standard output.
func (p *Process) Stdout() io.Reader { return p.stdout }

// Stderr is the command's standard error.
func (p *Process) Stderr() io.Reader { return p.stderr }

// Started is when the command began.
func (p *Process) Started() time.Time { return p.started }

// Wait returns how the command ended.
func (p *Process) Wait() Exit {
	<-p.ended
	return p.exit
}

// Stop asks the process group to end: by [Control] if the command watches it,
// else by SIGINT; after each grace period by the next of SIGINT, SIGTERM and
// SIGKILL. It returns at once and may be called again.
func (p *Process) Stop() { p.StopWithin(p.grace) }

// StopWithin is [Process.Stop] with another grace period. A later call with a
// shorter one takes effect immediately.
func (p *Process) StopWithin(grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.stopping:
		p.stopping, p.stopGrace, p.shortened = true, grace, make(chan struct{})
		go p.stop()
	case grace < p.stopGrace:
		p.stopGrace = grace
		close(p.shortened)
		p.shortened = make(chan struct{})
	}
}

func (p *Process) stop() {
	if p.dir.askToStop() && p.endsInTime() {
		return
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		p.signal(s)
		if p.endsInTime() {
			return
		}
	}
	close(p.stuck)
}

// endsInTime waits for the end, for stopGrace at most.
func (p *Process) endsInTime() bool {
	begin := time.Now()
	for {
		p.mu.Lock()
		left, shortened := p.stopGrace-time.Since(begin), p.shortened
		p.mu.Unlock()
		select {
		case <-p.ended:
			return true
		case <-shortened:
		case <-time.After(left):
			return false
		}
	}
}

func (p *Process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped { // and if it has ended by itself, that is as well
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
		if group, err := syscall.Getpgid(p.cmd.Process.Pid); err == nil && group != p.cmd.Process.Pid {
			_ = syscall.Kill(p.cmd.Process.Pid, s) // it left its group, as a shell with job control does
		}
	}
}

func exitOf(state *os.ProcessState) Exit {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Exit{Code: 128 + int(status.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}

func startError(c Command, err error) error {
	name := c.Argv[0]
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no program %q on the PATH; check its name or give its full path", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s is not executable; chmod +x it or put its interpreter before it", name)
	case errors.Is(err, fs.ErrNotExist) && c.Dir != "" && !isDir(c.Dir):
		return fmt.Errorf("the directory %s to run in does not exist", c.Dir)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s or its interpreter does not exist; check its path and first line", name)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s is not a program for this machine; put its interpreter before it", name)
	}
	return fmt.Errorf("%s could not be started: %s", name, strings.TrimPrefix(err.Error(), "fork/exec "))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// pipes are the command's output streams; we hold the reading ends.
type pipes struct {
	read, write []*os.File
	kept        *os.File // the FIFO's writing end, held open so that the stream does not end between two writers
}

func (p *pipes) open() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	p.read, p.write = append(p.read, r), append(p.write, w)
	return nil
}

// openFIFO opens both ends of a FIFO. The reading end comes first and does not
// wait for a writer.
func (p *pipes) openFIFO(path string) error {
	r, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	p.read = append(p.read, r)
	for range 2 {
		w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		if p.kept == nil {
			p.kept = w
		} else {
			p.write = append(p.write, w)
		}
	}
	return nil
}

// started closes our copies of the writing ends, which the command now has.
func (p *pipes) started() {
	for _, w := range p.write {
		_ = w.Close()
	}
	p.write = nil
}

func (p *pipes) close() {
	for _, r := range p.read {
		_ = r.Close()
	}
	p.closeWriters()
}

func (p *pipes) closeWriters() {
	p.started()
	if p.kept != nil {
		_ = p.kept.Close()
	}
}

func (p *pipes) deadline(t time.Time) {
	for _, r := range p.read {
		_ = r.SetReadDeadline(t) // fails only if the stream was read to its end and closed
	}
}

// stream is the reading end of a pipe. It closes itself at the end of the
// stream or at the deadline that is set when the command has ended.
type stream struct {
	*os.File
	late int // bytes read after the deadline
}

// mostLate is more than a pipe holds.
const mostLate = 4 << 20

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.File.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) && s.late < mostLate {
		// What the command wrote is here, however late it is read.
		if raw, failed := s.SyscallConn(); failed == nil && raw.Control(func(fd uintptr) {
			n, _ = syscall.Read(int(fd), p) // does not wait
		}) == nil && n > 0 {
			s.late += n
			return n, nil
		}
		n = 0
	}
	if err != nil {
		_ = s.Close()
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed) {
			err = io.EOF
		}
	}
	return n, err
}
