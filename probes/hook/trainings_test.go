package hook

import (
	"slices"
	"testing"
)

// A training in a loop over folds, layers or rates is that often as long. Where it is not told how
// often, or where the program trains again further down, that is said.
func TestTrainedAgain(t *testing.T) {
	t.Parallel()
	const untold = "and how often is unknown\n"
	const round = "it trains again in each round of a loop (line 1 of it), " + untold
	const want = `whole: 4 epochs, None steps, None
numbered: 6 epochs, None steps, None
comprehended: 4 epochs, None steps, None
listed: 6 epochs, None steps, None
cross_validated: 15 epochs, None steps, None
drawn_before: 15 epochs, None steps, None
layer_by_layer: 8 epochs, None steps, None
differing: 1 epochs, None steps, ` + round + `streamed: 3 epochs, None steps, ` + round +
		`tried: 2 epochs, None steps, None
tried_again: 2 epochs, None steps, ` + round +
		`once_more: 2 epochs, None steps, it trains again further down (line 3 of it), for 3 epochs more
on_one_line: 2 epochs, None steps, None
alternative: 2 epochs, None steps, None
turned_off: 2 epochs, None steps, None
no_rounds: 3 epochs, None steps, None
forked: 2 epochs, None steps, None
second_loop: 3 epochs, None steps, it trains again further down (line 3 of it), for 2 epochs more
loop_of_another_step: 3 epochs, None steps, it trains again further down (line 3 of it), for 2 epochs more
loop_of_a_world: 3 epochs, None steps, None
each_its_own: 2 epochs, None steps, it trains again further down (line 4 of it), for 12 epochs more
set_between: 2 epochs, None steps, it trains again further down (line 4 of it)
longer: 3 epochs, None steps, it trains again further down (line 2 of it), for 4 epochs more
perhaps: 3 epochs, None steps, it trains again further down (line 3 of it)
of_unknown_length: 2 epochs, None steps, it trains again further down (line 2 of it)
evaluated: 3 epochs, None steps, None
searched: 2 epochs, None steps, objective trains again in each round of a loop of tuner (line 1 of it), ` + untold +
		`called_once: 2 epochs, None steps, None
given_to_another: 2 epochs, None steps, it trains again further down (line 4 of it)
of_the_same_library: 2 epochs, None steps, it trains again further down (line 4 of it)
of_others: 2 epochs, None steps, None
by_another_function: 2 epochs, None steps, it trains again further down (line 3 of it), for 3 epochs more
by_another_module: 2 epochs, None steps, it trains again further down (line 3 of it)
by_experiments: 4 epochs, None steps, it trains again further down (line 2 of it), for 4 epochs more
by_experiments_of: 2 epochs, None steps, it trains again further down (line 2 of it), for 3 epochs more
by_experiments_now: 4 epochs, None steps, it trains again further down (line 2 of it)
made_later: 2 epochs, None steps, it trains again further down (line 4 of it), for 3 epochs more
two_each_round: 6 epochs, None steps, it trains again further down (line 5 of it)
by_a_trainer: 6 epochs, 50 steps, None
by_a_trainer_each: 18 epochs, 50 steps, None
until: 12 epochs, None steps, None
until_counted: 4 epochs, None steps, None
by_a_search: 2 epochs, None steps, it trains again in each round of a loop of searcher, ` + untold +
		`fine_tuned: 2 epochs, None steps, it trains again further down (line 22 of core.py)
fine_tuned_for: 1 epochs, None steps, it trains again further down (line 41 of core.py), for 4 epochs more
by_a_hook: 2 epochs, None steps, None
`
	prints(t, "trained_again.py", want)
}

// A program that trains again trains more epochs than its first loop counts.
func TestEpochsOfTwoTrainings(t *testing.T) {
	t.Parallel()
	r := run(t, "epochs_by_loop.py", "twice")
	if first, last := r.models[0], r.models[len(r.models)-1]; number(first.Epochs) != 1 || number(last.Epochs) != 4 {
		t.Errorf("%g epochs at first and %g in the end; warnings %q, stderr %q", number(first.Epochs), number(last.Epochs),
			r.warnings, r.stderr)
	}
}

// So does one that trains another network in each round of a loop that does not say how many there are. It
// evaluates each by all data at once, and never switches it back.
func TestEpochsOfManyTrainings(t *testing.T) {
	r := run(t, "epochs_by_loop.py", "searched")
	if first, last := r.models[0], r.models[len(r.models)-1]; number(first.Epochs) != 2 || number(last.Epochs) != 6 {
		t.Errorf("%g epochs at first and %g in the end", number(first.Epochs), number(last.Epochs))
	}
	const again = "it trains again and again, and how often is unknown; " +
		"only the epochs of the trainings so far are counted"
	if len(r.validations) != 6 || !slices.Contains(r.warnings, again) {
		t.Errorf("%d validations, warnings %q, stderr %q", len(r.validations), r.warnings, r.stderr)
	}
}

// fits tells the epochs that are known at the first and at the last call of Keras's fit, and what was warned of.
const fits = `
import sys
from sweetspot_hook import events, fits
said, told, done, calls = [], [], 0, fits.Calls()
events.warn = lambda words, ahead: said.append(words.partition(";")[0])
def fit(epochs, initial_epoch=0, stops=None):
    global done
    calls.begins(sys._getframe(1), epochs - initial_epoch, done)
    told.append(calls.epochs())
    done += epochs - initial_epoch if stops is None else stops
path = sys.argv[1]
exec(compile(open(path).read(), path, "exec"), dict(fit=fit, n=3))
print(told[0], told[-1], *said)
`

// Keras's fit is called once a round, goes on from the call before, or stops early. Where a call's epochs are not
// known beforehand, or the calls, that is said once.
func TestCallsOfFit(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"for epoch in range(1, 4): fit(epochs=2)":                "6 6",
		"for i in range(n): fit(epochs=i + 1, initial_epoch=i)":  "3 3",
		"for net in 'ab':\n    for k in range(2): fit(epochs=5)": "20 20",
		"for i in range(n): fit(epochs=i + 1)": "1 6 it trains again in each round of a loop (line 1), and how often is " +
			"unknown",
		"fit(epochs=5, stops=2)\nfit(epochs=3)":       "5 5",
		"while n > 0:\n    fit(epochs=2)\n    n -= 1": "2 6 it trains again and again, and how often is unknown",
	} {
		if got := inText(t, fits, source); got != want {
			t.Errorf("%s\ntold %s, not %s", source, got, want)
		}
	}
}
