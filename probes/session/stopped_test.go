package session

import (
	"regexp"
	"slices"
	"strings"
	"testing"
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
