package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/wording"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// Pick is a candidate the user chose, with the query that led to it.
type Pick struct {
	Schema      int       `json:"schema" yaml:"schema"`
	Command     string    `json:"command" yaml:"command"`
	Warnings    []string  `json:"warnings" yaml:"warnings"`
	PickedAt    string    `json:"picked_at" yaml:"picked_at"` // RFC 3339, UTC
	Query       Query     `json:"query" yaml:"query"`
	Candidate   Candidate `json:"candidate" yaml:"candidate"`
	EstimatedBy string    `json:"estimated_by" yaml:"estimated_by"`
}

// NewPick makes a pick of candidate i of a result; tested may be nil.
func NewPick(r *rank.Result, i int, at time.Time, version string, tested validate.Tested) Pick {
	place := slices.Index(r.Order, i) + 1
	c := NewCandidate(r, i, place, r.BestProbability(rank.ObjectiveTime), r.BestProbability(rank.ObjectiveCost), tested)
	c.Frontier = OnFrontier{slices.Contains(r.TimeAccuracy, i), slices.Contains(r.CostAccuracy, i)}
	return Pick{
		Schema: Schema, Command: "export", Warnings: wording.Warnings(r, at), PickedAt: at.UTC().Format(time.RFC3339),
		Query: NewQuery(r.Query), Candidate: c, EstimatedBy: "sweetspot " + version,
	}
}

// ReadPick is a pick as it was kept: the JSON of its query and of its candidate.
// What another program has put there may lack anything, and its texts are made
// plain.
func ReadPick(query, candidate []byte, at time.Time, version string) (Pick, error) {
	p := Pick{Schema: Schema, Command: "export", Warnings: []string{}, PickedAt: at.UTC().Format(time.RFC3339), EstimatedBy: "sweetspot " + version}
	if err := readPlain(query, &p.Query); err != nil {
		return p, fmt.Errorf("this pick's query cannot be read, pick the candidate again: %w", err)
	}
	if err := readPlain(candidate, &p.Candidate); err != nil {
		return p, fmt.Errorf("this pick cannot be read, pick the candidate again: %w", err)
	}
	return p, nil
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

// Format is a form a pick is written in.
type Format string

// The formats.
const (
	JSON     Format = "json"
	YAML     Format = "yaml"
	CSV      Format = "csv"
	Markdown Format = "markdown"
)

// Formats lists all formats.
var Formats = []Format{JSON, YAML, CSV, Markdown}

// ParseFormat reads a --format flag or a file's extension.
func ParseFormat(s string) (Format, error) {
	switch strings.ToLower(strings.TrimPrefix(s, ".")) {
	case "json":
		return JSON, nil
	case "yaml", "yml":
		return YAML, nil
	case "csv":
		return CSV, nil
	case "markdown", "md":
		return Markdown, nil
	}
	return "", fmt.Errorf("format %s is none of json, yaml, csv, markdown", plaintext.Quote(s))
}

// Extension is the format's usual file extension, with its dot.
func (f Format) Extension() string {
	if f == Markdown {
		return ".md"
	}
	return "." + string(f)
}

// Write writes the pick.
func (p Pick) Write(w io.Writer, f Format) error {
	switch f {
	case JSON:
		return WriteJSON(w, p)
	case YAML:
		return WriteYAML(w, p)
	case CSV:
		return p.writeCSV(w)
	case Markdown:
		_, err := io.WriteString(w, p.markdown())
		return err
	}
	return fmt.Errorf("format %s is not known", plaintext.Quote(string(f)))
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

func (p Pick) markdown() string {
	c := p.Candidate
	var b strings.Builder
	row := func(name, value string) {
		fmt.Fprintf(&b, "| %s | %s |\n", wording.MarkdownCell(name), wording.MarkdownCell(value))
	}
	fmt.Fprintf(&b, "# %s\n\n| | |\n|---|---|\n", wording.MarkdownCell(c.Model+" · "+c.Mode))
	for _, v := range c.Configuration {
		row("VMs", v.Words())
		row("price", v.PriceWords(c.Purchase))
	}
	row("variant", strings.TrimSpace(c.Variant+" "+text(c.Precision)))
	if c.BatchSize != nil {
		row("batch size", fmt.Sprint(*c.BatchSize))
	}
	if c.Epochs != nil {
		row("epochs", quantity.Count(*c.Epochs))
	}
	if c.Units != nil {
		row("units", quantity.Count(*c.Units))
	}
	row("time", c.Time.Words())
	row("cost", c.Cost.Words())
	if a := c.Accuracy; a != nil {
		row(a.Metric, fmt.Sprintf("%s (%s)", wording.Accuracy(a.Value, a.HigherIsBetter), a.Basis))
	}
	if c.Rank != nil {
		row("rank", fmt.Sprintf("%d by %s", *c.Rank, p.Query.Sort))
	}
	row("limits", p.Query.LimitsWords(c.Accuracy == nil || c.Accuracy.HigherIsBetter))
	if len(c.Sources) > 0 {
		row("rests on", wording.Sources(c.Sources))
	}
	row("picked", p.PickedAt+" with "+p.EstimatedBy)
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "\n> %s\n", wording.MarkdownCell(w))
	}
	return b.String()
}
