package session

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/secret"
)

func (p *state) warn(text string, now float64) {
	text = secret.Text(text)
	if !slices.Contains(p.warnings, text) {
		p.warnings = push(p.warnings, text, shownWarnings)
	}
	p.appendLog("warning", text, now)
}

// withdraw takes back warnings that hold no longer; the log keeps them.
func (p *state) withdraw(texts []string) {
	p.warnings = slices.DeleteFunc(slices.Clone(p.warnings), func(w string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return secret.Text(text) == w }) // as warn has it
	})
}

func (p *state) line(from origin, text string, now float64) {
	level, text := "out", secret.Text(text)
	if from == fromStderr {
		level = "err"
		p.fault.add(text)
	} else {
		p.lastOut = text
	}
	p.appendLog(level, text, now)
}

// appendLog adds to the log, up to a limit: a script that prints endlessly must not fill the disk.
func (p *state) appendLog(level, text string, now float64) {
	p.log = push(p.log, text, shownLog)
	if p.logged++; p.logged > savedLog {
		return
	}
	if p.logged == savedLog {
		level, text = "warning", fmt.Sprintf("later output is not saved: the log holds at most %d lines", savedLog)
	}
	p.batch.Log = append(p.batch.Log, store.LogLine{T: now, Level: level, Text: text})
}

// push appends x to a list that keeps at least its last limit entries. Lists
// handed out earlier do not change.
func push[T any](list []T, x T, limit int) []T {
	if len(list) >= 2*limit {
		list = slices.Clone(list[len(list)-limit:])
	}
	return append(list, x)
}

func tail[T any](list []T, limit int) []T {
	return slices.Clip(list[max(0, len(list)-limit):])
}

// scriptError describes a script that failed: its own error event, else what its output
// tells.
func (p *state) scriptError(code int) error {
	said := cmp.Or(p.failed, p.fault.said(), p.lastOut, "it printed nothing")
	return fmt.Errorf("the script %s: %s", failedWith(code), plaintext.Cut(said, sentenceLength))
}

// failedWith describes an exit code in the shell's convention.
func failedWith(code int) string {
	name := unix.SignalName(syscall.Signal(code - 128))
	switch {
	case code <= 128 || name == "":
		return fmt.Sprintf("failed with exit code %d", code)
	case name == "SIGKILL":
		return fmt.Sprintf("was ended by SIGKILL (exit code %d), which often means that the system ran out of memory", code)
	}
	return fmt.Sprintf("was ended by %s (exit code %d)", name, code)
}
