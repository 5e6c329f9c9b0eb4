// Package harness embeds the Python program that runs a PyTorch model and
// reports every step, and turns a [Spec] into the command that runs it.
package harness

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/probes/examples"
	"sweetspot/probes/runner"
)

//go:embed python/__main__.py python/sweetspot_harness/*.py
var program embed.FS

// Directory stands for the directory of [Files] in the words of [Argv].
const Directory = runner.Directory

// Files returns the files that the command of [Argv] needs in its directory.
// The error is about the spec.
func Files(s Spec) (fs.FS, error) {
	if _, err := s.Resolve(); err != nil {
		return nil, err
	}
	return bundle(nil)
}

// Portable is [Files] and [Argv] for another host: the model's own file and
// that of the labelled set are included. What they import must be installed
// there.
func Portable(python string, s Spec) (fs.FS, []string, error) {
	s, err := s.Resolve()
	if err != nil {
		return nil, nil, err
	}
	argv := Argv(python, s)
	carried := map[string]string{} // name beside the program → local path
	for option, name := range map[string]string{"--model=": s.Model, "--eval=": s.Eval} {
		file, rest := localFile(name)
		if file == "" {
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
	err := fs.WalkDir(program, "python", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := program.ReadFile(name)
		if err != nil {
			return err
		}
		return add(z, strings.TrimPrefix(name, "python/"), source)
	})
	if err != nil {
		return nil, err
	}
	if err := add(z, examples.File, []byte(examples.FashionCNN)); err != nil {
		return nil, err
	}
	for name, file := range carried {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be sent to the host: %w", file, err)
		}
		if err := add(z, name, content); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return zip.NewReader(bytes.NewReader(content.Bytes()), int64(content.Len()))
}

func add(z *zip.Writer, name string, source []byte) error {
	header := &zip.FileHeader{Name: name, Method: zip.Store}
	header.SetMode(0o600)
	w, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = w.Write(source)
	return err
}

// IsArgv reports whether a command from a database was made by [Argv].
func IsArgv(command []string) bool { return len(command) > 2 && command[2] == Directory }

// Argv is the command that runs the spec with the given Python. [Directory] in
// its words stands for the directory of [Files]. [Files] and [Spec.Resolve]
// report errors in the spec.
func Argv(python string, s Spec) []string {
	if resolved, err := s.Resolve(); err == nil {
		s = resolved
	}
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
		{s.Prune > 0, "--prune=" + strconv.FormatFloat(s.Prune, 'g', -1, 64)},
		{s.FineTune > 0, "--fine-tune=" + strconv.Itoa(s.FineTune)},
		{s.Eval != "", "--eval=" + s.Eval},
		{s.Layers, "--layers"},
		{s.FitBatch > 0, "--fit-batch=" + strconv.Itoa(s.FitBatch)},
	} {
		if o.given {
			argv = append(argv, o.word)
		}
	}
	return argv
}
