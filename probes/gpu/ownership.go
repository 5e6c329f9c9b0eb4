package gpu

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type owner uint8

const (
	unknown owner = iota
	ours
	foreign
)

// ownership decides who owns a process that uses a GPU: this process and its
// descendants, or somebody else.
type ownership struct {
	proc        string // where the kernel lists processes: /proc
	self, group int    // this process and its process group
	// comparable means that the driver's process IDs are those of /proc. Inside
	// a container they are the host's or the container's, depending on the
	// driver.
	comparable bool
	last, now  map[uint32]owner // owners found in the last reading and in this one
	groups     map[int]bool     // process groups of descendants; orphans keep their group
	pastFirst  bool             // the first reading is over
}

// hostNamespace is the kernel's fixed name for the first PID namespace.
const hostNamespace = "pid:[4026531836]"

// early is the time after the probe's start in which a process on a GPU cannot
// be the probe's own: it would still be loading the driver.
const early = 500 * time.Millisecond

func newOwnership() *ownership {
	namespace, err := os.Readlink("/proc/self/ns/pid")
	return &ownership{
		proc: "/proc", self: os.Getpid(), group: syscall.Getpgrp(), comparable: err == nil && namespace == hostNamespace,
		now: map[uint32]owner{}, groups: map[int]bool{},
	}
}

// of returns the owner of the process.
func (o *ownership) of(pid uint32) owner {
	who := o.now[pid]
	if who == unknown {
		who = o.last[pid]
	}
	// A process that was ours stays ours when it has just ended.
	if who != ours && o.comparable {
		who = foreign // or invisible: our own are visible
		if o.descends(int(pid)) {
			who = ours
		}
	}
	o.now[pid] = who
	return who
}

// endReading ends a reading. If process IDs say nothing, a process that used
// the GPU before the probe could have is somebody else's.
func (o *ownership) endReading(began time.Time) {
	if !o.pastFirst && !o.comparable && time.Since(began) < early {
		for pid := range o.now {
			o.now[pid] = foreign
		}
	}
	o.pastFirst = true
	o.last, o.now = o.now, map[uint32]owner{}
}

// descends walks up from a process to this one, or to a process group that
// was found to be ours.
func (o *ownership) descends(pid int) bool {
	var groups []int
	for at, depth := pid, 0; at > 1 && depth < 64; depth++ {
		parent, group, err := stat(o.proc, at)
		if err != nil {
			return false
		}
		if at == o.self || o.groups[group] {
			for _, g := range groups {
				o.groups[g] = true
			}
			return true
		}
		if group != o.group { // shared with others if a script started us
			groups = append(groups, group)
		}
		at = parent
	}
	return false
}

// stat returns a process's parent and process group.
func stat(proc string, pid int) (parent, group int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("%s/%d/stat", proc, pid))
	if err != nil {
		return 0, 0, err
	}
	// The name, in parentheses, may contain anything; state, parent and group
	// follow it.
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 3 {
		return 0, 0, fmt.Errorf("the parent of process %d is unknown", pid)
	}
	if parent, err = strconv.Atoi(fields[1]); err != nil {
		return 0, 0, err
	}
	group, err = strconv.Atoi(fields[2])
	return parent, group, err
}
