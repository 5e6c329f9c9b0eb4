package launch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sweetspot/data/contract"
	"sweetspot/engine/plaintext"
)

// fakes stand for the programs that scripts call: they write down what they were
// given, each text after a NUL.
func fakes(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	bash, err := exec.LookPath("bash")
	if err != nil {
		lack(t, "bash")
	}
	for _, program := range []string{"srun", "aws", "gcloud", "az", "bash"} {
		script := "#!" + bash + "\nprintf '%s\\0' " + program + " \"$@\" \"PICK_MODEL=${PICK_MODEL-}\" " +
			"\"PICK_VARIANT=${PICK_VARIANT-}\"\n"
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a script in restricted Bash, which has nothing but the fakes: what
// came loose could neither write nor start anything.
func run(t testing.TB, dir, script string, args ...string) []string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		lack(t, "bash")
	}
	cmd := exec.Command(bash, append([]string{"--restricted", "-s", "--"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + dir, "LC_ALL=C.UTF-8"}, strings.NewReader(script)
	for _, name := range []string{"COMMAND", "IMAGE_ID", "SUBNET_ID", "KEY_NAME", "IMAGE_ID_1", "SUBNET_ID_1",
		"KEY_NAME_1", "IMAGE_ID_2", "SUBNET_ID_2", "KEY_NAME_2", "IMAGE", "IMAGE_PROJECT", "SUBNET", "RESOURCE_GROUP",
		"ADMIN_USERNAME", "SSH_PUBLIC_KEY_FILE"} {
		cmd.Env = append(cmd.Env, name+"=the user's "+name)
	}
	cmd.Env = append(cmd.Env, "ZONE=us-central1-a")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s in\n%s", err, stderr.String(), script)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestShellsReadHostileNamesBack(t *testing.T) {
	dir := fakes(t)
	for _, name := range hostileNames {
		once(t, name, func(p contract.Pick, f *Format, text string) { runBack(t, dir, p, f, text) })
	}
}

func TestShellsReadAnyNameBack(t *testing.T) {
	dir := fakes(t)
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.StringOf(rapid.SampledFrom([]rune("a '\"\\$`{}()<>|&;%#!*?~\n-:@=é\u201c"))).Draw(r, "name")
		p := named(name, vm("aws", "us-east-1", "p2.xlarge", "K80", 2))
		for _, f := range []*Format{Slurm, AWS} {
			runBack(t, dir, p, f, written(t, p, f))
		}
	})
}

// runBack runs what is a script of the format and compares what its program was
// given with what was meant.
func runBack(t *testing.T, dir string, p contract.Pick, f *Format, text string) {
	t.Helper()
	var got []string
	switch f {
	case Terraform, Kubernetes:
		return
	case SkyPilot:
		got = run(t, dir, readSkyPilot(t, p, text))
	default:
		got = run(t, dir, text, "train", "it's me", "-x")
	}
	model := plaintext.Clean(p.Candidate.Model)
	switch f {
	case SkyPilot, Slurm:
		if !slices.Contains(got, "PICK_MODEL="+model) || !slices.Contains(got, "PICK_VARIANT="+model) ||
			f == Slurm && !slices.Contains(got, "it's me") {
			t.Fatalf("%q came back of\n%s", got, text)
		}
	case AWS:
		i := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "--tag-specifications=") })
		var specs []struct{ Tags []struct{ Key, Value string } }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(got[i], "--tag-specifications=")), &specs); err != nil {
			t.Fatalf("%v in %q", err, got[i])
		}
		if tag := specs[0].Tags[1]; tag.Key != "sweetspot-model" || tag.Value != plaintext.Cut(model, longestTag) {
			t.Fatalf("%+v came back of %q", tag, model)
		}
	}
	for _, word := range got[1:] {
		// az and aws read the files that such values name.
		_, value, _ := strings.Cut(word, "=")
		if f != Slurm && (strings.HasPrefix(value, "@") || strings.HasPrefix(word, "@") ||
			strings.HasPrefix(value, "file://")) && !strings.HasPrefix(word, "PICK_") {
			t.Fatalf("%s is given %q", f, word)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "canary")); err == nil {
		t.Fatalf("a name was run in\n%s", text)
	}
}

// Variables that are not set end a script before it launches anything.
func TestScriptsAskForWhatIsMissing(t *testing.T) {
	dir := fakes(t)
	once(t, "net", func(_ contract.Pick, f *Format, text string) {
		if f == Terraform || f == Kubernetes || f == SkyPilot {
			return
		}
		bash, err := exec.LookPath("bash")
		if err != nil {
			lack(t, "bash")
		}
		cmd := exec.Command(bash)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + dir}, strings.NewReader(text)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if out, err := cmd.Output(); err == nil || len(out) > 0 || !strings.Contains(stderr.String(), "set it to") &&
			!strings.Contains(stderr.String(), "give the command") {
			t.Errorf("%s: %v, %q, %q", f, err, out, stderr.String())
		}
	})
}

// ShellCheck finds nothing in any script, whatever the names.
func TestShellCheck(t *testing.T) {
	program, err := exec.LookPath("shellcheck")
	if err != nil {
		lack(t, "shellcheck")
	}
	dir, files := t.TempDir(), []string{}
	for _, name := range append([]string{"net"}, hostileNames...) {
		once(t, name, func(p contract.Pick, f *Format, text string) {
			switch f {
			case Terraform, Kubernetes:
				return
			case SkyPilot:
				text = "#!/usr/bin/env bash\n" + readSkyPilot(t, p, text)
			}
			file := filepath.Join(dir, fmt.Sprintf("%d-%s.sh", len(files), f))
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		})
	}
	// The files hold what locales other than UTF-8 cannot show.
	cmd := exec.Command(program, append([]string{"--norc", "--shell=bash"}, files...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %.3000s", err, out)
	}
	if bash, err := exec.LookPath("bash"); err != nil {
		lack(t, "bash")
	} else {
		for _, file := range files {
			if out, err := exec.Command(bash, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
	}
}
