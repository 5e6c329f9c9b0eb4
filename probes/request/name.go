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

// commandName is what a script's model is called where the user gives no name.
func commandName(argv []string) string {
	if i := scriptAt(argv); i >= 0 {
		return strings.TrimSuffix(filepath.Base(argv[i]), ".py")
	}
	if m := moduleOf(argv); m != "" {
		return m
	}
	return filepath.Base(argv[0])
}

// scriptAt is where the command names a Python script; -1 where it does not.
func scriptAt(argv []string) int {
	return slices.IndexFunc(argv, func(a string) bool { return strings.HasSuffix(a, ".py") })
}

// moduleOf is the module that a Python, or what starts several, is to run; ""
// for none: other programs have a -m of their own.
func moduleOf(argv []string) string {
	program := filepath.Base(argv[0])
	i := slices.Index(argv, "-m")
	if i < 1 || i+1 == len(argv) || !strings.HasPrefix(program, "python") && program != "torchrun" {
		return ""
	}
	return argv[i+1]
}

// commandSource is what tells commands of one name apart: the script with its
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

// withFolder is a path's last two elements, so that a project may move.
func withFolder(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return filepath.Join(filepath.Base(filepath.Dir(full)), filepath.Base(full))
	}
	return path
}

// modelSource is the same of a model: its file with its folder and factory, or
// the words that name it.
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

// longestSource is how much of a source goes into a name.
const longestSource = 60

// ownName is the name, or where the database knows another model by it, one
// that also tells where this one comes from: times of two networks must not be
// taken for times of one.
func ownName(ctx context.Context, s *store.Store, name, source string) (string, error) {
	known, err := s.ModelSource(ctx, name)
	if err != nil || known == "" || sameSource(known, source) {
		return name, err
	}
	return fmt.Sprintf("%s (%s)", name, plaintext.Line(source, longestSource)), nil
}

// sameSource takes a path with its folder and the same without for one.
func sameSource(a, b string) bool {
	a, b = filepath.Clean(a), filepath.Clean(b)
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
