package imports

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"sweetspot/data/imports/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shown is a report as a golden file has it: what is unknown is left out.
type shown struct {
	File   string           `json:"file"`
	Format string           `json:"format,omitempty"`
	Error  string           `json:"error,omitempty"`
	Notes  []string         `json:"notes,omitempty"`
	Runs   []map[string]any `json:"runs,omitempty"`
}

func show(t *testing.T, r source.Report) shown {
	t.Helper()
	out := shown{File: r.File, Format: r.Format, Notes: r.Notes}
	if r.Err != nil {
		out.Error = r.Err.Error()
		return out
	}
	for _, run := range r.Set.Runs {
		text, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		out.Runs = append(out.Runs, known(m))
	}
	return out
}

// known drops what is unknown or empty.
func known(m map[string]any) map[string]any {
	for k, v := range m {
		switch v := v.(type) {
		case map[string]any:
			if known(v); len(v) == 0 || v["Basis"] == "unknown" {
				delete(m, k)
			}
		case []any:
			for _, x := range v {
				if one, ok := x.(map[string]any); ok {
					known(one)
				}
			}
		case nil:
			delete(m, k)
		case string:
			if v == "" {
				delete(m, k)
			}
		case float64:
			if v == 0 && k != "Epoch" && k != "AtS" && k != "Value" {
				delete(m, k)
			}
		}
	}
	return m
}

// Every format's fixture has its real column names and its traps; the golden
// file is what is made of it, with the format told by the content.
func TestGolden(t *testing.T) {
	for _, f := range Formats {
		t.Run(f.Name, func(t *testing.T) {
			var all []shown
			for _, r := range readAll(t, fixture(t, f.Name), Options{}) {
				if r.Format != f.Name {
					t.Errorf("%s is taken for %q", r.File, r.Format)
				}
				all = append(all, show(t, r))
			}
			got, err := json.MarshalIndent(all, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			path := filepath.Join("testdata", f.Name+".golden.json")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("differs from %s; read the difference, then -update:\n%s", path, got)
			}
		})
	}
}
