package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/probes/remote"
)

// program writes a shell script that stands in another program's place.
func program(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestONNXRuntime(t *testing.T) {
	for name, c := range map[string]struct {
		path        string
		ok          bool
		found, mend string
	}{
		"no Python": {"", false, "not checked", "PyTorch first"},
		"none": {program(t, `echo "ModuleNotFoundError: No module named 'onnxruntime'" >&2; exit 1`), false,
			"but not run", "pip install onnxruntime, or onnxruntime-gpu"},
		"broken": {program(t, `printf 'ImportError: \033[31mlibcudart.so.12\n' >&2; exit 1`), false,
			"cannot import it: ImportError: libcudart.so.12", "reinstall it"},
		"for a CPU": {program(t, `echo '{"version":"1.19.2","providers":["CPUExecutionProvider"]}'`), true,
			"1.19.2 (CPU build)", ""},
		"for a GPU": {program(t, `echo '{"version":"1.19.2","providers":["CUDAExecutionProvider","CPUExecutionProvider"]}'`),
			true, "1.19.2 (CUDA build)", ""},
	} {
		got := onnx(t.Context(), c.path)
		if got.OK != c.ok || got.Broken || !strings.Contains(got.Found, c.found) || !strings.Contains(got.Mend, c.mend) ||
			(c.mend == "") != (got.Mend == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestSSH(t *testing.T) {
	for name, c := range map[string]struct {
		command     string
		ok          bool
		found, mend string
	}{
		"of the system": {program(t, `[ "$1" = -V ] && echo "OpenSSH_9.2p1, OpenSSL 3.0" >&2`), true,
			"OpenSSH_9.2p1, OpenSSL 3.0, /", ""},
		"with options": {program(t, `[ "$1 $2" = "-4 -V" ] && echo "OpenSSH_8" >&2`) + " -4", true, "OpenSSH_8", ""},
		"none":         {"/nowhere/ssh", false, "no program /nowhere/ssh", "apt install openssh-client"},
		"another": {program(t, "echo 'unknown option' >&2; exit 2"), false, "does not show its version: unknown option",
			remote.SSHVariable},
		"mute": {program(t, ""), false, "printed nothing", remote.SSHVariable},
	} {
		t.Setenv(remote.SSHVariable, c.command)
		got := secureShell(t.Context())
		if got.OK != c.ok || got.Broken || !strings.Contains(got.Found, c.found) || !strings.Contains(got.Mend, c.mend) ||
			(c.mend == "") != (got.Mend == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
