package screen

import (
	"sweetspot/data/store"
	"sweetspot/engine/candidate"
	"sweetspot/engine/profile"
	"sweetspot/engine/question"
)

// Messages between screens, and from the program to them.
type (
	// Opened says that another database was opened; what it holds comes later.
	Opened struct{}

	// Loaded is what the database and the built-in library hold.
	Loaded struct {
		Set   *profile.Set
		Picks []store.Pick
	}

	// Ask has Explore ask about a model.
	Ask struct{ Question question.Question }

	// Reopen has Explore ask again what a pick was the answer to.
	Reopen struct{ Pick store.Pick }

	// ProbeSelected has Explore's selected candidate probed. File is a file of the
	// model; "" leaves the one that the form names.
	ProbeSelected struct{ File string }

	// ProbeCandidate fills the form of Probe; Candidate may be nil.
	ProbeCandidate struct {
		Candidate *candidate.Candidate
		File      string
	}

	// ProbeNext has the candidate probed whose probe is expected to save the most,
	// at once where its model's file and a machine are known. Without a candidate,
	// Why says what to do instead.
	ProbeNext struct {
		Candidate *candidate.Candidate
		Why       Words
	}

	// Measured are the runs of the probes that go on, to be ranked beside the
	// stored ones; none once they have ended.
	Measured struct{ Runs []profile.Run }

	// Standing says where the runs of the probes stand among the candidates.
	Standing struct{ Lines []string }
)
