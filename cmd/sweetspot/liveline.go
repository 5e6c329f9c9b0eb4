package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
)

// liveLine is the progress line below a probe's output. Output written to it
// goes above the line. If off, it only passes output on.
type liveLine struct {
	mu   sync.Mutex
	w    io.Writer
	on   bool
	line string
}

const eraseLine = "\r\x1b[K"

// Write prints whole lines of the script's output.
func (l *liveLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line == "" {
		return l.w.Write(p)
	}
	_, err := io.WriteString(l.w, eraseLine+string(p)+l.line)
	return len(p), err
}

func (l *liveLine) show(u matrix.Update) {
	if !l.on {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Longer than a narrow terminal, the line could not be erased.
	l.line = plaintext.Cut(progressText(u), 79)
	_, _ = io.WriteString(l.w, eraseLine+l.line) // a lost terminal must not end the probe
}

// aside prints text above the line.
func (l *liveLine) aside(print func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line != "" {
		_, _ = io.WriteString(l.w, eraseLine)
	}
	print()
	if l.line != "" {
		_, _ = io.WriteString(l.w, l.line)
	}
}

func (l *liveLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.line != "" {
		_, _ = io.WriteString(l.w, eraseLine)
		l.line = ""
	}
}

func progressText(m matrix.Update) string {
	row := m.Rows[m.Current]
	u := row.Update
	parts := []string{u.Run.Model}
	if n := len(m.Rows); n > 1 {
		parts = []string{fmt.Sprintf("%d/%d", m.Current+1, n), row.Label()}
	}
	switch {
	case u.Stopping:
		parts = append(parts, "stopping at a step boundary")
	case len(u.Seconds) == 0:
		parts = append(parts, "starting")
	default:
		parts = append(parts, fmt.Sprintf("step %d", len(u.Seconds)))
		if u.Summary.IsSteady {
			parts = append(parts, quantity.Duration(u.Summary.Steady.Value))
		}
		if u.Verdict.Words != "" {
			parts = append(parts, u.Verdict.Words)
		}
	}
	spent := fmt.Sprintf("%.0f s", m.SpentS)
	if m.SpentUSD != nil {
		spent += " " + quantity.Money(*m.SpentUSD)
	}
	return strings.Join(append(parts, spent), " · ")
}
