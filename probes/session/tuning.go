package session

import (
	"bytes"

	"sweetspot/data/architecture"
	"sweetspot/engine/profile"
	"sweetspot/probes/protocol"
)

// tuningOf is how a language model is trained, with the architecture that its configuration
// means; of networks that are not known there is none.
func tuningOf(e protocol.Tuning) *profile.Tuning {
	t := e.Tuning
	if e.Config == nil {
		return &t
	}
	if a, err := architecture.Read(bytes.NewReader(e.Config)); err == nil {
		t.Architecture = &a
	}
	return &t
}
