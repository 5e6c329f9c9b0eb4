package rental

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sweetspot/data/launch"
	"sweetspot/engine/profile"
)

// written writes a rental whose cloud is a program of the test.
func written(t *testing.T, sky string, probe ...string) (script string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", filepath.Join(t.TempDir(), "it's a home"))
	bin := t.TempDir()
	for name, text := range map[string]string{"sky": sky, "ssh": "cat >/dev/null\n"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "train.py"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := Write(launch.SkyRenter, launch.Rental{
		Name: NewName(), Limit: time.Minute, Folder: folder, Files: []string{"./train.py"}, Probe: probe,
		VM: profile.VMType{Cloud: "aws", Region: "us-east-1", InstanceType: "g6.xlarge", GPU: "L4", GPUCount: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(launch.SkyRenter); err != nil {
		t.Fatal(err)
	}
	return script
}

func leftovers(t *testing.T) []Leftover {
	t.Helper()
	left, err := Leftovers()
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestPrivate(t *testing.T) {
	script := written(t, "exit 0", "true")
	for path, want := range map[string]os.FileMode{script: 0o600, filepath.Dir(script): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if left := leftovers(t); len(left) != 0 {
		t.Errorf("%v, of what was only written", left)
	}
}

// Whatever fails, the VM is ended, once it was ordered.
func TestAlwaysEnds(t *testing.T) {
	note := `echo "$1" >>"$XDG_STATE_HOME/log"; `
	for name, c := range map[string]struct {
		sky   string
		probe []string
		fails bool
	}{
		"success":             {note, []string{"true"}, false},
		"a probe that fails":  {note, []string{"false"}, true},
		"a probe not there":   {note, []string{"/no/such/program"}, true},
		"a VM not to be had":  {note + `[ "$1" = down ]`, []string{"true"}, true},
		"a VM that won't end": {note + `[ "$1" = launch ]`, []string{"true"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			script := written(t, c.sky, c.probe...)
			var said bytes.Buffer
			if err := Run(t.Context(), script, &said, &said); (err != nil) != c.fails {
				t.Errorf("%v: %s", err, said.String())
			}
			log, _ := os.ReadFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), "log"))
			if !strings.HasPrefix(string(log), "launch\n") || !strings.HasSuffix(string(log), "down\n") {
				t.Errorf("the cloud was asked for %q", log)
			}
			left := leftovers(t)
			if remains := strings.Contains(c.sky, "= launch"); remains != (len(left) == 1) {
				t.Fatalf("left over: %v; %s", left, said.String())
			}
			if len(left) == 1 && (!strings.Contains(left[0].String(), "g6.xlarge") || !strings.HasSuffix(left[0].End, "end") ||
				!strings.Contains(said.String(), "could not be ended")) {
				t.Errorf("%+v; %s", left[0], said.String())
			}
		})
	}
}

// A stop ends a launch that hangs, and what it may have started.
func TestStopped(t *testing.T) {
	script := written(t, `echo "$1" >>"$XDG_STATE_HOME/log"; [ "$1" = down ] || exec sleep 600`, "true")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Second, cancel)
	var said bytes.Buffer
	if err := Run(ctx, script, &said, &said); err == nil || !strings.Contains(err.Error(), "143") {
		t.Errorf("%v: %s", err, said.String())
	}
	if log, _ := os.ReadFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), "log")); string(log) != "launch\ndown\ndown\n" {
		t.Errorf("the cloud was asked for %q", log)
	}
}

func TestWithoutTheTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := Check(launch.SkyRenter); err == nil || !strings.Contains(err.Error(), `"sky" on the PATH`) {
		t.Error(err)
	}
}
