// Package trainer reads trainer_state.json of the Hugging Face Trainer
// (transformers 4 and 5), found in every checkpoint-N folder: epoch,
// global_step, max_steps, num_train_epochs, train_batch_size and log_history,
// whose entries hold loss and learning_rate, or eval_* with eval_runtime, or at
// the end train_runtime with train_samples_per_second and train_steps_per_second.
//
// There is no wall clock: seconds are known of each evaluation and, once the
// training ended, of the whole of it, evaluations included. So a run has a total
// and no time of an iteration. The global batch follows from the two rates at
// the end and train_batch_size, that of one process without accumulation; where
// they leave it open it is unknown. Unknown are the model (the name of
// the folder is taken), the data set, the GPU and the price. Of several
// checkpoints of one training the last is read. The basis is measured.
package trainer

import (
	"bytes"
	"cmp"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"sweetspot/data/imports/source"
	"sweetspot/data/textfile"
	"sweetspot/engine/estimate"
	"sweetspot/engine/profile"
)

// Format is how trainer_state.json is recognised and read.
var Format = source.Format{Name: "trainer-state", Title: "Hugging Face trainer state", Claims: claims,
	Group: training, Read: read}

func claims(p string, head []byte) bool {
	if !source.IsObject(head) {
		return false
	}
	return path.Base(p) == "trainer_state.json" || bytes.Contains(head, []byte(`"log_history"`)) &&
		bytes.Contains(head, []byte(`"global_step"`))
}

var checkpoint = regexp.MustCompile(`^checkpoint-\d+$`)

// training is the folder of a training, whose checkpoints are folders in it.
func training(p string) string {
	dir := path.Dir(p)
	if checkpoint.MatchString(path.Base(dir)) {
		dir = path.Dir(dir)
	}
	if path.Base(p) != "trainer_state.json" {
		return p // renamed: nothing says what belongs together
	}
	return dir
}

// tail names a state by its training and checkpoint.
func tail(f source.File) string {
	if checkpoint.MatchString(path.Base(path.Dir(f.Path))) {
		return f.Tail(3)
	}
	return f.Tail(2)
}

type state struct {
	Epoch      source.Loose              `json:"epoch"`
	Step       source.Loose              `json:"global_step"`
	MaxSteps   source.Loose              `json:"max_steps"`
	Epochs     source.Loose              `json:"num_train_epochs"`
	BatchSize  source.Loose              `json:"train_batch_size"`
	LogHistory []map[string]source.Loose `json:"log_history"`
}

func read(files []source.File, given source.Given) []source.Report {
	reports := make([]source.Report, len(files))
	states := make([]state, len(files))
	best := -1
	for i, f := range files {
		reports[i].File = f.Path
		if reports[i].Err = states[i].load(f); reports[i].Err != nil {
			continue
		}
		if best < 0 || later(states[i], states[best]) {
			best = i
		}
	}
	for i, f := range files {
		switch {
		case reports[i].Err != nil:
		case i != best:
			reports[i].Set = &profile.Set{}
			reports[i].Note("an earlier checkpoint of %s: not used", tail(files[best]))
		default:
			describe(&reports[i], f, &states[i], given)
		}
	}
	return reports
}

// later reports whether a was written after b: of one step the one that knows
// more.
func later(a, b state) bool {
	return cmp.Or(cmp.Compare(a.Step.Whole(), b.Step.Whole()), cmp.Compare(len(a.LogHistory), len(b.LogHistory))) > 0
}

func (s *state) load(f source.File) error {
	if err := f.JSON(s); err != nil {
		return err
	}
	if s.LogHistory == nil {
		return f.Wrong("is not a trainer state: it has no log_history")
	}
	if len(s.LogHistory) > textfile.MaxRows {
		return f.Wrong("has more than %d entries in log_history", textfile.MaxRows)
	}
	return nil
}

func describe(r *source.Report, f source.File, s *state, given source.Given) {
	run := profile.Run{
		Model: given.ModelOr(modelName(f.Path)), Mode: profile.Train, Count: 1, Status: profile.Done,
		Basis:   estimate.Measured,
		Variant: profile.Variant{Precision: given.Precision}, Source: "Hugging Face Trainer " + tail(f),
	}
	end := s.end()
	run.Epochs = s.Epoch.Positive()
	if steps := s.Step.Whole(); steps > 0 && run.Epochs != nil {
		run.IterationsPerEpoch = new(float64(steps) / *run.Epochs)
	}
	if run.BatchSize = s.globalBatch(end); run.BatchSize == 0 && given.BatchSize == 0 {
		if n := s.BatchSize.Whole(); n > 0 {
			r.Note("the batch size is unknown, for %d is that of one process; give that of all with --batch", n)
		} else {
			r.Note("the batch size is unknown; give it with --batch")
		}
	}
	run.TotalS = end["train_runtime"].Positive()
	s.validations(&run)
	source.LastAccuracy(&run)
	if source.Fractions(&run) {
		r.Note("%s is in percent and taken as a fraction", run.Validations[0].Metric)
	}
	if all, done := s.MaxSteps.Whole(), s.Step.Whole(); all > done || all == 0 && run.TotalS == nil {
		run.Status = profile.Interrupted
	}
	if run.TotalS == nil {
		r.Note("no train_runtime: this was written before the training ended, and nothing else says how long it " +
			"took; what is known are its epochs and evaluations")
	}
	if len(s.LogHistory) == 0 && run.TotalS == nil {
		r.Err = f.Wrong("its log_history is empty: nothing was logged yet")
		return
	}
	r.Set = &profile.Set{Runs: []profile.Run{run}, Models: []profile.Model{{Name: run.Model}}}
}

// modelName is the folder of the training.
func modelName(p string) string {
	dir := path.Base(training(p))
	if dir == "." || dir == "/" || strings.HasSuffix(dir, ".json") {
		return ""
	}
	return source.Text(dir)
}

// end is the entry that is written when a training ends.
func (s *state) end() map[string]source.Loose {
	for _, entry := range slices.Backward(s.LogHistory) {
		if entry["train_runtime"].V != nil {
			return entry
		}
	}
	return nil
}

// globalBatch is the samples of a step, from the two rates of the end, which
// are written with three decimals. The last step of an epoch may take fewer
// samples, so the rates bound it from both sides; it is a multiple of one
// process's batch, since each process and each accumulated step takes one. 0
// where the bounds leave open which.
func (s *state) globalBatch(end map[string]source.Loose) int {
	samples, steps := end["train_samples_per_second"].Positive(), end["train_steps_per_second"].Positive()
	if samples == nil || steps == nil || *steps <= rounded {
		return 0
	}
	least, most := (*samples-rounded)/(*steps+rounded), (*samples+rounded)/(*steps-rounded)
	if all, epochs := s.MaxSteps.Positive(), s.Epochs.Positive(); all != nil && epochs != nil && *all > *epochs {
		most *= *all / (*all - *epochs)
	}
	n := float64(max(s.BatchSize.Whole(), 1))
	first := math.Max(math.Ceil(least/n), 1) * n
	if first > most || first+n <= most || first > math.MaxInt32 {
		return 0
	}
	return int(first)
}

// rounded is by how much a rate that is written with three decimals may be off.
const rounded = 0.0005

// notMetrics are the entries of an evaluation that tell its speed.
var notMetrics = []string{"eval_runtime", "eval_samples_per_second", "eval_steps_per_second",
	"eval_model_preparation_time", "eval_jit_compilation_time"}

func (s *state) validations(run *profile.Run) {
	metric := s.metric()
	for _, entry := range s.LogHistory {
		if !isEvaluation(entry) {
			continue
		}
		v := profile.Validation{Metric: strings.TrimPrefix(metric, "eval_"), HigherIsBetter: source.HigherIsBetter(metric),
			Value: entry[metric].V}
		if at := entry["epoch"].Positive(); at != nil && *at < 1e6 {
			v.Epoch = max(0, int(math.Ceil(*at-1e-3))-1)
		}
		if t := entry["eval_runtime"].Positive(); t != nil {
			v.Seconds = *t
			if rate := entry["eval_samples_per_second"].Positive(); rate != nil {
				v.Units = new(math.Round(*rate * *t))
			}
		}
		run.Validations = append(run.Validations, v)
	}
	lengths(run)
}

// lengths takes the first evaluation for itself and the mean of the later ones.
func lengths(run *profile.Run) {
	sum, n := 0.0, 0
	for i, v := range run.Validations {
		switch {
		case v.Seconds == 0:
		case i == 0:
			run.FirstValidationS = new(v.Seconds)
		default:
			sum, n = sum+v.Seconds, n+1
		}
	}
	if n > 0 {
		run.ValidationS = new(sum / float64(n))
	}
}

func isEvaluation(entry map[string]source.Loose) bool {
	for name := range entry {
		if strings.HasPrefix(name, "eval_") {
			return true
		}
	}
	return false
}

// metric is the one of an evaluation that says most of what the model is worth.
func (s *state) metric() string {
	var names []string
	for _, entry := range s.LogHistory {
		for name, value := range entry {
			if value.V != nil && strings.HasPrefix(name, "eval_") && !slices.Contains(notMetrics, name) {
				names = append(names, name)
			}
		}
	}
	return source.BestMetric(names)
}
