package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// parentOf reads the process and its parent from a line of /proc/PID/stat,
// where the command's name may hold anything.
func parentOf(stat string) (pid, parent int, ok bool) {
	end := strings.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, 0, false
	}
	number, _, _ := strings.Cut(stat, " ")
	fields := strings.Fields(stat[end+1:])
	pid, err := strconv.Atoi(number)
	if err != nil || len(fields) < 2 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return pid, parent, err == nil
}

// alive reports whether a process runs; one that ended and was not waited for
// does not.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := strings.LastIndexByte(string(text), ')')
	return err == nil && end > 0 && !strings.HasPrefix(strings.TrimSpace(string(text[end+1:])), "Z")
}
