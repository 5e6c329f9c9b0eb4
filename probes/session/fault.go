package session

import (
	"regexp"
	"strings"
)

// fault finds in standard error why a script failed. That is seldom its last line: there
// come warnings of what was left open, the launcher's summary, and the C++ library's last
// words.
type fault struct {
	inside     bool   // a traceback
	aside      bool   // of what was ignored, or of another thread
	rank       string // whose traceback was kept; "" without ranks
	exception  string // the latest that nobody handled
	abort      string // what C++ said
	last, line string // of the lines that say something; the latest of all
}

var (
	faultRank    = regexp.MustCompile(`^\[(?:default|rank)?(\d+)\]:\s?`)
	faultAside   = regexp.MustCompile(`^Exception (?:ignored )?in\b`)
	faultWarning = regexp.MustCompile(`^\S+:\d+: \w*Warning: |^\[?[WI]\d{3,4}[ :]|^\[W |resource_tracker: ` +
		`|^terminate called |^[=\-*]{8,}$|^\s*warnings\.warn\(`)
	faultAbort = regexp.MustCompile(`^(?:  what\(\):\s+|Fatal Python error: )(.+)`)
	// faultOfChild are the exceptions of a program whose child failed for a reason of its own.
	faultOfChild = regexp.MustCompile(`^(?:\w+\.)*(?:ChildFailedError|CalledProcessError|ProcessExitedException)\b`)
)

// add reads a line of standard error.
func (f *fault) add(line string) {
	before := f.line
	f.line = line
	rank := ""
	if m := faultRank.FindStringSubmatch(line); m != nil {
		rank, line = m[1], line[len(m[0]):]
	}
	if m := faultAbort.FindStringSubmatch(line); m != nil && f.abort == "" {
		f.abort = m[1]
	}
	indented := strings.TrimLeft(line, " \t") != line
	switch {
	case strings.HasSuffix(line, "Traceback (most recent call last):"):
		f.inside, f.aside = true, f.aside && f.inside || faultAside.MatchString(before)
	case f.inside && !indented && line != "":
		f.inside = false
		if !f.aside && !faultOfChild.MatchString(line) && (f.exception == "" || f.rank == rank) {
			f.exception, f.rank = line, rank
		}
	case !f.inside && !indented && line != "" && !faultWarning.MatchString(line):
		f.last = line
	}
}

// said is the error, or "" where nothing was written.
func (f *fault) said() string {
	for _, s := range []string{f.exception, f.abort, f.last, f.line} {
		if s != "" {
			return s
		}
	}
	return ""
}
