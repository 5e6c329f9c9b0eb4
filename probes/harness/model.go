package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/probes/examples"
)

// Form is how a model is named.
type Form uint8

// The forms of a model.
const (
	Example     Form = iota + 1 // example:NAME, which needs no file
	Script                      // file.py:factory
	Module                      // package.module:factory, found from the current directory or installed
	TorchScript                 // file.pt, saved by torch.jit.save
	Exported                    // file.pt2, saved by torch.export.save of PyTorch 2.1 or later
	ONNX                        // file.onnx, run by onnxruntime
)

const examplePrefix = "example:"

func (f Form) String() string {
	return [...]string{"nothing", "an example", "a Python file", "a Python module", "a TorchScript file",
		"an exported program (.pt2)", "an ONNX file"}[f]
}

// isPython reports whether Python code makes the network, so that its layers
// can be changed.
func (f Form) isPython() bool { return f == Example || f == Script || f == Module }

// isGraph reports whether the file holds a forward pass and nothing to train, with the
// shape of its input.
func (f Form) isGraph() bool { return f == Exported || f == ONNX }

// TellsItsWork reports whether the model's file says what one sample takes, so that nothing
// need be loaded to know it.
func (s Spec) TellsItsWork() bool { return suffixes[suffix(s.Model)].isGraph() }

var suffixes = map[string]Form{".pt": TorchScript, ".pt2": Exported, ".onnx": ONNX}

// weights are suffixes of files that hold weights without a network.
var weights = []string{".pth", ".ckpt", ".bin", ".safetensors", ".h5"}

// checkModel returns the form of a model's name and checks that the file
// exists; the interpreter looks for modules.
func checkModel(model string) (Form, error) {
	if name, ok := strings.CutPrefix(model, examplePrefix); ok {
		if _, known := examples.Factories[name]; !known {
			return 0, fmt.Errorf("there is no example %q; there are fashion-cnn, fashion-cnn-wide and fashion-lenet", name)
		}
		return Example, nil
	}
	if form, ok := suffixes[suffix(model)]; ok {
		return form, checkFile(model, "name the model file")
	}
	if slices.Contains(weights, suffix(model)) {
		return 0, fmt.Errorf("%s holds weights without a network; write a factory that builds the network and loads "+
			"them, and name it as file.py:factory", model)
	}
	if isModule(model) {
		return Module, nil
	}
	return Script, checkScript("model", model)
}

// checkFactory checks file.py:factory or package.module:factory.
func checkFactory(what, name string) error {
	if isModule(name) {
		return nil
	}
	return checkScript(what, name)
}

func checkScript(what, name string) error {
	file, factory, ok := cutLast(name)
	if !ok || factory == "" || suffix(file) != ".py" {
		forms := "file.py:factory or package.module:factory"
		if what == "model" {
			forms = "file.py:factory, package.module:factory, timm:resnet18, transformers:BertConfig, file.pt, file.pt2, " +
				"file.onnx or example:fashion-cnn"
		}
		return fmt.Errorf("%s %q is not of the form %s", what, name, forms)
	}
	return checkFile(file, "name the Python file that holds "+factory)
}

func checkFile(file, mend string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return fmt.Errorf("there is no file %s; %s", file, mend)
	case info.IsDir():
		return fmt.Errorf("%s is a directory; %s", file, mend)
	}
	return nil
}

// isModule reports whether the name is package.module:factory.
func isModule(name string) bool {
	module, factory, ok := cutLast(name)
	if ok && slices.Contains(libraries, module) { // timm's names have tags: vit_base_patch16_224.augreg_in1k
		factory = strings.NewReplacer(".", "_", "-", "_").Replace(factory)
	}
	return ok && !strings.HasSuffix(module, ".py") && !slices.ContainsFunc(
		append(strings.Split(module, "."), factory), func(part string) bool { return !isIdentifier(part) })
}

func isIdentifier(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func suffix(file string) string { return strings.ToLower(filepath.Ext(file)) }

// KnowsItsInput reports whether a model says which shape it takes: a file that holds a
// graph, or a network of a library. A language model does not.
func KnowsItsInput(model string) bool {
	library, _, _ := cutLast(model)
	return suffixes[suffix(model)].isGraph() || slices.Contains(libraries, library)
}

// libraries have networks by name, as timm:resnet18 and transformers:BertConfig.
var libraries = []string{"timm", "transformers"}

func cutLast(model string) (file, factory string, ok bool) {
	i := strings.LastIndexByte(model, ':')
	if i <= 0 {
		return "", "", false
	}
	return model[:i], model[i+1:], true
}

// Name is the model's name in the database: that of the example, of the
// factory, or of the file without its suffix.
func (s Spec) Name() string {
	if name, ok := strings.CutPrefix(s.Model, examplePrefix); ok {
		return name
	}
	if _, ok := suffixes[suffix(s.Model)]; ok {
		base := filepath.Base(s.Model)
		return strings.TrimSuffix(base, filepath.Ext(base))
	}
	_, factory, _ := cutLast(s.Model)
	return factory
}
