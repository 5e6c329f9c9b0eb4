package request

import (
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/data/store"
	"sweetspot/engine/profile"
)

func TestSourcesOfCommands(t *testing.T) {
	for command, want := range map[string][2]string{
		"python3 proj/train.py --epochs 3":    {"train", "proj/train.py"},
		"python3 -m mypkg.train --epochs 3":   {"mypkg.train", "-m mypkg.train"},
		"./train.py --lr 1":                   {"train", "request/train.py"},
		"worker -m fast":                      {"worker", "worker -m fast"},
		"bash -c ./run":                       {"bash", "bash -c ./run"},
		"torchrun -m pkg.go":                  {"pkg.go", "-m pkg.go"},
		"torchrun --nproc 2 /a/b/finetune.py": {"finetune", "b/finetune.py"},

		"python3 p/main.py -a resnet18 --lr 0.1":     {"main resnet18", "p/main.py"},
		"python3 p/main.py --arch=resnet50 data":     {"main resnet50", "p/main.py"},
		"python3 p/main.py --model-name google/vit/": {"main vit", "p/main.py"},
		"python3 p/main.py model=vit_b lr=1":         {"main vit_b", "p/main.py"},
		"python3 p/main.py +model.name=mlp":          {"main mlp", "p/main.py"},
		"python3 p/main.py --backbone conf/big.yaml": {"main big", "p/main.py"},
		"python3 p/main.py --net net.v2":             {"main net.v2", "p/main.py"},
		"python3 -m pkg.train --arch mlp":            {"pkg.train mlp", "-m pkg.train"},
		"python3 p/main.py -a 0.5 --model --lr 1":    {"main", "p/main.py"},
		"python3 p/main.py --out resnet18 --arch":    {"main", "p/main.py"},
		"python3 p/main.py --lr 1 --epochs 3 -b 64":  {"main", "p/main.py"},
	} {
		argv := strings.Fields(command)
		if name, source := commandName(argv), commandSource(argv, ""); name != want[0] || source != want[1] {
			t.Errorf("%s: %q from %q, want %q", command, name, source, want)
		}
	}
	for model, want := range map[string]string{
		"example:fashion-cnn": "example:fashion-cnn", "pkg.nets:small": "pkg.nets:small",
		"/x/y/tiny.py:net": "y/tiny.py:net", "/x/y/net.onnx": "y/net.onnx",
	} {
		if got := modelSource(model); got != want {
			t.Errorf("%s: %q, want %q", model, got, want)
		}
	}
}

// Another model of a name that is taken gets one of its own; the same one
// probed again keeps it.
func TestOwnName(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if name, err := ownName(t.Context(), s, "net", "a/tiny.py:net"); name != "net" || err != nil {
		t.Errorf("the first: %q, %v", name, err)
	}
	r, err := s.Start(t.Context(), store.Description{Model: profile.Model{Name: "net", SourceFile: "a/tiny.py:net"},
		Mode: profile.Train})
	if err != nil || r.ID() == 0 {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"a/tiny.py:net": "net", "tiny.py:net": "net", "a/other.py:net": "net (a/other.py:net)",
		"b/tiny.py:net": "net (b/tiny.py:net)",
	} {
		if name, err := ownName(t.Context(), s, "net", source); name != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", source, name, err, want)
		}
	}
}
