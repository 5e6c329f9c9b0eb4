//go:build unix && !linux

package runner

import "syscall"

// ownGroup puts the command into a process group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
