package probe

import (
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/steady"
	"sweetspot/probes/matrix"
	"sweetspot/probes/session"
	"sweetspot/tui/theme"
)

// quality is what the mean of a probe that has ended is worth.
type quality uint8

const (
	precise   quality = iota
	imprecise         // steady, but less sure than was asked for
	rough             // never steady
	unknown           // too few iterations for any mean
)

// judged is the quality of what a probe measured, for a target as relative
// half-width.
func judged(u *session.Update, target float64) quality {
	m := &u.Summary
	switch {
	case u.StoppedBecause == steady.Precise:
		return precise
	case !m.Steady.Known():
		return unknown
	case !m.IsSteady:
		return rough
	case m.Steady.HalfWidth() > target:
		return imprecise
	}
	return precise
}

// badge is how far a probe is: a mark, which is all that narrow terminals have
// room for, and a word.
type badge struct {
	mark, ascii, word string
	pen               theme.Pen
}

func (b badge) symbol(th *theme.Theme) string {
	if th.Symbols.Raster == theme.ASCII {
		return b.ascii
	}
	return b.mark
}

// badgeOf is the badge of a row; the mean of one that is done is judged.
func badgeOf(th *theme.Theme, r *matrix.Row, target float64) badge {
	switch r.State {
	case matrix.Running:
		return badge{"●", "o", "running", th.Key}
	case matrix.Failed:
		return badge{"✗", "x", "failed", th.Bad}
	case matrix.OutOfMemory:
		return badge{"■", "#", "out of memory", th.Warn}
	case matrix.Skipped:
		return badge{"–", "-", "skipped", th.Dim}
	case matrix.Done:
		return qualityBadge(th, judged(&r.Update, target))
	}
	return badge{"○", ".", "waiting", th.Dim}
}

func qualityBadge(th *theme.Theme, q quality) badge {
	switch q {
	case imprecise:
		return badge{"±", "%", "imprecise", th.Warn}
	case rough:
		return badge{"≈", "~", "rough", th.Warn}
	case unknown:
		return badge{"?", "?", "no mean", th.Warn}
	}
	return badge{"✓", "+", "done", th.Good}
}

// whyEnded says why a probe is over; one that has all it was asked for needs
// no more words than that.
func whyEnded(u *session.Update, target float64) string {
	if words := plaintext.Clean(u.StoppedWords); words != "" && judged(u, target) != precise {
		return words
	}
	return ended(*u)
}

// aim is what a probe that runs and is steady still waits for. The half-width it has is left
// out of the rule's words: the one of the mean stands beside them, and it is
// not always of the same moment.
func aim(u *session.Update, target float64) string {
	m := &u.Summary
	switch {
	case u.Verdict.Stop || !m.IsSteady:
		return ""
	case m.Steady.HalfWidth() <= target && m.InterimHalfWidth > target:
		return "to be confirmed at the next check"
	}
	words := plaintext.Clean(u.Verdict.Words)
	if strings.HasPrefix(words, "±") {
		if _, after, ok := strings.Cut(words, "%"); ok {
			words = strings.TrimLeft(strings.TrimPrefix(after, " at the last check"), ", ")
		}
	}
	return words
}
