// Package state keeps what the screens remember between sessions: the last
// question, the sort, the axes. It is a convenience: a file that cannot be
// read is set aside, never an error that stops the program.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"sweetspot/data/textfile"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// version is written into every file; other versions are not read.
const version = 2

// maxSize is far above any state of ours; a larger file is not ours.
const maxSize = 1 << 20

// State is what is remembered.
type State struct {
	Version  int             `json:"version"`
	Database string          `json:"database,omitempty"`
	Question *question.Query `json:"question,omitempty"`
	// NewestRun is the number of the newest run of one's own that was there, 0 without
	// any; nil where it was not noted.
	NewestRun *int64 `json:"newest_run,omitempty"`
	LogAxes   bool   `json:"log_axes"`
	// Machines are the VM types of the SSH destinations that were probed, ""
	// being this machine: where to probe a VM type again.
	Machines map[string]profile.VMKey `json:"machines,omitempty"`
	// Queue is where probes were queued last, as slurm or slurm:login-host.
	Queue string `json:"queue,omitempty"`
}

// Path is $XDG_STATE_HOME/sweetspot/state.json.
func Path() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "sweetspot", "state.json"), nil
}

// Load reads the state; without a file it is empty. The error says why an
// existing file was not used.
func Load(path string) (State, error) {
	fresh := State{Version: version, LogAxes: true}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return fresh, err
	}
	if info.Size() > maxSize {
		return fresh, fmt.Errorf("%s is too large to be a state file; starting fresh", path)
	}
	data, err := textfile.ReadFile(path)
	if err != nil {
		return fresh, err
	}
	var s State
	if err := json.Unmarshal(withoutOldQuestion(data), &s); err != nil {
		return fresh, fmt.Errorf("%s is damaged; starting fresh", path)
	}
	if s.Version != version {
		return fresh, fmt.Errorf("%s is of version %d, this program reads %d; starting fresh", path, s.Version, version)
	}
	if s.Question != nil && s.Question.Check() != nil {
		s.Question = nil
	}
	return s, nil
}

// withoutOldQuestion is a file of version 1 without its question, which was
// written in other words; all else is as it was.
func withoutOldQuestion(data []byte) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(data, &fields) != nil || string(fields["version"]) != "1" {
		return data
	}
	delete(fields, "question")
	fields["version"] = json.RawMessage(strconv.Itoa(version))
	renewed, err := json.Marshal(fields)
	if err != nil {
		return data
	}
	return renewed
}

// Save replaces the file in one step, so that it is whole at any moment.
func Save(path string, s State) error {
	s.Version = version
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".state-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(data, '\n'))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// Keys reads the keys of the user's own from the config file,
// $XDG_CONFIG_HOME/sweetspot/config.json: {"keys": {"pick": ["x"]}}. Unlike
// the state this is somebody's wish, so a damaged file is an error.
func Keys() (path string, keys map[string][]string, err error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", nil, nil // without a home there is no config file either
	}
	path = filepath.Join(dir, "sweetspot", "config.json")
	data, err := textfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil {
		return path, nil, err
	}
	var config struct {
		Keys map[string][]string `json:"keys"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return path, nil, fmt.Errorf("%s is not valid JSON: %w", path, err)
	}
	return path, config.Keys, nil
}
