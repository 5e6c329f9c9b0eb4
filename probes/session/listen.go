package session

import (
	"strings"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/identity"
)

// silence is how long a hooked script may say nothing before that is said.
// The hook reports itself as soon as the interpreter starts.
const silence = 30 * time.Second

// decideEvery is the least time between two questions how precise the answer
// must be: each is a ranking.
const decideEvery = 500 * time.Millisecond

// identify fills in what another host says of itself.
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
	m := &l.picture.described.Machine
	set(&m.Host, plaintext.Line(f.Host, 200))
	set(&m.OS, plaintext.Line(f.OS, 200))
	set(&m.CPU, plaintext.Line(f.CPU, 200))
	m.CPUs = max(m.CPUs, f.CPUs)
	if l.options.Place != nil {
		l.options.Place(f, m)
	}
	if l.rule.USDPerHour == nil {
		l.rule.USDPerHour = m.USDPerHour
	}
	l.picture.redescribed = true
}

// read makes events out of what was printed, as long as no better source of
// iterations has spoken.
func (l *loop) read(m message) {
	if l.picture.speaks || strings.HasPrefix(strings.TrimSpace(m.drawn), "{") {
		return
	}
	for _, e := range l.options.Reads.Line(m.at, m.drawn) {
		l.picture.event(e, m.at)
	}
}

// hearken says, once, that a hooked script is silent, and the ways out.
func (l *loop) hearken() {
	if !l.options.Hooked || l.silent || l.picture.heard || l.process.Started().IsZero() || time.Since(l.process.Started()) < silence {
		return
	}
	l.silent, l.changed = true, true
	l.picture.warn(silentWords(l.options.Command), l.elapsed())
}

// silentWords explains why no event may have come.
func silentWords(argv []string) string {
	why := "it may run another interpreter or a program without Python"
	for _, w := range argv[1:] {
		if flag, ok := strings.CutPrefix(w, "-"); ok && !strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, "IE") {
			why = "Python's " + plaintext.Line(w, 20) + " ignores the environment, by which sweetspot hooks in"
			break
		}
	}
	return "no event has come in 30 s: " + why + "; leave that out, name what its output says with --adapter or --pattern, or let it write events (three lines, see CONTRIBUTING)"
}

// decide asks how precise the answer must be.
func (l *loop) decide() {
	if l.options.Decide == nil || l.stopped != "" || time.Now().Before(l.decideAt) {
		return
	}
	begin := time.Now()
	s := l.picture.sum()
	if !s.IsSteady {
		return
	}
	l.rule.Decision, l.rule.DecisionWords = l.options.Decide(l.picture.run(s))
	// However large the database is, the script must not wait for it.
	l.decideAt = time.Now().Add(max(decideEvery, 20*time.Since(begin)))
}
