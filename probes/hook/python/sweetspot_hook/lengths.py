"""How long the program trains, and by what its work changes, as its text, its arguments and its callbacks tell."""

import functools
import sys

from . import (
    callbacks, epoch_loop, epochs, events, loops, one_pass, pace, remainders, repeats, schedule, sizes, steps, syntax,
)


class Lengths:
    """The part of the recorder that reads the program."""

    def length(self, before=None):
        """Finds how long the loops train that the program is in, beside the steps before, in others; all for None."""
        frames, loader = self.frames(), self.data.latest and self.data.latest.address
        place = loops.outermost(frames)
        repeated = place == self.place
        if not repeated or self.data.epochs_done and epochs.begin(frames, loader):
            self._find_length(frames, place, repeated, loader, self.count if before is None else before)
        elif self.facts.steps and self.count >= self.facts.steps:  # and yet it goes on: the number is of something else
            self.facts.steps, self.pace = 0, pace.find(frames, self.count)
        syntax.forget()

    def read(self):
        """Finds the length, which was left for later at the first step."""
        self.unread = False
        self.length(before=0)
        if self.first is None:
            self.describe()

    def _find_length(self, frames, place, repeated, loader, before):
        self.place, f = place, self.facts
        f.epochs, f.steps = epochs.find(frames, sys.argv[1:], loader), steps.find(frames, sys.argv[1:])
        f.were_asked = asked(frames, sys.argv[1:], f.steps)
        if f.epochs is None and f.steps is None and loader and self.data.latest.length:
            f.epochs = one_pass.find(frames, loader)
        done = _of_library(frames, DONE)
        if done and f.epochs and f.epochs > done:
            f.epochs -= done
        if f.epochs and f.steps is None and not epochs.counted(frames) and steps.in_doubt(frames):
            f.epochs = None  # of this name it has some, and trains by steps
        self._find_pass(frames, loader)
        if f.epochs and f.steps == self.data.rounds:
            f.steps = None  # they are those of each pass
        later = self._plan(frames, repeated)
        f.epochs = self.due = f.epochs and f.epochs + self.data.epochs_done
        f.epochs = f.epochs and f.epochs + later
        f.steps = f.steps and f.steps + before
        if f.epochs and (loader is None or epochs.counted(frames)):
            self.data.follow(epoch_loop.find(frames))
        in_doubt = f.epochs is None and (f.steps is None or steps.multiplied(frames))
        self.pace = pace.find(frames, self.count) if f.epochs is None else None
        if self.pace is not None and not in_doubt:
            self.pace.counted = self.pace.rounds() == f.steps - before
            self.pace = self.pace if self.pace.counted else None

    def _find_pass(self, frames, loader):
        """Finds how many batches and steps a pass over the loader has, where the text says so."""
        d = self.data
        d.of_epochs, d.rounds, d.in_pass = bool(self.facts.epochs), None, None
        if d.of_epochs:
            d.rounds = steps.of_pass(frames, loader) or _of_library(frames, CUTS)
            whole = d.latest and d.latest.length
            if whole:
                d.in_pass = remainders.in_pass(frames, loader, min(whole, d.rounds or whole))

    def paced(self, loop, value):
        """The coming step is the first of a round of this value."""
        found = loop.turned(value, self.count - len(self.held))  # those in doubt are of the step before
        said = self.facts.steps or 0
        if loop.counted and found is not None:
            self.pace = None
            found = found if loop.has_several() else said
        if found is not None and found != said:
            self.facts.steps = found
            if self.first is None:
                self.describe()

    def _plan(self, frames, repeated):
        """Finds by what the work of later steps changes, and whether the program trains again.

        It goes by the program's text and callbacks. Repeated is whether it has begun again the
        training that it was in. Returns the epochs that it is known to train further down.
        """
        self.facts.sizes, said = None, self.again
        if self.again:  # it does so now
            self.facts.schedule = self.again = None
        if self.facts.schedule is not None or self.rank != 0:
            return 0
        found = schedule.find(frames, self.facts.epochs)
        self.sizes = sizes.find(frames, found, self.facts.epochs, self.facts.steps) if found else None
        self.facts.schedule = schedule.words(frames, found) if found and self.sizes != [] else callbacks.find(frames)
        if self.facts.schedule is None:
            return self._plan_again(frames, repeated, said)
        if self.count > 0:  # in another loop than the first step
            self.sizes = None
            self.tell_schedule()
        return 0

    def _plan_again(self, frames, repeated, said):
        """As _plan, of further trainings; what was said of them before is not said again."""
        again, more = repeats.find(frames)
        if again is None and repeated and not self.further:
            again = repeats.OPEN
        if again is None:
            return 0
        self.facts.schedule, self.again = again, again + "; " + (repeats.ALIKE if more else repeats.SO_FAR)
        if self.again != said and not self.further:
            events.warn(self.again, ahead=True)
        self.further = self.further or again.startswith(repeats.FURTHER)
        return more

    def tell_schedule(self):
        """Warns of a schedule once the first step has shown of what its sizes are."""
        f, d, known = self.facts, self.data, self.sizes
        if known and self.world == 1:
            shape = self.given if self.given is not None else d.training and d.training.shape
            _, samples, per_epoch = d.facts(1)
            f.sizes = sizes.told(known, f.batch_size, shape, samples, per_epoch)
        self.sizes = None
        events.warn(f.schedule + (
            "; the total allows for that" if f.sizes else "; what was timed says little about later steps"
        ))


# Where libraries keep the number of batches to which they cut a pass: limit_train_batches, epoch_length.
CUTS = {
    "lightning": ("fit_loop", "max_batches"), "pytorch_lightning": ("fit_loop", "max_batches"),
    "ignite": ("state", "epoch_length"),
}
# And the number of epochs that were over before, of a training that goes on from a checkpoint.
DONE = dict.fromkeys(("lightning", "pytorch_lightning"), ("fit_loop", "epoch_progress", "current", "processed"))


def _of_library(frames, paths):
    """That number; None without such a library, or if unknown."""
    for frame in frames:
        path = paths.get(str(frame.f_globals.get("__name__")).partition(".")[0])
        found = loops.read(frame, lambda names: names.get("self")) if path else None
        if found is not None and loops.held(found, path[0]) is not None:
            return steps.whole(functools.reduce(loops.held, path, found))
    return None


def asked(frames, arguments, n):
    """Whether a training was asked for so many steps, so that its number of epochs only follows from these."""
    told = epochs.in_arguments(arguments, steps.options(steps.NAMES), steps.MOST)
    return n is not None and (n == told or any(n == _told_trainer(frame) for frame in frames))


def _told_trainer(frame):
    """The steps that Hugging Face's Trainer was told to make; -1 where it was told epochs, None in other frames."""
    arguments = loops.read(frame, lambda names: names.get("args"))
    return loops.held(arguments, "max_steps") if hasattr(type(arguments), "num_train_epochs") else None


def shorter(n_epochs, n_steps, per_epoch, were_asked=False):
    """How long a training is, in epochs or in steps. Where the program has a number of both the shorter counts.

    Of two that are alike, steps count if they were asked for.
    """
    if n_epochs is None or n_steps is None:
        return n_epochs, n_steps
    if were_asked and per_epoch and n_steps <= n_epochs * per_epoch:
        return None, n_steps
    if per_epoch and (n_steps >= n_epochs * per_epoch or n_steps == per_epoch):
        return n_epochs, None  # some call the steps of an epoch their total
    return None, n_steps  # of data without an end there are no epochs
