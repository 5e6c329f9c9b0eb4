package python

import (
	"context"
	"errors"
	"slices"

	"sweetspot/engine/plaintext"
)

// ErrNoONNXRuntime means that an interpreter lacks onnxruntime.
var ErrNoONNXRuntime = errors.New("has no onnxruntime")

// ONNXRuntime describes the library that runs .onnx files.
type ONNXRuntime struct {
	Version string
	GPU     bool // whether it was built for CUDA
}

const onnxQuestion = `
import json
import onnxruntime
print(json.dumps({"version": str(onnxruntime.__version__), "providers": list(onnxruntime.get_available_providers())}))
`

// FindONNXRuntime asks the interpreter at path. Its error is [ErrNoONNXRuntime]
// or says why the import fails.
func FindONNXRuntime(ctx context.Context, path string) (ONNXRuntime, error) {
	var answer struct {
		Version   string
		Providers []string
	}
	if err := ask(ctx, path, onnxQuestion, &answer); err != nil {
		return ONNXRuntime{}, err
	}
	return ONNXRuntime{Version: plaintext.Line(answer.Version, 40), GPU: slices.Contains(answer.Providers,
		"CUDAExecutionProvider")}, nil
}
