package request

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/probes/harness"
	"sweetspot/probes/session"
)

func TestModelFilesAreReadBeforeTheyRun(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "net.onnx")
	if err := os.WriteFile(broken, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	var o session.Options
	if err := describeFile(&o, &harness.Spec{Model: broken}); err == nil || !strings.Contains(err.Error(), "net.onnx") {
		t.Errorf("a broken file: %v", err)
	}
	if err := describeFile(&o, &harness.Spec{Model: "nets.py:net.onnx"}); err == nil {
		t.Error("a file that is not there was read")
	}
	if err := describeFile(&o, &harness.Spec{Model: "example:fashion-cnn"}); err != nil {
		t.Errorf("no file to read: %v", err)
	}
	if got := list([]int{3, 224, 224}, "x"); got != "3x224x224" {
		t.Error(got)
	}
}
