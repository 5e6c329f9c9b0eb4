package session

import (
	"fmt"
	"testing"
)

// The first rank writes a checkpoint after two steps and after three; the other
// one waits for the first of these. That is a pause, and not a slow step as well.
func TestARankThatWaitsForACheckpoint(t *testing.T) {
	s := openStore(t)
	const step = `echo '{"sweetspot":1,"event":"iteration","rank":%d,"seconds":%g}' >&3; `
	const checkpoint = `echo '{"sweetspot":1,"event":"pause","seconds":1.5,"kind":"checkpoint"}' >&3; `
	script := fmt.Sprintf(step+step+step+step, 0, 0.25, 1, 0.25, 0, 0.25, 1, 0.25) + checkpoint +
		fmt.Sprintf(step+step, 1, 1.75, 0, 0.25) + checkpoint + fmt.Sprintf(step+step, 1, 0.5, 0, 0.25)
	u := start(t, shell(s, script)).Wait()
	if fmt.Sprint(u.Seconds) != "[0.25 0.25 0.25 0.5]" {
		t.Errorf("steps of %v s", u.Seconds)
	}
	r := saved(t, s, u.Run.ID)
	if p := r.Pauses; len(p) != 2 || *p[0].Iterations != 2 || *p[1].Iterations != 3 || p[1].Seconds != 1.5 {
		t.Errorf("pauses %+v", p)
	}
}
