// Package hook embeds the Python program that watches an unmodified PyTorch
// training from inside its own process. Python finds its sitecustomize on the
// PYTHONPATH, so the script needs no change. It reports the events of package
// protocol and stops a script when the control file of package runner says so.
package hook

import (
	"embed"
	"io/fs"
	"os"
	"strconv"

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
// the command's files. The user's PYTHONPATH there follows it; "" for none.
func Env(pythonPath string) []string {
	path := runner.Directory
	if pythonPath != "" {
		path += string(os.PathListSeparator) + pythonPath
	}
	return []string{"PYTHONPATH=" + path, "SWEETSPOT_HOOK=1"}
}

// End is the environment by which the program ends after so many steps, to the
// step; 0 for no such end.
func End(steps int) []string {
	if steps == 0 {
		return nil
	}
	return []string{"SWEETSPOT_MAX_STEPS=" + strconv.Itoa(steps)}
}
