package main

import (
	"encoding/json"
	"fmt"
	"io"

	"sweetspot/engine/profile"
	"sweetspot/probes/matrix"
	"sweetspot/probes/report"
)

// usualEpochs are the lengths of training to estimate by default.
var usualEpochs = []float64{5, 10, 20}

// printer writes every probe once, as it ends: as text or as JSON, for several
// probes one object per line.
type printer struct {
	out     io.Writer
	json    bool
	path    string
	epochs  func(matrix.Row) []float64 // to estimate
	set     *profile.Set
	printed map[int]bool
}

func (p *printer) print(u matrix.Update) error {
	if p.printed == nil {
		p.printed = map[int]bool{}
	}
	for i, r := range u.Rows {
		// Probes skipped by a stop come after those it ended.
		leftOut := r.State == matrix.Skipped && u.Stopping && !u.Done
		if p.printed[i] || leftOut || r.State == matrix.Waiting || r.State == matrix.Running {
			continue
		}
		p.printed[i] = true
		if err := p.row(u.Rows, i); err != nil {
			return err
		}
	}
	return nil
}

// row writes one probe; one of several that measured nothing is only listed.
func (p *printer) row(rows []matrix.Row, i int) error {
	r, among := rows[i], len(rows) > 1
	if r.Update.Seq == 0 {
		if p.json {
			return p.document(report.Unmeasured(r), among)
		}
		if !among {
			return nil // the command's own error says so
		}
		_, err := fmt.Fprintf(p.out, "%s: %s, %s\n", r.Label(), r.State, r.Why)
		return err
	}
	result := report.Row(rows, i, p.epochs(r), p.set.Kinds)
	if p.json {
		return p.document(result, among)
	}
	return result.Write(p.out, p.path)
}

// document writes one probe as JSON, on one line if there are several.
func (p *printer) document(probe report.Probe, among bool) error {
	if !among {
		return printJSON(p.out, probe)
	}
	lines := json.NewEncoder(p.out)
	lines.SetEscapeHTML(false)
	return lines.Encode(probe)
}
