"""Turns the wrappers' calls into events.

An iteration lasts from the end of one step of the primary optimizer to the end
of the next, less the validations and checkpoints in between. The primary is the one
that steps first in a batch.

Code that the program's calls reach is guarded, see guard.py; code that runs in
every iteration has its guard inline, because the decorator takes a microsecond.
"""

import threading
from time import perf_counter

from . import (
    between, clock, control, cycles, data, delivered, ends, epoch_loop, events, facts, flops, graphs, guard, inputs,
    intervals, language, lengths, log, model_parallel, packages, ranks, savers, sizes, stepping, syntax, untrained,
    without_gradients, work,
)
from .guard import guarded

# Marks that may be outstanding on the device before the host waits for it; zero
# would mean waiting in every step. With several ranks it also bounds how far
# they can be apart.
OUTSTANDING, OUTSTANDING_OF_RANKS = 64, 8


class Recorder(
    between.Between, delivered.Delivered, stepping.Stepping, lengths.Lengths, without_gradients.WithoutGradients
):
    def __init__(self, torch, here):
        self.torch, self.here = torch, here
        self.optimizers = []  # weak
        self.looks = 0  # for networks of optimizers that step later
        # Ids of those that have stepped, and for how long networks of later ones were looked for.
        self.met, self.looked_s = set(), 0.0
        self.flops = flops.Count(torch)
        self.graphs = graphs.Graphs()
        self.sharing = model_parallel.Sharing()
        self.stands_aside = False  # for torch.compile
        self.watches_regions = False  # those without gradients
        self.computes, self.trains = True, None  # as far as was told; and whether its text says that it will train
        self.reset()

    def reset(self):
        """The state of a process without a step so far, such as a forked one."""
        self.off = self.paused = self.inside = self.pause_kind = self.averages = False
        self.flops.end()
        self.flops = flops.Count(self.torch)
        self.owner = None  # the thread that trains
        self.maker = threading.main_thread().ident  # the one that made the latest optimizer
        self.clock = clock.HostClock()
        self.control = control.Control()
        self.facts = facts.Facts(self.torch)
        self.rank, self.world, self.replicas = 0, 1, 1
        self.count = 0  # iterations done
        self.primary = self.led = None  # weak, and the key of its steps
        self.first_places = []  # code and line of the frames that made the first step
        self.cycles, self.held = cycles.Cycles(), []  # intervals that end with a step in doubt
        self.fed = True  # the primary's last step had data of its own
        self.gradients = None  # what stands for the optimizer where there is none
        self.backwards = 0  # passes
        self.turned = False  # it was the first of another epoch
        # The thread of the latest backward pass, and the mark at its end without an optimizer.
        self.backward = self.ended = None
        self.last = None  # mark at the end of the last iteration
        self.stepped_at, self.stepped_after = None, 0  # mark at the end of any optimizer's last step; backward passes
        self.log = log.Log()
        self.until, self.room = 0.0, 0  # the host time until which steps can wait in it, and how many calls
        self.forward_at = self.built_at = None  # host times
        self.place, self.pace = (), None  # of the loop that trains, and how it goes on
        self.unread = False  # these and the length wait for the next backward pass
        # Id of what first computed, the units it was given, and their shape.
        self.first_module, self.batch, self.given, self.micro = None, None, None, None
        self.of_loss, self.rows = None, ()  # the samples that the first loss was taken over, and how many rows it was
        self.inputs = None  # counts the samples of the first epoch, where nothing else tells how many there are
        self.first_input, self.first_at = None, 0  # a reference to what it was given, and the backward passes before
        self.computes_on = None  # device, where the optimizer may have its parameters elsewhere
        self.data = data.Data()
        self.work = work.Work()
        self.due = None  # epochs done when the loops that the program is in are over
        self.again = None  # what was said of it, where the program trains once more
        self.further = False  # whether it was said that it does so further down
        self.sizes = None  # that the text tells, until shapes tell of what
        self.untrained = untrained.Untrained()  # validations before the first step; None from then on
        self.phases, self.open = [], None  # since the last step
        self.usual, self.alike = None, 0  # passes in a validation, and how many in succession had as many
        self.with_data = False  # whether a validation has gone over a loader
        self.attacked = 0  # iterations done when gradients were last computed in evaluation mode
        # A pass that gave all its batches from an iterator that goes on, and whether gradients were computed then.
        self.given_all = None
        self.looks_at = {}  # whether what is computed after an eval() at a place is only shown, or is of each step
        self.tests, self.region = {}, None  # what is measured without gradients, by its place; and the one under way
        self.whole = []  # (begin, end, units by loader) of passes that were validations
        self.pauses = []  # (begin, end)
        self.first = None  # the first iteration, while its units are in doubt
        self.told = self.tuning = None  # the last events of these kinds
        self.queue = clock.Queue()  # events that wait for the device
        self.most = control.most_steps()
        self.memory_at = 0.0

    def give_up(self, err):
        """The program goes on without being watched."""
        if self.off:
            return
        self.off = True
        events.warn("the training is no longer watched: " + guard.words(err), unwatched=True)
        try:
            self.flops.give_up()
            self.control.leave()
        except Exception:  # then a stop waits for its grace period
            pass

    @guarded
    def attempt(self, call, *args):
        """Calls a function that has no guard of its own."""
        return call(*args)

    # Iterations.

    def begin(self, optimizer):
        """The first step: who we are, what is trained, how long it took to get here."""
        end = perf_counter()
        self.flops.end()
        self.rank, self.world = ranks.place(self.torch)
        number, before = ranks.claim(self.here, self.rank)
        if number is None:
            self.off = True
            return events.warn("another process trains as rank %d and is not measured" % self.rank)
        by_hand = optimizer is self.gradients
        if by_hand:
            optimizer.look()
        device = self.computes_on or facts.device_of(optimizer)
        timed = clock.of(self.torch, device, OUTSTANDING if self.world == 1 else OUTSTANDING_OF_RANKS)
        if timed is None:
            self.off = True
            return events.warn(
                "the training is on %s, whose times cannot be taken with this PyTorch: let the script write events"
                % device.type
            )
        if not timed.immediate:
            self.clock = timed
            self.clock.wait()
            end = perf_counter()
        if before is not None and events.START < before:
            events.START = events.OWN  # it is that of a program which trained in another process before
        t = events.at(end)
        events.training(self.rank, number)
        self.facts.look(optimizer, [o() for o in self.optimizers], self.world, by_hand, self.flops.again())
        self._share_out()
        if self.facts.language is not None:
            self.attempt(language.by_trainer, self.facts.language, self.frames())
        if by_hand:
            optimizer.forget()
        if not self.unread:
            self.length()
        savers.wrap_late(self)
        self.control.watch()
        ends.when_ended(self.finish)
        events.emit("hello", rank=self.rank, **self.facts.hello())
        self.attempt(self.tell_untrained)
        self.attempt(self.look_for_tests)
        self._first_iteration(t, end)
        packages.tell(self.rank)
        self.memory(perf_counter())
        if self.clock.immediate:
            self.last = end  # to which evaluate adds what this took
        else:
            self.last = self.clock.mark()
            events.overhead += perf_counter() - end

    def _share_out(self):
        """Some ranks may work on one batch."""
        self.replicas = self.sharing.replicas(self.world, self.facts.tensors)
        if self.rank == 0 and self.replicas < self.world:
            events.warn(
                "%d ranks share the network out and work on one batch; predictions take all ranks for data-parallel"
                % (self.world // self.replicas)
            )

    def _first_iteration(self, t, end):
        self.data.first_step(self.owner)
        self.data.look_into_items(self.rows)
        if self.first_module not in self.facts.roots and 1 < max(self.rows, default=0) < (self.batch or 0):
            self.batch = None  # a part of the network was called first, by itself, and given more than the batch
        if self.micro is not None and self.data.training is None:
            self.batch = self.micro.batch(self.frames())
            if self.micro.has_played():
                self.batch = self.of_loss = None
            syntax.forget()
        elif self.data.training is None and self.batch is not None and self.world == 1:
            self.inputs = inputs.of(self.batch, self.data.used, self.data.loop)
        self.batch = self.batch or self.of_loss
        start = self.clock.host(self.data.training.begin) if self.data.training is not None else self.forward_at
        start = min(start or self.built_at or end, end)
        events.emit("init", rank=self.rank, seconds=round(max(0.0, events.at(start)), 6))
        paused = sum(e - b for b, e in self.pauses if b >= start)
        wait = min(self.data.training.wait, end - start) if self.data.training is not None else None
        self.first = (t, end - start - paused, wait)
        if not self.data.is_ambiguous():
            self._report_first()
        self._settle()

    def _report_first(self):
        """The first iteration, once it is known how many batches it used."""
        (t, seconds, wait), self.first = self.first, None
        self.data.has_changed()  # it is told here
        units = self.data.use_first()
        self.work.count(units)
        if units is not None:
            self.facts.batch_size = units * self.replicas
        elif self.data.training is None and self.batch is not None:
            self.facts.batch_size = self.batch * self.replicas
        self.facts.work = self.flops.facts(units)
        if self.facts.schedule is not None and not self.again:
            self.tell_schedule()
        self.describe()
        events.iteration(t, self.rank, (0, 0), seconds, self.own(units), wait)

    def boundary(self, key, carried, end):
        """The interval closed at the mark by a further iteration, or step in doubt, of the optimizer with this key.

        carried is the interval before, if that was no iteration.
        """
        t = events.at(self.clock.host(end))
        d = self.data
        done, epoch = d.epochs_done, d.epoch
        if self.first is not None:
            d.learn()
            self._report_first()
        if d.turns:
            if self.inputs is not None:
                d.given, self.inputs = self.inputs.of_epoch(self.count), None
            d.turn(self.count)
            if d.loop is not None and d.loop.is_left():
                d.loop = epoch_loop.find(self.frames())
                syntax.forget()
        left = (
            d.pick(self.count) if self.count == 1 or d.training not in d.passes or d.crosses() or d.begins(self.count)
            else 0
        )
        units = d.use()
        if left:
            units = left if units is None else units + left
        changed = d.has_changed()
        if changed:
            self.work.steps.clear()
        changes = self.work.step(units, d.training and d.training.shape, self.count + 1)
        if changes and self.rank == 0:
            events.warn(changes)
            self.facts.schedule, changed = changes.partition(";")[0], True
            if self.facts.sizes and not sizes.hold(self.facts.sizes, self.data.epoch, self.count, *self.work.settled):
                self.facts.sizes = None
        if self.count == self.facts.steps or done < d.epochs_done == self.due:  # and yet it goes on
            self.length()
            changed = True
        if self.work.shape != self.facts.input:
            self.facts.input, changed = self.work.shape, True
        if changed or d.epochs_done != done:
            self.describe()
        begin, wait = self.last, d.wait if d.training is not None else None
        if self.phases or self.whole or self.pauses:
            validations, pauses, late = self.interruptions()
            wait = wait + late if wait is not None else None
        else:
            validations = pauses = ()
        place = self._settle()
        self.last = end
        interval = intervals.Interval(key, t, epoch, place, begin, end, validations, pauses, units, wait)
        if carried is None:
            return interval
        carried.add(interval)
        return carried

    def report(self, interval):
        """Reports an iteration, now or once the device has passed its end."""
        end = interval.end
        if self.clock.immediate:
            self._pass(interval)
        else:
            self.queue.add(end, lambda: self._pass(interval))
            self.queue.drain(self.clock, self.clock.ahead)
            self.memory(self.clock.host(end))

    def _pass(self, i):
        """Reports an iteration, and what happened since the previous one, in the epoch of the previous one.

        The device has passed its end.
        """
        c = self.clock
        seconds = c.seconds(i.begin, i.end)
        if i.validations:
            seconds -= self._interrupted(i)
        for b, e in i.pauses:
            seconds -= c.seconds(b, e)
        if i.wait is not None:
            i.wait = min(i.wait, max(seconds, 0.0))
        events.iteration(i.t, self.rank, i.place, seconds, self.own(i.units), i.wait)

    def own(self, units):
        """This rank's part of the units of a step, which ranks that share the network out do together."""
        return units if units is None or self.replicas == self.world else units * self.replicas / self.world

    def _interrupted(self, i):
        """Reports the validations of an interval; returns their seconds."""
        return sum(self.validation(*v, i.epoch) for v in i.validations)

    def _settle(self):
        """Ends the interval between two steps."""
        self.count += 1
        if self.phases or self.whole or self.pauses:
            self.phases, self.open, self.whole, self.pauses = [], None, [], []
        return self.data.settle()

    def describe(self):
        """Sends the model event if it says something new. All ranks have the same model."""
        if self.rank != 0:
            return
        name, size, per_epoch = self.data.facts(self.replicas)
        batch = self.data.part(self.work.batch(), self.batch)
        if batch is not None:
            self.facts.batch_size = batch * self.replicas
        if size is None and self.data.training is None:
            size = self.data.of_no_loader(per_epoch, self.facts.batch_size)
        # A program may train again, as one that first trains a part of the network, and how often may be unknown.
        known = self.facts.epochs or not self.facts.steps and self.told and self.told["epochs"]
        if known:
            self.facts.epochs = max(known, self.data.epochs_done)
        fields = dict(
            self.facts.model(per_epoch), unit="image" if self.data.image else "sample", dataset=name, train_size=size,
            iterations_per_epoch=per_epoch, world_size=self.world, vms=ranks.hosts(self.world),
        )
        if self.data.words.vary():
            fields["input"] = None
        if fields != self.told:
            self.told = fields
            events.emit("model", **fields)
        self.tokens()

    def tokens(self):
        """Sends how a language model is trained, if it says something new."""
        fields = self.facts.language and self.facts.language.fields(self.data, self.replicas)
        if fields != self.tuning and self.rank == 0:
            self.tuning = fields
            events.emit("tuning", **fields)

    def memory(self, now):
        """The peak use of the device's memory, at most once a second."""
        if self.clock.immediate or now - self.memory_at < 1:
            return
        self.memory_at = now
        for peak, total in self.facts.memory():
            events.emit("memory", rank=self.rank, peak_bytes=peak, total_bytes=total)

    # The end.

    def pause(self, on):
        """Stops recording, or begins again as if nothing had happened since the last step."""
        self.catch_up()
        if self.paused and not on and self.count:
            self._merged()
            self.last = self.clock.mark()
            self.data.drop()
            self.phases, self.open, self.whole, self.pauses = [], None, [], []
        self.paused = on

    def finish(self, interrupted=False):
        """Reports what is left to report."""
        if self.count == 0 or self.off:
            return
        try:
            self.catch_up()
            self.clock.wait()
            begin = perf_counter()  # what the program computes is awaited, and what was noted is evaluated
            self.off = True
            if self.first is not None:
                self.data.batches = self.data.first
                self._report_first()
            self._end_of_held()
            self.queue.drain(self.clock, 0)
            if not interrupted:
                self._last_epoch()
            self.describe()
            self.memory_at = 0.0
            self.memory(perf_counter())
            events.overhead += perf_counter() - begin
            events.tell_overhead(self.rank)
        except Exception as err:  # the device may have failed, and the program with it
            events.warn("the last iterations were lost: " + guard.words(err))
        events.flush()

    def _last_epoch(self):
        self.data.finish(self.count, self.backwards)
        self.describe()
        self.spent()
        validations, _, _ = self.interruptions(at_end=True)
        if validations:
            self.clock.wait()
        for v in validations:
            self.validation(*v, self.data.epoch)
