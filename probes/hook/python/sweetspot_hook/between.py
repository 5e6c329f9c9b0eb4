"""What happens between two steps: validations, checkpoints and other pauses.

The recorder evaluates it when the next step has ended.
"""

import io
import re
import sys
from threading import get_ident
from time import perf_counter

from . import compiled, events, loaders, micro, phases, saved, savers, showing, syntax
from .guard import guarded


COMPILATION = "compilation"  # a kind of pause
TRAINS = re.compile(r"\boptim\b|\.backward\(|Trainer\b|\.fit\(")  # what is in the text of programs that train
WORLDS = ("gymnasium", "gym", "dm_env", "pettingzoo")


class Between:
    """The part of the recorder that handles validations and pauses."""

    @guarded
    def forward(self, module, inputs, handle):
        """A module is about to compute. The first in training mode, with an optimizer, marks the training's start.

        Where it computes more than once in the first step, as with accumulated gradients, its
        batch is not that of the step, and unknown. After the first step, what it is given is counted
        until an epoch is over, if nothing else tells the samples of one.
        """
        counts = self.inputs is not None and self.data.loop is not None and not self.off
        if counts and id(module) != self.first_module or compiled.is_traced(self.torch, inputs) or self.is_aside():
            return
        if counts:
            if module.training and self.torch.is_grad_enabled():
                self.log.add((self.inputs.add, self.inputs.size(inputs)))
            return
        if not self.computes and not self.is_to_train():
            self.computing()
        if not self.off and self.count == 0 and self.gradients is not None:
            self.unread = True  # its loops, a recurrent network's over a text, are not those that train
            self.look_back()
            self.unread = self.unread and self.count > 0
        if self.off or self.count > 0:
            return handle.remove()
        gradients = self.torch.is_grad_enabled()
        if not module.training or not gradients:
            if not gradients or self.backwards == 0:
                self.untrained.computing(module, gradients)
            return
        if self.forward_at is None or (self.built_at is not None and self.forward_at < self.built_at):
            self.forward_at = perf_counter()
            self.given_first(module, inputs)
            self.facts.calls.begin()
        elif id(module) == self.first_module:
            self.given_more(inputs)
        self.facts.calls.add(module, inputs)
        if getattr(module, "batch_first", True) is False:
            self.sequences(inputs)
        elif self.given == () and self.batch is not None and hasattr(module, "in_features"):
            size, _, shape = loaders.look(inputs)
            if shape == () or size == 1:  # its vector is of one sample: its features, or its words
                self.batch = 1

    @guarded
    def given_compiled(self, module, inputs):
        """A compiled network is given a batch before the first step, maybe one of several."""
        trains = module.training and self.torch.is_grad_enabled()
        if self.off or not trains or compiled.is_traced(self.torch, inputs):
            return
        if self.first_module is None:
            self.given_first(module, inputs)
        elif id(module) == self.first_module:
            self.given_more(inputs)

    def given_first(self, module, inputs):
        self.first_module = id(module)
        self.batch, _, self.given = loaders.look(inputs)
        self.first_input, self.first_at, self.micro = micro.first(inputs), self.backwards, None
        self.data.used = self.given is not None and (self.batch, *self.given)

    def given_more(self, inputs):
        """The network that computed first does so once more in the first step."""
        if self.batch is not None:
            self.micro = micro.Micro(self.batch, self.frames(), self.first_input, self.first_at)
            self.batch = None
        size, _, shape = loaders.look(inputs)
        if self.micro is not None:
            alike = shape is not None and (size, *shape) == self.data.used
            self.micro.add(size if shape else None, alike, inputs, self.backwards)

    def is_to_train(self):
        """Whether the program's text says that it trains, so that what it computes before is none of its steps.

        It may extract features of its data first, by another network.
        """
        if self.trains is None:
            self.trains = syntax.mentions(self.frames(), TRAINS)
        return self.trains

    @guarded
    def computing(self):
        """Something is computed: if it makes steps that are not seen, a progress bar may tell of them."""
        if not self.computes:
            self.computes = True
            if not self.optimizers:  # else it was told that steps will be
                events.emit("hello", computes=True)

    def sequences(self, inputs):
        """A layer computes that has words before samples.

        Where the network was given its data in that order, so had the layer, unless these are packed.
        """
        packed = getattr(inputs[0], "batch_sizes", None) if inputs else None
        if packed is not None:
            if self.batch == len(packed) and self.given[:1] == (int(packed[0]),):
                self.batch = int(packed[0])
            return
        size, _, shape = loaders.look(inputs)
        if self.batch is None or self.batch != size or len(shape) != 2:
            return
        if shape[:1] == (self.given[:1] or (1,)):  # a single text is given as words alone
            self.batch = shape[0]

    @guarded
    def autocast(self, region):
        """A region of mixed precision begins."""
        if self.count == 0 and getattr(region, "_enabled", False):
            self.facts.autocast = getattr(region, "fast_dtype", None)

    @guarded
    def switching(self, module, training):
        """As mode, before the first step; what it switches of its own goes with it."""
        if self.off:  # there will be none
            self.untrained = None
            return
        self.untrained.inside = True
        self.untrained.switch(module, bool(training))

    def switched(self):
        if self.untrained is not None:
            self.untrained.inside = False

    def tell_untrained(self):
        """Reports the validations before the first step, whose time is in the initialisation."""
        self.catch_up()
        if not self.acts():
            for begin, end, seen in self.untrained.validations(self.facts.watched):
                self.validation_at(end, 0, end - begin, seen, untrained=True)
        self.untrained = None

    @guarded
    def mode(self, module, training):
        """A trained module, or another one of its kind, goes into or out of training mode."""
        self.spent()
        if self.open is not None and not training:
            shown = None if self.open.idle else self.is_shown()
            apart = self.is_apart(shown)
            if apart or self.open.of_step and not self.is_of_step():
                self.open.close(self.clock.mark(), self.backwards)
                self.begin_phase(True if apart and shown is None else shown)
            self.open.turn(self.clock.mark)
        modes, was = self.facts.modes, module.training
        if id(module) in modes:
            was, modes[id(module)] = modes[id(module)], bool(training)
        if module.training == bool(training) == was:  # a wrapper, as Fabric's, may have set it first
            return
        self.catch_up()
        if (
            id(module) not in self.facts.watched or self.count == 0
            or self.off or self.paused or self.owner != get_ident()
        ):
            return
        if not training and self.gradients is not None:
            self.look_back()
        if training:
            if self.open is not None:
                self.open.close(self.clock.mark(), self.backwards)
                self.open = None
        elif self.open is None and not self.acts():
            self.begin_phase(self.is_shown())
            self.follow()
            self.take_batch()

    def begin_phase(self, shown):
        of_step, frames = self.is_of_step(), self.frames()
        self.open = phases.Phase(self.clock.mark(), not self.stands_aside, self.backwards, shown, of_step)
        self.open.asks, self.open.since = frames[0].f_code if frames else None, self.since()
        if self.open.since is not None:
            self.data.wait = 0.0  # for the end of the pass before; that is in the phase
        self.phases.append(self.open)

    def since(self):
        """The mark at the last step, if a phase that begins now is the first since then; else None.

        What the program sets up for it, or writes down after a step, is no part of the next step.
        """
        if self.phases or self.whole or self.pauses or self.data.passes or self.stepped_after != self.backwards:
            return None
        return max(self.last, self.stepped_at, key=self.clock.host)

    def is_apart(self, shown):
        """Whether the evaluation that begins now is none of the open one, though no training mode came in between.

        It is only looked at, or measures nothing and is not called by the function that does.
        """
        phase = self.open
        if phase.idle or phase.shown:
            return False
        return bool(shown) or (
            shown is None and phase.shown is False and all(f.f_code is not phase.asks for f in self.frames())
        )

    def is_of_step(self):
        """As showing.is_of_step, of the training set."""
        frames, d = self.frames(), self.data
        if d.training is None or d.length == 1 or not frames:
            return False
        place = frames[0].f_code, frames[0].f_lineno, d.main
        if place not in self.looks_at:
            self.looks_at[place] = self.attempt(showing.is_of_step, frames[0], d.training.address)
        return self.looks_at[place]

    def is_shown(self):
        """As showing.is_shown, of the call of eval() that the program is in; CHECK where a library made that."""
        if showing.is_check(sys._getframe(1)):
            return showing.CHECK
        frames = self.frames()
        place = tuple((f.f_code, f.f_lineno) for f in frames[: showing.NEAR])
        if place not in self.looks_at:
            self.looks_at[place] = self.attempt(showing.is_shown, frames)
        return self.looks_at[place]

    def take_batch(self):
        """The batch asked for last is that of the validation that begins, if a pass without steps gave it.

        Some programs switch the mode for each batch.
        """
        d, a_pass = self.data, self.data.latest
        if (
            self.averages or a_pass not in d.passes or a_pass.loader_id == d.main or a_pass is d.training
            or a_pass.backwards != self.backwards or a_pass.steps_before != self.count
        ):
            return
        if a_pass.given == 1:
            self.open.begin = min(self.open.begin, a_pass.begin, key=self.clock.host)
        self.open.asking(a_pass, self.clock.mark)
        self.open.add(a_pass, a_pass.sizes[-1], a_pass.wait)
        d.forget(a_pass)
        a_pass.wait = 0.0

    def acts(self):
        """Whether the network acts in a simulated world between its steps, in evaluation mode: no validation."""
        return self.data.training is None and any(name in sys.modules for name in WORLDS)

    def follow(self):
        """Sees what is computed during what may be a validation."""
        def after(module, inputs, output):
            if self.open is None or self.off:
                handle.remove()
            elif self.owner == get_ident() and not compiled.is_traced(self.torch, inputs):
                self.attempt(self.computed, module)

        if not self.stands_aside:
            handle = self.torch.nn.modules.module.register_module_forward_hook(after)

    def computed(self, module):
        phase = self.open
        phase.compute()
        if type(module) in self.facts.kinds:
            phase.computed = self.clock.mark()
        elif phase.computed is None:
            phase.touched = self.clock.mark()

    def spent(self):
        """Whatever comes next, a validation whose last batch was there is over: not every program asks for another."""
        if self.given_all is not None:
            self.over()
        if self.open is not None and self.open.spent is not None:
            self.open.last = self.open.spent.ended = self.clock.mark()
            self.open.spent = None

    def is_training(self):
        """Whether this thread is the one that trains, as far as is known."""
        return not self.off and not self.paused and (self.owner is None or self.owner == get_ident())

    @guarded
    def saving(self, args, kwargs, of_data, only_weights=False):
        """Something is about to be saved, or weights: returns the mark, or None if it is no checkpoint of its own."""
        what, to = (args[i] if len(args) > i else kwargs.get(name) for i, name in enumerate(("obj", "f")))
        if only_weights and not saved.are_weights(what, self.torch):
            return None
        self.catch_up()
        self.spent()
        # Each tensor is pickled into memory so.
        tensor = isinstance(to, io.BytesIO) and not isinstance(what, (dict, self.torch.nn.Module))
        early = self.count == 0 and not self.optimizers
        # As a corpus, or scores.
        data = of_data and (early and not saved.are_weights(what, self.torch) or saved.is_plain(what))
        if tensor or data or self.pause_kind or not self.is_training():
            return None
        begin = perf_counter()
        self.pause_kind = savers.kind(self.frames())  # what saves may call others that do
        if self.open is None:
            self.took(begin)
        return self.clock.mark()

    @guarded
    def drawing(self):
        """A library is about to draw pictures: returns the mark, or None where that is part of something else."""
        self.catch_up()
        self.spent()
        if self.open is not None or self.pause_kind or not self.is_training():
            return None
        self.pause_kind = showing.GENERATION
        return self.clock.mark()

    @guarded
    def saved(self, begin):
        """A checkpoint was written, or pictures were drawn, which began at the mark."""
        kind, self.pause_kind, end = self.pause_kind, False, self.clock.mark()
        self.tell_stage()
        self._add_pause(begin, end, kind)

    def _add_pause(self, begin, end, kind, within=()):
        """Between these marks the training paused, apart from the pauses within."""
        t = events.at(self.clock.host(end))
        self.pauses.append((begin, end))
        if self.clock.immediate:
            self._tell_pause(t, begin, end, kind, within)
        else:
            self.queue.add(end, lambda: self._tell_pause(t, begin, end, kind, within))

    def _tell_pause(self, t, begin, end, kind, within):
        if self.rank == 0:
            seconds = self.clock.seconds(begin, end) - sum(self.clock.seconds(*p) for p in within)
            events.emit("pause", t=round(t, 6), seconds=round(max(0.0, seconds), 9), kind=kind)

    def interruptions(self, at_end=False):
        """Validations, pauses and waits as of phases.interruptions, since the last step."""
        usual, training = self.usual if at_end or self.alike > 1 else None, self.data.training
        found = phases.joined(self.phases, training, at_end)
        attacks = self.attacks(found)
        for phase in found:
            phase.differentiated = phase.differentiated and attacks
        self.with_data = self.with_data or bool(self.whole) or any(phase.others(training) for phase in found)
        validations, shown, pauses, late, evaluations = phases.interruptions(
            self.clock, training, found, self.whole, self.pauses, usual, at_end, self.with_data
        )
        self._compare(evaluations)
        for b, e, kind, within in shown:
            self._add_pause(b, e, kind or showing.GENERATION, within)
        return validations, pauses + [(b, e) for b, e, _, _ in shown], late

    def _compare(self, evaluations):
        """Notes of how many a validation is made. Of several at once it says nothing new."""
        if evaluations and (self.alike < 2 or evaluations % self.usual):
            self.usual, self.alike = evaluations, self.alike + 1 if evaluations == self.usual else 1

    def attacks(self, found):
        """Whether gradients that phases computed are a step's, as where it attacks its batch.

        A validation has some only now and then.
        """
        if not any(phase.differentiated for phase in found):
            return True
        before, self.attacked = self.attacked, self.count
        return self.count - before <= 1

    def validation(self, spans, seen, within, epoch):
        """Reports a validation of these spans of time and the pauses within; returns how long it lasted with these.

        A program that saves before it trains again does so after it has evaluated: the result is printed before.
        """
        lasted, paused = (sum(self.clock.seconds(*p) for p in intervals) for intervals in (spans, within))
        self.validation_at(self.clock.host(spans[-1][1]) - paused, epoch, lasted - paused, seen)
        return lasted

    def validation_at(self, end, epoch, seconds, seen, **more):
        """Reports a validation until this host time."""
        if self.rank == 0:
            t, seconds = round(events.at(end), 6), round(max(0.0, seconds), 9)
            events.emit(
                "validation", t=t, epoch=epoch, seconds=seconds, metric=None, value=None, units=seen, **more
            )

    @guarded
    def compiled(self, begin):
        """The program was compiled since the mark. The first iteration is known to take longer.

        What a device computed meanwhile, for it was behind, is no part of the pause.
        """
        if self.count > 0 and not self.off and not self.paused and self.is_own():
            end = self.clock.mark()
            self.catch_up()
            self._add_pause(begin, end, COMPILATION)
