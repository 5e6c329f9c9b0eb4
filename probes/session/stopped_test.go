package session

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a script writes to standard error when it is stopped comes after the
// word that sweetspot stopped it, on the terminal and in the log.
func TestSaysThatItStopped(t *testing.T) {
	o := shell(openStore(t),
		`trap 'echo "Traceback (most recent call last):" >&2; echo KeyboardInterrupt >&2; exit 130' INT
		echo early >&2
		while :; do echo '{"sweetspot":1,"event":"iteration","seconds":0.5}'; sleep 0.01; done`)
	o.Rule.MaxN = 30
	var output strings.Builder
	o.Output = &output
	u := start(t, o).Wait()
	want := regexp.MustCompile(`^early\nsweetspot stopped the script at [0-9.]+ m?s: [^\n]+\nTraceback \(most ` +
		`recent call last\):\nKeyboardInterrupt\n$`)
	if !want.MatchString(output.String()) {
		t.Errorf("output %q, stopped because %q", output.String(), u.StoppedBecause)
	}
	if got := strings.Join(u.Log, "\n") + "\n"; !want.MatchString(got) {
		t.Errorf("log %q", got)
	}
}

// A script that ends by itself hears nothing of a stop.
func TestSaysNothingOfAnEnd(t *testing.T) {
	u := start(t, shell(openStore(t), `echo '{"sweetspot":1,"event":"iteration","seconds":0.5}'; echo over >&2`)).Wait()
	if !slices.Equal(u.Log, []string{"over"}) {
		t.Errorf("log %q", u.Log)
	}
}

// asked is a process that notes how long it was given to end.
type asked struct {
	Process
	grace time.Duration
}

func (a *asked) Started() time.Time             { return time.Now() }
func (a *asked) StopWithin(grace time.Duration) { a.grace = grace }

// A script may finish several of its steps, but not hold up the end for ever, nor
// where nothing is left to wait for.
func TestGrace(t *testing.T) {
	for _, c := range []struct {
		steps []float64
		loop  loop
		want  time.Duration
	}{
		{want: 10 * time.Second},
		{steps: []float64{99, 2}, want: 10 * time.Second},
		{steps: []float64{3}, want: 12 * time.Second},
		{steps: []float64{1, 60}, want: 4 * time.Minute},
		{steps: []float64{1e20}, want: 5 * time.Minute},
		{steps: []float64{60}, loop: loop{asked: true}, want: 4 * time.Minute},
		{steps: []float64{60}, loop: loop{hurry: true}, want: 200 * time.Millisecond},
		{steps: []float64{60}, loop: loop{discard: true}, want: time.Second},
		{steps: []float64{60}, loop: loop{failure: errors.ErrUnsupported}, want: time.Second},
	} {
		p, l := &asked{}, c.loop
		l.process, l.state = p, newState(Options{}, 1)
		for _, s := range c.steps {
			l.state.series.Add(s)
		}
		if l.stop(Interrupted); p.grace != c.want || l.stopped != Interrupted {
			t.Errorf("%+v: %s, want %s", c.steps, p.grace, c.want)
		}
	}
}

// Asked twice, a probe does not wait for the end of a long step.
func TestStopTwice(t *testing.T) {
	s := openStore(t)
	p := start(t, shell(s, `trap "" INT TERM
		echo '{"sweetspot":1,"event":"iteration","seconds":1000}'; while :; do sleep 1; done`))
	for u := range p.Updates() {
		if len(u.Seconds) == 1 {
			break
		}
	}
	p.Stop()
	p.Stop()
	if u := p.Wait(); u.StoppedBecause != Interrupted || *u.ScriptExit != 137 || len(u.Seconds) != 1 {
		t.Errorf("%q, exit %d, %d steps", u.StoppedBecause, *u.ScriptExit, len(u.Seconds))
	}
}

// What a script did while it was no longer watched is no part of what was counted, so that
// this is not its length.
func TestTheLengthOfAnUnwatchedScriptIsItsOwn(t *testing.T) {
	const unwatched = `
		echo '{"sweetspot":1,"event":"warning","message":"the training is no longer watched: a reason","unwatched":true}' >&3`
	script := model + fmt.Sprintf(steps, 60, ">&3") + unwatched
	u := start(t, shell(openStore(t), script)).Wait()
	if u.Err != nil || u.Run.Epochs == nil || *u.Run.Epochs != 4 || !slices.Equal(u.Warnings,
		[]string{"the training is no longer watched: a reason"}) {
		t.Errorf("%v, epochs %v, warnings %q", u.Err, u.Run.Epochs, u.Warnings)
	}
	script = fmt.Sprintf(steps, 60, ">&3") + unwatched
	if u := start(t, shell(openStore(t), script)).Wait(); u.Run.Epochs != nil || u.Run.Steps != nil {
		t.Errorf("epochs %v, steps %v", u.Run.Epochs, u.Run.Steps)
	}
}
