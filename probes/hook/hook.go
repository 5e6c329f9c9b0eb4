// Package hook carries the Python program that watches an unmodified PyTorch
// training from inside its own process: Python finds its sitecustomize on the
// PYTHONPATH and it does the rest, so a script needs no edit. What it reports
// are the events of package protocol; it stops a script by the control file of
// package runner.
package hook

import (
	"embed"
	"io/fs"
	"os"

	"sweetspot/probes/runner"
)

//go:embed python/sitecustomize.py python/sweetspot_hook/*.py
var program embed.FS

// Files is the program, for [sweetspot/probes/runner.Command].
func Files() fs.FS {
	files, err := fs.Sub(program, "python")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}

// Env is the environment by which Python finds the program in the directory of
// the command's files. A PYTHONPATH of the user's stays behind it.
func Env() []string { return EnvBefore(os.Getenv("PYTHONPATH")) }

// EnvBefore is [Env] where the PYTHONPATH is this one, as on another host; ""
// for none.
func EnvBefore(pythonPath string) []string {
	path := runner.Directory
	if pythonPath != "" {
		path += string(os.PathListSeparator) + pythonPath
	}
	return []string{"PYTHONPATH=" + path, "SWEETSPOT_HOOK=1"}
}
