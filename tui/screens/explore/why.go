package explore

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/contract"
	"sweetspot/data/wording"
	"sweetspot/engine/advice"
	"sweetspot/engine/candidate"
	"sweetspot/engine/estimate"
	"sweetspot/engine/objective"
	"sweetspot/engine/plaintext"
	"sweetspot/engine/quantity"
	"sweetspot/engine/question"
	"sweetspot/engine/rank"
)

// why says in sentences what there is to say of candidate i: its place, its
// intervals, what it rests on, what would change the choice. Pure: the same
// answer gives the same words.
func why(a *Answer, i int) []string {
	r := a.Result
	c := r.Space.At(i)
	lines := []string{place(a, i)}
	lines = append(lines, numbers(a, c)...)
	lines = append(lines, toLoss(c), fits(c))
	lines = append(lines, nextProbe(a)...)
	lines = append(lines, neighbours(r, i))
	lines = append(lines, combination(c)...)
	lines = append(lines, bought(a), sweet(a, i), toTarget(c), wording.Scaling(c), restsOn(a, c))
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// fits says what a language model's training needs of each GPU, and else what would fit.
func fits(c *candidate.Candidate) string {
	if c.Fit == nil {
		return ""
	}
	line := "each GPU needs " + wording.Memory(c.Fit)
	if len(c.Fit.WouldFit) > 0 {
		line += " · would fit: " + strings.Join(c.Fit.WouldFit, ", ")
	}
	return line
}

// toLoss says how many tokens a loss takes.
func toLoss(c *candidate.Candidate) string {
	if c.ToLoss == nil {
		return ""
	}
	return wording.ToLoss(c)
}

// toTarget says how many epochs a target accuracy takes, and on what that rests.
func toTarget(c *candidate.Candidate) string {
	if !c.EpochsRange.Known() {
		return ""
	}
	line := fmt.Sprintf("%.1f epochs to the target (90 %%: %.1f … %.1f) %s", c.EpochsRange.Value, c.EpochsRange.Low,
		c.EpochsRange.High, c.EpochsWhy)
	if c.Never != nil && *c.Never >= 0.01 {
		line += fmt.Sprintf(" · never reached with probability %.0f %%", 100**c.Never)
	}
	return line
}

// nextProbe says which probe is most worth running, where there is anything
// that was not measured.
func nextProbe(a *Answer) []string {
	if len(a.probes) == 0 {
		if a.Question.Predicted {
			return []string{"no probe is expected to pay off: stop probing"}
		}
		return nil
	}
	if len(a.probes) > 1 {
		return []string{"next: " + wording.Probes(a.Result, a.probes)}
	}
	c := a.Result.Space.At(a.probes[0].Candidate)
	return []string{fmt.Sprintf("next probe: %s %s, batch %d: %s", c.Configuration[0].VM.InstanceType,
		wording.VariantLabel(c.Variant), c.BatchSize, a.probes[0].Words())}
}

// sweet says how far the model can be pruned before it costs accuracy, for the
// candidate at the end of that stretch and for the one at its beginning.
func sweet(a *Answer, i int) string {
	var words []string
	for _, p := range a.spots[i] {
		words = append(words, p.Words())
	}
	if len(words) == 0 {
		return ""
	}
	if a.isSweet(i) {
		return "a sweet spot: " + strings.Join(words, "; ")
	}
	return "sweet spot from here: " + strings.Join(words, "; ")
}

// place says where the candidate stands and which constraint binds.
func place(a *Answer, i int) string {
	r := a.Result
	if !r.Feasible.Has(i) {
		broken := func(v candidate.Violation) string { return violation(r, v) }
		return "not feasible: " + plaintext.Join(r.Violations(i), ", ", broken)
	}
	var parts []string
	if r.Count() > 0 && r.First() == i {
		if math.IsNaN(r.Key(i)) {
			return "first, but no " + r.Query.Sort.Label() + " is known"
		}
		best := superlative(r.Query.Sort)
		if members, _ := r.TieAt(0); len(members) > 0 {
			best = "first"
		}
		parts = append(parts, best+among(r)+limits(r))
	} else {
		parts = append(parts, "compared with the first: "+difference(r, i, r.First()))
	}
	if r.Space.At(i).IsPredicted() {
		parts[0] += ", but never probed"
	}
	if words := wording.Tie(r, r.Place(i)); words != "" {
		parts = append(parts, words)
	}
	if f := frontier(r, i); f != "" {
		parts = append(parts, f)
	}
	if flip, ok := advice.PriceFlip(r, i); ok && flip.USDPerHour > flip.Now*1.005 {
		vm := r.Space.At(flip.To)
		parts = append(parts, fmt.Sprintf("%s becomes first if %s costs more than %s/h", wording.VMs(vm),
			r.Space.At(i).Configuration[0].VM.InstanceType, quantity.Money(flip.USDPerHour)))
	}
	return strings.Join(parts, " · ")
}

func violation(r *rank.Result, v candidate.Violation) string {
	format := func(x float64) string { return fmt.Sprintf("%.1f GiB", x) }
	if o, ok := r.Space.Objective(v.Constraint); ok {
		format = o.Write
	} else if o, ok := objective.Of(v.Constraint); ok {
		format = o.Write
	}
	name := strings.ReplaceAll(string(v.Constraint), "_", " ")
	if math.IsNaN(v.Limit) {
		return "a run ran out of " + name
	}
	if v.Value == nil {
		return name + " unknown, limit " + format(v.Limit)
	}
	return fmt.Sprintf("%s %s, limit %s", name, format(*v.Value), format(v.Limit))
}

func superlative(s question.Sort) string {
	if s == question.ByScore {
		return "best weighted score"
	}
	name, perAccuracy := s.Objective()
	o, _ := objective.Of(name)
	if perAccuracy {
		return o.PerAccuracyWords
	}
	return o.Best
}

// among says how many feasible candidates have the value at all, where not all
// have.
func among(r *rank.Result) string {
	known := r.Known()
	if known == r.Count() {
		return ""
	}
	return fmt.Sprintf(" of the %d whose %s is known", known, r.Query.Sort.Loose())
}

func limits(r *rank.Result) string {
	var parts []string
	for _, o := range r.Space.Objectives {
		if limit := r.Query.Limits.Get(o.Name); limit != nil {
			parts = append(parts, fmt.Sprintf(o.AtLimit, o.Write(*limit)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ", ")
}

// difference says how i compares with j: +12 m 00 s, −$0.30, −10.0 points.
func difference(r *rank.Result, i, j int) string {
	s := r.Space
	var parts []string
	for _, o := range s.Objectives.Minimized() {
		values := s.Values(o.Name)
		parts = append(parts, against(values[i], values[j], string(o.Name), o.Write))
	}
	if d := s.Values(objective.Accuracy)[i] - s.Values(objective.Accuracy)[j]; !math.IsNaN(d) && d != 0 {
		parts = append(parts, signed(d*100, func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) + " points" }))
	}
	return strings.Join(parts, ", ")
}

// same is the relative difference below which two values are shown as one.
const same = 0.0005

func against(v, other float64, name string, format func(float64) string) string {
	if math.Abs(v-other) <= same*math.Abs(other) {
		return "the same " + name
	}
	return signed(v-other, format)
}

func signed(v float64, format func(float64) string) string {
	switch {
	case math.IsNaN(v):
		return "unknown"
	case v < 0:
		return "−" + format(-v)
	default:
		return "+" + format(v)
	}
}

func frontier(r *rank.Result, i int) string {
	var on []string
	for _, p := range r.Space.Objectives.Pairs() {
		if slices.Contains(r.Frontiers[p], i) {
			on = append(on, fmt.Sprintf("%s–%s", p.A, p.B))
		}
	}
	if len(on) == 0 {
		return ""
	}
	if len(on) == 1 {
		return "on the " + on[0] + " frontier"
	}
	last := len(on) - 1
	return "on the " + strings.Join(on[:last], ", ") + " and " + on[last] + " frontiers"
}

// numbers says time and cost, and what the cost is made of where that is more
// than the work.
func numbers(a *Answer, c *candidate.Candidate) []string {
	line := "time " + between(c.Time, quantity.Duration)
	if c.Cost.Known() {
		line += " · cost " + between(c.Cost, quantity.Money)
	} else {
		line += " · cost unknown: no price for this purchase option"
	}
	for _, o := range a.Result.Space.Objectives.Minimized() {
		if o.Optional {
			line += fmt.Sprintf(" · %s %s", o.Name, between(c.Of(o.Name), o.Write))
		}
	}
	lines := []string{line}
	if items := contract.CostItems(c); items != "" {
		lines = append(lines, "the cost: "+items)
	}
	if c.Slowdown.Known() {
		lines = append(lines, wording.Interruptions(a.Result.Query.Workload))
	}
	return lines
}

func between(e estimate.Estimate, format func(float64) string) string {
	if !e.Known() {
		return "unknown"
	}
	return fmt.Sprintf("%s (90 %%: %s … %s)", format(e.Value), format(e.Low), format(e.High))
}

// bought says what giving way on each binding constraint would buy.
func bought(a *Answer) string {
	return plaintext.Join(a.Relaxations, " · ", func(x advice.Relaxation) string { return relaxation(a.Result, x) })
}

// relaxation names both ends of the trade: what comes in, and against what.
func relaxation(r *rank.Result, x advice.Relaxation) string {
	o, _ := r.Space.Objective(x.Constraint)
	step := o.Write(x.Need)
	if x.Constraint != objective.Accuracy {
		step = "+" + o.Write(x.Need-x.Limit)
	}
	c := r.Space.At(x.Candidate)
	name := wording.VMs(c) + " " + wording.VariantLabel(c.Variant)
	if r.Count() == 0 || math.IsInf(x.Gain, 1) {
		return fmt.Sprintf("%s: %s would admit %s", x.Constraint, step, name)
	}
	return fmt.Sprintf("%s binds: %s admits %s, %s", x.Constraint, step, name, instead(r, x))
}

// instead sets what a relaxation lets in against the best without it.
func instead(r *rank.Result, x advice.Relaxation) string {
	name := objective.Name(x.In)
	o, ok := r.Space.Objective(name)
	if !ok {
		return fmt.Sprintf("%.2g less of the %s", x.Gain, x.In)
	}
	v := r.Space.Values(name)[x.Candidate]
	return fmt.Sprintf("%s at the %s instead of %s", o.Write(v), o.Best, o.Write(v+x.Gain))
}

// restsOn names the runs, the basis of the interval and the price.
func restsOn(a *Answer, c *candidate.Candidate) string {
	if c.IsPredicted() {
		line := fmt.Sprintf("predicted (%s): %s", c.Time.Basis, c.Why)
		line += tested(a, c)
		return line + price(a, c)
	}
	line := fmt.Sprintf("based on %s (%s)", quantity.Several(len(c.Sources), "run"), c.Time.Basis)
	if c.Why != "" {
		line += ", " + c.Why
	}
	line += tested(a, c)
	if src := source(a, c); src != "" {
		line += ": " + src
	}
	if k, ok := a.Set.Kinds[c.Time.Basis]; ok && k.Words != "" && c.Time.Basis != estimate.Measured {
		line += " · interval: " + k.Words
	}
	return line + price(a, c)
}

// price is what the VMs cost an hour, and where that is from.
func price(a *Answer, c *candidate.Candidate) string {
	hourly := c.USDPerHour()
	switch p := c.Configuration[0]; {
	case hourly == nil:
		return ""
	case len(c.Configuration) > 1:
		return fmt.Sprintf(" · %s/h together", quantity.Money(*hourly))
	default:
		line := fmt.Sprintf(" · %s/h, %s", quantity.Money(*p.USDPerHour), p.PriceFrom)
		if age := wording.PriceAge(p, c.Purchase, a.today); age != "" {
			line += " (" + age + ")"
		}
		return line
	}
}

// tested says how far off such estimates were on the set's own runs; "" where
// nothing says.
func tested(a *Answer, c *candidate.Candidate) string {
	s, ok := a.Tested.For(c)
	if !ok {
		return ""
	}
	return " · " + s.Words()
}

// source is where the first run of the candidate comes from.
func source(a *Answer, c *candidate.Candidate) string {
	if len(c.Sources) == 0 {
		return ""
	}
	k, ok := slices.BinarySearchFunc(a.byID, c.Sources[0],
		func(i int32, id int64) int { return cmp.Compare(a.Set.Runs[i].ID, id) })
	if !ok {
		return ""
	}
	r := &a.Set.Runs[a.byID[k]]
	return strings.TrimSpace(r.Source + " " + r.AsOf)
}
