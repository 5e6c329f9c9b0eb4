package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

func asked() *Question {
	return &Question{Model: "CaffeNet", Mode: profile.Infer, Units: 1e6, Purchase: profile.OnDemand, MinAccuracy: new(0.7),
		Sort: question.ByCost, CostWeight: 0.5}
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
	if err != nil || s.Question == nil || *s.Question.MinAccuracy != 0.7 || !s.LogAxes {
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
		"damaged": `{"version":1,"question":`,
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
	if err := os.WriteFile(path,
		[]byte(`{"version":1,"question":{"model":"m","mode":"fly","sort":"time","purchase":"spot"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || s.Question != nil {
		t.Errorf("an unsound question was kept: %+v, %v", s.Question, err)
	}
}
