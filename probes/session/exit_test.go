package session

import (
	"testing"

	"sweetspot/engine/profile"
)

// What a script takes to end that left its training as it was asked to is known; not so where
// it went to its own end, failed, was killed, or is not watched from inside.
func TestExit(t *testing.T) {
	const steps = `for i in $(seq 30); do echo '{"sweetspot":1,"event":"iteration","seconds":0.01}' >&3; done; `
	const asked = steps + `while :; do sleep 0.02; done` // until a signal comes
	const left = `trap 'sleep 0.4; exit 0' TERM INT; ` + asked
	for name, test := range map[string]struct {
		script string
		alter  func(*Options)
		known  bool
	}{
		"left as asked":       {left, func(*Options) {}, true},
		"to its end":          {steps + "sleep 0.1", func(o *Options) { o.Rule.MaxN = 1000 }, false},
		"failed":              {"trap 'exit 3' TERM INT; " + asked, func(*Options) {}, false},
		"killed":              {asked, func(*Options) {}, false},
		"watched by its text": {left, func(o *Options) { o.Hooked = false }, false},
		"a model of ours":     {left, func(o *Options) { o.RunsHarness = true }, false},
		"inference":           {left, func(o *Options) { o.Description.Mode = profile.Infer }, false},
	} {
		s := openStore(t)
		o := shell(s, test.script)
		o.Hooked, o.Rule.CapsOnly, o.Rule.MaxN = true, true, 30
		test.alter(&o)
		u := start(t, o).Wait()
		exit := saved(t, s, u.Run.ID).ExitS
		switch {
		case (exit != nil) != test.known || len(u.Seconds) != 30:
			t.Errorf("%s: %v after %d steps, because %q, %v", name, exit, len(u.Seconds), u.StoppedBecause, u.Err)
		case exit != nil && (*exit < 0.3 || *exit > u.SpentS):
			t.Errorf("%s: %g of %g s", name, *exit, u.SpentS)
		}
	}
}
