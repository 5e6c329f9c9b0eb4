"""Which batches the steps use: the training loader, its passes and epochs."""

import math
import sys

from . import loaders

MUCH = 0.05  # of a number: smaller differences are not told


class Data:
    """What the loaders delivered to the steps of this process.

    A loader may be asked for batches before a step needs them (`lead` of them),
    and a step may use several. Both show only at the second step.
    """

    def __init__(self):
        self.passes = {}  # asked for a batch since the last step, outside validations
        self.latest = None  # pass that gave the latest batch
        self.training = None  # pass whose batches the steps use
        self.main = None  # number of its loader
        self.batches, self.lead = None, 0  # a step's batches; None unknown
        self.first = 0  # batches that were there at the first step
        self.later = 0  # batches of the second: a program may make its first step after one, and others after several
        self.used = None  # shape of what the network was first given in training
        self.by_rows = None, None  # the loader whose items may be whole batches, and whether they are
        self.kept = False  # the program keeps its batches: epochs do not show
        self.each = 1  # steps with the same batches
        self.aside = False  # a thread that does not train fetches the batches
        self.cut = False  # the latest whole epoch ended before its pass did
        # Batches of the pass before that no step has used; and whether a step used them with the first of the next.
        self.over, self.runs_on = 0, False
        self.wait = 0.0  # seconds spent fetching since the last step
        self.epoch = self.index = 0  # of the coming iteration
        self.epochs_done = self.steps_done = 0  # whole epochs, and the steps in them
        self.name = self.size = self.length = None  # of the training set; None unknown
        self.of_rank = False  # the size is that of each rank's own set
        self.counted = None  # units of a whole pass, as fetched
        self.given = None  # samples of an epoch, as the network was given them
        self.loop = None  # of the program over epochs, where no loader tells of these
        self.turns = False  # the coming iteration is the first of another round of it
        # By its loader, the latest pass of each of several that give the steps their batches in turns; and the place
        # and the whole epochs before the first such turn.
        self.in_turns, self.before_turns = {}, None
        # Whether the program's text counts epochs, and to how many batches it cuts a pass.
        self.of_epochs, self.rounds, self.in_pass = False, None, None
        self.image = self.changed = False
        self.words = loaders.Words()

    def asked(self, a_pass, seconds):
        """A training pass kept the program waiting for this long."""
        self.wait += seconds
        a_pass.wait += seconds

    def starts_over(self, a_pass):
        """Whether a step that begins with this pass uses no batch of those before it."""
        before = next(reversed(self.passes), None)
        return before is None or before.is_left() or before.loader_id == a_pass.loader_id

    def follow(self, loop):
        """Epochs are rounds of this loop where no loader tells of them.

        Then there is no loader, or a number of batches is drawn that is not its pass.
        """
        if self.latest is None or loop.numbered and loop.length != self.latest.length:
            self.loop = loop

    def turn(self, count):
        """The loop over epochs went on to its next round, after so many steps."""
        self.turns = False
        if self.training is None or self.loop is not None:
            self.epoch, self.index = self.epoch + 1, 0
            self.epochs_done, self.steps_done = self.epochs_done + 1, count

    def got(self, a_pass, seconds):
        self.asked(a_pass, seconds)
        self.words.add(a_pass, self.main)
        self.passes[a_pass] = True
        if len(self.passes) > 64:  # a program that only evaluates
            del self.passes[next(iter(self.passes))]

    def forget(self, a_pass):
        """The pass was a validation."""
        self.passes.pop(a_pass, None)
        self.wait = max(0.0, self.wait - a_pass.wait)

    def lacks_batch(self):
        """Whether no batch came since the last step, though a loader gives these."""
        p = self.training
        return p is not None and not self.passes and len(p.sizes) <= self.lead

    def has_changed(self):
        """Whether another training set took the place of the first, asked once."""
        changed, self.changed = self.changed, False
        return changed

    def drop(self):
        """Nothing before this moment belongs to the next step."""
        self.passes, self.wait = {}, 0.0
        if self.training is not None:
            self.training.sizes.clear()

    def first_step(self, trainer):
        """Picks the pass that the first step used, made by this thread.

        It is the one asked last, unless that was a validation before, or another one gave what the network got.
        """
        chosen = self.latest
        if chosen and chosen.unused:
            chosen = next((p for p in reversed(self.passes) if not p.exhausted and not p.is_left()), chosen)
        if self.used and chosen and self.used != chosen.whole:
            fitting = [p for p in self.passes if p.whole == self.used]
            chosen = fitting[0] if len(fitting) == 1 else chosen
        self.training = self._lasting(chosen)
        if self.training is not None:
            self._adopt()
            self.first = len(self.training.sizes)
            self.aside = self.training.thread not in (None, trainer)
            if self.first == 1 or self.aside:
                self.batches = 1

    def look_into_items(self, rows):
        """After the first step: the items of its loader are whole batches if its loss was taken over as many rows.

        Else, but for a loss of one row, it is unknown what they are.
        """
        p = self.training
        if p is None or not p.may_hold_batches(self.used) or set(rows) == {1}:
            return
        p.hold_batches(self.used[0] if self.used[0] in rows else None)
        self.by_rows = p.loader_id, p.by_rows
        self._adopt()

    def is_ambiguous(self):
        """Whether the first step used all that was fetched, or a part of it."""
        return self.training is not None and self.batches is None

    def learn(self):
        """Finds out at the second step how many batches the first one used."""
        p, self.batches = self.training, 1
        first, fetched = self.first, len(p.sizes) - self.first
        if p.exhausted and fetched == 0 and not self.passes:
            self.lead, self.kept = first - 1, True  # all were fetched before the first step
        elif (
            p.exhausted or fetched == 0 or first + fetched == p.length
            or any(q.loader_id == self.main for q in self.passes if q is not p)
        ):
            self.batches = first
        else:
            self.batches = fetched
            self.lead = max(0, first - fetched)

    def keep(self):
        """Keeps the first step's batches, before the second, if that has them again though their loader has others.

        Then these are all that is trained on.
        """
        p = self.training
        if p is None or self.passes or p.sizes or not p.is_cut() or not p.is_left():
            return
        p.length, self.length = p.given, self.batches
        self.size, self.counted, self.changed = None, p.units, True

    def pick(self, count):
        """Switches to the pass that the current step used, if it is another one.

        count is of the iterations before. Returns the units left of the old pass.
        """
        if self.training is None and self.latest is None:
            return 0
        if self.begins(count):
            self.passes.pop(self.training, None)  # with a batch that was fetched for nothing
        candidates = [p for p in self.passes if not p.unused] or list(self.passes)
        ours = [p for p in candidates if p.loader_id == self.main]
        first = candidates[0] if candidates else None
        if count == 1 and ours and first.loader_id != self.main and first.steps_before <= ours[-1].steps_before:
            # Of several loaders in one loop the first is the training set. A batch
            # that was only inspected before the loop is not asked for again, and
            # one to draw an image from, after the first step, is of a later pass.
            return self._turn(first, count)
        if self.training in self.passes and not (ours and ours[-1] is not self.training and self.crosses()):
            return 0
        if ours:
            return self._turn(self._lasting(ours[-1]), count)
        if candidates and not self._has_stock():
            return self._turn(candidates[-1], count)
        if not candidates and self.latest is not None and self.latest is not self.training:
            p = self.latest
            old = self.training
            over = old is not None and (old.exhausted or p.steps_before == count and old.is_left())
            if p.loader_id == self.main or over and p.given == 1 + self.lead and not p.exhausted:
                return self._turn(p, count)  # within a validation that nobody ended, or not yet
        return 0

    def _lasting(self, a_pass):
        """The pass, or another over the same loader if it was begun beside that for these batches alone."""
        if a_pass is None or not a_pass.is_left() or a_pass.exhausted:
            return a_pass
        others = [p for p in self.passes if p.loader_id == a_pass.loader_id and not p.exhausted and not p.is_left()]
        return others[-1] if others else a_pass

    def crosses(self):
        """Whether a step may have used the last batches of a pass and the first of the next: none is fetched ahead."""
        return self.training is not None and self.training.exhausted and self.lead == 0 and not self.kept

    def begins(self, count):
        """Whether the training's pass was broken off after so many steps, and the latest batch is of another.

        The other pass may be another training's.
        """
        p, broken = self.latest, self.training
        if broken is None or p is broken or p.steps_before != count or not broken.is_left():
            return False
        return p.loader_id == self.main or broken.is_cut() and not p.exhausted

    def _has_stock(self):
        return self.training is not None and self.lead > 0 and len(self.training.sizes) > 0

    def _turn(self, chosen, count):
        old, left = self.training, 0
        self.training = chosen
        if self.loop is not None and not self.loop.numbered:
            self.loop = None
        if old is not None and self._take_turns(old, chosen, count):
            return 0
        if old is None or old.loader_id != chosen.loader_id:
            self._adopt()
        if old is None:
            self.batches = self.batches or max(1, len(chosen.sizes))
            return 0
        if count == 1 and old in self.passes and old.loader_id != chosen.loader_id:
            chosen.take(len(chosen.sizes) - 1)  # what the first step used
            return 0
        if self.lead == 0 and old.sizes and not old.is_cut():
            self.over = len(old.sizes)
            left = old.take(self.over)
        if old.loader_id != chosen.loader_id and old.steps_before == chosen.steps_before:
            # Both are in one loop, and the shorter is repeated or has run out: the epoch goes on.
            chosen.steps = old.steps
            chosen.take(len(chosen.sizes) - 1)
            return left
        draws = not self.of_epochs and old.is_cut() and old.steps == 1  # for each step the program draws a batch
        if draws or self.loop is not None:
            return left
        self.epoch, self.index = self.epoch + 1, 0
        self._whole(old, count)
        return left

    def _take_turns(self, old, chosen, count):
        """Whether they are passes over loaders that give the steps their batches in turns, one of which goes on.

        An epoch is a pass over the first of them.
        """
        known, other = chosen.loader_id in self.in_turns, old.loader_id != chosen.loader_id
        if not known and all(p.is_left() for p in self.in_turns.values()):
            self.in_turns = {}
        if not self.in_turns:
            if not other or old.exhausted or old.is_left():
                self.before_turns = None
                return False
            if chosen.steps == 0 or self.before_turns is None:
                now = self.epoch, self.index - count, self.epochs_done, self.steps_done
                self.before_turns = self.before_turns or now
                return False
            self.epoch, index, self.epochs_done, self.steps_done = self.before_turns
            self.index = index + count
            self.in_turns[chosen.loader_id] = chosen
            self._adopt()
        before, self.in_turns[chosen.loader_id] = self.in_turns.get(chosen.loader_id, chosen), chosen
        if chosen.loader_id == self.main and before is not chosen:
            self.epoch, self.index = self.epoch + 1, 0
            self._whole(before, count)
        return True

    def _whole(self, a_pass, count):
        self.epochs_done, self.steps_done, self.cut = self.epochs_done + 1, count, a_pass.is_cut()
        if a_pass.exhausted and self.counted is None:
            self.counted = a_pass.samples()

    def finish(self, count, backwards):
        """At the end of the program, after so many backward passes, the last pass may be a whole epoch too."""
        p, self.runs_on = self.training, False  # no step will come of batches that are over
        if self.loop is not None and self.loop.is_in_last() and self.epochs_done < self.loop.rounds:
            self.epochs_done, self.steps_done = self.loop.rounds, count  # some had fewer steps than others, or none
        if p is None or p.steps == 0 or self.kept or self.loop is not None:
            return
        # One batch may be kept for all steps.
        given = p.given == p.length and p.latest < backwards and p.steps <= p.given
        if p.exhausted or given or self.cut:
            self._whole(p, count)

    def use(self):
        """The units that the step used, or None."""
        p = self.training
        if p is None:
            return None
        if p.exhausted and self.lead:
            n = self.batches
        elif self.aside:  # as many as it likes
            n = min(self.batches, len(p.sizes))
        else:
            n = len(p.sizes) - self.lead
        if n <= 0 or not p.sizes:
            return None  # the same batch once more
        if self.batches == 1 < n == self.later and self.lead == 0:
            self.batches, self.changed = n, True
        self.later = n if p.steps < 2 else 0
        if self.over:
            self.over, self.runs_on = 0, self.over + n == self.batches
        self._note_use(p, n)
        return p.take(n)

    def _note_use(self, a_pass, n):
        """A step uses n new batches: those before may have been used in several, as where a critic learns from each.

        A thread that fetches ahead gives several to one step and none to the next.
        """
        if a_pass.uses:
            steps = self.index - a_pass.begun
            each = max(1, min(steps / a_pass.uses, steps * self.batches / a_pass.used))
            if abs(each - self.each) > MUCH * self.each:
                self.each, self.changed = each, True
        else:
            a_pass.begun = self.index
        a_pass.uses, a_pass.used = a_pass.uses + 1, a_pass.used + n

    def part(self, batch, first):
        """The batch of a step, by what the network got in the first: each may take a part of what a loader gives."""
        n = round(self.each)
        return first if n > 1 and first is not None and first * n == batch else batch

    def use_first(self):
        """The units that the first step used, or None."""
        if self.training is None:
            return None
        self.training.uses, self.training.used = 1, self.batches
        return self.training.take(self.batches)

    def settle(self):
        """After a step: returns its (epoch, index)."""
        place = (self.epoch, self.index)
        self.index += 1
        if self.training is not None:
            self.training.steps += 1
        self.passes, self.wait = {}, 0.0
        return place

    def unsettle(self, epoch):
        """A step that was settled in this epoch was none of its own."""
        if epoch == self.epoch:
            self.index -= 1
        else:
            self.steps_done -= 1

    def _adopt(self):
        p = self.training
        self.main, self.image, self.changed = p.loader_id, p.image, True
        self.name, self.size, self.length, self.of_rank = p.name, p.train_size, p.length, p.of_rank

    def _spare(self):
        """The steps that the first pass lacks, whose first batches were kept to look at, as some GANs do."""
        if self.cut or not self.lead or not self.length or self.loop is not None:
            return 0
        lacks = self.epochs_done * self.length / self.batches - self.steps_done
        return lacks if 0 < lacks <= self.lead / self.batches else 0

    def facts(self, replicas):
        """Training set and epoch as known so far: name, size, iterations per epoch."""
        per_epoch = None
        if self.epochs_done:
            per_epoch = (self.steps_done + self._spare()) / self.epochs_done
            if self.runs_on and self.length and abs(self.length / self.batches - per_epoch) * self.epochs_done < 1:
                per_epoch = self.length / self.batches
        elif self.loop is not None:
            per_epoch = self.loop.length
        elif self.in_pass:
            per_epoch = self.in_pass
        elif self.length and self.batches:
            per_epoch = min(self.length, self.rounds or self.length) / self.batches * self.each
            per_epoch = math.ceil(per_epoch) if steps_at_end() else per_epoch
        if self.loop is not None:
            return self.name, None, per_epoch
        size, own = (self.size, self.of_rank) if self.size is not None else (self.counted, True)
        if size is not None and own:
            size *= replicas
        return self.name, size, per_epoch

    def of_no_loader(self, per_epoch, batch):
        """The samples of an epoch that no loader gives, by its steps and their batch; None if unknown.

        A step takes all, a loop goes over a list of them or of batches, or it cuts them into its batches. One that cuts
        a long text, in columns as many as a batch has samples, gives each of them a part of its column.
        """
        loop = self.loop
        if per_epoch == 1:
            return batch
        if loop is not None and loop.listed:
            return per_epoch if batch == 1 else loop.samples or self.given
        samples, each = loop is not None and loop.cut or (None, None)
        if self.used in ((each, batch), (batch, each)) and each != batch:
            return per_epoch and per_epoch * batch
        return samples if each == batch else self.given


def steps_at_end():
    """Whether accelerate adds gradients up, and steps after the last batch of a pass all the same."""
    state = getattr(sys.modules.get("accelerate.state"), "GradientState", None)
    given = getattr(state, "_shared_state", {}).get("plugin_kwargs") or {}
    return given.get("num_steps", 1) > 1 and given.get("sync_with_dataloader", True)
