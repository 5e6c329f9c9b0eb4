// Package workload holds the jobs that a fleet is asked about and the requests
// that are to be served, read from a trace or generated. The subcommands and the
// screens share it.
package workload

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"sweetspot/data/arrivals"
	"sweetspot/data/jobtrace"
	"sweetspot/data/library"
	"sweetspot/data/textfile"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/serving"
)

// Jobs are those that a fleet is asked about.
type Jobs struct {
	Jobs   []fleet.Job
	Load   *fleet.Load // what they were made by, so that other seeds make others; nil for a trace
	Mix    fleet.Mix   // the study's models, for jobs that name none
	Source string      // in a few words
	Notes  []string    // how they were generated, or what was handled when they were read
}

// StudyJobs is as many as Nabavinejad et al. (2019) decide on.
const StudyJobs = 18187

// ReadJobs reads a job trace; an empty path generates as many jobs as the study
// has.
func ReadJobs(path string) (Jobs, error) {
	if path == "" {
		return MakeJobs(StudyJobs, 1)
	}
	trace, err := read(path, jobtrace.Read)
	if err != nil {
		return Jobs{}, err
	}
	source := fmt.Sprintf("%s: %s, %s", filepath.Base(path), quantity.Several(len(trace.Jobs), "job"), trace.Format)
	return withMix(Jobs{Jobs: trace.Jobs, Notes: trace.Notes, Source: source})
}

// MakeJobs generates n jobs.
func MakeJobs(n int, seed uint64) (Jobs, error) {
	load := fleet.Usual(n)
	return withMix(Jobs{
		Jobs: load.Generate(seed), Load: &load, Source: quantity.Several(load.Jobs, "synthetic job"),
		Notes: []string{load.String()},
	})
}

func withMix(j Jobs) (_ Jobs, err error) {
	j.Mix, err = library.StudyMix()
	return j, err
}

// Described says where the jobs are from, and what was handled when a trace was
// read.
func (j Jobs) Described() (source string, notes []string) {
	return described(j.Load != nil, j.Source, j.Notes)
}

// Requests are a load to serve.
type Requests struct {
	Arrivals serving.Trace
	Kinds    []arrivals.Kind // by the models that the trace names; nil where it names none
	Made     *Load           // what they were made by; nil for a trace
	Source   string          // in a few words
	Notes    []string        // how they were generated, or what was handled when they were read
}

// Load is a synthetic load.
type Load struct {
	Pattern   serving.Pattern
	Phases    []float64 // requests per second of constant loads one after the other, in place of Pattern
	Seconds   int       // how long it lasts; of each of the Phases
	PerSecond float64   // on average, of Pattern
	Seed      uint64    // of Pattern
}

// DefaultLoad is a day of a hundred requests a second.
func DefaultLoad() Load {
	return Load{Pattern: serving.DayLoad, Seconds: 24 * 3600, PerSecond: 100, Seed: 1}
}

// LongestLoad is the most seconds that a load may have, or each of its phases.
func (l Load) LongestLoad() int { return serving.MaxSeconds / max(len(l.Phases), 1) }

// ParsePhases reads constant loads in requests per second, as 10,50,100,200.
func ParsePhases(s string) (rates []float64, err error) {
	for _, word := range strings.Split(s, ",") {
		rate, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(rate >= 0 && rate <= serving.MaxPerSecond/10) {
			return nil, fmt.Errorf("%s is no load: give requests per second from 0 to %d, as 10,50,100", plaintext.Quote(word),
				serving.MaxPerSecond/10)
		}
		rates = append(rates, rate)
	}
	if len(rates) > mostPhases {
		return nil, fmt.Errorf("%d phases are too many: give %d at most", len(rates), mostPhases)
	}
	return rates, nil
}

// mostPhases bounds how many are typed.
const mostPhases = 100

// PhasesText writes constant loads as [ParsePhases] reads them.
func PhasesText(rates []float64) string {
	words := make([]string, len(rates))
	for i, r := range rates {
		words[i] = strconv.FormatFloat(r, 'g', -1, 64)
	}
	return strings.Join(words, ",")
}

// Words say in short what is generated.
func (l Load) Words() string {
	if len(l.Phases) > 0 {
		return quantity.Several(len(l.Phases), "phase")
	}
	return string(l.Pattern)
}

// Make generates the load.
func (l Load) Make() Requests {
	r := Requests{Made: &l}
	if len(l.Phases) > 0 {
		words := make([]string, len(l.Phases))
		for i, r := range l.Phases {
			words[i] = strconv.FormatFloat(r, 'g', 4, 64)
		}
		r.Arrivals, r.Source = serving.Phases(l.Phases, l.Seconds), "synthetic phases"
		r.Notes = []string{fmt.Sprintf("constant loads of %s requests/s, %s each", strings.Join(words, ", "),
			quantity.Duration(float64(l.Seconds)))}
		return r
	}
	r.Arrivals, r.Source = l.Pattern.Generate(max(l.Seconds, 1), l.PerSecond, l.Seed), "a synthetic "+string(l.Pattern)
	r.Notes = []string{l.Pattern.Words(l.Seconds, l.PerSecond)}
	return r
}

// ReadRequests reads an arrival trace; an empty path generates a day of a
// hundred requests a second.
func ReadRequests(path string) (Requests, error) {
	if path == "" {
		return DefaultLoad().Make(), nil
	}
	trace, err := read(path, arrivals.Read)
	if err != nil {
		return Requests{}, err
	}
	source := fmt.Sprintf("%s: %s, %s", filepath.Base(path), quantity.Several(trace.Trace.Requests(), "request"),
		trace.Format)
	return Requests{Arrivals: trace.Trace, Kinds: trace.Kinds, Source: source, Notes: trace.Notes}, nil
}

// Described says where the requests are from, and what was handled when a trace
// was read.
func (r Requests) Described() (source string, notes []string) {
	return described(r.Made != nil, r.Source, r.Notes)
}

func described(synthetic bool, source string, notes []string) (string, []string) {
	if synthetic {
		return "synthetic: " + notes[0], nil
	}
	return source, notes
}

// read reads the trace in a file.
func read[T any](path string, parse func(io.Reader) (T, error)) (trace T, err error) {
	file, err := textfile.OpenFile(path)
	if err != nil {
		return trace, fmt.Errorf("cannot read the trace %s: %w", plaintext.Line(path, 100), textfile.Unreadable(err))
	}
	defer file.Close()
	if trace, err = parse(file); err != nil {
		return trace, fmt.Errorf("%s: %w", plaintext.Line(filepath.Base(path), 100), err)
	}
	return trace, nil
}
