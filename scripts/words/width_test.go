package words

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPythonIsNarrow looks at the embedded Python, at which no linter looks.
func TestPythonIsNarrow(t *testing.T) {
	const columns = 120
	python := filepath.Join("..", "..", "probes", "*", "python")
	var paths []string
	for _, pattern := range []string{filepath.Join(python, "*.py"), filepath.Join(python, "*", "*.py")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 50 {
		t.Errorf("only %d files were read", len(paths))
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(content), "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%s:%d: %d columns, more than %d", path, i+1, n, columns)
			}
		}
	}
}
