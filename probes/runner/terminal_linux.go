package runner

import (
	"errors"
	"os"
	"os/signal"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// terminal is the one that a command reads. The command is in a process group of its
// own and not in the foreground, so that an interrupt reaches sweetspot, which ends the
// command in order. Once the command reads or sets the terminal, the kernel stops it:
// then it becomes the foreground, until it ends.
type terminal struct {
	fd, own int         // own is our process group
	handed  atomic.Bool // to the command
}

// openTerminal is nil unless f is a terminal in whose foreground we are.
func openTerminal(f *os.File) *terminal {
	t := &terminal{fd: int(f.Fd()), own: unix.Getpgrp()}
	if t.foreground() != t.own {
		return nil
	}
	return t
}

// watch hands the terminal over to the command's group whenever that is stopped for want
// of it, until the command has ended. What stops a job of a shell stops us as well: ctrl-z,
// once the command is in the foreground, and a wish for the terminal while we are not.
func (t *terminal) watch(command int) {
	for {
		err := unix.Waitid(unix.P_PID, command, nil, unix.WSTOPPED, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return // it has ended
		}
		if front := t.foreground(); front != t.own {
			if front == command {
				t.bringForward(t.own)
			}
			_ = unix.Kill(0, unix.SIGSTOP) // until the shell lets us go on
		}
		if t.foreground() == t.own {
			t.handed.Store(true)
			t.bringForward(command)
		}
		_ = unix.Kill(-command, unix.SIGCONT)
	}
}

// takeBack takes the terminal from the command, which has ended.
func (t *terminal) takeBack() {
	if t.handed.Load() {
		t.bringForward(t.own)
	}
}

// foreground is the process group in the foreground; 0 if there is none.
func (t *terminal) foreground() int {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

// bringForward makes a process group the foreground. One in the background may do so only
// while it ignores the signal for that.
func (t *terminal) bringForward(group int) {
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group)
}
