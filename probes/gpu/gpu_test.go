package gpu

import (
	"errors"
	"os"
	"testing"
)

// With a driver there are devices with a name and a memory; without one the
// answer is ErrNone, at once and without a crash.
func TestDevices(t *testing.T) {
	devices, driver, err := Devices()
	if _, missing := os.Stat("/proc/driver/nvidia/version"); missing != nil {
		if !errors.Is(err, ErrNone) || len(devices) != 0 {
			t.Errorf("no driver, yet %v, %v", devices, err)
		}
		return
	}
	if err != nil || driver == "" || len(devices) == 0 {
		t.Fatalf("%v, driver %q, %v", devices, driver, err)
	}
	for _, d := range devices {
		if d.Name == "" || d.MemoryBytes < 1<<30 {
			t.Errorf("%+v", d)
		}
	}
}
