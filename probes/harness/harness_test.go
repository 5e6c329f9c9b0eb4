package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"io/fs"
	"sweetspot/engine/profile"
)

func TestResolve(t *testing.T) {
	s, err := Spec{Model: "example:fashion-cnn"}.Resolve()
	want := Spec{Model: "example:fashion-cnn", Mode: profile.Train, Input: "1x28x28", Batch: 128, Epochs: 10,
		Precision: "fp32", Data: Auto, Optimizer: "sgd"}
	if err != nil || s != want {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err = (Spec{Model: "example:fashion-cnn", Mode: profile.Infer}).Resolve(); err != nil || s.Epochs != 0 {
		t.Errorf("an inference ends after %d passes, %v", s.Epochs, err)
	}
}

func TestWrongSpecs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.py")
	if err := os.WriteFile(file, []byte("def net(): pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := Spec{Model: file + ":net", Input: "3x224x224"}
	if _, err := good.Resolve(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Spec){
		"file.py:factory":          func(s *Spec) { s.Model = "resnet18" },
		"of the form":              func(s *Spec) { s.Model = file + ":" },
		"no file":                  func(s *Spec) { s.Model = file[:len(file)-6] + "other.py:net" },
		"no example":               func(s *Spec) { s.Model = "example:vgg" },
		"neither train nor":        func(s *Spec) { s.Mode = "serve" },
		"missing":                  func(s *Spec) { s.Input = "" },
		`"3x0x4" is not a shape`:   func(s *Spec) { s.Input = "3x0x4" },
		`"3,224" is not a`:         func(s *Spec) { s.Input = "3,224" },
		`"x" is not a`:             func(s *Spec) { s.Input = "x" },
		`"-1x4" is not a`:          func(s *Spec) { s.Input = "-1x4" },
		"larger than":              func(s *Spec) { s.Input = "1000000x1000000x1000000x1000000" },
		"batch size -1":            func(s *Spec) { s.Batch = -1 },
		"cannot be negative":       func(s *Spec) { s.Epochs = -3 },
		`precision "int3"`:         func(s *Spec) { s.Precision = "int3" },
		`data "imagenet"`:          func(s *Spec) { s.Data = "imagenet" },
		`optimizer "lion"`:         func(s *Spec) { s.Optimizer = "lion" },
		"leaves nothing of":        func(s *Spec) { s.Prune = "1" },
		"is not a fraction":        func(s *Spec) { s.Prune = "-0.1" },
		"is not one degree":        func(s *Spec) { s.Prune = "conv2=0.5,conv1=0.3" },
		"is below the batch":       func(s *Spec) { s.FitBatch = 64 },
		"largest batch size to":    func(s *Spec) { s.FitBatch = 1 << 30 },
		"are too many for a probe": func(s *Spec) { s.Epochs = 1 << 40 },
	} {
		s := good
		change(&s)
		_, err := s.Resolve()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
		if _, _, err := Program("python3", s, false); err == nil {
			t.Errorf("files for %+v", s)
		}
	}
}

func TestFilesAndArgv(t *testing.T) {
	spec := Spec{Model: "example:fashion-cnn-wide", Mode: profile.Infer, Batch: 64, Prune: "0.3", FineTune: 2,
		Eval: "sets.nets:test", Layers: true, FitBatch: 512}
	files, argv, err := Program("/usr/bin/python3", spec, false)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"__main__.py", "sweetspot_harness/__init__.py", "sweetspot_harness/pruning.py",
		"fashion_cnn.py"} {
		if content, err := os.ReadFile(filepath.Join(dir, file)); err != nil || len(content) == 0 {
			t.Errorf("%s: %d bytes, %v", file, len(content), err)
		}
	}
	for _, want := range []string{
		"--model=" + Directory + "/fashion_cnn.py:fashion_cnn_wide", "--name=fashion-cnn-wide", "--batch=64", "--mode=infer",
		"--input=1x28x28",
		"--trained", "--prune=0.3", "--fine-tune=2", "--eval=sets.nets:test", "--layers", "--fit-batch=512",
		"--precision=fp32",
	} {
		if !slices.Contains(argv, want) {
			t.Errorf("%q lacks %s", argv, want)
		}
	}
	if argv[0] != "/usr/bin/python3" || argv[2] != Directory {
		t.Errorf("%q", argv)
	}
	_, words, err := Program("python3", Spec{Model: "example:fashion-cnn"}, false)
	plain := strings.Join(words, " ")
	if err != nil || plain == "" {
		t.Errorf("%q, %v", plain, err)
	}
	for _, not := range []string{"--trained", "--prune", "--fine-tune", "--eval", "--layers", "--fit-batch"} {
		if strings.Contains(plain, not) {
			t.Errorf("%q has %s", plain, not)
		}
	}
}

func TestForms(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"net.py", "net.pt", "net.PT2", "net.onnx", "net.pth"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for model, want := range map[string]struct {
		form Form
		name string
	}{
		"example:fashion-cnn":         {Example, "fashion-cnn"},
		dir + "/net.py:make":          {Script, "make"},
		"torchvision.models:resnet18": {Module, "resnet18"},
		"timm:vit_tiny.augreg-in1k":   {Module, "vit_tiny.augreg-in1k"},
		"transformers:BertConfig":     {Module, "BertConfig"},
		"nets:Tiny":                   {Module, "Tiny"},
		dir + "/net.pt":               {TorchScript, "net"},
		dir + "/net.PT2":              {Exported, "net"},
		dir + "/net.onnx":             {ONNX, "net"},
	} {
		form, err := checkModel(model)
		if err != nil || form != want.form || (Spec{Model: model}).Name() != want.name {
			t.Errorf("%s: %s, %v, called %s", model, form, err, Spec{Model: model}.Name())
		}
	}
	for model, want := range map[string]string{
		dir + "/net.pth":        "holds weights without a network; write a factory",
		dir + "/other.pt":       "no file",
		dir + ":make":           "of the form",
		"two words:make":        "of the form",
		"timm:two words":        "of the form",
		"nets:vit.tagged":       "of the form",
		"1nets:make":            "of the form",
		"nets.:make":            "of the form",
		"nets:":                 "of the form",
		":make":                 "of the form",
		"":                      "of the form",
		dir + "/none.onnx":      "no file",
		dir + "/missing.py:net": "no file",
	} {
		if _, err := checkModel(model); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
}

// What a file or a mode cannot be made into is refused before anything runs.
func TestVariantsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"net.pt", "net.pt2", "net.onnx"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		spec Spec
		want string
	}{
		{Spec{Model: "nets:Tiny", Precision: "int8"}, "int8 is for inference only"},
		{Spec{Model: "nets:Tiny", Precision: "int8", Mode: profile.Infer}, ""},
		{Spec{Model: "nets:Tiny", Prune: "0.5"}, ""},
		{Spec{Model: "nets:Tiny", Prune: "conv1=0.3,conv2=0.5"}, ""},
		{Spec{Model: "nets:Tiny", Prune: "0.5", FineTune: 1}, "in --mode train the pruned network is trained anyway"},
		{Spec{Model: "nets:Tiny", Eval: "sets.py:test"}, "no file sets.py"},
		{Spec{Model: "nets:Tiny", Eval: "sets"}, "labelled set \"sets\" is not of the form file.py:factory or " +
			"package.module:factory"},
		{Spec{Model: "nets:Tiny", Eval: "sets:test"}, ""},
		{Spec{Model: dir + "/net.pt"}, ""},
		{Spec{Model: dir + "/net.pt", Precision: "bf16"}, ""},
		{Spec{Model: dir + "/net.pt", Prune: "0.1"}, "a TorchScript file cannot be pruned; give the Python factory"},
		{Spec{Model: dir + "/net.pt", Precision: "int8", Mode: profile.Infer}, "a TorchScript file cannot be quantised"},
		{Spec{Model: dir + "/net.pt2"}, "cannot be trained"},
		{Spec{Model: dir + "/net.pt2", Mode: profile.Infer, Precision: "bf16"}, "the precision it was exported in"},
		{Spec{Model: dir + "/net.onnx"}, "an ONNX file cannot be trained; use --mode infer"},
		{Spec{Model: dir + "/net.onnx", Mode: profile.Infer, Prune: "0.1"}, "an ONNX file cannot be pruned"},
		{Spec{Model: dir + "/net.onnx", Mode: profile.Infer, Precision: "fp16"}, "the precision it was exported in"},
	} {
		c.spec.Input = "1x8x8"
		_, err := c.spec.Resolve()
		if (c.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.spec, err, c.want)
		}
	}
	for model, want := range map[string]bool{"net.onnx": true, "net.pt2": true, "net.pt": false} {
		if _, err := (Spec{Model: filepath.Join(dir, model), Mode: profile.Infer}).Resolve(); (err == nil) != want {
			t.Errorf("%s without a shape: %v", model, err)
		}
	}
	s, err := Spec{Model: "nets:Tiny", Input: "4", Mode: profile.Infer, FineTune: 3}.Resolve()
	if err != nil || s.FineTune != 0 {
		t.Errorf("fine-tuning of what was not pruned: %+v, %v", s, err)
	}
}

// What goes to another host brings the user's files, under names of its own.
func TestPortableCarriesTheModel(t *testing.T) {
	dir := t.TempDir()
	net, labelled := filepath.Join(dir, "nets.py"), filepath.Join(dir, "set.py")
	for name, text := range map[string]string{net: "def net(): pass\n", labelled: "def test(): pass\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec := Spec{Model: net + ":net", Eval: labelled + ":test", Input: "3x8x8", Mode: profile.Infer}
	files, argv, err := Program("python3", spec, true)
	if err != nil {
		t.Fatal(err)
	}
	for option, name := range map[string]string{"--model=": "carried/model/nets.py", "--eval=": "carried/eval/set.py"} {
		factory := map[string]string{"--model=": ":net", "--eval=": ":test"}[option]
		if !slices.Contains(argv, option+Directory+"/"+name+factory) {
			t.Errorf("%q does not name %s", argv, name)
		}
		if content, err := fs.ReadFile(files, name); err != nil || !strings.HasPrefix(string(content), "def ") {
			t.Errorf("%s: %q, %v", name, content, err)
		}
	}
	if _, argv, err := Program("python3", Spec{Model: "example:fashion-cnn"}, true); err != nil ||
		slices.ContainsFunc(argv, func(w string) bool { return strings.Contains(w, "carried") }) {
		t.Errorf("an example needs nothing carried: %q, %v", argv, err)
	}
}
