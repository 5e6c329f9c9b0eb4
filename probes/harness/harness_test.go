package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/profile"
)

func TestResolve(t *testing.T) {
	s, err := Spec{Model: "example:fashion-cnn"}.Resolve()
	want := Spec{Model: "example:fashion-cnn", Mode: profile.Train, Input: "1x28x28", Batch: 128, Epochs: 10, Precision: "fp32", Data: Auto, Optimizer: "sgd"}
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
		"file.py:factory":        func(s *Spec) { s.Model = "resnet18" },
		"of the form":            func(s *Spec) { s.Model = file + ":" },
		"no file":                func(s *Spec) { s.Model = file[:len(file)-6] + "other.py:net" },
		"no example":             func(s *Spec) { s.Model = "example:vgg" },
		"neither train nor":      func(s *Spec) { s.Mode = "serve" },
		"missing":                func(s *Spec) { s.Input = "" },
		`"3x0x4" is not a shape`: func(s *Spec) { s.Input = "3x0x4" },
		`"3,224" is not a`:       func(s *Spec) { s.Input = "3,224" },
		`"x" is not a`:           func(s *Spec) { s.Input = "x" },
		`"-1x4" is not a`:        func(s *Spec) { s.Input = "-1x4" },
		"larger than":            func(s *Spec) { s.Input = "1000000x1000000x1000000x1000000" },
		"batch size -1":          func(s *Spec) { s.Batch = -1 },
		"cannot be negative":     func(s *Spec) { s.Epochs = -3 },
		`precision "int3"`:       func(s *Spec) { s.Precision = "int3" },
		`data "imagenet"`:        func(s *Spec) { s.Data = "imagenet" },
		`optimizer "lion"`:       func(s *Spec) { s.Optimizer = "lion" },
	} {
		s := good
		change(&s)
		_, err := s.Resolve()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
		if _, _, err := Command("python3", s); err == nil {
			t.Errorf("a command for %+v", s)
		}
	}
}

func TestCommandBringsItsFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	argv, cleanup, err := Command("/usr/bin/python3", Spec{Model: "example:fashion-cnn-wide", Batch: 64})
	if err != nil {
		t.Fatal(err)
	}
	dir := argv[2]
	for _, file := range []string{"__main__.py", "sweetspot_harness/__init__.py", "sweetspot_harness/command.py", "fashion_cnn.py"} {
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Error(err)
		}
	}
	for _, want := range []string{"--model=" + dir + "/fashion_cnn.py:fashion_cnn_wide", "--name=fashion-cnn-wide", "--batch=64", "--mode=train"} {
		if !slices.Contains(argv, want) {
			t.Errorf("%q lacks %s", argv, want)
		}
	}
	cleanup()
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
