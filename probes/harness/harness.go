// Package harness carries the Python program that runs a PyTorch model and
// reports every step, and turns a description of what to run into the command
// that runs it.
package harness

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sweetspot/engine/profile"
	"sweetspot/probes/examples"
)

//go:embed python/__main__.py python/sweetspot_harness/*.py
var program embed.FS

// Data says what the model is fed.
type Data string

// Auto takes a dataset that fits the model where one is installed, else
// synthetic input.
const (
	Auto         Data = "auto"
	FashionMNIST Data = "fashion-mnist"
	Synthetic    Data = "synthetic"
)

// Spec describes one probe by the harness. Zero values take the defaults that
// the fields state.
type Spec struct {
	Model     string       // file.py:factory or example:NAME
	Mode      profile.Mode // train
	Input     string       // shape of one sample, 3x224x224; 1x28x28 for an example
	Batch     int          // 128
	Epochs    int          // 10 in training; in inference passes over the data, 0 for as many as until it is stopped
	Precision string       // fp32
	Data      Data         // auto
	TrainSize int          // units per epoch of synthetic input; 0 unknown
	Optimizer string       // sgd or adam; sgd
}

const (
	examplePrefix = "example:"
	maxSize       = 1 << 20 // of one dimension
	maxElements   = 1 << 28 // of one sample, 1 GiB in fp32
	maxBatch      = 1 << 20
)

// Precisions are those the harness can run, given a device that has them.
var Precisions = []string{"fp32", "tf32", "bf16", "fp16"}

// Resolve fills in the defaults and checks the rest; the error is one
// sentence.
func (s Spec) Resolve() (Spec, error) {
	if s.Mode == "" {
		s.Mode = profile.Train
	}
	if s.Mode != profile.Train && s.Mode != profile.Infer {
		return s, fmt.Errorf("mode %q is neither train nor infer", s.Mode)
	}
	if err := s.checkModel(); err != nil {
		return s, err
	}
	if s.Input == "" && strings.HasPrefix(s.Model, examplePrefix) {
		s.Input = "1x28x28"
	}
	if err := checkInput(s.Input); err != nil {
		return s, err
	}
	if s.Batch == 0 {
		s.Batch = 128
	}
	if s.Batch < 0 || s.Batch > maxBatch {
		return s, fmt.Errorf("batch size %d is not between 1 and %d", s.Batch, maxBatch)
	}
	if s.Epochs == 0 && s.Mode == profile.Train {
		s.Epochs = 10
	}
	if s.Epochs < 0 || s.TrainSize < 0 {
		return s, fmt.Errorf("epochs and the size of the training set cannot be negative")
	}
	return s.resolveChoices()
}

func (s Spec) resolveChoices() (Spec, error) {
	for _, c := range []struct {
		what    string
		value   *string
		choices []string
	}{
		{"precision", &s.Precision, Precisions},
		{"data", (*string)(&s.Data), []string{string(Auto), string(FashionMNIST), string(Synthetic)}},
		{"optimizer", &s.Optimizer, []string{"sgd", "adam"}},
	} {
		if *c.value == "" {
			*c.value = c.choices[0]
		}
		known := false
		for _, choice := range c.choices {
			known = known || *c.value == choice
		}
		if !known {
			return s, fmt.Errorf("%s %q is none of %s", c.what, *c.value, strings.Join(c.choices, ", "))
		}
	}
	return s, nil
}

func (s Spec) checkModel() error {
	if name, ok := strings.CutPrefix(s.Model, examplePrefix); ok {
		if _, known := examples.Factories[name]; !known {
			return fmt.Errorf("there is no example %q; there are fashion-cnn and fashion-cnn-wide", name)
		}
		return nil
	}
	file, factory, ok := cutLast(s.Model)
	if !ok || factory == "" || !strings.HasSuffix(file, ".py") {
		return fmt.Errorf("model %q is not of the form file.py:factory, nor example:fashion-cnn", s.Model)
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return fmt.Errorf("there is no file %s; name the Python file that holds %s", file, factory)
	case info.IsDir():
		return fmt.Errorf("%s is a directory; name the Python file that holds %s", file, factory)
	}
	return nil
}

func cutLast(model string) (file, factory string, ok bool) {
	i := strings.LastIndexByte(model, ':')
	if i <= 0 {
		return "", "", false
	}
	return model[:i], model[i+1:], true
}

func checkInput(input string) error {
	if input == "" {
		return fmt.Errorf("the shape of one input sample is missing; give --input, such as 3x224x224")
	}
	elements := 1
	for size := range strings.SplitSeq(input, "x") {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > maxSize || size[0] == '+' {
			return fmt.Errorf("input %q is not a shape such as 3x224x224", input)
		}
		if elements *= n; elements > maxElements {
			return fmt.Errorf("input %q is larger than a sample of 1 GiB", input)
		}
	}
	return nil
}

// Name is what the model is called in the database: the example's name or the
// factory's.
func (s Spec) Name() string {
	if name, ok := strings.CutPrefix(s.Model, examplePrefix); ok {
		return name
	}
	_, factory, _ := cutLast(s.Model)
	return factory
}

// Command writes the harness to a temporary directory and returns the command
// that runs it with the given Python. The caller calls cleanup when the
// command has ended.
func Command(python string, s Spec) (argv []string, cleanup func(), err error) {
	if s, err = s.Resolve(); err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "sweetspot-harness-")
	if err != nil {
		return nil, nil, fmt.Errorf("no temporary directory for the harness: %w; set TMPDIR to one that can be written", err)
	}
	cleanup = func() { _ = os.RemoveAll(dir) }
	if err := materialise(dir); err != nil {
		cleanup()
		return nil, nil, fmt.Errorf("the harness could not be written to %s: %w; free space there or set TMPDIR", dir, err)
	}
	model := s.Model
	if name, ok := strings.CutPrefix(s.Model, examplePrefix); ok {
		model = filepath.Join(dir, "fashion_cnn.py") + ":" + examples.Factories[name]
	}
	argv = []string{
		python, "-B", dir, "--model=" + model, "--name=" + s.Name(), "--mode=" + string(s.Mode), "--input=" + s.Input,
		"--batch=" + strconv.Itoa(s.Batch), "--epochs=" + strconv.Itoa(s.Epochs), "--precision=" + s.Precision,
		"--data=" + string(s.Data), "--train-size=" + strconv.Itoa(s.TrainSize), "--optimizer=" + s.Optimizer,
	}
	return argv, cleanup, nil
}

func materialise(dir string) error {
	files, err := fs.Sub(program, "python")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "fashion_cnn.py"), []byte(examples.FashionCNN), 0o600)
}
