package doctor

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"sweetspot/engine/plaintext"
	"sweetspot/probes/python"
	"sweetspot/probes/remote"
)

// onnx checks whether the interpreter at path, the one that probes use, can run
// .onnx files; path is "" if there is none.
func onnx(ctx context.Context, path string) Check {
	c := Check{Name: "onnxruntime"}
	if path == "" {
		c.Found = "not checked: it belongs in the Python that has PyTorch"
		c.Mend = "install PyTorch first; only .onnx files need onnxruntime"
		return c
	}
	found, err := python.FindONNXRuntime(ctx, path)
	switch {
	case errors.Is(err, python.ErrNoONNXRuntime):
		c.Found = plaintext.Clean(path) + " does not have it: .onnx files can be read but not run"
		c.Mend = "pip install onnxruntime, or onnxruntime-gpu for a GPU, for that Python; nothing else needs it"
	case err != nil:
		c.Found = plaintext.Clean(path) + " cannot import it: " + plaintext.Clean(err.Error())
		c.Mend = "reinstall it for that Python: pip install onnxruntime, or onnxruntime-gpu for a GPU"
	default:
		c.OK, c.Found = true, found.Version+" (CPU build)"
		if found.GPU {
			c.Found = found.Version + " (CUDA build)"
		}
	}
	return c
}

// secureShell checks for the ssh that --host uses.
func secureShell(ctx context.Context) Check {
	c := Check{Name: "ssh"}
	words := remote.Command()
	path, err := exec.LookPath(words[0])
	if err != nil {
		c.Found = "there is no program " + plaintext.Line(words[0], 200) + ": probes on other machines (--host) need it"
		c.Mend = "apt install openssh-client, or name the program in " + remote.SSHVariable
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append(words[1:], "-V")...)
	cmd.WaitDelay = time.Second
	said, err := cmd.CombinedOutput() // OpenSSH says it on standard error
	first, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	version := plaintext.Line(first, 120)
	if err != nil || version == "" {
		c.Found = plaintext.Clean(path) + " does not show its version: " + cmp.Or(version, "it printed nothing")
		c.Mend = "apt install openssh-client, or name another in " + remote.SSHVariable
		return c
	}
	c.OK, c.Found = true, version+", "+plaintext.Clean(path)
	return c
}
