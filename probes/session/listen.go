package session

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/secret"
	"sweetspot/probes/adapter"
	"sweetspot/probes/identity"
	"sweetspot/probes/metric"
	"sweetspot/probes/protocol"
)

// silence is how long a hooked script may send nothing before a warning. The
// hook reports as soon as the interpreter starts.
const silence = 30 * time.Second

// mostUnread is how many lines are kept that need not be of a training, and longestUnread how
// many bytes one may have.
const (
	mostUnread    = 20_000
	longestUnread = 1 << 10
)

// decideEvery is the least time between two calls of
// [Options].RequiredPrecision: each ranks all candidates.
const decideEvery = 500 * time.Millisecond

// begin takes note once the command runs: one that waits in a queue may do so much later.
func (l *loop) begin() {
	if p, ok := l.process.(waiter); ok {
		why, waits := p.Waiting()
		l.changed = l.changed || why != l.waiting
		if l.waiting = why; waits {
			return
		}
	}
	l.waiting, l.runs = "", true
	l.identify()
}

// waiter is a process that waits in a queue before it runs. What it tells comes late.
type waiter interface {
	Waiting() (why string, waits bool)
}

func (l *loop) isQueued() bool {
	_, ok := l.process.(waiter)
	return ok
}

// identify fills in what another host reports about itself.
func (l *loop) identify() {
	p, ok := l.process.(interface {
		Facts() (identity.Facts, bool)
	})
	if !ok {
		return
	}
	f, ok := p.Facts()
	if !ok {
		return
	}
	m := &l.state.described.Machine
	m.Host = cmp.Or(plaintext.Line(f.Host, 200), m.Host)
	m.OS = cmp.Or(plaintext.Line(f.OS, 200), m.OS)
	m.CPU = cmp.Or(plaintext.Line(f.CPU, 200), m.CPU)
	m.CPUs = max(m.CPUs, f.CPUs)
	if l.options.Place != nil {
		l.options.Place(f, m)
	}
	l.rule.USDPerHour = cmp.Or(l.rule.USDPerHour, m.USDPerHour)
	l.state.redescribed = true
}

// read reads results from output, and turns it into events unless the script sends
// events itself.
func (l *loop) read(m message) {
	if log := l.state.results; log != nil && log.Print(m.at, secret.Text(m.drawn)) {
		l.state.unresolved = true
	}
	if l.options.Adapter == nil || l.state.reportsSteps || strings.HasPrefix(strings.TrimSpace(m.drawn), "{") {
		return
	}
	if c := l.state.computes; c != nil && !*c && l.options.Adapter.Kind() == adapter.Auto {
		if len(l.unread) < mostUnread && len(m.drawn) <= longestUnread {
			l.unread = append(l.unread, m)
		}
		return
	}
	l.unread = nil
	l.readSteps(m)
}

func (l *loop) readSteps(m message) {
	for _, e := range l.options.Adapter.Line(m.at, m.drawn) {
		switch e := e.(type) {
		case protocol.Iteration:
			l.state.drawn++
		case protocol.Warning:
			l.state.ofOutput = push(l.state.ofOutput, e.Message, shownWarnings)
		}
		l.state.take(e, false, m.at)
	}
}

// readUnread reads what a script showed that has computed nothing to its end, as far as is known.
func (l *loop) readUnread() {
	if !l.state.reportsSteps && l.state.series.Len() == 0 && l.stopped == "" {
		for _, m := range l.unread {
			l.readSteps(m)
		}
	}
	l.unread = nil
}

// readResults takes in what only the end of the script tells: that no step follows its last
// lines, and the tables of results that it wrote to files.
func (l *loop) readResults() {
	log := l.state.results
	if log == nil {
		return
	}
	if l.stopped == "" && l.scriptEx.Code == 0 {
		l.resolveResults()
	}
	l.state.resolve()
	if read := l.state.read; l.here && (read == nil || read.Loss) {
		for _, table := range metric.Tables(l.options.Dir, l.process.Started(), l.before) {
			log.Table(table)
		}
		l.state.resolve()
	}
}

// resolveResults takes in that no step follows the last lines of output.
func (l *loop) resolveResults() {
	if log := l.state.results; log != nil {
		log.End()
		l.state.resolve()
	}
}

// warnIfSilent warns, once, that a hooked script sends no events.
func (l *loop) warnIfSilent() {
	if !l.options.Hooked || l.silent || l.state.gotEvent || l.state.series.Len() > 0 || l.process.Started().IsZero() ||
		time.Since(l.process.Started()) < silence {
		return
	}
	l.silent, l.changed = true, true
	l.state.warn(silenceWarning(l.options.Command), l.elapsed())
}

// silenceWarning explains why no event may have arrived, and what to do.
func silenceWarning(argv []string) string {
	const ways = "have its output read with --adapter or --pattern, or let it write events (three lines, see " +
		"docs/events.md)"
	if flag := hookDisablingFlag(argv); flag != "" {
		return "no event has arrived in 30 s: Python's " + flag + " ignores the environment, which sweetspot needs to " +
			"hook in; leave it out, " + ways
	}
	return "no event has arrived in 30 s: it may run another interpreter or a program without Python; " + ways
}

// hookDisablingFlag is the Python option in the command that disables the hook;
// "" for none. Arguments after the script's name belong to the script.
func hookDisablingFlag(argv []string) string {
	if !strings.HasPrefix(filepath.Base(argv[0]), "python") {
		return ""
	}
	for _, w := range argv[1:] {
		flags, isFlag := strings.CutPrefix(w, "-")
		switch {
		case !isFlag || flags == "" || strings.HasPrefix(flags, "-"), strings.ContainsAny(flags, "cm"):
			return ""
		case strings.ContainsAny(flags, "IE"):
			return plaintext.Line(w, 20)
		}
	}
	return ""
}

// remedy ends a message about a script without iterations with what to do. It
// returns otherwise if the script sends events, or is a model.
func (l *loop) remedy(otherwise string) string {
	switch {
	case l.options.RunsHarness:
		return otherwise
	case !l.options.Hooked:
		return "; it must write events as docs/events.md describes, or be run with --model"
	case l.state.reportsSteps && otherwise != "":
		return otherwise
	case l.options.Adapter != nil && l.options.Adapter.Kind() == adapter.Pattern:
		return fmt.Sprintf("; --pattern found no step in the %d lines it printed", l.state.logged)
	}
	if flag := hookDisablingFlag(l.options.Command); flag != "" {
		return "; Python's " + flag + " disables sweetspot's hook: leave it out, or have the output read with --pattern"
	}
	return "; have its output read with --adapter or --pattern, let it write events (three lines, see " +
		"docs/events.md), or probe the model itself with --model"
}

// decide updates how precise the answer must be.
func (l *loop) decide() {
	if l.options.RequiredPrecision == nil || l.stopped != "" || time.Now().Before(l.decideAt) {
		return
	}
	begin := time.Now()
	s := l.state.summarise()
	if !s.IsSteady {
		return
	}
	l.rule.Decision, l.rule.DecisionWords = l.options.RequiredPrecision(l.state.run(s))
	// However large the database is, the script must not wait for it.
	l.decideAt = time.Now().Add(max(decideEvery, 20*time.Since(begin)))
}
