package wording

import (
	"fmt"
	"math"
	"strings"
	"time"

	"sweetspot/data/catalog"
	"sweetspot/engine/advice"
	"sweetspot/engine/bill"
	"sweetspot/engine/candidate"
	"sweetspot/engine/fleet"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// PriceAge says how old a price is if it is old enough to be looked up again, or
// that it has no date; "" otherwise.
func PriceAge(p candidate.Part, purchase profile.Purchase, now time.Time) string {
	if _, quoted := p.VM.PriceOf(purchase); !quoted {
		return "" // unknown, or as its user gave it
	}
	switch age := catalog.AgeOf(profile.Price{Purchase: purchase, AsOf: p.PriceAsOf}, now); {
	case !age.Known:
		return "without a date"
	case age.Stale:
		return age.String() + " old"
	}
	return ""
}

// Tie says what the candidate at a place of the order ties with, and which of them has
// the least value; "" where it ties with none.
func Tie(r *rank.Result, place int) string {
	members, _ := r.TieAt(place)
	if len(members) == 0 {
		return ""
	}
	by, _ := r.Query.Sort.Objective()
	o, _ := r.Space.Objective(by)
	words := fmt.Sprintf("ties in %s with %d others", by, len(members)-1)
	if len(members) == 2 {
		words = fmt.Sprintf("ties in %s with another", by)
	}
	if members[0] == r.Head(place + 1)[place] {
		return words + ", of which it is the " + o.Best
	}
	c := r.Space.At(members[0])
	return fmt.Sprintf("%s (%s: %s, %s)", words, o.Best, VMs(c), o.Write(c.Of(by).Value))
}

// Probes says which probes to run next and what they cost; "" without any.
func Probes(r *rank.Result, all []advice.Probe) string {
	return plaintext.Clean(advice.Sentence(r, all, plaintext.Name))
}

// Warnings are sentences on what a reader of the result should know and might
// miss.
func Warnings(r *rank.Result, now time.Time) []string {
	out := []string{}
	if r.Count() > 0 {
		out = append(out, ofFirst(r.Space.At(r.First()))...)
	}
	if words := Tie(r, 0); words != "" {
		out = append(out, fmt.Sprintf("the first %s; --sort %s takes nothing as tied", words, r.Query.Sort.Strict()))
	}
	if i, ok := advice.Recommended(r); ok && i != r.First() {
		out = append(out, fmt.Sprintf("to be safe take batch %d (%.3g epochs to the target): batch sizes never trained "+
			"with usually take more than predicted", r.Space.At(i).BatchSize, r.Space.At(i).EpochsRange.Value))
	}
	if r.Count() > 0 {
		for _, p := range r.Space.At(r.First()).Configuration {
			if age := PriceAge(p, r.Query.Purchase, now); age != "" {
				out = append(out, plaintext.Clean(fmt.Sprintf("the price of %s is %s: sweetspot catalog import adds newer ones",
					p.VM.InstanceType, age)))
			}
		}
	}
	if r.Count() > 0 && math.IsNaN(r.Key(r.First())) {
		out = append(out, fmt.Sprintf("no %s is known of any candidate, so they are in the order of their times: choose "+
			"another order", r.Query.Sort.Label()))
	}
	if words := Interruptions(r.Query.Workload); words != "" {
		out = append(out, words)
	}
	return append(out, ofSpace(r)...)
}

// ofFirst are those about the first candidate.
func ofFirst(c *candidate.Candidate) (out []string) {
	if c.ToLoss != nil {
		out = append(out, "the first takes "+ToLoss(c))
	}
	if c.IsPredicted() {
		out = append(out, fmt.Sprintf("the first, %s, was never probed: its time is predicted (%s); probe it before you "+
			"rely on it", VMs(c), c.Time.Basis))
	}
	if c.FromEpochs && c.Why != "" {
		out = append(out, fmt.Sprintf("the time of the first, %s, is estimated from its first epochs only (%s to %s): %s",
			VMs(c), quantity.Duration(c.Time.Low), quantity.Duration(c.Time.High), c.Why))
	}
	if c.Schedule != "" {
		as := ", as trainings with a schedule did"
		if c.FollowsSizes {
			as = ""
		}
		out = append(out, plaintext.Clean(fmt.Sprintf("the first, %s, may take from %s to %s%s: %s", VMs(c),
			quantity.Duration(c.Time.Low), quantity.Duration(c.Time.High), as, c.Schedule)))
	}
	if c.Never != nil && *c.Never >= candidate.Seldom {
		out = append(out, fmt.Sprintf("the first reaches the target in only %.0f %% of trainings: its time and cost count "+
			"those that fail", 100*(1-*c.Never)))
	}
	return out
}

// ofSpace are those about what was left out, or is not known of all candidates.
func ofSpace(r *rank.Result) (out []string) {
	if most := r.Space.MaxCount; most > 0 && most < r.Query.MaxCount {
		out = append(out, fmt.Sprintf("there are too many candidates: only up to %d VMs of a type are ranked; name "+
			"variants, clouds, GPUs or batch sizes for more", most))
	}
	if left := r.Space.Unweighed; len(left) > 0 {
		out = append(out, fmt.Sprintf("weights in %s are left out because their accuracy is unknown: import one with the "+
			"name of its metric, or ask for them with --variant", strings.Join(left, ", ")))
	}
	if metrics := r.Space.Metrics; len(metrics) > 1 {
		out = append(out, fmt.Sprintf("accuracies are compared in %s; those in %s are left out: --metric chooses",
			plaintext.Name(metrics[0]), plaintext.Join(metrics[1:], ", ", plaintext.Name)))
	}
	for _, u := range r.Space.Uneven {
		out = append(out, fmt.Sprintf("%s left out at batch %d: the number of GPUs does not divide it",
			quantity.Several(u.VMTypes, "VM type"), u.Batch))
	}
	switch r.Space.Narrowed {
	case candidate.OwnBatches:
		out = append(out, "there are too many candidates to predict: only the batch sizes that each variant was run at "+
			"are predicted, in inference on one VM; name variants, clouds, GPUs or batch sizes for more")
	case candidate.Nothing:
		out = append(out, "there are too many candidates to predict, so none is; name variants, clouds, GPUs or batch sizes")
	}
	if unpriced := r.Space.Unpriced; unpriced > 0 {
		out = append(out, fmt.Sprintf("%d of %d candidates have no %s price: their cost is unknown, meets no cost limit and "+
			"is not counted in P(cheapest)", unpriced, r.Space.Len(), r.Query.Purchase))
	}
	if printed := r.Space.AsPrinted; printed > 0 {
		answer := "answer"
		if printed == 1 {
			answer = "answers"
		}
		out = append(out, fmt.Sprintf("%s %s with a total whose number of epochs is unknown",
			quantity.Several(printed, "candidate"), answer))
	}
	return out
}

// Interruptions says what is assumed of interruptions of spot VMs; "" for other
// purchase options.
func Interruptions(w question.Workload) string {
	if w.Purchase != profile.Spot {
		return ""
	}
	rate := fmt.Sprintf("spot VMs are assumed to be interrupted %g times an hour each, within a factor of %d; set "+
		"interruptions in the bill if you know better", bill.UsualInterruptions, bill.RateFactor)
	if r := w.Bill.Interruptions; r != nil && *r == 0 {
		return "spot VMs are assumed never to be interrupted, as set in the bill"
	} else if r != nil {
		rate = fmt.Sprintf("spot VMs are interrupted %.3g times an hour each", *r)
	}
	switch saved := w.Bill.CheckpointS; {
	case saved != nil:
		return fmt.Sprintf("%s; each costs the work since the last checkpoint, every %s, and a restart", rate,
			quantity.Duration(*saved))
	case w.Mode == profile.Train:
		return rate + "; each costs the work since the last epoch, and a restart"
	default:
		return rate + "; each costs the batch at work, and a restart"
	}
}

// FleetNotes say what to know before relying on a bill.
func FleetNotes(a *fleet.Answer) (notes []string) {
	if share := a.Rest.Outlasts(); share > 0.1 {
		notes = append(notes, fmt.Sprintf("%s of the reserved VMs' work comes after the last submission, paid as it is "+
			"done: a longer trace would give a better monthly bill", quantity.Percent(share)))
	}
	if idle := a.Rest.IdleGPUs; idle > 0.05 {
		notes = append(notes, fmt.Sprintf("every job has its VMs to itself: %s of their GPUs are idle; VMs with fewer "+
			"GPUs would cost less", quantity.Percent(idle)))
	}
	if len(a.Unknown) > 0 {
		notes = append(notes, fmt.Sprintf("no accuracy and no INT8 runtime is known of %s, which the trace names: the "+
			"runtime is drawn as for jobs without a model", plaintext.Line(strings.Join(a.Unknown, ", "), 100)))
	}
	return notes
}
