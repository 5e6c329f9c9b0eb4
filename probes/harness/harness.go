// Package harness embeds the Python program that runs a PyTorch model and
// reports every step, and turns a [Spec] into the command that runs it.
package harness

import (
	"archive/zip"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
	"sweetspot/probes/examples"
	"sweetspot/probes/runner"
)

//go:embed python/__main__.py python/sweetspot_harness/*.py
var program embed.FS

// Directory stands for the directory of the files in the words of [Program].
const Directory = runner.Directory

// Program returns the command that runs the spec with the given Python, and the
// files it needs in its directory, for which [Directory] stands in its words.
// If it runs elsewhere, on another host, these include the model's own file and
// that of the labelled set; what they import must be installed there. The error
// is about the spec.
func Program(python string, s Spec, elsewhere bool) (fs.FS, []string, error) {
	s, err := s.Resolve()
	if err != nil {
		return nil, nil, err
	}
	argv := s.argv(python)
	if elsewhere {
		argv = append(argv, "--telemetry") // here sweetspot reads the sensors itself
	}
	carried := map[string]string{} // name beside the program → local path
	for option, name := range map[string]string{"--model=": s.Model, "--eval=": s.Eval} {
		file, rest := localFile(name)
		if file == "" || !elsewhere {
			continue
		}
		beside := "carried/" + strings.Trim(option, "-=") + "/" + filepath.Base(file)
		carried[beside] = file
		if i := slices.Index(argv, option+name); i >= 0 {
			argv[i] = option + path.Join(Directory, beside) + rest
		}
	}
	files, err := bundle(carried)
	return files, argv, err
}

// Selftest returns the command that measures on a GPU what only one can show, and its files.
func Selftest(python string) (fs.FS, []string, error) {
	files, err := bundle(nil)
	return files, []string{python, "-B", Directory, "--selftest"}, err
}

// localFile splits file.py:factory and file.onnx into the file and the rest;
// the file is "" if there is none.
func localFile(name string) (file, rest string) {
	if name == "" || strings.HasPrefix(name, examplePrefix) {
		return "", ""
	}
	if _, ok := suffixes[suffix(name)]; ok {
		return name, ""
	}
	if file, factory, ok := cutLast(name); ok && suffix(file) == ".py" {
		return file, ":" + factory
	}
	return "", ""
}

// bundle combines the program and the examples in one file system: a zip in
// memory, the only one the standard library lets us build.
func bundle(carried map[string]string) (fs.FS, error) {
	var content bytes.Buffer
	z := zip.NewWriter(&content)
	python, err := fs.Sub(program, "python")
	if err == nil {
		err = errors.Join(z.AddFS(python), z.AddFS(examples.Files))
	}
	if err != nil {
		return nil, err
	}
	for name, file := range carried {
		content, err := textfile.ReadFile(file)
		if err == nil {
			var w io.Writer
			if w, err = z.Create(name); err == nil {
				_, err = w.Write(content)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be sent to the host: %w", file, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(content.Bytes()), int64(content.Len()))
}

// IsArgv reports whether a command from a database is one of [Program].
func IsArgv(command []string) bool { return len(command) > 2 && command[2] == Directory }

func (s Spec) argv(python string) []string {
	model := s.Model
	name, isExample := strings.CutPrefix(model, examplePrefix)
	if isExample {
		model = path.Join(Directory, examples.File) + ":" + examples.Factories[name]
	}
	argv := []string{
		python, "-B", Directory, "--model=" + model, "--name=" + s.Name(), "--mode=" + string(s.Mode), "--input=" + s.Input,
		"--batch=" + strconv.Itoa(s.Batch), "--epochs=" + strconv.Itoa(s.Epochs), "--precision=" + s.Precision,
		"--data=" + string(s.Data), "--train-size=" + strconv.Itoa(s.TrainSize), "--optimizer=" + s.Optimizer,
	}
	return append(argv, s.optionalArgs(isExample && s.Mode == profile.Infer)...)
}

// optionalArgs are the arguments for the options that are set.
func (s Spec) optionalArgs(trained bool) []string {
	var argv []string
	for _, o := range []struct {
		given bool
		word  string
	}{
		{trained, "--trained"},
		{s.Prune != "", "--prune=" + string(s.Prune)},
		{s.FineTune > 0, "--fine-tune=" + strconv.Itoa(s.FineTune)},
		{s.Eval != "", "--eval=" + s.Eval},
		{s.Layers, "--layers"},
		{s.WorkOnly, "--work-only"},
		{s.FitBatch > 0, "--fit-batch=" + strconv.Itoa(s.FitBatch)},
	} {
		if o.given {
			argv = append(argv, o.word)
		}
	}
	return argv
}
