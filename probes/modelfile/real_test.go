package modelfile

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/probes/python"
)

// told is what PyTorch says of a model.
type told struct {
	Params, FLOPs float64
	Input         []int
}

// written has PyTorch write models; a test without one is skipped, in CI it
// fails.
func written(t *testing.T) (folder string, models map[string]told) {
	t.Helper()
	found, err := python.Find(t.Context(), "")
	if missing, ok := errors.AsType[*python.NotFoundError](err); ok {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("PyTorch is not installed: ", missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	cmd := exec.CommandContext(t.Context(), found.Path, "-W", "ignore", "testdata/models.py", folder)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &models); err != nil || len(models) != 4 {
		t.Fatalf("%v: %s", err, out)
	}
	return folder, models
}

// What PyTorch itself writes is read as PyTorch counts it.
func TestRealFiles(t *testing.T) {
	folder, models := written(t)
	for name, want := range models {
		path := filepath.Join(folder, name)
		for _, form := range []string{".onnx", ".fixed.onnx"} {
			f := mustRead(t, path+form)
			// A buffer that is used in the graph looks like a parameter there.
			params := want.Params + map[string]float64{"resnet": 3}[name]
			if !is(f.Params, params) || !is(f.FLOPsPerUnit, want.FLOPs) ||
				!slices.Equal(f.Input, want.Input) || len(f.Warnings) > 0 {
				t.Errorf("%s%s: %s; PyTorch says %+v", name, form, shown(f), want)
			}
		}
		if f := mustRead(t, path+".folded.onnx"); !is(f.FLOPsPerUnit, want.FLOPs) {
			t.Errorf("%s with batch norms folded: %s; PyTorch says %+v", name, shown(f), want)
		}
		for _, form := range []string{".traced.pt", ".scripted.pt", ".module.pth"} {
			if name == "attention" && form == ".scripted.pt" {
				continue
			}
			f := mustRead(t, path+form)
			if !is(f.Params, want.Params) || !is(f.ParamBytes, 4*want.Params) || f.FLOPsPerUnit != nil ||
				len(f.Warnings) != 1 {
				t.Errorf("%s%s: %s; PyTorch says %+v", name, form, shown(f), want)
			}
		}
		for _, form := range []string{".state.pth", ".checkpoint.pth"} {
			// A state dict does not tell that mean is a buffer.
			params := want.Params + map[string]float64{"resnet": 3}[name]
			if f := mustRead(t, path+form); !is(f.Params, params) {
				t.Errorf("%s%s: %s; PyTorch says %+v", name, form, shown(f), want)
			}
		}
		if _, err := Read(path + ".old.pth"); err == nil || !strings.Contains(err.Error(), "before PyTorch 1.6") {
			t.Errorf("old format: %v", err)
		}
	}
	checkOddFiles(t, folder)
	checkTruncated(t, folder)
}

func checkOddFiles(t *testing.T, folder string) {
	if f := mustRead(t, filepath.Join(folder, "frozen.pt")); f.Params != nil ||
		!strings.Contains(strings.Join(f.Warnings, " "), "freeze") {
		t.Errorf("frozen: %s", shown(f))
	}
	small := 16*9 + 16 + 32*16*9 + 32 + 10*32*49 + 10.0
	if f := mustRead(t, filepath.Join(folder, "half.pth")); !is(f.Params, small) || !is(f.ParamBytes, 2*small) ||
		!is(f.MemoryFloorBytes(8, "fp32"), 2*small) {
		t.Errorf("half: %s", shown(f))
	}
	if f := mustRead(t, filepath.Join(folder, "tied.pth")); !is(f.Params, 100+10+10) {
		t.Errorf("tied: %s", shown(f))
	}
	if f := mustRead(t, filepath.Join(folder, "nothing.pth")); f.Params != nil ||
		!strings.Contains(strings.Join(f.Warnings, " "), "epoch, lr") {
		t.Errorf("nothing: %s", shown(f))
	}
}

// checkTruncated: a file that was cut off anywhere is refused.
func checkTruncated(t *testing.T, folder string) {
	for _, name := range []string{"small.onnx", "small.traced.pt", "small.state.pth"} {
		whole, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for cut := 0; cut < len(whole); cut += max(len(whole)/97, 1) {
			_, err := parse(strings.NewReader(string(whole[:cut])), int64(cut))
			if err == nil {
				t.Errorf("%s cut at %d of %d bytes is read", name, cut, len(whole))
			}
		}
	}
}

func mustRead(t *testing.T, path string) Facts {
	t.Helper()
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func is(got *float64, want float64) bool { return got != nil && *got == want }

func shown(f Facts) string {
	raw, _ := json.Marshal(f)
	return string(raw)
}
