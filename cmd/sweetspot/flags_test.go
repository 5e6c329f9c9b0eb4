package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// execute runs the program's commands without a terminal.
func execute(t *testing.T, args ...string) (out, stderr string, err error) {
	t.Helper()
	root := newRootCommand()
	var o, e strings.Builder
	root.SetOut(&o)
	root.SetErr(&e)
	root.SetArgs(args)
	err = root.ExecuteContext(t.Context())
	return o.String(), e.String(), err
}

// A word too many is named, by what has commands and by what has none, and so is one that is missing.
func TestWordsTooManyOrTooFewAreNamed(t *testing.T) {
	for args, want := range map[string]string{
		"traffic llm A B":     `llm takes no argument: leave out "A"`,
		"queue list x":        `list takes no argument: leave out "x"`,
		"rank x":              `rank takes no argument: leave out "x"`,
		"completion bash x":   `bash takes no argument: leave out "x"`,
		"traffic frobnicate":  `traffic has no command "frobnicate"; it has llm, loads, mix`,
		"help import somehow": "import has no commands",
		"queue cancel":        "give the keys of the probes to cancel; sweetspot queue list shows them",
		"catalog show":        "give one VM type; sweetspot catalog list shows them",
		"catalog import a b":  "give one file: the price list to import",
		"catalog diff own":    "give two catalogs: price lists, or built-in, imported, own or catalog",
	} {
		_, _, err := execute(t, strings.Fields(args)...)
		var exit exitError
		if !errors.As(err, &exit) || exit.code != exitUsage || err.Error() != want {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// The help begins every description with a capital letter and the rest of its
// first word with small ones. No value to be typed may stand there.
func TestHelpLeavesValuesAsTheyAreTyped(t *testing.T) {
	plain := regexp.MustCompile(`^(Python|[a-z]+) `)
	choice := regexp.MustCompile(`^\S+ or `)
	var look func(*cobra.Command)
	seen := 0
	look = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			seen++
			if !plain.MatchString(f.Usage+" ") || choice.MatchString(f.Usage) {
				t.Errorf("%s --%s: %q begins with a value", cmd.Name(), f.Name, f.Usage)
			}
		})
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(newRootCommand())
	if seen < 50 {
		t.Errorf("only %d flags were looked at", seen)
	}
}

func TestWrongFlagsAreUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for args, says := range map[string]string{
		"probe --model a.py":                                  "file.py:factory",
		"probe --model no.py:net --input 3x4x4":               "no file no.py",
		"probe --model example:fashion-cnn --batch 0":         "--batch 0",
		"probe --model example:fashion-cnn --precision int3":  "int3",
		"probe --model example:fashion-cnn --mode serve":      `--mode: "serve"`,
		"probe --model example:fashion-cnn --train-size many": "--train-size",
		"probe --model example:fashion-cnn --epochs 0": `--epochs: "0" is not a number of epochs; give a ` +
			`whole number of at least 1`,
		"probe --model example:fashion-cnn --epochs 1.5":            `--epochs: "1.5" is not a number of epochs`,
		"probe --model example:fashion-cnn --epochs 1e99":           `--epochs: "1e99" is not a number of epochs`,
		"probe --model example:fashion-cnn --max-seconds 0":         "not above zero",
		"probe --model example:fashion-cnn --price free --epochs 3": "--price",
		"rank --mode serve":                 `--mode: "serve"`,
		"rank --purchase leased":            "leased",
		"rank --json --csv":                 "--csv and --json",
		"export --json --format csv":        "--json and --format csv",
		"export --runs --format yaml":       "csv or json",
		"export --runs --json --format csv": "--json and --format csv",
		"export --runs --out runs.yaml":     "csv or json",
		"reproduce --db x.db":               "--db",
	} {
		_, _, err := execute(t, strings.Fields(args)...)
		var exit exitError
		if !errors.As(err, &exit) || exit.code != exitUsage || !strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want wrong usage with %q", args, err, says)
		}
	}
}

// Words are taken in any case.
func TestAnyCase(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	small, _, err := execute(t, "rank", "--model", "CaffeNet", "--mode", "infer", "--purchase", "on-demand", "--sort",
		"time", "--csv")
	if err != nil || small == "" {
		t.Fatal(err)
	}
	large, _, err := execute(t, "rank", "--model", "CAFFENET", "--mode", "Infer", "--purchase", "On-Demand", "--sort",
		"TIME", "--csv")
	if err != nil || large != small {
		t.Errorf("%v: other letters, another answer", err)
	}
}

// An interpreter that the user named and that is of no use is not passed over
// in silence.
func TestSkippedPythonIsSaid(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	script := func(name, body string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	without := script("without", `echo "ModuleNotFoundError: No module named 'torch'" >&2; exit 1`)
	answers := script("python3", `echo '{"python":"3.9","torch":"2.1","cuda":"","gpu":false}'`)
	t.Setenv("PATH", filepath.Dir(answers)+":/bin:/usr/bin")
	t.Setenv("SWEETSPOT_PYTHON", without)
	want := "SWEETSPOT_PYTHON names " + without + ", which was skipped (has no torch); using " + answers
	out, stderr, err := execute(t, "doctor", "--json")
	if err != nil || stderr != "sweetspot: warning: "+want+"\n" {
		t.Errorf("%v, %q, want %q", err, stderr, want)
	}
	var report struct{ Warnings []string }
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Warnings) != 1 || report.Warnings[0] != want {
		t.Errorf("%v, %q", err, report.Warnings)
	}
}
