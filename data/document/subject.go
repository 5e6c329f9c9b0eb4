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
	LLM     func() (contract.LLM, error)
	Mix     func() (contract.Mix, error)
	Loads   func() (contract.Loads, error)
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
	if s.Mix != nil {
		s.Mix = sync.OnceValues(s.Mix)
	}
	if s.LLM != nil {
		s.LLM = sync.OnceValues(s.LLM)
	}
	if s.Loads != nil {
		s.Loads = sync.OnceValues(s.Loads)
	}
	for _, f := range forms {
		if m := f.make(s); m.files != nil {
			out = append(out, Document{Form: f, Name: f.name(m.stem), Why: m.why, Outline: m.outline, files: m.files})
		}
	}
	return out
}

// single is a subject as one file.
func single(stem string, write func(io.Writer) error) made {
	return made{stem: stem, files: func(name string) ([]File, error) { return []File{{Name: name, Write: write}}, nil }}
}

func ofPick(write func(io.Writer, contract.Pick) error) maker {
	return func(s Subject) (m made) {
		if s.Pick != nil {
			m = single(launch.Slug(s.Pick.Candidate.Model), func(w io.Writer) error { return write(w, *s.Pick) })
		}
		return m
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
			make: func(s Subject) made {
				m := text(s)
				if s.Pick != nil {
					m.why = f.Fits(*s.Pick)
				}
				return m
			}})
	}
	return out
}

func ofRanking(write func(*contract.Listing, io.Writer) error) maker {
	return func(s Subject) (m made) {
		if r := s.Ranking; r != nil {
			m = single(launch.Slug(r.Result.Query.Model), func(w io.Writer) error {
				return write(contract.NewListing(r.Result, r.Tested, r.At, contract.All), w)
			})
			m.outline = tooLong(r.Result)
		}
		return m
	}
}

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
func ofReport(files func(*report.Report, string) ([]File, error), outline func(*report.Report) string) maker {
	return func(s Subject) (m made) {
		r := s.Ranking
		if r == nil {
			return m
		}
		find := func() (*report.Report, error) { return report.New(r.Result, r.Tested, r.At, r.Version) }
		m = made{stem: launch.Slug(r.Result.Query.Model), files: func(name string) ([]File, error) {
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
		if r.Result.Count() == 0 {
			m.why = fmt.Errorf("nothing to report: %s", wording.WhyNothing(r.Result))
		}
		return m
	}
}

// page is a report as one file.
func page(r *report.Report, name string) ([]File, error) {
	var text bytes.Buffer
	if err := r.HTML(&text); err != nil {
		return nil, err
	}
	return single("", func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}).files(name)
}

// illustrated is a report with its pictures beside it.
func illustrated(r *report.Report, name string) ([]File, error) {
	out := []File{{Name: name, Write: func(w io.Writer) error { return r.Markdown(w, name) }}}
	for _, p := range r.Pictures {
		out = append(out, File{Name: p.File(name), Write: p.PNG})
	}
	return out, nil
}

func ofFleet(write func(io.Writer, contract.Fleet) error) maker {
	return func(s Subject) made { return found(Fleet, s.Fleet, write) }
}

func ofTraffic(write func(io.Writer, contract.Traffic) error) maker {
	return func(s Subject) made { return found(Traffic, s.Traffic, write) }
}

func ofLLM(write func(io.Writer, contract.LLM) error) maker {
	return func(s Subject) made { return found("llm", s.LLM, write) }
}

func ofMix(write func(io.Writer, contract.Mix) error) maker {
	return func(s Subject) made { return found("mix", s.Mix, write) }
}

func ofLoads(write func(io.Writer, contract.Loads) error) maker {
	return func(s Subject) made { return found("loads", s.Loads, write) }
}

// found is a form of an answer that takes long.
func found[T any](stem string, find func() (T, error), write func(io.Writer, T) error) (m made) {
	if find == nil {
		return m
	}
	return single(stem, func(w io.Writer) error {
		v, err := find()
		if err != nil {
			return err
		}
		return write(w, v)
	})
}

func ofRuns(write func(Recorded, io.Writer) error) maker {
	return func(s Subject) (m made) {
		if s.Runs != nil {
			m = single(Runs, func(w io.Writer) error { return write(*s.Runs, w) })
		}
		return m
	}
}

func (r Recorded) writeCSV(w io.Writer) error { return profilecsv.Write(w, r.Set) }

func (r Recorded) writeJSON(w io.Writer) error { return contract.WriteRuns(w, r.Set, r.Iterations) }
