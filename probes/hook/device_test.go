package hook

import (
	"os/exec"
	"testing"
)

// Times of a device are read once it has passed both ends, in order, and
// nobody waits for it while few are outstanding. The device is a fake; a real
// one is measured where there is one.
func TestDeviceTimes(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "python3", "-B", "../frameworks/scripts/device.py")
	cmd.Env = append(cmd.Environ(), "PYTHONPATH=python", "SWEETSPOT_HOOK=")
	out, err := cmd.CombinedOutput()
	const want = `0 reported, 0 waits
1 reported, waits for [10.0]
3 reported, waits for [10.0]
iteration 0.01
iteration 0.01
iteration 0.01
iteration 0.01
iteration 0.01
pause 0.025
iteration 0.01
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}
