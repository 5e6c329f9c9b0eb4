package document

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"sweetspot/data/contract"
	"sweetspot/data/launch"
	"sweetspot/data/profilecsv"
	"sweetspot/data/report"
	"sweetspot/data/store"
	"sweetspot/data/wording"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

// Subject is what can be written; nil fields are not offered.
type Subject struct {
	Pick    *contract.Pick
	Ranking *Ranked
	Fleet   func() (contract.Fleet, error) // called once, when the first form is written
	Traffic func() (contract.Traffic, error)
	Runs    *Recorded
}

// Ranked is a whole ranking with its frontiers, the time it was asked at and the
// version of the program.
type Ranked struct {
	Result  *rank.Result
	Tested  validate.Tested // may be nil
	At      time.Time
	Version string
}

// Recorded is a set of runs with the way to their iterations.
type Recorded struct {
	Set        *profile.Set
	Iterations func(run int64) ([]store.Iteration, error)
}

// Of lists the forms of a subject.
func Of(s Subject) (out []Document) {
	if s.Fleet != nil {
		s.Fleet = sync.OnceValues(s.Fleet)
	}
	if s.Traffic != nil {
		s.Traffic = sync.OnceValues(s.Traffic)
	}
	for _, f := range forms {
		if m, ok := f.make(s); ok {
			out = append(out, Document{Form: f, Name: f.name(m.stem), Why: m.why, Outline: m.outline, files: m.files})
		}
	}
	return out
}

func ofPick(write func(io.Writer, contract.Pick) error) func(Subject) (made, bool) {
	return func(s Subject) (made, bool) {
		if s.Pick == nil {
			return made{}, false
		}
		return made{stem: launch.Slug(s.Pick.Candidate.Model),
			files: single(func(w io.Writer) error { return write(w, *s.Pick) })}, true
	}
}

// launches are the forms that launch a pick.
func launches() (out []Form) {
	for _, f := range launch.Formats {
		text := ofPick(func(w io.Writer, p contract.Pick) error {
			text, err := f.Text(p)
			if err == nil {
				_, err = io.WriteString(w, text)
			}
			return err
		})
		out = append(out, Form{Group: Launch, Format: f.Name, Title: f.Title, Extension: f.Extension,
			make: func(s Subject) (made, bool) {
				m, ok := text(s)
				if ok {
					m.why = f.Fits(*s.Pick)
				}
				return m, ok
			}})
	}
	return out
}

func ofRanking(write func(io.Writer, contract.Ranking) error) func(Subject) (made, bool) {
	return func(s Subject) (made, bool) {
		r := s.Ranking
		if r == nil {
			return made{}, false
		}
		return made{stem: launch.Slug(r.Result.Query.Model), outline: tooLong(r.Result),
			files: single(func(w io.Writer) error {
				return write(w, contract.NewRanking(r.Result, r.Tested, r.At))
			})}, true
	}
}

func rankingCSV(w io.Writer, r contract.Ranking) error { return contract.WriteCSV(w, r.Candidates) }

// longest is the most candidates that a preview shows.
const longest = 5000

// tooLong describes a ranking that is too long for a preview.
func tooLong(r *rank.Result) func() (string, error) {
	if r.Space.Len() <= longest {
		return nil
	}
	return func() (string, error) {
		return quantity.Count(float64(r.Space.Len())) + " candidates, the feasible ones first: too many to show.\n", nil
	}
}

// ofReport writes a report as files; outline summarises one that can't be read as
// text.
func ofReport(files func(*report.Report, string) ([]File, error),
	outline func(*report.Report) string) func(Subject) (made, bool) {
	return func(s Subject) (made, bool) {
		r := s.Ranking
		if r == nil {
			return made{}, false
		}
		find := func() (*report.Report, error) { return report.New(r.Result, r.Tested, r.At, r.Version) }
		m := made{stem: launch.Slug(r.Result.Query.Model), files: func(name string) ([]File, error) {
			found, err := find()
			if err != nil {
				return nil, err
			}
			return files(found, name)
		}}
		if outline != nil {
			m.outline = func() (string, error) {
				found, err := find()
				if err != nil {
					return "", err
				}
				return outline(found), nil
			}
		}
		if len(r.Result.Order) == 0 {
			m.why = fmt.Errorf("nothing to report: %s", wording.WhyNothing(r.Result))
		}
		return m, true
	}
}

// page is a report as one file.
func page(r *report.Report, name string) ([]File, error) {
	var text bytes.Buffer
	if err := r.HTML(&text); err != nil {
		return nil, err
	}
	return []File{{name, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}}}, nil
}

// illustrated is a report with its pictures beside it.
func illustrated(r *report.Report, name string) ([]File, error) {
	out := []File{{name, func(w io.Writer) error { return r.Markdown(w, name) }}}
	for _, p := range r.Pictures {
		out = append(out, File{p.File(name), p.PNG})
	}
	return out, nil
}

func ofFleet(write func(io.Writer, contract.Fleet) error) func(Subject) (made, bool) {
	return func(s Subject) (made, bool) { return found(Fleet, s.Fleet, write) }
}

func ofTraffic(write func(io.Writer, contract.Traffic) error) func(Subject) (made, bool) {
	return func(s Subject) (made, bool) { return found(Traffic, s.Traffic, write) }
}

// found is a form of an answer that takes long.
func found[T any](stem string, find func() (T, error), write func(io.Writer, T) error) (made, bool) {
	return made{stem: stem, files: single(func(w io.Writer) error {
		v, err := find()
		if err != nil {
			return err
		}
		return write(w, v)
	})}, find != nil
}

func ofRuns(write func(Recorded, io.Writer) error) func(Subject) (made, bool) {
	return func(s Subject) (made, bool) {
		if s.Runs == nil {
			return made{}, false
		}
		return made{stem: Runs, files: single(func(w io.Writer) error { return write(*s.Runs, w) })}, true
	}
}

func (r Recorded) writeCSV(w io.Writer) error { return profilecsv.Write(w, r.Set) }

func (r Recorded) writeJSON(w io.Writer) error { return contract.WriteRuns(w, r.Set, r.Iterations) }

// single is a document of one file.
func single(write func(io.Writer) error) func(name string) ([]File, error) {
	return func(name string) ([]File, error) { return []File{{name, write}}, nil }
}
