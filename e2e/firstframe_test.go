package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pty opens a pseudo-terminal of w×h cells.
func pty(w, h uint16) (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: h, Col: w})
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
		return nil, nil, err
	}
	return master, slave, nil
}

// firstFrame starts the program on a terminal of its own and returns how long
// it took until the ranking of the opening question was on it. Predictions are added to it later.
func firstFrame(user home) (time.Duration, error) {
	master, slave, err := pty(120, 40)
	if err != nil {
		return 0, err
	}
	defer master.Close()
	cmd := exec.Command(program, "--no-state")
	cmd.Env = user.env("TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	began := time.Now()
	err = cmd.Start()
	slave.Close()
	if err != nil {
		return 0, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	watchdog := time.AfterFunc(timeout, func() { _ = cmd.Process.Kill() })
	defer watchdog.Stop()
	var seen []byte
	buffer := make([]byte, 1<<16)
	for {
		n, err := master.Read(buffer)
		seen = append(seen, buffer[:n]...)
		if bytes.Contains(seen, []byte("levit_256")) && bytes.Contains(seen, []byte("of 396")) {
			return time.Since(began), nil
		}
		if err != nil {
			return 0, fmt.Errorf("no ranking in the first frame: %w: %.2000q", err, seen)
		}
	}
}

func TestFirstFrame(t *testing.T) {
	if _, err := firstFrame(newHome(t)); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkFirstFrame measures from the start of the built program to the
// first frame that has the candidates of the built-in library.
func BenchmarkFirstFrame(b *testing.B) {
	user := newHome(b)
	var sum time.Duration
	for b.Loop() {
		took, err := firstFrame(user)
		if err != nil {
			b.Fatal(err)
		}
		sum += took
	}
	b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N), "ns/op") // without the taking down
}
