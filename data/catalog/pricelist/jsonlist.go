package pricelist

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// loose is a number that a file writes as a number, a string or null. Anything
// else, and N/A, is empty.
type loose string

func (l *loose) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0 || bytes.Equal(b, []byte("null")) || b[0] == '{' || b[0] == '[' || b[0] == 't' || b[0] == 'f':
		*l = ""
	case b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*l = loose(s)
	default:
		*l = loose(b)
	}
	return nil
}

func (l loose) number() float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(string(l)), 64)
	if err != nil || !(v >= 0) || v > 1e9 {
		return 0
	}
	return v
}

func (l loose) positive() *float64 {
	if v := l.number(); v > 0 {
		return &v
	}
	return nil
}
