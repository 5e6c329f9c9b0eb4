// Package modelfile inspects a model file without running it: parameters,
// operations of one sample, and the least memory it needs. It reads ONNX,
// TorchScript, torch.save and torch.export, and recognises them by content, not
// by name. Files may come from anywhere: nothing in them is executed, weights
// are skipped, and everything that is read is bounded.
package modelfile

import (
	"errors"
	"fmt"
	"io"
	"math"

	"sweetspot/data/textfile"
	"sweetspot/engine/plaintext"
)

// Facts is what a file says about its model. nil means unknown, and a warning
// says why.
type Facts struct {
	Params *float64 // without buffers such as running means
	// ParamBytes is the size of the parameters as they are stored.
	ParamBytes *float64
	// FLOPsPerUnit is the work of one sample's forward pass: two operations for
	// every multiply-add of convolutions, matrix products and recurrent layers.
	// The rest is small and not counted.
	FLOPsPerUnit *float64
	// Activations are the elements that the counted layers put out for one sample, Layers how
	// many of them there are. Both are known where the operations are.
	Activations, Layers *float64
	// ActivationBytes is the least memory that one sample's largest layer
	// needs: its input and its output, in the precision of the file.
	ActivationBytes *float64
	Input           []int    // shape of one sample; nil unknown
	Batch           int      // the only batch size that a graph takes; 0: any, or unknown
	Warnings        []string // sentences

	paramSizes  map[float64]float64 // bytes of a parameter: how many there are
	activations map[float64]float64 // bytes of a value: most values of one sample at a time
}

// valueBytes is the least number of bytes of a value computed in a precision.
// Automatic mixed precision keeps some values wider; a lower bound may ignore
// that.
var valueBytes = map[string]float64{"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "int8": 1}

// MemoryFloorBytes is a lower bound on the memory for a forward pass of a batch
// in a precision: all parameters and, if shapes are known, the input and output
// of the largest layer. Training needs more. It is nil if the parameters or the
// precision are unknown.
func (f Facts) MemoryFloorBytes(batch int, precision string) *float64 {
	width, known := valueBytes[precision]
	if f.Params == nil || !known || batch < 1 {
		return nil
	}
	total := 0.0
	for stored, n := range f.paramSizes {
		total += n * min(stored, width) // narrower stored values need not be widened
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
	maxName     = 200 // runes of a name that is kept
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

// needActivations records that a layer holds this many values of one sample at
// a time.
func (f *Facts) needActivations(n, bytesEach float64) {
	if f.activations == nil {
		f.activations = map[float64]float64{}
	}
	f.activations[bytesEach] = max(f.activations[bytesEach], n)
	if total := n * bytesEach; f.ActivationBytes == nil || *f.ActivationBytes < total {
		f.ActivationBytes = new(total)
	}
}

// check discards impossible values: a count that is not a number.
func (f *Facts) check() {
	for _, v := range []**float64{&f.Params, &f.ParamBytes, &f.FLOPsPerUnit, &f.ActivationBytes} {
		if *v != nil && (math.IsNaN(**v) || math.IsInf(**v, 0) || **v < 0) {
			*v = nil
			f.warn("the file states sizes that no model has")
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
	file, err := textfile.OpenFile(path)
	if err != nil {
		return Facts{}, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Facts{}, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	return parse(file, info.Size())
}

// parse recognises the format by the first bytes.
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
		return Facts{}, errors.New("is a bare pickle, not a model file; save the model with torch.jit.save, " +
			"torch.export.save or torch.onnx.export")
	default:
		facts, err = readONNX(r, size)
	}
	if err != nil {
		return Facts{}, err
	}
	facts.check()
	return facts, nil
}
