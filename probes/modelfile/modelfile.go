// Package modelfile reads what a model file says of itself without running
// it: parameters, operations of one sample, and the memory below which it
// cannot work. It knows ONNX, TorchScript, what torch.save writes, and
// torch.export; which of them a file is, its content tells, not its name.
// Files come from anywhere: nothing in them is executed, weights are skipped
// rather than read, and what is read is bounded.
package modelfile

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"sweetspot/engine/plaintext"
)

// The values of Facts.Format.
const (
	ONNX        = "onnx"
	TorchScript = "torchscript"
	TorchSave   = "torch.save" // a state dict, a checkpoint or a pickled module
	TorchExport = "torch.export"
)

// Facts is what a file says of its model. nil is unknown, and then a warning
// says why.
type Facts struct {
	Format   string
	Producer string   // what wrote the file; "" unknown
	Params   *float64 // buffers such as running means are not among them
	// ParamBytes is the size of the parameters as they are stored.
	ParamBytes *float64
	// FLOPsPerUnit is the work of one sample forward: two for every
	// multiplication with its addition, of convolutions, matrix products and
	// recurrent layers. The rest does little and is not counted.
	FLOPsPerUnit *float64
	// ActivationBytes is what one sample's largest layer needs at the least:
	// its input and its output, in the precision of the file.
	ActivationBytes *float64
	Input           []int // shape of one sample; nil unknown
	Layers          []Layer
	Warnings        []string // sentences

	paramSizes  map[float64]float64 // bytes of a parameter: how many there are
	activations map[float64]float64 // bytes of a value: most values of one sample at once
}

// Layer is one step of the model that has parameters or does counted work.
type Layer struct {
	Name   string // "" for the whole model
	Kind   string // the format's own word: Conv, Conv2d, addmm; "" unknown
	Params *float64
	FLOPs  *float64 // of one sample
}

// valueBytes is the least room of one value that is computed in a precision.
// Under automatic mixed precision some values stay wider, which a floor may
// leave out.
var valueBytes = map[string]float64{"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "int8": 1}

// MemoryFloorBytes is the memory below which a batch cannot pass forward in a
// precision: every parameter and, where shapes are known, the input and output
// of the largest layer. Training needs more. nil where the parameters or the
// precision are unknown.
func (f Facts) MemoryFloorBytes(batch int, precision string) *float64 {
	width, known := valueBytes[precision]
	if f.Params == nil || !known || batch < 1 {
		return nil
	}
	total := 0.0
	for stored, n := range f.paramSizes {
		total += n * min(stored, width) // what is stored narrower need not be widened
	}
	most := 0.0
	for stored, n := range f.activations {
		most = max(most, n*min(stored, width))
	}
	if total += float64(batch) * most; math.IsInf(total, 0) || math.IsNaN(total) {
		return nil
	}
	return new(total)
}

func (f *Facts) warn(format string, args ...any) {
	text := plaintext.Cut(plaintext.Clean(fmt.Sprintf(format, args...)), maxWarning)
	for _, w := range f.Warnings {
		if w == text {
			return
		}
	}
	if len(f.Warnings) < maxWarnings {
		f.Warnings = append(f.Warnings, text)
	}
}

const (
	maxWarning  = 500
	maxWarnings = 20
	maxName     = 200     // runes of a name that is kept
	maxLayers   = 100_000 // a model of more is none
)

func clean(name string) string { return plaintext.Cut(plaintext.Clean(name), maxName) }

// addParams counts the values of one parameter tensor of so many bytes each.
func (f *Facts) addParams(n, bytesEach float64) {
	if f.Params == nil {
		f.Params, f.ParamBytes = new(0.0), new(0.0)
		f.paramSizes = map[float64]float64{}
	}
	*f.Params += n
	*f.ParamBytes += n * bytesEach
	f.paramSizes[bytesEach] += n
}

// needActivations notes that a layer holds so many values of one sample at
// once.
func (f *Facts) needActivations(n, bytesEach float64) {
	if f.activations == nil {
		f.activations = map[float64]float64{}
	}
	f.activations[bytesEach] = max(f.activations[bytesEach], n)
	if total := n * bytesEach; f.ActivationBytes == nil || *f.ActivationBytes < total {
		f.ActivationBytes = new(total)
	}
}

// check takes back what no real model can say: a count that is not a number.
func (f *Facts) check() {
	for _, v := range []**float64{&f.Params, &f.ParamBytes, &f.FLOPsPerUnit, &f.ActivationBytes} {
		if *v != nil && (math.IsNaN(**v) || math.IsInf(**v, 0) || **v < 0) {
			*v = nil
			f.warn("the file claims sizes that no model has")
		}
	}
}

// Read reads the model file at path. An error is one sentence that names the
// file, what is wrong and what to do.
func Read(path string) (Facts, error) {
	facts, err := read(path)
	if err != nil {
		return Facts{}, fmt.Errorf("%s %w", plaintext.Clean(path), err)
	}
	return facts, nil
}

func read(path string) (Facts, error) {
	file, err := os.Open(path)
	if err != nil {
		return Facts{}, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return Facts{}, errors.New("is not a file; name a model file")
	}
	return parse(file, info.Size())
}

// parse tells the format by the first bytes.
func parse(r io.ReaderAt, size int64) (facts Facts, err error) {
	head := make([]byte, min(size, 16))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return Facts{}, errors.New("cannot be read")
	}
	switch {
	case size == 0:
		return Facts{}, errors.New("is empty; save the model again")
	case isZip(head):
		facts, err = readArchive(r, size)
	case isOldSave(head):
		return Facts{}, errors.New("was written by torch.save in the format before PyTorch 1.6; load it and save it again")
	case head[0] == 0x80:
		return Facts{}, errors.New("is a bare pickle, not a model file; save the model with torch.jit.save, torch.export.save or torch.onnx.export")
	default:
		facts, err = readONNX(r, size)
	}
	if err != nil {
		return Facts{}, err
	}
	facts.check()
	return facts, nil
}
