package contract

import (
	"time"

	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/objective"
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

// Ranking is the JSON of the rank subcommand.
type Ranking struct {
	Head              `yaml:",inline"`
	Query             question.Query              `json:"query"              yaml:"query"`
	Candidates        []Candidate                 `json:"candidates"         yaml:"candidates"`
	Frontier          Frontiers                   `json:"frontier"           yaml:"frontier"`
	Crossovers        []Crossover                 `json:"crossovers"         yaml:"crossovers"`
	InfeasibleBecause map[question.Constraint]int `json:"infeasible_because" yaml:"infeasible_because"`
	NextProbe         *NextProbe                  `json:"next_probe"         yaml:"next_probe"` // null: none would pay
	// Recommended is, of a training to a target accuracy, the id of the candidate
	// with the batch size to take; null otherwise.
	Recommended *string `json:"recommended"        yaml:"recommended"`
}

// NextProbe is the probe most worth running: what choosing after it is expected
// to save of the objective, in seconds or US dollars.
type NextProbe struct {
	Candidate string   `json:"candidate" yaml:"candidate"`
	Objective string   `json:"objective" yaml:"objective"`
	Saving    float64  `json:"saving"    yaml:"saving"`
	Pays      bool     `json:"pays"      yaml:"pays"`    // for a single job
	Changes   float64  `json:"changes"   yaml:"changes"` // probability that what it finds changes the choice
	Seconds   float64  `json:"seconds"   yaml:"seconds"`
	USD       *float64 `json:"usd"       yaml:"usd"`
}

func newNextProbe(r *rank.Result) *NextProbe {
	p, ok := advice.NextProbe(r, advice.ProbeSeconds, r.BestProbability)
	if !ok {
		return nil
	}
	id := clean(r.Space.At(p.Candidate).ID)
	return &NextProbe{id, string(p.Objective), p.Saving, p.Pays, p.Changes, p.Seconds, p.USD}
}

// Frontiers lists the ids of the non-dominated feasible candidates, by rising
// first objective.
type Frontiers = objective.Each[[]string]

func newFrontiers(r *rank.Result) Frontiers {
	var out Frontiers
	for _, p := range r.Space.Objectives.Pairs() {
		out = append(out, objective.Value[[]string]{Name: p.Key(), Value: ids(r.Space, r.Frontiers[p])})
	}
	return out
}

// Crossover is where the best candidate changes as a dial of the workload is
// turned.
type Crossover struct {
	Dial      string  `json:"dial"      yaml:"dial"`
	At        float64 `json:"at"        yaml:"at"`
	From      string  `json:"from"      yaml:"from"`
	To        string  `json:"to"        yaml:"to"`
	Objective string  `json:"objective" yaml:"objective"`
}

// NewRanking describes a result: the feasible candidates best first, then the
// others with what they violate. tested says how good such estimates were on the
// database itself; nil where that was not asked.
func NewRanking(r *rank.Result, tested validate.Tested, now time.Time) Ranking {
	s := r.Space
	out := Ranking{
		Head: NewHead("rank", wording.Warnings(r, now)...), Query: r.Query,
		Candidates: make([]Candidate, 0, s.Len()), Crossovers: []Crossover{}, InfeasibleBecause: r.Because,
	}
	chances := NewChances(r)
	place := make(map[int]int, len(r.Order))
	for k, i := range r.Order {
		place[i] = k + 1
		out.Candidates = append(out.Candidates, NewCandidate(r, i, k+1, chances, tested))
	}
	for i, ok := range r.Feasible {
		if !ok {
			out.Candidates = append(out.Candidates, NewCandidate(r, i, 0, nil, tested))
		}
	}
	out.NextProbe = newNextProbe(r)
	if i, ok := advice.Recommended(r); ok {
		out.Recommended = word(clean(s.At(i).ID))
	}
	out.Frontier = newFrontiers(r)
	for _, x := range advice.Crossovers(r) {
		out.Crossovers = append(out.Crossovers, Crossover{"epochs", x.Epochs, clean(s.At(x.From).ID), clean(s.At(x.To).ID),
			string(x.Objective)})
	}
	return out
}

func ids(s *rank.Space, index []int) []string {
	out := make([]string, len(index))
	for k, i := range index {
		out[k] = clean(s.At(i).ID)
	}
	return out
}
