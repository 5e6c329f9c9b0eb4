package runner

import "syscall"

// ownGroup puts the command into a process group of its own, and has the kernel
// end it if sweetspot is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
