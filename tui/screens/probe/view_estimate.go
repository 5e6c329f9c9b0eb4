package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweetspot/data/store"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
	"sweetspot/engine/quantity"
	"sweetspot/engine/steady"
	"sweetspot/engine/training"
	"sweetspot/probes/session"
	"sweetspot/tui/components/panel"
	"sweetspot/tui/plot"
	"sweetspot/tui/text"
)

func (s *Screen) estimatePanel(w, h int) string {
	iw, ih := panel.Inner(w, h)
	title := "forming estimate"
	if phase := s.phase(); phase == Done || phase == Failed {
		title = "estimate"
	}
	lines := s.estimateLines(iw)
	place := s.place
	if phase := s.phase(); s.several() && phase != Running && phase != Stopping {
		place = nil // it is the place of a probe that runs
	}
	for _, more := range [][]string{s.accuracyLines(iw), s.pauseLines(iw), s.spreadLines(), s.layerLines(iw)} {
		if len(lines)+len(place)+len(more)+1 <= ih {
			lines = append(lines, more...)
		}
	}
	switch spare := ih - len(lines) - len(place); {
	case place != nil && spare > 0:
		lines = append(lines, "")
	case place != nil && spare == -1 && s.Active():
		lines = lines[:len(lines)-1] // the bar says what its words say
	}
	for _, l := range place {
		lines = append(lines, " "+text.Clean(l))
	}
	return panel.Panel{Title: title}.Render(s.th, strings.Join(lines[:min(len(lines), ih)], "\n"), w, h)
}

// estimateLines is what is known so far and when it will be enough.
func (s *Screen) estimateLines(w int) []string {
	lines := s.steadyLines(w)
	switch phase := s.phase(); {
	case phase == Failed:
		return append(append(lines, s.th.Bad.Wrap(s.why(), " ", w)...), s.estimateLineTexts()...)
	case phase == Done && judged(&s.update, s.form.Target) != precise:
		// Low terminals show the first lines only, and this must not be missed.
		mean := 0
		if s.update.Summary.Steady.Known() {
			mean = 1
		}
		return slices.Concat(lines[:mean], s.endLines(w), lines[mean:], s.estimateLineTexts())
	}
	lines = append(lines, s.estimateLineTexts()...)
	return append(lines, s.endLines(w)...)
}

func (s *Screen) steadyLines(w int) []string {
	th, m := s.th, s.update.Summary
	if m.Total == 0 {
		words := s.waitWords()
		if phase := s.phase(); phase == Failed || phase == Done {
			words = "no iteration was measured"
		}
		return th.Dim.Wrap(words, " ", w)
	}
	var lines []string
	if m.Steady.Known() {
		value, interval := withInterval(m.Steady, quantity.Duration)
		name := " steady  "
		if !m.IsSteady {
			name = " roughly "
		}
		lines = append(lines, name+th.Title.Render(value)+"  "+th.Interval.Render(interval+"  (n = "+strconv.Itoa(m.N)+")"))
	}
	switch {
	case m.IsSteady:
	case s.phase() == Done:
		if !strings.Contains(s.update.StoppedWords, m.Why) {
			lines = append(lines, th.Warn.Wrap("never steady: "+text.Clean(m.Why), " ", w)...)
		}
	default:
		lines = append(lines, th.Warn.Wrap("not steady yet: "+text.Clean(m.Why), " ", w)...)
	}
	warm := fmt.Sprintf(" first   %s", quantity.Duration(m.First))
	if m.IsSteady && m.Warmup > 0 {
		warm = fmt.Sprintf(" warm-up %d iterations, %+.1f s; first %s", m.Warmup, m.WarmupExtra, quantity.Duration(m.First))
	}
	lines = append(lines, warm)
	if m.Drift != 0 {
		lines = append(lines, " "+th.Warn.Render(fmt.Sprintf("drifts by %+.1f %% over the steady part", m.Drift*100)))
	}
	return lines
}

// spreadLines tell how the steady iterations scatter, for latencies.
func (s *Screen) spreadLines() []string {
	m := s.update.Summary
	if m.N == 0 {
		return nil
	}
	d := s.th.Dim.Render
	return []string{"",
		" " + d("half within ") + quantity.Duration(m.P50) + d(", 90 % within ") + quantity.Duration(m.P90),
		" " + d("99 % within ") + quantity.Duration(m.P99),
	}
}

// accuracyLines say what was read as the accuracy, so that the user can tell whether
// it is.
func (s *Screen) accuracyLines(w int) []string {
	if s.update.AccuracyRead == "" {
		return nil
	}
	return append([]string{""}, s.th.Dim.Wrap(text.Clean(s.update.AccuracyRead), " ", w)...)
}

// layerLines name the layers that take the largest shares of a pass.
func (s *Screen) layerLines(w int) []string {
	layers := slices.Clone(s.update.Layers)
	if len(layers) == 0 {
		return nil
	}
	slices.SortStableFunc(layers, func(a, b store.Layer) int { return cmp.Compare(b.Share, a.Share) })
	lines := []string{"", " " + s.th.Dim.Render("share of a pass")}
	for _, l := range layers[:min(len(layers), 4)] {
		name := text.Truncate(text.Clean(l.Name+" "+l.Kind), w-12, s.th.Symbols.Ellipsis)
		lines = append(lines, " "+text.FitRight(fmt.Sprintf("%.0f %%", l.Share*100), 6)+"  "+name)
	}
	return lines
}

// estimateLineTexts is the table of jobs with their times and costs.
func (s *Screen) estimateLineTexts() []string {
	what, jobs := estimateLines(s.update, s.form.Epochs, s.form.OfCommand())
	if len(jobs) == 0 {
		return nil
	}
	cost := ""
	if s.update.Run.USDPerHour != nil {
		cost = "cost"
	}
	lines := []string{" " + s.th.Dim.Render(text.FitRight(text.Clean(what),
		10)+"  "+text.Fit(timeTitle(s.update.Run), 20)+cost)}
	for _, j := range jobs {
		t, interval := withInterval(j.time, quantity.Duration)
		usd := ""
		if cost != "" {
			usd, _ = withInterval(j.cost, quantity.Money)
		}
		lines = append(lines, " "+text.FitRight(quantity.Count(j.length),
			10)+"  "+text.Fit(t+" "+s.th.Interval.Render(interval), 20)+usd)
	}
	return lines
}

// pauseLines say which pauses are in the times of the jobs, and of a script
// that none was seen.
func (s *Screen) pauseLines(w int) []string {
	epochs, ofScript := float64(s.form.Epochs), s.form.OfCommand()
	r := s.update.Run
	if ofScript && r.Epochs != nil {
		epochs = *r.Epochs
	}
	r.Basis = estimate.Measured
	p := training.PausesOf(r)
	words := p.Words(epochs)
	if words == "" || !r.Steady.Known() || (!p.Seen() && !ofScript) {
		return nil
	}
	if p.Seen() {
		length := quantity.Count(epochs) + " epochs "
		if epochs == 1 {
			length = "1 epoch "
		}
		words = length + words
	}
	return append([]string{""}, s.th.Dim.Wrap(text.Clean(words), " ", w)...)
}

// timeTitle heads the predicted times. Until a validation was measured, those of training
// leave validations out, and say so, or allow for them below.
func timeTitle(r profile.Run) string {
	if r.Mode == profile.Train && r.IterationsPerEpoch != nil && r.FirstValidationS == nil && r.ValidationS == nil &&
		!training.EndsUnseen(r) {
		return "without validation"
	}
	return "time"
}

// endLines say when the probe stops, or why it did.
func (s *Screen) endLines(w int) []string {
	th := s.th
	switch s.phase() {
	case Done:
		return s.doneLines(w)
	case Failed:
		return nil
	case Stopping:
		return []string{" " + th.Warn.Render("stopping at the next step"+th.Symbols.Ellipsis)}
	}
	if s.isQueued(s.at) {
		return nil // nothing goes on that would stop
	}
	rule := "stops when " + quantity.PlusMinus(s.form.Target)
	if s.kept[s.at] {
		rule = "keeps running"
	}
	if s.form.MaxSeconds > 0 {
		rule += " or " + quantity.Duration(s.form.MaxSeconds)
	}
	if s.form.MaxUSD > 0 {
		rule += " or " + quantity.Money(s.form.MaxUSD)
	}
	p := min(max(s.update.Verdict.Progress, 0), 1)
	lines := []string{" " + th.Dim.Render(rule),
		" " + plot.Bar(th, p, max(min(w-8, 40), 4)) + fmt.Sprintf(" %.0f %%", p*100)}
	if words := aim(&s.update, s.form.Target); words != "" {
		lines = append(lines, " "+th.Dim.Render(text.Truncate(words, w-2, th.Symbols.Ellipsis)))
	}
	return lines
}

// doneLines say why the probe is over, and what its mean is worth where that
// is less than was asked for.
func (s *Screen) doneLines(w int) []string {
	q := judged(&s.update, s.form.Target)
	b := qualityBadge(s.th, q)
	words := b.symbol(s.th) + " "
	if q == precise {
		words = s.th.Symbols.Check + " "
	} else {
		words += b.word + ": "
	}
	words += whyEnded(&s.update, s.form.Target)
	if id := s.update.Run.ID; id > 0 {
		words += ", saved as run " + strconv.FormatInt(id, 10)
	}
	return b.pen.Wrap(words, " ", w)
}

// ended says why the probe is over.
func ended(u session.Update) string {
	switch u.StoppedBecause {
	case steady.Precise:
		return "precise enough"
	case steady.Cap:
		return "the cap is reached"
	case session.End:
		return "the script ended"
	case session.OutOfMemory:
		return "out of GPU memory"
	case session.Interrupted:
		return "stopped"
	}
	return "ended"
}

// gpuLine is the newest telemetry on one line of at most w cells.
func (s *Screen) gpuLine(w int) string {
	th := s.th
	newest, history, gpus := latest(s.update.Telemetry)
	if gpus == 0 {
		line := "no GPU telemetry"
		if m := s.memory(nil); m != "" {
			line += "  " + m
		}
		return text.Truncate(th.Dim.Render(line), w, th.Symbols.Ellipsis)
	}
	var parts []string
	if gpus > 1 {
		parts = append(parts, fmt.Sprintf("busiest of %d", gpus))
	}
	if u := newest.Utilisation; u != nil {
		util := fmt.Sprintf("util %.0f %%", *u*100)
		if w >= 50 {
			util += " " + plot.Spark(th, history, min(len(history), 8), 1)
		}
		parts = append(parts, util)
	}
	if m := s.memory(newest.MemoryBytes); m != "" {
		parts = append(parts, m)
	}
	if v := newest.Watts; v != nil {
		parts = append(parts, fmt.Sprintf("%.0f W", *v))
	}
	if v := newest.Celsius; v != nil {
		parts = append(parts, fmt.Sprintf("%.0f °C", *v))
	}
	if t := text.Clean(newest.Throttle); t != "" {
		parts = append(parts, th.Warn.Render("throttled: "+t))
	} else {
		parts = append(parts, th.Dim.Render("no throttling"))
	}
	return text.Truncate(strings.Join(parts, "  "), w, th.Symbols.Ellipsis)
}

// memory writes the GPU memory in use now, or else the peak.
func (s *Screen) memory(now *float64) string {
	word := "mem "
	if now == nil {
		now, word = s.update.MemoryBytes, "peak mem "
	}
	if now == nil {
		return ""
	}
	out := word + gib(*now)
	if t := s.update.MemoryTotalBytes; t != nil {
		out += "/" + gib(*t)
	}
	return out + " GiB"
}

func gib(bytes float64) string { return strconv.FormatFloat(bytes/(1<<30), 'f', 1, 64) }

// latest finds the busiest GPU by its newest reading, and its utilisation over
// time.
func latest(all []store.Telemetry) (newest store.Telemetry, history []float64, gpus int) {
	last := map[int]store.Telemetry{}
	var order []int
	for _, t := range all {
		if _, seen := last[t.GPU]; !seen {
			order = append(order, t.GPU)
		}
		last[t.GPU] = t
	}
	for i, g := range order {
		t := last[g]
		if i == 0 || t.Utilisation != nil && (newest.Utilisation == nil || *t.Utilisation > *newest.Utilisation) {
			newest = t
		}
	}
	for _, t := range all {
		if t.GPU == newest.GPU && t.Utilisation != nil {
			history = append(history, *t.Utilisation)
		}
	}
	return newest, history, len(order)
}
