package request

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/probes/harness"
	"sweetspot/probes/session"
)

func TestModelFilesAreReadBeforeTheyRun(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "net.onnx")
	if err := os.WriteFile(broken, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	var o session.Options
	if err := describeFile(&o, &harness.Spec{Model: broken}, nil); err == nil ||
		!strings.Contains(err.Error(), "net.onnx") {
		t.Errorf("a broken file: %v", err)
	}
	if err := describeFile(&o, &harness.Spec{Model: "nets.py:net.onnx"}, nil); err == nil {
		t.Error("a file that is not there was read")
	}
	if err := describeFile(&o, &harness.Spec{Model: "example:fashion-cnn"}, nil); err != nil {
		t.Errorf("no file to read: %v", err)
	}
	if got := list([]int{3, 224, 224}, "x"); got != "3x224x224" {
		t.Error(got)
	}
}

// field is a field of a protocol buffer that holds bytes.
func field(number int, content ...[]byte) []byte {
	all := slices.Concat(content...)
	return slices.Concat(binary.AppendUvarint(nil, uint64(number)<<3|2), binary.AppendUvarint(nil, uint64(len(all))), all)
}

// whole is one that holds a number.
func whole(number int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3), v)
}

// A model whose weights alone do not fit in the GPU is refused before it runs.
func TestModelThatCannotFit(t *testing.T) {
	const params = 1 << 30 // 4 GiB in fp32
	weights := field(5, whole(1, params), whole(2, 1), field(8, []byte("w")), whole(14, 1))
	file := filepath.Join(t.TempDir(), "big.onnx")
	if err := os.WriteFile(file, slices.Concat(whole(1, 8), field(2, []byte("hand")), field(7, weights),
		field(8, whole(2, 13))), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		memory    *float64
		precision string
		fits      bool
	}{
		"just enough":        {new(4.0), "fp32", true},
		"too little":         {new(3.9), "fp32", false},
		"the default is 32":  {new(3.9), "", false},
		"half of it in bf16": {new(2.0), "bf16", true},
		"nobody knows":       {nil, "fp32", true},
	} {
		var o session.Options
		err := describeFile(&o, &harness.Spec{Model: file, Batch: 8, Precision: c.precision}, c.memory)
		if (err == nil) != c.fits || err != nil && !strings.Contains(err.Error(),
			"big.onnx at batch 8 needs at least 4 GiB") {
			t.Errorf("%s: %v", name, err)
		}
		if p := o.Description.Model.Params; p == nil || *p != params {
			t.Errorf("%s: %v parameters", name, p)
		}
	}
}
