package profile

import (
	"slices"
	"strings"
	"testing"
)

func TestCommandAt(t *testing.T) {
	for _, c := range []struct {
		command     string
		measured    int
		gpus, batch int
		want        string // "" is not ok
	}{
		{"python3 train.py --batch-size 64 --lr 64", 64, 1, 128, "python3 train.py --batch-size 128 --lr 64"},
		{"python3 train.py --batch_size=64", 64, 0, 128, "python3 train.py --batch_size=128"},
		{"python3 main.py -b 256 -j 4", 256, 1, 32, "python3 main.py -b 32 -j 4"},
		{"train data.bs=8 model=x", 8, 1, 16, "train data.bs=16 model=x"},
		{"python3 t.py --batch-size 64 --test-batch-size 64", 64, 1, 32, "python3 t.py --batch-size 32 --test-batch-size 64"},
		{"run.py --per_device_train_batch_size 8", 32, 4, 64, "run.py --per_device_train_batch_size 16"},
		{"run.py --per_device_train_batch_size 8", 32, 4, 50, ""},
		{"sweetspot probe --model=nets.py:net --batch=64", 64, 1, 128, "sweetspot probe --model=nets.py:net --batch=128"},
		{"python3 train.py --batch-size 64", 64, 1, 64, "python3 train.py --batch-size 64"},
		{"python3 train.py", 64, 1, 64, "python3 train.py"},
		{"python3 train.py", 64, 1, 128, ""},
		{"python3 train.py --batch-size 64 --micro-batch-size 64", 64, 1, 128, ""},
		{"python3 train.py --batches 64 --epochs 64", 64, 1, 128, ""},
		{"python3 train.py --batch-size", 64, 1, 128, ""},
		{"python3 train.py --batch-size 32", 64, 1, 128, ""}, // accumulated, perhaps
		{"", 64, 1, 64, ""},
	} {
		r := Run{Command: strings.Fields(c.command), BatchSize: c.measured, GPUCount: c.gpus, Count: 1}
		got, ok := r.CommandAt(c.batch)
		if ok != (c.want != "") || ok && strings.Join(got, " ") != c.want {
			t.Errorf("%s at %d: %q, %t", c.command, c.batch, got, ok)
		}
		if !slices.Equal(r.Command, strings.Fields(c.command)) {
			t.Errorf("%s was changed", c.command)
		}
	}
}

// What a script needs elsewhere is taken from its newest run in the folder, be it with other
// arguments.
func TestPackagesForACommand(t *testing.T) {
	old, own := []string{"torch==2.0.0"}, []string{"torch==2.1.0"}
	at := func(id int64, command string, packages []string) Run {
		return Run{ID: id, Model: "net", Command: strings.Fields(command), Folder: "/work", Packages: packages}
	}
	s := &Set{Runs: []Run{at(1, "python3 train.py --lr 1", own), at(2, "python3 other.py", []string{"numpy==1.0"}),
		at(3, "python3 train.py --lr 2", old), at(4, "python3 train.py --lr 2", nil), at(5, "run.sh", []string{"a==1"})}}
	for command, want := range map[string][]string{
		"python3 train.py --lr 1": own, "python3 train.py --lr 2": old, "python3 train.py --lr 3": old,
		"python3 new.py": nil, "sh": nil, "run.sh": {"a==1"}, "": nil,
	} {
		if got := s.PackagesFor(strings.Fields(command), "/work"); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
	if got := s.PackagesFor(strings.Fields("python3 train.py --lr 1"), "/elsewhere"); got != nil {
		t.Errorf("of another folder %q", got)
	}
	if got := s.PackagesOf(&s.Runs[3]); !slices.Equal(got, old) {
		t.Errorf("of a run that does not tell %q", got)
	}
}

func TestIsPackage(t *testing.T) {
	for text, want := range map[string]bool{"torch==2.1.0": true, "a.b-c_d==1!2.0rc1": true, "torch": false,
		"torch==": false, "-r==1": false, "a==1; rm -rf /": false,
		"a==1\n": false, "a==$(x)": false, "a @ file:///x": false} {
		if IsPackage(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}

func TestRuntime(t *testing.T) {
	for packages, want := range map[string]string{
		"": "", "torch==2.4.0 numpy==1.26.4": "", "torch==2.4.0 tensorrt==8.6.0": "tensorrt",
		"torch==2.4.0 torch_tensorrt==2.4.0": "tensorrt", "onnxruntime-gpu==1.18.0": "onnxruntime",
		"OpenVINO==2024.1": "openvino",
	} {
		if got := (&Run{Packages: strings.Fields(packages)}).Runtime(); got != want {
			t.Errorf("%q: %q, want %q", packages, got, want)
		}
	}
}
