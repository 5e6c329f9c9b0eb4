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
