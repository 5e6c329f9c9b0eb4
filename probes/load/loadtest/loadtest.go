// Package loadtest keeps the CPUs of this machine busy for a test.
package loadtest

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// Busy has a busy loop on every CPU until the test ends. Where the load of CPUs is not
// told, the test is skipped, in CI it fails.
func Busy(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		if os.Getenv("CI") == "true" {
			t.Fatal("only Linux tells the load of its CPUs")
		}
		t.Skip("only Linux tells the load of its CPUs")
	}
	for range runtime.NumCPU() {
		c := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
}
