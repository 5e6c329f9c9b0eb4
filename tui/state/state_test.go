package state

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

func asked() *question.Query {
	q := question.Default()
	q.Model, q.Mode, q.Words = "CaffeNet", profile.Infer, "p2"
	q.Limits = question.Limits{objective.Accuracy: 0.7, objective.Energy: 2}
	return &q
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "state.json")
	if s, err := Load(path); err != nil || s.Question != nil {
		t.Fatalf("no file: %+v, %v", s, err)
	}
	if err := Save(path, State{Question: asked(), LogAxes: true}); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path)
	if err != nil || s.Question == nil || !reflect.DeepEqual(s.Question, asked()) || !s.LogAxes {
		t.Fatalf("read back %+v, %v", s, err)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".state-*"))
	if len(left) > 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

func TestUnusableFilesAreSetAside(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"damaged": `{"version":2,"question":`,
		"newer":   `{"version":99}`,
		"huge":    strings.Repeat(" ", maxSize+1),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(path)
		if err == nil || s.Question != nil {
			t.Errorf("%s: got %+v, %v", name, s, err)
		}
	}
	path := filepath.Join(dir, "unsound")
	if err := os.WriteFile(path, []byte(`{"version":2,"question":{"model":"m","mode":"fly","sort":"time","purchase":"spot"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || s.Question != nil {
		t.Errorf("an unsound question was kept: %+v, %v", s.Question, err)
	}
}

// Of a file of the version before all but the question is kept.
func TestTheVersionBeforeIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	old := `{"version":1,"database":"mine.db","question":{"model":"m","mode":"infer","bill":"startup=90s"},"log_axes":true}`
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || s.Question != nil || s.Database != "mine.db" || !s.LogAxes {
		t.Errorf("%+v, %v", s, err)
	}
}
