package logged

import (
	"cmp"
	"slices"

	"sweetspot/data/imports/source"
	"sweetspot/engine/profile"
)

// Several is the runs of one file.
type Several struct {
	runs  []begun
	order []string       // of the notes
	notes map[string]int // the runs that have each
}

// begun is a run as it is imported, and when it began.
type begun struct {
	at  float64
	run profile.Run
}

// Add adds a run that begins as out.
func (s *Several) Add(r *Run, out profile.Run) {
	var report source.Report
	r.Report(&report, out)
	s.runs = append(s.runs, begun{r.Began, report.Set.Runs[0]})
	if s.notes == nil {
		s.notes = map[string]int{}
	}
	for _, n := range report.Notes {
		if s.notes[n]++; s.notes[n] == 1 {
			s.order = append(s.order, n)
		}
	}
}

// Len is the number of runs.
func (s *Several) Len() int { return len(s.runs) }

// maxNotes bounds what is said about the runs of a file.
const maxNotes = 20

// Report reports the runs in the order in which they began, with what was noted of each.
func (s *Several) Report(report *source.Report) {
	report.Set = &profile.Set{}
	slices.SortStableFunc(s.runs, func(a, b begun) int { return cmp.Compare(a.at, b.at) })
	for _, r := range s.runs {
		report.Set.Runs = append(report.Set.Runs, r.run)
	}
	for _, n := range s.order[:min(len(s.order), maxNotes)] {
		if len(s.runs) > 1 {
			report.Note("%d of %d runs: %s", s.notes[n], len(s.runs), n)
		} else {
			report.Note("%s", n)
		}
	}
}
