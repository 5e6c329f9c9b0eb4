package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/probes/matrix"
	"sweetspot/probes/report"
)

// defaultEpochs are the lengths of training to estimate by default.
var defaultEpochs = []float64{5, 10, 20}

// printer writes every probe once, as it ends: as text or as JSON, for several
// probes one object per line.
type printer struct {
	out     io.Writer
	json    bool
	path    string
	epochs  func(matrix.Row) []float64 // to estimate
	set     *profile.Set
	printed map[int]bool
	left    context.Context // once it has ended, probes are left rather than over; nil where they cannot be
}

// leastSpent is what a probe takes at least, in seconds, that has begun.
const leastSpent = 1e-3

func (p *printer) print(u matrix.Update) error {
	if p.printed == nil {
		p.printed = map[int]bool{}
	}
	if p.left != nil && p.left.Err() != nil {
		return nil
	}
	for i, r := range u.Rows {
		// Probes skipped by a stop come after those it ended.
		leftOut := r.State == matrix.Skipped && u.Stopping && !u.Done
		if p.printed[i] || leftOut || r.State == matrix.Waiting || r.State == matrix.Running {
			continue
		}
		p.printed[i] = true
		err := p.row(u.Rows, i)
		if errors.Is(err, syscall.EPIPE) {
			err = fmt.Errorf("nobody reads the output any more; what was measured is in %s", plaintext.Clean(p.path))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// row writes one probe; one of several that measured nothing is only listed.
func (p *printer) row(rows []matrix.Row, i int) error {
	r, among := rows[i], len(rows) > 1
	unbegun := !p.json && among && r.State == matrix.Failed && r.Update.SpentS < leastSpent
	never := r.Update.Done && r.Update.Waiting != "" // its job did not come to it, and it is no run
	if r.Update.Seq == 0 || never || unbegun {
		if p.json {
			return p.document(report.Unmeasured(r), among)
		}
		if !among {
			return nil // the command's own error says so
		}
		_, err := fmt.Fprintf(p.out, "%s: %s, %s\n", r.Label(), r.State, r.Why)
		return err
	}
	earlier := r.Update.Earlier
	for _, r.Update = range earlier { // the command trained several times
		if err := p.result(report.New(r.Update, p.epochs(r), p.set.Kinds), true); err != nil {
			return err
		}
	}
	return p.result(report.Row(rows, i, p.epochs(rows[i]), p.set.Kinds), among || len(earlier) > 0)
}

func (p *printer) result(probe report.Probe, among bool) error {
	if p.json {
		return p.document(probe, among)
	}
	return probe.Write(p.out, p.path)
}

// document writes one probe as JSON, on one line if there are several.
func (p *printer) document(probe report.Probe, among bool) error {
	if !among {
		return printJSON(p.out, probe)
	}
	lines := json.NewEncoder(p.out)
	lines.SetEscapeHTML(false)
	return lines.Encode(probe)
}

// liveLine is the progress line below a probe's output. Output written to it
// goes above the line, which is gone while the script is in the middle of one.
// If off, it only passes output on.
type liveLine struct {
	mu      sync.Mutex
	w       io.Writer
	on      bool
	line    string
	midLine bool // of the script
}

const eraseLine = "\r\x1b[K"

// Write passes on what the script writes.
func (l *liveLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.on || len(p) == 0 {
		return l.w.Write(p)
	}
	l.erase()
	n, err := l.w.Write(p)
	l.midLine = p[len(p)-1] != '\n'
	l.draw()
	return n, err
}

// erase and draw do nothing while the script is in the middle of a line. A lost terminal
// must not end the probe.
func (l *liveLine) erase() {
	if l.line != "" && !l.midLine {
		_, _ = io.WriteString(l.w, eraseLine)
	}
}

func (l *liveLine) draw() {
	if l.line != "" && !l.midLine {
		_, _ = io.WriteString(l.w, l.line)
	}
}

func (l *liveLine) show(u matrix.Update) {
	if !l.on {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	if u.Rows[u.Current].Update.Done {
		l.endLine()
	}
	// Longer than a narrow terminal, the line could not be erased.
	l.line = plaintext.Cut(progressText(u), 79)
	l.draw()
}

// aside prints text above the line.
func (l *liveLine) aside(print func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	print()
	l.draw()
}

func (l *liveLine) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.line = ""
	l.endLine()
}

// endLine ends the line that a script left unfinished.
func (l *liveLine) endLine() {
	if l.midLine {
		_, _ = io.WriteString(l.w, "\n")
		l.midLine = false
	}
}

// queuedText counts probes of which some wait in a queue; "" where none does.
func queuedText(m matrix.Update) string {
	running, queued, over := 0, 0, 0
	for _, r := range m.Rows {
		switch {
		case r.State == matrix.Running && r.Update.Waiting == "":
			running++
		case r.State == matrix.Running:
			queued++
		case r.State != matrix.Waiting:
			over++
		}
	}
	if queued == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d over, %d running", over, len(m.Rows), running)
}

func progressText(m matrix.Update) string {
	row := m.Rows[m.Current]
	u := row.Update
	parts := []string{u.Run.Model}
	if n := len(m.Rows); n > 1 {
		parts = []string{fmt.Sprintf("%d/%d", m.Current+1, n), row.Label()}
		if queued := queuedText(m); queued != "" {
			parts[0] = queued
		}
	}
	switch {
	case u.Waiting != "" && !u.Done:
		parts = append(parts, u.Waiting)
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
