package workfolder

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	files, err := Files(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// odd are names that a shell or tar would take for something else.
var odd = []string{"-rf", "a b", "it's", "new\nline", `quo"te`, "$(touch canary)", "größe"}

func TestFilesWithoutGit(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, odd...)
	write(t, dir, "pkg/net.py", "pkg/__pycache__/net.pyc", ".venv/lib/x.py", ".venv/pyvenv.cfg", "env/conda-meta/history",
		"env/bin/python", "node_modules/x.js")
	if err := os.Symlink("pkg/net.py", filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	want := []string{"./link.py", "./pkg/net.py"}
	for _, name := range odd {
		want = append(want, "./"+name)
	}
	slices.Sort(want)
	if got := listed(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFilesOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is missing, and with CI=true nothing may be skipped")
		}
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q")
	write(t, dir, odd...)
	write(t, dir, "tracked.py", "deleted.py", "data/huge.bin", "new.py", "sub/deep.py")
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("data/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", "tracked.py", "deleted.py")
	if err := os.Remove(filepath.Join(dir, "deleted.py")); err != nil {
		t.Fatal(err)
	}
	want := []string{"./.gitignore", "./tracked.py", "./new.py", "./sub/deep.py"}
	for _, name := range odd {
		want = append(want, "./"+name)
	}
	slices.Sort(want)
	if got := listed(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// A folder below: its own files, by paths in it.
	if got := listed(t, filepath.Join(dir, "sub")); !slices.Equal(got, []string{"./deep.py"}) {
		t.Errorf("of a folder below: %q", got)
	}
	// A folder that git ignores is copied all the same: it was asked for.
	if got := listed(t, filepath.Join(dir, "data")); !slices.Equal(got, []string{"./huge.bin"}) {
		t.Errorf("of an ignored folder: %q", got)
	}
}

func TestTooMuchIsRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "train.py", "data/huge.bin")
	if err := os.Truncate(filepath.Join(dir, "data", "huge.bin"), mostBytes+1); err != nil { // a sparse file
		t.Fatal(err)
	}
	_, err := Files(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), `in "data"`) || !strings.Contains(err.Error(), ".gitignore") {
		t.Errorf("%v", err)
	}
}

func TestNothingOrEverythingIsRefused(t *testing.T) {
	if _, err := Files(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no files") {
		t.Errorf("an empty folder: %v", err)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	write(t, home, ".ssh/id_ed25519")
	if _, err := Files(t.Context(), home); err == nil || !strings.Contains(err.Error(), "--folder") {
		t.Errorf("the user's home: %v", err)
	}
	if _, err := Files(t.Context(), filepath.Join(home, "absent")); err == nil {
		t.Error("a folder that is not there")
	}
}

func TestSetup(t *testing.T) {
	for _, c := range []struct {
		files    map[string]string
		imported []string
		from     string
		line     string // that it must hold
	}{
		{nil, nil, "", "--without-pip"},
		{nil, []string{"torch==2.9.1", "it's==1"}, "what the script imported here",
			`pip install -q 'torch==2.9.1' 'it'\''s==1' || {`},
		{map[string]string{"requirements.txt": "torch"}, []string{"numpy"}, "requirements.txt",
			"pip install -q -r requirements.txt"},
		{map[string]string{"pyproject.toml": "[tool.ruff]\nx = 1"}, nil, "", "--without-pip"},
		{map[string]string{"pyproject.toml": "[build-system]\n[project]\nname='x'"}, nil, "pyproject.toml", "-e ."},
		{map[string]string{"requirements.txt": "torch", "environment.yml": "name: x"}, nil, "environment.yml",
			`env create -q -p "$env" -f environment.yml`},
		{map[string]string{"pyproject.toml": "[project]", "uv.lock": ""}, nil, "uv.lock", "uv\" export -q --frozen"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := ReadSetup(dir, c.imported)
		if s.From != c.from || !strings.Contains(strings.Join(s.Lines, "\n"), c.line) {
			t.Errorf("%v: %+v", c.files, s)
		}
	}
}

// The lines are run, where they need no network: pip finds that nothing is missing.
func TestSetupIsRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "requirements.txt"), []byte("pip>=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	setUp(t, dir, nil)
}

// A version that is not to be had, as of another Python, gives way to one that is.
func TestSetupTakesTheVersionThatIsThere(t *testing.T) {
	t.Setenv("PIP_NO_INDEX", "1")
	if out := setUp(t, t.TempDir(), []string{"pip==0.0.1"}); !strings.Contains(out, "the newest are taken") {
		t.Errorf("said %q", out)
	}
}

// setUp runs the lines for a folder, and returns what they say.
func setUp(t *testing.T, dir string, imported []string) string {
	t.Helper()
	if err := exec.Command("python3", "-c", "import venv, ensurepip").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("Python's venv is missing, and with CI=true nothing may be skipped")
		}
		t.Skip("Python's venv is not installed")
	}
	env := filepath.Join(dir, "an environment")
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", strings.Join(ReadSetup(dir, imported).Lines, "\n"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "env="+env)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	pip := exec.Command(filepath.Join(env, "bin", "python3"), "-m", "pip", "--version")
	if out, err := pip.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return string(said)
}
