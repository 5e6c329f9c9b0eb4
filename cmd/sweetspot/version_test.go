package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestVersion(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		root := &cobra.Command{Use: "sweetspot", SilenceUsage: true, SilenceErrors: true}
		root.PersistentFlags().Bool("json", false, "")
		root.AddCommand(newVersionCommand())
		var out strings.Builder
		root.SetOut(&out)
		args := []string{"version"}
		if asJSON {
			args = append(args, "--json")
		}
		root.SetArgs(args)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		if !asJSON {
			if !strings.HasPrefix(out.String(), "sweetspot ") || strings.Count(out.String(), "\n") != 1 {
				t.Errorf("%q", out.String())
			}
			continue
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(out.String()), &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"schema", "command", "warnings", "version", "commit", "date", "modified", "go",
			"system", "machine"} {
			if _, there := fields[name]; !there {
				t.Errorf("%s is missing in %s", name, out.String())
			}
		}
	}
	b := describeBuild(&debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-21T10:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}})
	if got := b.String(); !strings.Contains(got, "commit 0123456789ab, with uncommitted changes, 2026-11-21, go") {
		t.Errorf("%s", got)
	}
	if got := describeBuild(nil); got.Commit != nil || got.Modified != nil {
		t.Errorf("%+v", got)
	}
}
