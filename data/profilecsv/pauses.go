package profilecsv

import (
	"math"
	"strconv"
	"strings"

	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// pauses reads "63:1.4:782:checkpoint;125.1:1.3::".
func (r *reader) pauses(column string) []profile.Pause {
	cell := r.text(column)
	if cell == "" {
		return nil
	}
	parts := strings.Split(cell, ";")
	list := make([]profile.Pause, 0, len(parts))
	for _, part := range parts {
		p, ok := parsePause(part)
		if !ok {
			r.fail(column, "%s is not a pause; write end:seconds:iterations:kind, such as 63:1.4:782:checkpoint",
				plaintext.Quote(part))
			return nil
		}
		list = append(list, p)
	}
	return list
}

func parsePause(part string) (p profile.Pause, ok bool) {
	words := strings.SplitN(part, ":", 4)
	if len(words) != 4 {
		return p, false
	}
	at, sound := parseNumber(words[0])
	seconds, alsoSound := parseNumber(words[1])
	if !sound || !alsoSound || at < 0 || seconds < 0 {
		return p, false
	}
	p = profile.Pause{AtS: at, Seconds: seconds, Kind: strings.TrimSpace(unescape.Replace(words[3]))}
	if word := strings.TrimSpace(words[2]); word != "" {
		n, sound := parseNumber(word)
		if !sound || n < 0 || n != math.Trunc(n) || n > math.MaxInt32 {
			return p, false
		}
		p.Iterations = new(int(n))
	}
	return p, true
}

// Separators are escaped within a kind.
var (
	escape   = strings.NewReplacer("%", "%25", ";", "%3B")
	unescape = strings.NewReplacer("%25", "%", "%3B", ";")
)

// pausesCell writes what [reader.pauses] reads.
func pausesCell(pauses []profile.Pause) string {
	parts := make([]string, len(pauses))
	for i, p := range pauses {
		iterations := ""
		if p.Iterations != nil {
			iterations = strconv.Itoa(*p.Iterations)
		}
		parts[i] = decimalCell(p.AtS) + ":" + decimalCell(p.Seconds) + ":" + iterations + ":" + escape.Replace(p.Kind)
	}
	return strings.Join(parts, ";")
}
