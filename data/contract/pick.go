package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/wording"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// Pick is a candidate the user chose, with the query that led to it.
type Pick struct {
	Head        `yaml:",inline"`
	PickedAt    string         `json:"picked_at" yaml:"picked_at"` // RFC 3339, UTC
	Query       question.Query `json:"query" yaml:"query"`
	Candidate   Candidate      `json:"candidate" yaml:"candidate"`
	EstimatedBy string         `json:"estimated_by" yaml:"estimated_by"`
}

// NewPick makes a pick of candidate i of a result; tested may be nil.
func NewPick(r *rank.Result, i int, at time.Time, version string, tested validate.Tested) Pick {
	place := slices.Index(r.Order, i) + 1
	c := NewCandidate(r, i, place, NewChances(r), tested)
	return Pick{
		Head: NewHead("export", wording.Warnings(r, at)...), PickedAt: at.UTC().Format(time.RFC3339),
		Query: r.Query, Candidate: c, EstimatedBy: "sweetspot " + version,
	}
}

// ReadPick is a pick as it was kept: the JSON of its query and of its candidate.
// What another program has put there may lack anything, and its texts are made
// plain.
func ReadPick(query, candidate []byte, at time.Time, version string) (Pick, error) {
	p := Pick{Head: NewHead("export"), PickedAt: at.UTC().Format(time.RFC3339), EstimatedBy: "sweetspot " + version}
	if err := readPlain(query, &p.Query); err != nil {
		return p, fmt.Errorf("this pick's query cannot be read, pick the candidate again: %w", err)
	}
	if err := readPlain(candidate, &p.Candidate); err != nil {
		return p, fmt.Errorf("this pick cannot be read, pick the candidate again: %w", err)
	}
	return p, nil
}

// Plain is the pick with all its texts made plain.
func (p Pick) Plain() (out Pick, err error) {
	text, err := json.Marshal(p)
	if err == nil {
		err = readPlain(text, &out)
	}
	return out, err
}

// readPlain reads JSON with all its texts made plain.
func readPlain(text []byte, into any) error {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	plain, err := json.Marshal(plainTexts(v))
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
}

func plainTexts(v any) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = plainTexts(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[clean(name)] = plainTexts(x)
		}
		return out
	}
	return v
}

// WriteJSON writes JSON for people and programs: indented, names as they are.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// WriteYAML writes what is exported as YAML.
func WriteYAML(w io.Writer, v any) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return enc.Close()
}
