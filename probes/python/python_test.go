package python

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes an executable that stands at an interpreter's place.
func script(t *testing.T, name, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindsTheRealOne(t *testing.T) {
	found, err := Find(t.Context(), "")
	if missing, ok := errors.AsType[*NotFoundError](err); ok {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("PyTorch is not installed: ", missing)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(found.Path) || found.Torch == "" || !strings.HasPrefix(found.Python, "3.") {
		t.Errorf("%+v", found)
	}
	if again, err := Find(t.Context(), found.Path); err != nil || again != found {
		t.Errorf("named %s: %+v, %v", found.Path, again, err)
	}
}

func TestOrder(t *testing.T) {
	answers := script(t, "answers", `echo warning; echo '{"python":"3.9","torch":"2.1","cuda":"12.1","gpu":true}'`)
	without := script(t, "without", `echo "ModuleNotFoundError: No module named 'torch'" >&2; exit 1`)
	t.Setenv(Variable, answers)
	found, err := Find(t.Context(), "")
	if want := (Interpreter{answers, "3.9", "2.1", "12.1", true, ""}); err != nil || found != want {
		t.Errorf("%s first: %+v, %v", Variable, found, err)
	}
	dir := t.TempDir()
	if err := os.Symlink(answers, filepath.Join(dir, "python3")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv(Variable, without)
	found, err = Find(t.Context(), "")
	if err != nil || found.Path != filepath.Join(dir, "python3") ||
		!strings.Contains(found.Skipped, without+", which was skipped (has no torch); using "+found.Path) {
		t.Errorf("after one without torch comes python3 of the PATH: %+v, %v", found, err)
	}
}

func TestSaysWhatWasTried(t *testing.T) {
	without := script(t, "without", `echo "ModuleNotFoundError: No module named 'torch'" >&2; exit 1`)
	broken := script(t, "broken", `echo Traceback >&2; printf 'ImportError: \033[31mlibcudart.so.12: no such `+
		`file\n' >&2; exit 1`)
	mute := script(t, "mute", `echo hello`)
	for name, want := range map[string]string{
		without:            without + " (has no torch)",
		broken:             "ImportError: libcudart.so.12: no such file",
		mute:               `answers "hello"`,
		"/nowhere/python3": "/nowhere/python3 (not found)",
	} {
		_, err := Find(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "pip install torch") ||
			strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, script(t, "slow", "sleep 100")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
