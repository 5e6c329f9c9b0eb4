package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sweetspot/tui/screen"
)

// No guest rents with the owner's account, whatever they may do.
func TestGuestsRentNothing(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	f := serveFlags{address: "127.0.0.1:0", allow: screen.AllRights}
	c, err := f.config(newServeCommand())
	if err != nil {
		t.Fatal(err)
	}
	if names := c.Screens.Queues.Names(); !slices.Equal(names, []string{"slurm"}) {
		t.Errorf("guests can queue with %v", names)
	}
}

func TestServeRefuses(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home+"/config")
	t.Setenv("XDG_STATE_HOME", home+"/state")
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"":                                  {exitUsage, "--ssh :2222"},
		"--ssh 2222":                        {exitUsage, "--ssh :2222"},
		"--ssh :2222 --allow all":           {exitUsage, "--allow: give any of picks, edits, probes, files"},
		"--ssh :2222 --idle 0.1s":           {exitUsage, "--idle: "},
		"--ssh :2222 --max-sessions 0":      {exitUsage, "--max-sessions: "},
		"--ssh :2222":                       {exitFailed, "does not exist: put the public keys"},
		"--ssh :2222 --idle 0":              {exitFailed, "does not exist: put the public keys"},
		"--ssh :2222 --authorized-keys /":   {exitFailed, "cannot be read"},
		"nothing.db --ssh :2222":            {exitUsage, "neither a command nor an existing file"},
		"--ssh :2222 --db /nowhere/some.db": {exitFailed, "/nowhere/some.db"},
	} {
		_, _, err := execute(t, append([]string{"serve"}, strings.Fields(args)...)...)
		if err == nil || !strings.Contains(err.Error(), want.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("serve %s: %v", args, err)
			continue
		}
		code, exit := exitFailed, exitError{}
		if errors.As(err, &exit) {
			code = exit.code
		}
		if code != want.code {
			t.Errorf("serve %s: %d, not %d: %v", args, code, want.code, err)
		}
	}
}
