package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"go.yaml.in/yaml/v3"

	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/objective"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
	"sweetspot/engine/validate"
)

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Counts are candidates by the constraint that rules them out.
type Counts = map[question.Constraint]int

// Ranking is the JSON of the rank subcommand.
type Ranking struct {
	Head              `yaml:",inline"`
	Query             question.Query `json:"query"              yaml:"query"`
	Candidates        []Candidate    `json:"candidates"         yaml:"candidates"`         // the best first
	Total             int            `json:"total"              yaml:"total"`              // candidates that there are
	Listed            int            `json:"listed"             yaml:"listed"`             // of them above, see --limit
	Frontier          Frontiers      `json:"frontier"           yaml:"frontier"`           // ids of each
	Crossovers        []Crossover    `json:"crossovers"         yaml:"crossovers"`         // of the best
	InfeasibleBecause Counts         `json:"infeasible_because" yaml:"infeasible_because"` // candidates
	NextProbe         *NextProbe     `json:"next_probe"         yaml:"next_probe"`         // null: none would pay
	Probes            []NextProbe    `json:"probes"             yaml:"probes"`             // that one and those after it
	// Recommended is the id of the candidate to take: the first, but for a training to
	// a target accuracy the one with the safe batch size; null where none is feasible.
	Recommended *string     `json:"recommended"        yaml:"recommended"`
	Decision    *Decision   `json:"decision"           yaml:"decision"` // null: there is no candidate at all
	SweetSpots  []SweetSpot `json:"sweet_spots"        yaml:"sweet_spots"`
}

// Decision says what to rent, how sure that is and what would change it.
type Decision struct {
	Candidate *string `json:"candidate" yaml:"candidate"` // its id; null: none is feasible
	Words     string  `json:"words"     yaml:"words"`     // what to rent, in a sentence
	// More are further sentences: what ties, what to probe, how sure, what would change it.
	More []string `json:"more" yaml:"more"`
	Tied int      `json:"tied" yaml:"tied"` // candidates that tie with it, itself included; 0: none
	// P is the probability that none outside the tie is better; null: unknown.
	P *float64 `json:"p" yaml:"p"`
}

func newDecision(d wording.Decision, id func(i int) string) *Decision {
	said := d.Sentences()
	if len(said) == 0 {
		return nil
	}
	out := &Decision{Words: said[0], More: said[1:], Tied: d.Tied}
	if d.Chosen {
		out.Candidate, out.P = OrNull(id(d.Candidate)), known(d.Sure)
	}
	return out
}

// SweetSpot is how far a model can be pruned before it costs accuracy.
type SweetSpot struct {
	Candidate string  `json:"candidate"          yaml:"candidate"` // id of the most pruned one
	Unpruned  string  `json:"unpruned"           yaml:"unpruned"`  // id
	Layer     *string `json:"layer"              yaml:"layer"`     // null: the whole model
	Ratio     float64 `json:"ratio"              yaml:"ratio"`     // of the filters that are pruned
	Saved     float64 `json:"time_saved"         yaml:"time_saved"`
	Lost      float64 `json:"accuracy_lost"      yaml:"accuracy_lost"` // negative is gained
	Tolerance float64 `json:"accuracy_tolerance" yaml:"accuracy_tolerance"`
	Metric    string  `json:"metric"             yaml:"metric"`
}

// NextProbe is the probe most worth running.
type NextProbe struct {
	Candidate string   `json:"candidate"  yaml:"candidate"` // its id
	Objective string   `json:"objective"  yaml:"objective"`
	SavingS   *float64 `json:"saving_s"   yaml:"saving_s"`   // time that choosing after it is expected to save
	SavingUSD *float64 `json:"saving_usd" yaml:"saving_usd"` // cost that choosing after it is expected to save
	Pays      bool     `json:"pays"       yaml:"pays"`       // for a single job
	Changes   float64  `json:"changes"    yaml:"changes"`    // probability that what it finds changes the choice
	S         float64  `json:"s"          yaml:"s"`          // time of the probe, with the start-up of its VM
	USD       *float64 `json:"usd"        yaml:"usd"`        // cost of the probe
	Settles   float64  `json:"settles"    yaml:"settles"`    // probability that the best was probed by then
	Saving    float64  `json:"saving"     yaml:"saving"`     // Deprecated: saving_s or saving_usd
	Seconds   float64  `json:"seconds"    yaml:"seconds"`    // Deprecated: s
}

// inUnit is a value of an objective as seconds or as US dollars.
func inUnit[S ~string](of S, v *float64) (s, usd *float64) {
	switch objective.Name(of) {
	case objective.Time:
		return v, nil
	case objective.Cost:
		return nil, v
	}
	return nil, nil
}

func newProbes(probes []advice.Probe, id func(i int) string) []NextProbe {
	out := []NextProbe{}
	for _, p := range probes {
		s, usd := inUnit(p.Objective, &p.Saving)
		out = append(out, NextProbe{id(p.Candidate), string(p.Objective), s, usd, p.Pays, p.Changes, p.Seconds, p.USD,
			p.Settles, p.Saving, p.Seconds})
	}
	return out
}

// Probes are the probes to run next.
func Probes(r *rank.Result, chances Chances) []advice.Probe {
	return advice.Probes(r, advice.ProbeSeconds, chances.Of)
}

// Decide says what to rent, by the chances of a result.
func Decide(r *rank.Result, chances Chances) wording.Decision {
	return wording.Decide(r, chances.Of, advice.Crossovers(r), Probes(r, chances))
}

// Frontiers lists the ids of the non-dominated feasible candidates, by rising
// first objective.
type Frontiers = objective.Each[[]string]

func newFrontiers(r *rank.Result, id func(i int) string) (out Frontiers) {
	for _, p := range r.Space.Objectives.Pairs() {
		out = append(out, objective.Value[[]string]{Name: p.Key(), Value: ids(r.Frontiers[p], id)})
	}
	return out
}

func ids(index []int, id func(i int) string) []string {
	out := make([]string, len(index))
	for k, i := range index {
		out[k] = id(i)
	}
	return out
}

// Crossover is where the best candidate changes with the length of the workload.
type Crossover struct {
	Dial      string  `json:"dial"      yaml:"dial"` // what is turned: epochs, or steps where the query has them
	At        float64 `json:"at"        yaml:"at"`   // its value
	From      string  `json:"from"      yaml:"from"` // id of the best before
	To        string  `json:"to"        yaml:"to"`   // id of the best after
	Objective string  `json:"objective" yaml:"objective"`
}

// newRanking describes a result without its candidates. id names those that it refers to.
func newRanking(r *rank.Result, chances Chances, now time.Time, id func(i int) string) Ranking {
	probes, crossovers := Probes(r, chances), advice.Crossovers(r)
	out := Ranking{
		Head: NewHead("rank", wording.Warnings(r, now)...), Query: r.Query, Candidates: []Candidate{}, Total: r.Space.Len(),
		Crossovers: []Crossover{}, InfeasibleBecause: r.Because, SweetSpots: []SweetSpot{},
		Probes: newProbes(probes, id), Frontier: newFrontiers(r, id),
	}
	if len(out.Probes) > 0 {
		out.NextProbe = &out.Probes[0]
	}
	if i, ok := advice.Recommended(r); ok {
		out.Recommended = OrNull(id(i))
	}
	out.Decision = newDecision(wording.Decide(r, chances.Of, crossovers, probes), id)
	unit := "epochs"
	if r.Query.Steps != nil {
		unit = "steps"
	}
	for _, x := range crossovers {
		out.Crossovers = append(out.Crossovers, Crossover{unit, x.Epochs, id(x.From), id(x.To), string(x.Objective)})
	}
	for _, p := range advice.SweetSpots(r.Space) {
		out.SweetSpots = append(out.SweetSpots, SweetSpot{id(p.Candidate), id(p.Unpruned), OrNull(clean(p.Layer)), p.Ratio,
			p.Saved, p.Lost, p.Tolerance, clean(p.Metric)})
	}
	return out
}

// Pick is a candidate the user chose, with the query that led to it.
type Pick struct {
	Head        `yaml:",inline"`
	PickedAt    string         `json:"picked_at" yaml:"picked_at"` // RFC 3339, UTC
	Query       question.Query `json:"query" yaml:"query"`
	Candidate   Candidate      `json:"candidate" yaml:"candidate"`
	EstimatedBy string         `json:"estimated_by" yaml:"estimated_by"` // the program and its version
	// what runs the model, as it was measured, at the candidate's batch size where a flag of
	// it says which; empty where it is not known
	RunWords  []string `json:"run_command" yaml:"run_command"`
	RunBatch  *int     `json:"run_batch_size" yaml:"run_batch_size"` // that it runs at
	RunFolder *string  `json:"run_folder" yaml:"run_folder"`         // that it was run in
	// that the script had imported there, name==version; empty where that is not known
	RunPackages []string `json:"run_packages" yaml:"run_packages"`
}

// RunAs has the pick run the command that was measured.
func (p *Pick) RunAs(set *profile.Set) {
	c := &p.Candidate
	r := set.Commanded(c.Model, profile.Mode(c.Mode), c.Sources)
	if r == nil {
		return
	}
	batch := r.BatchSize
	if c.BatchSize != nil {
		batch = *c.BatchSize
	}
	words, ok := r.CommandAt(batch)
	if !ok {
		batch = r.BatchSize
	}
	p.RunWords, p.RunBatch, p.RunFolder = words, OrNull(batch), OrNull(r.Folder)
	p.RunPackages = append(p.RunPackages, set.PackagesOf(r)...)
}

// NewPick makes a pick of candidate i of a result; tested may be nil.
func NewPick(r *rank.Result, i int, at time.Time, version string, tested validate.Tested) Pick {
	place := r.Place(i) + 1
	c := NewCandidate(r, i, place, NewChances(r), tested)
	return Pick{
		Head: NewHead("export", wording.Warnings(r, at)...), PickedAt: at.UTC().Format(time.RFC3339),
		Query: r.Query, Candidate: c, EstimatedBy: "sweetspot " + version, RunWords: []string{},
		RunPackages: []string{},
	}
}

// ReadPick is a pick as it was kept: the JSON of its query and of its candidate.
// What another program has put there may lack anything, and its texts are made
// plain.
func ReadPick(query, candidate []byte, at time.Time, version string) (Pick, error) {
	p := Pick{Head: NewHead("export"), PickedAt: at.UTC().Format(time.RFC3339), EstimatedBy: "sweetspot " + version,
		RunWords: []string{}, RunPackages: []string{}}
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
