package workload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sweetspot/engine/batching"
	"sweetspot/engine/quantity"
)

// ServerLog is the log of a language model's server that a probe wrote.
type ServerLog struct {
	Path  string
	Model string // as its file is named: letters, digits, dots and hyphens
	At    time.Time
}

// logTime is the time at the end of a log's name.
const logTime = "20060102-150405"

// logExtension is that of logs.
const logExtension = ".jsonl"

// LogFolder is where the logs of servers are: beside a profile database.
func LogFolder(database string) string { return filepath.Join(filepath.Dir(database), "requests") }

// LogName is the name of a new log.
func LogName(model string, at time.Time) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, model[max(len(model)-60, 0):])
	return strings.Trim(name, "-.") + "-" + at.Format(logTime) + logExtension
}

// mostLogs bounds how many logs are listed.
const mostLogs = 500

// ServerLogs are the logs beside a profile database, the newest first.
func ServerLogs(database string) (logs []ServerLog, err error) {
	files, err := os.ReadDir(LogFolder(database))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range files {
		name, isLog := strings.CutSuffix(f.Name(), logExtension)
		cut := len(name) - len(logTime) - 1
		if !isLog || !f.Type().IsRegular() || cut < 1 || name[cut] != '-' {
			continue
		}
		if at, err := time.ParseInLocation(logTime, name[cut+1:], time.Local); err == nil {
			logs = append(logs, ServerLog{filepath.Join(LogFolder(database), f.Name()), name[:cut], at})
		}
	}
	slices.SortStableFunc(logs, func(a, b ServerLog) int { return b.At.Compare(a.At) })
	return logs[:min(len(logs), mostLogs)], nil
}

// FitServer fits a server to the first requests of its log, n of them or all where n
// is 0. Settings that are 0 are fitted too.
func (t Tokens) FitServer(n int, known batching.Settings) (batching.Fitted, error) {
	if !t.HasTimes {
		return batching.Fitted{}, errors.New("it has no lengths, or no times of first and last tokens, so no step times " +
			"can be fitted to it")
	}
	if known.MaxSequences == 0 {
		known.MaxSequences = batching.SequencesSeen(t.Log)
	}
	if n == 0 {
		n = len(t.Log)
	}
	found, err := batching.Fit(t.Log, min(n, len(t.Log)), known)
	if err != nil {
		return batching.Fitted{}, err
	}
	return *found, nil
}

// mostFitted is the number of requests that [ReadServer] fits to: more take minutes.
const mostFitted = 500

// ReadServer reads the log of a server, and fits the server to it.
func ReadServer(path string) (batching.Fitted, Tokens, error) {
	log, err := ReadTokens(path, DefaultLengths(), 1)
	if err != nil {
		return batching.Fitted{}, log, err
	}
	if len(log.Log) > mostFitted {
		log.Notes = append(log.Notes, fmt.Sprintf("step times are fitted to its first %s",
			quantity.Several(mostFitted, "request")))
	}
	fit, err := log.FitServer(mostFitted, batching.Settings{})
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return fit, log, err
}
