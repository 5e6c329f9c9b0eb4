package session

import (
	"fmt"

	"sweetspot/engine/quantity"
)

// explainStop says, once and before the first thing that a stopped script still
// writes to its standard error, that it was stopped: what follows, such as the
// traceback of a KeyboardInterrupt, is its answer to that and no fault of it.
func (l *loop) explainStop(m message, now float64) {
	if l.stopped == "" || l.said || m.from != fromStderr || m.item.Log == "" {
		return
	}
	l.said = true
	text := "sweetspot stopped the script at " + quantity.Duration(l.stoppedS)
	if l.words != "" {
		text += ": " + l.words
	}
	l.state.appendLog("out", text, now)
	if l.options.Output != nil {
		_, _ = fmt.Fprintln(l.options.Output, text) // as of the script's own lines
	}
}
