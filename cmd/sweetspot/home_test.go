package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestMain keeps the database, settings and catalog of whoever runs the tests out of
// them.
func TestMain(m *testing.M) { os.Exit(away(m)) }

func away(m *testing.M) int {
	home, err := os.MkdirTemp("", "sweetspot")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(home) }()
	for _, name := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if err := os.Setenv(name, filepath.Join(home, name)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}
