package session

import (
	"testing"

	"sweetspot/engine/profile"
)

// A search for the largest batch has no iterations, and its answer is what it
// ended for.
func TestLargestBatchIsAnAnswer(t *testing.T) {
	for event, want := range map[string]string{
		`{"sweetspot":1,"event":"limit","batch_size":96,"fails_at":97}`:    "a batch of 96 fits in memory, 97 does not",
		`{"sweetspot":1,"event":"limit","batch_size":512,"fails_at":null}`: "a batch of 512 fits in memory",
	} {
		s := openStore(t)
		u := start(t, shell(s, `echo '`+event+`' >&3; echo '{"sweetspot":1,"event":"done","reason":"end"}' >&3`)).Wait()
		if u.Err != nil || u.Run.Status != profile.Done || u.StoppedBecause != End || u.StoppedWords != want ||
			u.Limit == nil {
			t.Errorf("%s: status %s because %q, %q, %v", event, u.Run.Status, u.StoppedBecause, u.StoppedWords, u.Err)
		}
		if r, err := s.Record(t.Context(), u.Run.ID); err != nil || r.StoppedWords != want {
			t.Errorf("saved %q, %v", r.StoppedWords, err)
		}
	}
}
