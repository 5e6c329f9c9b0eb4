// Package python finds an interpreter with PyTorch: the first of the usual ones
// that can import it.
package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"sweetspot/engine/plaintext"
)

// Variable names the interpreter to use.
const Variable = "SWEETSPOT_PYTHON"

// importTimeout is how long importing PyTorch may take; from a cold disk it
// takes tens of seconds.
const importTimeout = 2 * time.Minute

// Interpreter is a Python that imports PyTorch.
type Interpreter struct {
	Path   string // as it was found, absolute
	Python string // version
	Torch  string // version
	CUDA   string // version PyTorch was built for; "" for a CPU build
	GPU    bool   // whether PyTorch can use a GPU here
	// Skipped, if not "", says that the interpreter named by [Variable] cannot
	// be used and that this one replaces it.
	Skipped string
}

// Tried is an interpreter that was checked.
type Tried struct{ Path, Why string }

// NotFoundError says what was tried and how to install the framework.
type NotFoundError struct{ Tried []Tried }

// Words says what was tried.
func (e *NotFoundError) Words() string {
	return plaintext.Join(e.Tried, ", ", func(t Tried) string { return t.Path + " (" + t.Why + ")" })
}

func (e *NotFoundError) Error() string {
	return "no Python found here that can import PyTorch: tried " + e.Words() +
		"; install it (apt install python3-torch, or pip install torch) or name an interpreter with --python or " + Variable
}

// Find returns the first interpreter that imports PyTorch. An interpreter
// named by the user is the only one tried.
func Find(ctx context.Context, named string) (Interpreter, error) {
	candidates := []string{named}
	if named == "" {
		candidates = []string{os.Getenv(Variable), "python3", "/usr/bin/python3"}
	}
	failure := &NotFoundError{}
	seen := map[string]bool{}
	for _, name := range candidates {
		if name == "" {
			continue
		}
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.Abs(path) // symlinks stay unresolved: a virtual environment is one
		}
		if err != nil {
			failure.Tried = append(failure.Tried, Tried{plaintext.Clean(name), "not found"})
			continue
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		found, err := inspect(ctx, path)
		if err == nil {
			found.Skipped = skipped(named, failure.Tried, path)
			return found, nil
		}
		if ctx.Err() != nil {
			return Interpreter{}, ctx.Err()
		}
		failure.Tried = append(failure.Tried, Tried{plaintext.Clean(path), err.Error()})
	}
	return Interpreter{}, failure
}

// skipped describes what was tried before the interpreter at path if the user
// named it; the usual places need not have one.
func skipped(named string, tried []Tried, path string) string {
	if named != "" || os.Getenv(Variable) == "" || len(tried) == 0 {
		return ""
	}
	first := tried[0]
	return fmt.Sprintf("%s names %s, which was skipped (%s); using %s", Variable, first.Path, first.Why,
		plaintext.Clean(path))
}

// question prints one JSON line. A module called torch that is not PyTorch
// fails because names are missing.
const question = `
import json, platform, sys
import torch
print(json.dumps({"python": platform.python_version(), "torch": str(torch.__version__),
    "cuda": torch.version.cuda or "", "gpu": bool(torch.cuda.is_available())}))
`

// ask runs a program whose last line of output is JSON, and decodes that line.
func ask(ctx context.Context, path, program string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, importTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	cmd.Dir = "/" // a torch.py in the user's directory is not PyTorch
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return why(ctx, stderr.String(), err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), answer); err != nil {
		return fmt.Errorf("answers %q", plaintext.Line(lines[len(lines)-1], 80))
	}
	return nil
}

func inspect(ctx context.Context, path string) (Interpreter, error) {
	var answer struct {
		Python, Torch, CUDA string
		GPU                 bool
	}
	if err := ask(ctx, path, question, &answer); err != nil {
		return Interpreter{}, err
	}
	if answer.Torch == "" {
		return Interpreter{}, errors.New("does not say which version of torch it has")
	}
	return Interpreter{
		Path: path, Python: plaintext.Clean(answer.Python), Torch: plaintext.Clean(answer.Torch),
		CUDA: plaintext.Clean(answer.CUDA), GPU: answer.GPU,
	}, nil
}

func why(ctx context.Context, stderr string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("took longer than %s to import it", importTimeout)
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	last := plaintext.Line(lines[len(lines)-1], 120)
	switch {
	case strings.Contains(last, "No module named 'torch'"):
		return fmt.Errorf("has no torch")
	case strings.Contains(last, "No module named 'onnxruntime'"):
		return ErrNoONNXRuntime
	case last == "":
		return fmt.Errorf("%s", plaintext.Clean(err.Error()))
	}
	return fmt.Errorf("%s", last)
}

// ErrNoONNXRuntime means that an interpreter lacks onnxruntime.
var ErrNoONNXRuntime = errors.New("has no onnxruntime")

// ONNXRuntime describes the library that runs .onnx files.
type ONNXRuntime struct {
	Version string
	GPU     bool // whether it was built for CUDA
}

const onnxQuestion = `
import json
import onnxruntime
print(json.dumps({"version": str(onnxruntime.__version__), "providers": list(onnxruntime.get_available_providers())}))
`

// FindONNXRuntime asks the interpreter at path. Its error is [ErrNoONNXRuntime]
// or says why the import fails.
func FindONNXRuntime(ctx context.Context, path string) (ONNXRuntime, error) {
	var answer struct {
		Version   string
		Providers []string
	}
	if err := ask(ctx, path, onnxQuestion, &answer); err != nil {
		return ONNXRuntime{}, err
	}
	return ONNXRuntime{Version: plaintext.Line(answer.Version, 40), GPU: slices.Contains(answer.Providers,
		"CUDAExecutionProvider")}, nil
}
