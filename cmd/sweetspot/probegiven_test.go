package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// What is given and would be ignored is wrong usage, said in one sentence, and
// nothing is probed.
func TestIgnoredFlagsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	model := []string{"probe", "--mode", "infer", "--model", "example:fashion-cnn"}
	for _, c := range []struct {
		flags []string
		model bool
		says  string
	}{
		{flags: []string{"--eval", "s.py:set"}, says: "leave out --eval"},
		{flags: []string{"--layers", "--train-size", "100"}, says: "leave out --train-size and --layers"},
		{flags: []string{"--largest-batch", "64"}, says: "leave out --largest-batch"},
		{flags: []string{"--python", "/usr/bin/python3"}, says: "leave out --python"},
		{flags: []string{"--largest-batch", "0"}, says: "--largest-batch 0"},
		{flags: []string{"--largest-batch", "0"}, model: true, says: "--largest-batch 0"},
		{flags: []string{"--largest-batch", "-4"}, model: true, says: "--largest-batch -4"},
		{flags: []string{"--largest-batch", "256", "--layers"}, model: true, says: "leave out either it or --layers"},
		{flags: []string{"--fine-tune", "2"}, model: true, says: "nothing is pruned"},
		{flags: []string{"--host", ""}, says: `--host "" names no machine`},
		{flags: []string{"--host", "me@vm", "--host", " "}, model: true, says: `--host " " names no machine`},
	} {
		args := slices.Concat([]string{"probe"}, c.flags, []string{"--", "true"})
		if c.model {
			args = slices.Concat(model, c.flags)
		}
		out, _, err := execute(t, args...)
		var exit exitError
		if !errors.As(err, &exit) || exit.code != exitUsage || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "\n") || out != "" {
			t.Errorf("%q: %v, want wrong usage with %q", args, err, c.says)
		}
	}
}

// This machine has a name among hosts, which a request says again.
func TestThisMachineAmongHosts(t *testing.T) {
	r := parse(t, []string{"--host=here", "--host=me@vm", "--", "true"})
	if !slices.Equal(r.Hosts, []string{"", "me@vm"}) {
		t.Errorf("hosts %q", r.Hosts)
	}
	if argv := r.Argv(); !slices.Contains(argv, "--host=here") || !slices.Contains(argv, "--host=me@vm") {
		t.Errorf("said again as %q", argv)
	}
}
