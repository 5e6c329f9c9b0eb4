package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sweetspot/data/bundle"
	"sweetspot/probes/porttest"
)

func TestParseFolder(t *testing.T) {
	for text, want := range map[string]Folder{
		"me@vm:runs":          {Host{Destination: "me@vm"}, "./runs"},
		"vm:/srv/it's a":      {Host{Destination: "vm"}, "/srv/it's a"},
		"vm:~/a:b":            {Host{Destination: "vm"}, "./a:b"},
		"me@[::1]:/srv":       {Host{Destination: "me@::1"}, "/srv"},
		"vm:-rf":              {Host{Destination: "vm"}, "./-rf"},
		"me@vm:$(reboot);`x`": {Host{Destination: "me@vm"}, "./$(reboot);`x`"},
	} {
		if got, ok, err := ParseFolder(text); err != nil || !ok || got != want {
			t.Errorf("%s: %+v %v %v", text, got, ok, err)
		}
	}
	for _, here := range []string{"runs", "/srv/a:b", "./a:b", "../x"} {
		if _, ok, err := ParseFolder(here); ok || err != nil {
			t.Errorf("%s is taken for another host: %v", here, err)
		}
	}
	for _, wrong := range []string{"vm:", "-oProxyCommand=x:a", "a b:c", "@vm:a", "vm:a\nb"} {
		if _, ok, err := ParseFolder(wrong); !ok || err == nil || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("%q: %v %v", wrong, ok, err)
		}
	}
}

// A folder on a host with a real sshd is what a folder of this machine is, whatever its name.
func TestFolderOverSSH(t *testing.T) {
	s := serve(t)
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "it's a $(touch evil) `folder`; \"x\"")
	f := Folder{s.host, dir}
	if names, err := f.List(ctx); err != nil || names != nil {
		t.Fatalf("of no folder: %v %v", names, err)
	}
	contents := map[string]string{}
	for i, text := range []string{"one", strings.Repeat("two\x00\n", 300_000), ""} {
		name := bundle.FileName("a1", int64(i), []byte(text))
		contents[name] = text
		if err := f.Add(ctx, name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	names, err := f.List(ctx)
	if err != nil || len(names) != len(contents) {
		t.Fatalf("%v %v", names, err)
	}
	missing := bundle.FileName("b1", 1, nil)
	got := map[string]string{}
	if err := f.Fetch(ctx, append([]string{missing}, names...), func(name string, content []byte, err error) error {
		if err != nil {
			got[name] = "error: " + err.Error()
		} else {
			got[name] = string(content)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range contents {
		if got[name] != want {
			t.Errorf("%s came as %d bytes, not %d", name, len(got[name]), len(want))
		}
	}
	if !strings.HasPrefix(got[missing], "error: ") {
		t.Errorf("a missing one came as %q", got[missing])
	}
	if err := os.Chmod(dir, 0o770); err != nil {
		t.Fatal(err)
	}
	shared := bundle.FileName("a1", 9, []byte("x"))
	if err := f.Add(ctx, shared, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, shared)); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("in the folder of a group: %v %v", info, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".part*"))
	if err != nil || left != nil || slices.Contains(names, "other") {
		t.Errorf("left %v, named %v", left, names)
	}
	for _, c := range []struct {
		f     Folder
		words string
	}{
		{Folder{s.host, filepath.Join(dir, "other")}, "can't be used"},
		{Folder{Host{Destination: s.host.Destination, Port: porttest.Free(t)}, dir}, "can't be reached"},
	} {
		_, err := c.f.List(ctx)
		if err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v does not say %q", err, c.words)
		}
	}
	stale, other := filepath.Join(dir, ".part-a"), filepath.Join(dir, "others", ".part-b")
	if err := os.Mkdir(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-72 * time.Hour)
	for _, path := range []string{stale, other} {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, before, before)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.List(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a killed sync left is still there: %v", err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file of another folder is gone: %v", err)
	}
	if evil, _ := filepath.Glob("evil"); evil != nil {
		t.Error("the shell ran what was a name")
	}
}

// A connection that is cut while bundles come over loses nothing of those that came.
func TestCutWhileFetching(t *testing.T) {
	s := serve(t)
	dir := t.TempDir()
	big := []byte(strings.Repeat("0123456789abcdef", 1<<20))
	var names []string
	for i := range int64(8) {
		name := bundle.FileName("a1", i, big)
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), big, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, failed := 0, 0
	err := Folder{s.host, dir}.Fetch(context.Background(), names, func(_ string, content []byte, err error) error {
		switch {
		case err != nil:
			failed++
		case string(content) != string(big):
			t.Error("a part of a bundle came for the whole of it")
		default:
			if whole++; whole == 2 {
				s.cut()
			}
		}
		return nil
	})
	if err != nil || whole < 2 || whole+failed != len(names) {
		t.Errorf("%d whole, %d failed of %d: %v", whole, failed, len(names), err)
	}
}
