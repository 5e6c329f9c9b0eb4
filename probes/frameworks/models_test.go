package frameworks

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Models of today's libraries, exported programs, ONNX files and int8: the tests
// of the harness with each version of the frameworks, none of which may be missing.
func TestModels(t *testing.T) {
	folder := environments(t)
	tests := []string{"test_libraries", "test_forms"}
	if !testing.Short() {
		tests = append(tests, "test_pruning", "test_variants")
	}
	for _, environment := range []string{"new", "old"} {
		for _, name := range tests {
			t.Run(environment+"/"+name, func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), filepath.Join(folder, environment, "bin", "python"), "-B", "-m",
					"unittest", name)
				cmd.Dir = "../harness/testdata"
				cmd.Env = append(os.Environ(), "PYTHONPATH=../python:../../examples", "CUDA_VISIBLE_DEVICES=",
					"PYTHONWARNINGS=ignore", "OMP_NUM_THREADS=1")
				if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("\nOK")) {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}
