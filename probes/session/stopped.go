package session

import (
	"fmt"

	"sweetspot/engine/quantity"
)

// explainStop logs, once, that the script was stopped, before anything it still
// writes to standard error: a traceback of a KeyboardInterrupt, say, is then
// not a fault of the script.
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
		_, _ = fmt.Fprintln(l.options.Output, text) // like the script's own lines
	}
}
