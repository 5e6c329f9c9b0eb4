package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a training holds whatever its batch: two layers of 400 bytes, the gradients of the
// one that is trained, and what the optimizer keeps of that.
func TestTheStateOfATrainingIsMeasured(t *testing.T) {
	t.Parallel()
	// Adam counts its steps besides.
	for optimizer, want := range map[string]float64{"sgd": 1200, "momentum": 1600, "adam": 2004} {
		r := run(t, "state.py", optimizer)
		if len(r.models) == 0 || number(r.models[0].StateBytes) != want {
			t.Errorf("%s: %+v, want %g bytes", optimizer, r.models, want)
		}
	}
}

// Of a real script PyTorch is told in a version that an index may have, and neither the
// standard library nor the script itself.
func TestThePackagesOfAScriptAreTold(t *testing.T) {
	t.Parallel()
	r := run(t, "state.py", "sgd")
	if !slices.ContainsFunc(r.packages, func(p string) bool { return strings.HasPrefix(p, "torch==") }) ||
		slices.ContainsFunc(r.packages, func(p string) bool { return strings.ContainsAny(p, "+ ") }) ||
		len(r.others) > 0 || len(r.warnings) > 0 {
		t.Errorf("%q, warnings %q, others %q", r.packages, r.warnings, r.others)
	}
}

// Of what is installed only that is told which is imported, from there, and came from an
// index.
func TestPackagesOfEveryKind(t *testing.T) {
	t.Parallel()
	python := anyPython(t)
	root := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dist := func(name, version string, files ...string) {
		info := "site-packages/" + name + "-" + version + ".dist-info/"
		put(info+"METADATA", "Metadata-Version: 2.1\nName: "+name+"\nVersion: "+version+"\n")
		for _, f := range files {
			put("site-packages/"+f, "")
		}
		put(info+"RECORD", strings.Join(files, ",,\n")+",,\n")
	}
	dist("Fast-Nets", "2.1.0+cu118", "fastnets/__init__.py", "fastnets/layers.py") // imported, of a CUDA build
	dist("idle", "1.0", "idle.py")                                                 // installed alone
	dist("shadowed", "1.0", "shadowed.py")                                         // a module of the script has its name
	dist("space-a", "1.0", "space/a.py")                                           // two of a namespace
	dist("space-b", "1.0", "space/b.py")
	dist("checkout", "1.0", "checkout.py") // from a folder of this machine
	put("site-packages/checkout-1.0.dist-info/direct_url.json", `{"url": "file:///home/me/checkout"}`)
	dist("evil", "1.0;rm", "evil.py") // no version
	put("script/shadowed.py", "")
	put("script/train.py", "import sys\nsys.path.append(sys.argv[1])\n"+
		"import json, shadowed, fastnets.layers, space.b, checkout, evil, packages\nprint(packages.imported())\n")
	command := exec.Command(python, "-S", filepath.Join(root, "script", "train.py"), filepath.Join(root, "site-packages"))
	here, err := filepath.Abs("python/sweetspot_hook")
	if err != nil {
		t.Fatal(err)
	}
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+here)
	out, err := command.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "['Fast-Nets==2.1.0', 'space-b==1.0']" {
		t.Errorf("%v: %s", err, got)
	}
}
