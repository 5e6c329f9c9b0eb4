package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"sweetspot/data/contract"
)

// release is the version number of a released binary; scripts/release sets it with
// a linker flag. It is empty in other builds.
var release string

// version returns the release, else the module version, else "unknown".
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unknown"
}

// build describes the build as JSON; null where unknown.
type build struct {
	contract.Head
	Version  string  `json:"version"`
	Commit   *string `json:"commit"`
	Date     *string `json:"date"`     // of the commit
	Modified *bool   `json:"modified"` // built with uncommitted changes
	Go       string  `json:"go"`
	System   string  `json:"system"`
	Machine  string  `json:"machine"`
}

func describeBuild(info *debug.BuildInfo) build {
	b := build{
		Head: contract.NewHead("version"), Version: version(),
		Go: runtime.Version(), System: runtime.GOOS, Machine: runtime.GOARCH,
	}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = new(s.Value)
		case "vcs.time":
			b.Date = new(s.Value)
		case "vcs.modified":
			b.Modified = new(s.Value == "true")
		}
	}
	return b
}

// String formats the build on one line.
func (b build) String() string {
	parts := []string{"sweetspot " + b.Version}
	if b.Commit != nil {
		parts = append(parts, "commit "+(*b.Commit)[:min(len(*b.Commit), 12)])
	}
	if b.Modified != nil && *b.Modified {
		parts = append(parts, "with uncommitted changes")
	}
	if b.Date != nil {
		date, _, _ := strings.Cut(*b.Date, "T")
		parts = append(parts, date)
	}
	return strings.Join(append(parts, b.Go, b.System+"/"+b.Machine), ", ")
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version, commit and Go release of this program",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			b := describeBuild(info)
			if wantsJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), b)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), b)
			return err
		},
	}
}
