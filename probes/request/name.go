package request

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
)

// commandName is the name of a script's model if the user gives none.
func commandName(argv []string) string {
	if i := scriptAt(argv); i >= 0 {
		return strings.TrimSuffix(filepath.Base(argv[i]), ".py")
	}
	if m := moduleOf(argv); m != "" {
		return m
	}
	return filepath.Base(argv[0])
}

// scriptAt is the index of the Python script in the command; -1 if there is none.
func scriptAt(argv []string) int {
	return slices.IndexFunc(argv, func(a string) bool { return strings.HasSuffix(a, ".py") })
}

// moduleOf is the module that Python, or a launcher of several Pythons, runs;
// "" for none: -m means something else to other programs.
func moduleOf(argv []string) string {
	program := filepath.Base(argv[0])
	i := slices.Index(argv, "-m")
	if i < 1 || i+1 == len(argv) || !strings.HasPrefix(program, "python") && program != "torchrun" {
		return ""
	}
	return argv[i+1]
}

// commandSource distinguishes commands of the same name: the script with its
// folder, the module, else all words.
func commandSource(argv []string) string {
	if i := scriptAt(argv); i >= 0 {
		return withFolder(argv[i])
	}
	if m := moduleOf(argv); m != "" {
		return "-m " + m
	}
	return strings.Join(argv, " ")
}

// withFolder returns a path's last two elements, so that a project can be moved.
func withFolder(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return filepath.Join(filepath.Base(filepath.Dir(full)), filepath.Base(full))
	}
	return path
}

// modelSource is the same for a model: its file with its folder and factory, or
// the name itself.
func modelSource(model string) string {
	path, factory, _ := strings.Cut(model, ":")
	if !slices.Contains([]string{".py", ".pt", ".pt2", ".onnx"}, filepath.Ext(path)) {
		return model // an example, or a module
	}
	path = withFolder(path)
	if factory != "" {
		path += ":" + factory
	}
	return path
}

// longestSource limits the length of a source in a name.
const longestSource = 60

// ownName returns the name, or if the database has another model of that name,
// one that includes the source: times of two networks must not be mixed.
func ownName(ctx context.Context, s *store.Store, name, source string) (string, error) {
	known, err := s.ModelSource(ctx, name)
	if err != nil || known == "" || sameSource(known, source) {
		return name, err
	}
	return fmt.Sprintf("%s (%s)", name, plaintext.Line(source, longestSource)), nil
}

// sameSource treats a path with and without its folder as equal.
func sameSource(a, b string) bool {
	a, b = filepath.Clean(a), filepath.Clean(b)
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
