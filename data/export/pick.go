package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

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
		Schema: Schema, Command: "export", Warnings: Warnings(r), PickedAt: at.UTC().Format(time.RFC3339),
		Query: NewQuery(r.Query), Candidate: c, EstimatedBy: "sweetspot " + version,
	}
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
	return "", fmt.Errorf("format %q is none of json, yaml, csv, markdown", s)
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
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(p)
	case YAML:
		enc := yaml.NewEncoder(w)
		enc.SetIndent(2)
		if err := enc.Encode(p); err != nil {
			return err
		}
		return enc.Close()
	case CSV:
		return p.writeCSV(w)
	case Markdown:
		_, err := io.WriteString(w, p.markdown())
		return err
	}
	return fmt.Errorf("format %q is not known", f)
}

func (p Pick) markdown() string {
	c := p.Candidate
	var b strings.Builder
	row := func(name, value string) { fmt.Fprintf(&b, "| %s | %s |\n", cell(name), cell(value)) }
	fmt.Fprintf(&b, "# %s\n\n| | |\n|---|---|\n", cell(c.Model+" · "+c.Mode))
	for _, v := range c.Configuration {
		row("VMs", v.words())
		row("price", v.priceWords(c.Purchase))
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
	row("time", interval90(c.Time.S, c.Time.Low, c.Time.High, c.Time.Basis, quantity.Duration))
	row("cost", interval90(c.Cost.USD, c.Cost.Low, c.Cost.High, c.Cost.Basis, quantity.Money))
	if a := c.Accuracy; a != nil {
		row(a.Metric, fmt.Sprintf("%s (%s)", AccuracyText(a.Value, a.HigherIsBetter), a.Basis))
	}
	if c.Rank != nil {
		row("rank", fmt.Sprintf("%d by %s", *c.Rank, p.Query.Sort))
	}
	row("limits", limitsText(p.Query, c.Accuracy == nil || c.Accuracy.HigherIsBetter))
	if len(c.Sources) > 0 {
		row("rests on", sourcesText(c.Sources))
	}
	row("picked", p.PickedAt+" with "+p.EstimatedBy)
	for _, w := range p.Warnings {
		fmt.Fprintf(&b, "\n> %s\n", cell(w))
	}
	return b.String()
}

// cell keeps text inside its table cell, and from being markup: a name is not
// a link, a picture or a tag.
func cell(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "&", "&amp;", "`", "'", "[", "\\[", "]", "\\]").Replace(s)
}

// Name is the instance type, or the host of a machine of one's own.
func (v Part) Name() string { return cmp.Or(text(v.InstanceType), text(v.Host), "VM") }

// words names a part: 1× p2.xlarge (1× K80), aws us-east-1.
func (v Part) words() string {
	gpu := "GPU unknown"
	switch name := text(v.GPU); {
	case name != "" && v.GPUCount != nil:
		gpu = fmt.Sprintf("%d× %s", *v.GPUCount, name)
	case name != "":
		gpu = name
	case v.GPUCount != nil && *v.GPUCount > 0:
		gpu = fmt.Sprintf("%d GPUs", *v.GPUCount)
	case v.GPUCount != nil:
		gpu = "no GPU"
	case v.Host != nil:
		gpu = "no GPU known"
	}
	out := fmt.Sprintf("%d× %s (%s)", v.Count, v.Name(), gpu)
	if where := strings.TrimSpace(text(v.Cloud) + " " + text(v.Region)); where != "" {
		out += ", " + where
	}
	return out
}

func (v Part) priceWords(purchase string) string {
	if v.USDPerHour == nil {
		return "price unknown"
	}
	out := fmt.Sprintf("%s/h each, %s", quantity.Money(*v.USDPerHour), purchase)
	if from := text(v.PriceFrom); from != "" {
		out += " (" + from + ")"
	}
	return out
}

// sourcesText names runs. Those of the built-in library have numbers below 0.
func sourcesText(ids []int64) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if names[i] = fmt.Sprintf("run %d", id); id < 0 {
			names[i] = fmt.Sprintf("built-in library, run %d", -id)
		}
	}
	return strings.Join(names, "; ")
}

func interval90(v, low, high *float64, basis *string, format func(float64) string) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf("%s, 90 %% between %s and %s (%s)", format(*v), format(*low), format(*high), *basis)
}

func limitsText(q Query, higherIsBetter bool) string {
	var parts []string
	if q.MinAccuracy != nil {
		sign := " ≥ "
		if !higherIsBetter {
			sign = " ≤ "
		}
		parts = append(parts, "accuracy"+sign+AccuracyText(*q.MinAccuracy, higherIsBetter))
	}
	if q.MaxTimeS != nil {
		parts = append(parts, "time ≤ "+quantity.Duration(*q.MaxTimeS))
	}
	if q.MaxCostUSD != nil {
		parts = append(parts, "cost ≤ "+quantity.Money(*q.MaxCostUSD))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
