package request

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweetspot/engine/profile"
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

// Of a graph that was exported for one batch size no other is offered.
func TestOnlyTheBatchOfTheFile(t *testing.T) {
	dim := func(n uint64) []byte { return field(1, whole(1, n)) }
	input := func(batch []byte) []byte {
		shape := field(2, field(1, batch), dim(1), dim(28), dim(28))
		return field(11, field(1, []byte("x")), field(2, field(1, whole(1, 1), shape)))
	}
	write := func(batch []byte) string {
		file := filepath.Join(t.TempDir(), "net.onnx")
		if err := os.WriteFile(file, slices.Concat(whole(1, 8), field(2, []byte("hand")), field(7, input(batch)),
			field(8, whole(2, 13))), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	fixed, open := write(whole(1, 8)), write(field(2, []byte("n")))
	for _, c := range []struct {
		file    string
		batches []int
		fit     int
		want    []int
	}{
		{fixed, nil, 0, []int{8}}, {fixed, []int{8}, 0, []int{8}}, {fixed, []int{8, 16}, 0, nil}, {fixed, nil, 64, nil},
		{open, nil, 0, []int{128}}, {open, []int{8, 16}, 0, []int{8, 16}},
	} {
		r := Request{Spec: harness.Spec{Model: c.file, Mode: profile.Infer, FitBatch: c.fit}, Batches: c.batches}
		cells, err := r.Cells()
		var got []int
		for _, cell := range cells {
			got = append(got, cell.Batch)
		}
		says := err != nil && strings.Contains(err.Error(), "net.onnx was exported for batches of exactly 8")
		if !slices.Equal(got, c.want) || says == (c.want != nil) {
			t.Errorf("%v up to %d: %v, %v; want %v", c.batches, c.fit, got, err, c.want)
		}
	}
	var o session.Options
	spec := harness.Spec{Model: fixed, Batch: 8}
	if err := describeFile(&o, &spec, nil); err != nil || len(o.Warnings) == 0 ||
		!strings.Contains(strings.Join(o.Warnings, "\n"), "that is the only batch size") || spec.Input != "1x28x28" {
		t.Errorf("%v, %q, input %s", err, o.Warnings, spec.Input)
	}
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
