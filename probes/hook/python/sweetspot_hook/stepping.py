"""The steps of optimizers, and which of them end an iteration."""

import ast
import contextlib
import sys
import weakref
from threading import get_ident
from time import perf_counter

from . import clock, cycles, epochs, events, facts, gradients, log, losses, syntax
from .guard import guarded


# Seconds for which networks that are trained later may be looked for, and the share of the time so far.
LOOKING_S, LOOKING = 0.5, 0.01

NETWORKS = 8  # that are trained one after the other: so many are looked for, however long that takes


class Stop(SystemExit):
    """Ends the program at a step boundary, as if it had ended by itself."""


class Stepping:
    """The part of the recorder that handles steps."""

    def enter(self):
        """Whether an outermost step begins."""
        try:
            if self.inside or self.off or self.paused or self.owner != get_ident() and not self.is_own():
                return False
        except Exception as err:
            return self.give_up(err)
        self.inside = True
        return True

    def leave(self):
        self.inside = False

    def is_own(self):
        """Whether this is the thread that trains, or one of PyTorch's that does its backward pass."""
        return self.owner is None or self.owner == get_ident() or self.owner == self.trainer()

    def trainer(self):
        """The thread that this one works for: on a GPU PyTorch has one of its own for the backward pass."""
        return self.backward if self.is_in_backward() else get_ident()

    def is_in_backward(self):
        if self.backward is None:
            return False
        task = getattr(self.torch._C, "_current_graph_task_id", None)
        return task is not None and task() != -1

    def captures(self):
        """Whether a CUDA graph is being captured: nothing runs yet, and nobody may ask the device."""
        return self.clock.busy() or self.count == 0 and clock.capturing(self.torch)

    def frames(self):
        """The program's frames that are active in the thread that trains, the innermost first."""
        frame = sys._getframe(1)
        if self.owner != get_ident():
            frame = sys._current_frames().get(self.owner, frame)
        return epochs.frames_of(frame)

    @guarded
    def built(self, optimizer):
        if self.gradients is not None:
            self.look_back()
        self.catch_up()
        self.built_at, self.maker = perf_counter(), get_ident()
        if self.count == 0 and not self.off:
            self.flops.begin()
            if not self.optimizers:  # from now on no progress bar need be read for steps
                events.emit("hello", framework=facts.framework(self.torch))
        self.optimizers.append(weakref.ref(optimizer, self.gone))

    @guarded
    def gone(self, ref):
        """An optimizer is no more. Without any, the program may go on by hand."""
        self.optimizers = [o for o in self.optimizers if o is not ref]
        self.met &= {id(o()) for o in self.optimizers}
        self.log.add((self._left,))

    def differentiating(self, args, kwargs):
        """Whether an outermost backward pass with these arguments begins, and no optimizer makes steps of these."""
        try:
            if self.off or self.is_in_backward():
                return False
            self.backward, self.backwards = get_ident(), self.backwards + 1
            if not self.computes:
                self.computing()
            by_hand = not self.optimizers and self.is_training() and not self.captures()
        except Exception as err:
            return self.give_up(err)
        if by_hand and self.gradients is not None:
            self.look_back()
            if self.unread:
                self.attempt(self.read)
            self.gradients.before()
        if self.count == 0 and not self.off:
            self.look_at_loss(args[0] if args else kwargs.get("tensors"))
        return by_hand

    @guarded
    def look_at_loss(self, loss):
        """The first step's gradients are about to be computed, maybe of several losses."""
        first = self.backwards == 1
        if self.batch is None:
            self.of_loss = losses.samples(loss) if first else None
        self.rows = losses.rows(loss) if first else ()

    @guarded
    def differentiated(self):
        """Such a pass has ended."""
        g = self.gradients
        if g is not None and not self.optimizers and g.missed() and (g.networks < NETWORKS or self.may_look()):
            self.log.add((self._follow_by_hand, g))
            self.evaluate()
        self.ended, self.turned = self.clock.mark(), self.turned or self.turns()
        if g is None and not self.optimizers:
            self.gradients = gradients.Gradients(self.torch)

    def _follow_by_hand(self, g):
        """Another network is trained by hand than before."""
        with self.looking():
            g.follow()
            g.look()
            self.facts.follow([g])
            g.forget()

    def look_back(self):
        """Whether a step was made without an optimizer shows now."""
        try:
            if self.ended is None or self.optimizers or not self.is_training() or self.captures():
                return
            if not self.gradients.have_changed():
                return
            self.ended = None
        except Exception as err:
            return self.give_up(err)
        self.stepped(lambda *_: self.gradients, (), {})

    def stepped(self, of, args, kwargs):
        """Records an outermost step with these arguments; `of` finds the optimizer in them.

        Raises Stop where the program is to end.
        """
        try:
            stop = self._stepped(of(args, kwargs))
        except Exception as err:
            return self.give_up(err)
        if stop:
            self.off = True
            raise Stop(0)

    def _stepped(self, optimizer):
        if self.captures():
            self.graphs.captured(optimizer)
            return False
        if self.owner is None:
            self.owner = self.trainer()
        end = self.stepped_at = self.clock.mark()
        self.stepped_after = self.backwards
        turns = self.turns() if optimizer is not self.gradients else self.turned
        self.turned = False
        if self.pace is not None and optimizer is not self.gradients:
            self.keep_pace(self.pace)
        self.log.add((self._step, id(optimizer), weakref.ref(optimizer), end, turns))
        at = self.clock.host(end)
        if at < self.until and len(self.log.calls) < self.room and not self.control.asked():
            return False
        self.evaluate()
        # The hosts of several ranks may be ahead of their devices, and must look in every step whether to stop.
        if (
            (self.clock.immediate or self.world == 1) and self.count > 1
            and self.first is None and self.gradients is None
        ):
            self.until = at + events.LATE
        return not self.off and self._stops(id(optimizer))

    def evaluate(self):
        """Evaluates what was noted. The time this takes belongs to no iteration."""
        begin = perf_counter()
        self.log.run()
        if self.count > 0:
            most, steps = self.most or float("inf"), self.facts.steps or 0
            self.room = min(log.MOST, most - self.count, steps - self.count if steps > self.count else log.MOST)
        self.took(begin)

    def took(self, begin):
        """What was done since this host time belongs to no iteration."""
        if self.clock.immediate and self.last is not None:
            seconds = perf_counter() - begin
            self.last += seconds
            events.overhead += seconds

    def catch_up(self):
        """Before anything else than steps and their batches is recorded; the next step may be special too."""
        self.until = 0.0
        if self.log.calls and not self.is_aside():
            self.evaluate()

    def is_aside(self):
        """Whether this thread only fetches batches: what the one that trains has noted, is for that to evaluate."""
        return get_ident() != (self.owner or self.maker) and not self.is_in_backward()

    def keep_pace(self, loop):
        """Notes the round of a loop that tells how many steps there are in all, if it is another one than before."""
        value = loop.read(self.frame())
        if value is not None:
            self.log.add((self.paced, loop, value))

    def frame(self):
        """The caller's frame, or that of the thread that trains."""
        return sys._getframe(1) if self.owner == get_ident() else sys._current_frames().get(self.owner)

    def turns(self):
        """Whether what is done now is the first of another epoch, as far as the program's loop tells."""
        loop = self.data.loop
        return loop is not None and loop.has_turned(self.frame())

    def _step(self, key, ref, end, turns):
        """The optimizer with this key made a step that ended at the mark, the first of another epoch or not.

        The optimizer may be gone by now.
        """
        self.data.turns = self.data.turns or turns
        optimizer = ref()
        if not self.optimizers and optimizer is not None and optimizer is not self.gradients:
            self.optimizers.append(weakref.ref(optimizer, self.gone))  # a copy of one that is gone
        if key not in self.met:
            self._meet(key, optimizer)
        primary = self.primary() if self.primary is not None else None
        by_key = optimizer is None and self.led is not None  # the primary may be gone by now, too
        if not by_key and (primary is None or (primary is self.gradients and primary is not optimizer)):
            self._lead(optimizer, key)
        if key == self.led:
            self._end_iteration(key, optimizer, end)
        elif self.cycles.add(key) and self.first is None:
            self._hold(key, end)
            if self.cycles.takes_over(key):
                self._take_over(key, optimizer)

    def _meet(self, key, optimizer):
        """An optimizer makes its first step.

        After the first step of all it may train another network than those that are watched.
        """
        self.met.add(key)
        if self.count == 0 or optimizer is None or optimizer is self.gradients or self.facts.follows(optimizer):
            return
        if self.looks < NETWORKS or self.may_look():
            with self.looking():
                self.attempt(self.facts.follow, [o for o in (ref() for ref in self.optimizers) if o is not None])

    def may_look(self):
        """Whether there is time left to look for networks that are trained later."""
        return self.looked_s < LOOKING_S + LOOKING * events.at(perf_counter())

    @contextlib.contextmanager
    def looking(self):
        """This takes the program's time."""
        self.looks += 1
        begin = perf_counter()
        try:
            yield
        finally:
            self.looked_s += perf_counter() - begin

    def _left(self):
        """An optimizer is no more, after the steps that were noted before this."""
        if self.primary is None or self.primary() is None:
            self.led = None

    def _lead(self, optimizer, key):
        """Makes an optimizer the primary."""
        self.led = key
        if self.held:  # the one before is gone
            self._split(self.held[-1].key)
        self.primary, self.cycles = weakref.ref(optimizer) if optimizer is not None else None, cycles.Cycles()

    def _end_iteration(self, key, optimizer, end):
        if self.count > 0 and self.data.lacks_batch() and (self.cycles.is_again() or self._regularises()):
            return self.cycles.again()
        carried = None
        if self.held:
            if self._split_stages():
                self.cycles.now = {}
            carried = self._merged()
        self.cycles.begin(key)
        if self.count == 0:
            self.first_places = [(f.f_code, f.f_lineno) for f in self.frames()]
            self.begin(optimizer)
        else:
            if self.count == 1:
                self.data.keep()
            interval = self.boundary(key, carried, end)
            self.fed = interval.units is not None
            self.report(interval)

    def _regularises(self):
        """Whether the primary's second step of all is within an if that its first was not, and others will step.

            d_optim.step()
            if i % d_reg_every == 0:
                (r1 * d_reg_every).backward()
                d_optim.step()
            g_optim.step()
        """
        if self.count > 1 or len(self.optimizers) < 2 or len(self.met) > 1:
            return False
        for frame, (code, line) in zip(self.frames(), self.first_places):
            if frame.f_code is not code:
                break
            if frame.f_lineno != line:
                around = [n for n in syntax.around(frame) if isinstance(n, ast.If)]
                return any(not n.lineno <= line <= n.end_lineno for n in around)
        return False

    def _stops(self, key):
        """Whether the program is to end here. After a batch's last optimizer no step is left half done."""
        if not self.held and key != self.cycles.end and len(self.optimizers) > 1:
            return False
        done = self.count
        if self.most and done >= self.most:
            self.finish(interrupted=True)
            events.emit("done", reason="cap")  # one of the steps may have turned out to be none
            return True
        if not self.control.stop_after(done, self.rank, self.world, self.clock.ahead):
            return False
        self.finish(interrupted=True)
        return True

    # Steps in doubt. They count as iterations until it shows that they were none.

    def _hold(self, key, end):
        self.held.append(self.boundary(key, None, end))

    def _take_over(self, key, optimizer):
        """An optimizer in doubt makes the iterations from now on."""
        self._split_stages(key)
        self._split(key)
        self._lead(optimizer, key)
        self.cycles.begin(key)

    def tell_stage(self):
        """The program has paused, as between iterations: if a stage in doubt is seen to be one, it is told of."""
        key = self.held[-1].key if self.held else None
        if key is not None and self._stage() == key:
            self._take_over(key, next((o for o in (ref() for ref in self.optimizers) if id(o) == key), None))

    def _stage(self):
        """As Cycles.stage, of the steps in doubt."""
        no_data = self.data.training is None or not self.fed
        return self.cycles.stage([(i.key, no_data or i.units is not None) for i in self.held])

    def _split_stages(self, last=None):
        """Whether optimizers in doubt had stages of their own. That of the last one goes on."""
        any_ = False
        while True:
            stage = self._stage()
            if stage is None or stage == last:
                return any_
            self._split(stage)
            any_ = True

    def _end_of_held(self):
        """At the end of the program, no step more is to come."""
        if self.ended is not None and not self.optimizers and self.gradients.have_changed():
            self.report(self.boundary(id(self.gradients), None, self.ended))
        self._split_stages()
        left = self._merged()
        if left is not None:  # what comes after the last iteration is none
            self.clock.wait(left.end)
            self._interrupted(left)

    def _split(self, primary):
        """The steps held back were iterations of this primary. What is left of them is held back further."""
        held = self.held
        sizes, left = cycles.groups([i.key for i in held], primary)
        for size in sizes:
            self.held, held = held[:size], held[size:]
            self.report(self._merged(ends=True))
        self.held = held[:left]

    def _merged(self, ends=False):
        """The intervals held back as one. It is an iteration, or else, without its end, the beginning of one."""
        held, self.held = self.held, []
        if not held:
            return None
        whole = held[0]
        for i in held[1:]:
            whole.add(i)
        for i in held[1:] if ends else held:
            self.count -= 1
            self.data.unsettle(i.place[0])
        return whole
