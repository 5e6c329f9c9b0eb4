package request

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"sweetspot/data/store"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
)

// commandName is the name of a script's model if the user gives none: the script's own and,
// where an argument chooses one, the architecture.
func commandName(argv []string) string {
	return strings.TrimSpace(programName(argv) + " " + architecture(argv))
}

func programName(argv []string) string {
	if i := scriptAt(argv); i >= 0 {
		return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(argv[i]), ".py"), notebook)
	}
	if m := moduleOf(argv); m != "" {
		return m
	}
	return filepath.Base(argv[0])
}

// architectures are the names of arguments that choose a network, without dashes.
var architectures = []string{"a", "arch", "architecture", "backbone", "model", "model_arch", "model_name",
	"model_name_or_path", "model_type", "net", "network"}

// longestArchitecture limits the length of an architecture in a name.
const longestArchitecture = 40

// architecture is the network that an argument of a script chooses, "" where none does: -a
// resnet18, --arch=resnet18 or, as in Hydra, model=resnet18 and model.name=resnet18. Other
// arguments name nothing: what they change of the network is measured.
func architecture(argv []string) string {
	script := scriptAt(argv)
	if i := slices.Index(argv, "-m"); script < 0 && moduleOf(argv) != "" {
		script = i + 1
	}
	for i, word := range argv[script+1:] {
		name, value, assigned := strings.Cut(word, "=")
		switch {
		case !assigned && !strings.HasPrefix(word, "-"):
			continue
		case !assigned && script+2+i < len(argv):
			value = argv[script+2+i]
		}
		name = strings.TrimSuffix(strings.TrimLeft(name, "-+"), ".name")
		if !slices.Contains(architectures, strings.ReplaceAll(strings.ToLower(name), "-", "_")) ||
			strings.HasPrefix(value, "-") || !strings.ContainsFunc(value, unicode.IsLetter) {
			continue
		}
		value = strings.TrimRight(value, "/")
		return plaintext.Line(strings.TrimSuffix(filepath.Base(value), filepath.Ext(modelFile(value))), longestArchitecture)
	}
	return ""
}

// modelFile is the value where it names a file of a network or its configuration.
func modelFile(value string) string {
	if slices.Contains([]string{".py", ".pt", ".pth", ".onnx", ".yaml", ".yml", ".json"}, filepath.Ext(value)) {
		return value
	}
	return ""
}

// notebook is the suffix of Jupyter's.
const notebook = ".ipynb"

// scriptAt is the index of the Python script, or notebook, in the command; -1 if there is none.
func scriptAt(argv []string) int {
	return slices.IndexFunc(argv, func(a string) bool {
		return strings.HasSuffix(a, ".py") || strings.HasSuffix(a, notebook)
	})
}

// nameAfter names a model after the script that trains, where the command does not name that
// itself, or where another one trained before.
func nameAfter(s *store.Store, named bool) func(context.Context, string, bool) (profile.Model, bool) {
	return func(ctx context.Context, script string, further bool) (m profile.Model, ok bool) {
		name, isScript := strings.CutSuffix(filepath.Base(script), ".py")
		if !isScript || named && !further || name == "ipykernel_launcher" {
			return m, false
		}
		m.SourceFile = script
		var err error
		if m.Name, err = ownName(ctx, s, plaintext.Line(name, longestSource), script); err != nil {
			return m, false // it keeps the command's
		}
		return m, true
	}
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
// folder, the module, else all words. The command runs in the folder given; "" is the
// current one.
func commandSource(argv []string, folder string) string {
	if i := scriptAt(argv); i >= 0 {
		if !filepath.IsAbs(argv[i]) {
			return withFolder(filepath.Join(folder, argv[i]))
		}
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
