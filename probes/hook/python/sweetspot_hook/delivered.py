"""The passes over loaders and the batches that they give, between two steps or in a validation."""

import weakref
from threading import get_ident
from time import perf_counter

from . import loaders, log
from .guard import guarded


class Delivered:
    """The part of the recorder that handles loaders."""

    @guarded
    def beginning(self):
        """A pass over a loader is about to begin: returns the mark."""
        self.catch_up()
        if not self.is_aside():
            self.spent()
        return None if self.off else self.clock.mark()

    @guarded
    def began(self, loader, iterator, begin):
        """It has begun, after the mark: workers were started, for example."""
        if self.off or begin is None:
            return
        seconds = perf_counter() - self.clock.host(begin)
        iterator._sweetspot_pass = a_pass = loaders.Pass(loader, begin, self.count)
        a_pass.drawn, a_pass.backwards, a_pass.iterator = loaders.drawn(iterator), self.backwards, weakref.ref(iterator)
        if self.data.by_rows[0] == a_pass.loader_id:
            a_pass.by_rows, a_pass.train_size = self.data.by_rows[1], None
        if self.is_aside():
            return self.log.add((self._began_aside, a_pass))
        if self.count == 0 and not self.backwards and self.data.starts_over(a_pass):
            self.flops.forget()  # it was a trial, as for a summary of the network
        if self.open is None and not self.paused and (self.owner is None or self.owner == get_ident()):
            self.data.asked(a_pass, seconds)

    def _began_aside(self, a_pass):
        """A thread that only fetches batches began a pass, after the steps that were noted before."""
        a_pass.steps_before = self.count

    @guarded
    def keeps(self, loader, iterator):
        """A loader with a way of its own to begin a pass has an iterator.

        It may keep that for all passes, as YOLO's and timm's do.
        """
        n = loaders.batches(loader)
        if n:
            iterator._sweetspot_kept = loaders.Kept(loader, n)

    @guarded
    def goes_on(self, iterator, kept):
        """The iterator that a loader keeps begins its next pass: returns that one."""
        loader, before = kept.loader(), iterator.__dict__.get("_sweetspot_pass")
        if loader is None:
            return None
        self.catch_up()
        if before is not None:
            before.exhausted = True
        self.began(loader, iterator, self.beginning())
        return iterator.__dict__.get("_sweetspot_pass")

    @guarded
    def over(self):
        """Something comes after a pass whose last batch was given, though none more was asked for.

        It was a validation as in exhausted.
        """
        (a_pass, differentiates), self.given_all = self.given_all, None
        if a_pass.exhausted or self.open is not None or self.paused or self.owner not in (None, get_ident()):
            return
        self.catch_up()
        if any(a_pass in phase.fetched for phase in self.phases):
            a_pass.ended = self.clock.mark()
            return
        if a_pass.steps_before != self.count or self.count == 0:
            return
        a_pass.unused = a_pass.backwards == self.backwards
        if not differentiates or self._may_validate(a_pass):
            self.data.forget(a_pass)
            self.whole.append((a_pass.begin, self.clock.mark(), {a_pass.loader_id: a_pass.units}))

    def _may_validate(self, a_pass):
        """Whether a pass that could compute gradients, but with which no step was made, measures the model."""
        return a_pass.unused and self.data.main is not None and a_pass.loader_id != self.data.main

    @guarded
    def stand_in(self, iterator):
        """A pass that no loader of PyTorch's began: fastai goes over a stand-in, whose d is its loader. Else None."""
        fake = getattr(iterator, "_dataset", None)
        if fake is None or getattr(fake, "dataset", None) is not fake or not hasattr(fake, "d"):
            return None
        self.began(fake.d, iterator, self.beginning())
        return iterator.__dict__.get("_sweetspot_pass")

    @guarded
    def asking(self, a_pass):
        """A pass is asked for a batch during what may be a validation; before that, it may have given its first."""
        if self.open is None or self.averages:
            return
        if (
            a_pass.given == 1 and a_pass in self.data.passes
            and a_pass.backwards == self.backwards and a_pass.steps_before == self.count
        ):
            self.data.forget(a_pass)
            self.open.begin = min(self.open.begin, a_pass.begin, key=self.clock.host)
            self.open.add(a_pass, a_pass.units, a_pass.wait)
        self.open.asking(a_pass, self.clock.mark)

    def got(self, a_pass, batch, seconds):
        """It returned one after the training's thread, or another one, had waited this long."""
        try:
            if self.owner is not None and self.owner != get_ident():
                seconds = 0.0
            a_pass.latest, a_pass.thread = self.backwards, get_ident()
            self.log.add((self._got, a_pass, loaders.glance(batch), seconds))
            if self.open is not None or self.count == 0 or len(self.log.calls) > log.MOST:
                self.catch_up()
        except Exception as err:
            self.give_up(err)

    def _got(self, a_pass, glance, seconds):
        d = self.data
        size = a_pass.add(glance)
        d.latest = a_pass
        if self.untrained is not None:
            self.untrained.asked(a_pass)
        if self.open is not None and not self.averages:
            self.open.add(a_pass, size, seconds)
            if a_pass.given == a_pass.length:
                self.open.spent = a_pass
        else:
            d.got(a_pass, seconds)

    @guarded
    def exhausted(self, a_pass, seconds):
        """It is exhausted. A whole pass without a step or a gradient was a validation."""
        if self.is_aside():
            return self.log.add((self._exhausted, a_pass, 0.0))
        self.catch_up()
        self._exhausted(a_pass, seconds)

    def _exhausted(self, a_pass, seconds):
        a_pass.exhausted = True
        if self.untrained is not None:
            self.untrained.exhausted(a_pass)
        d = self.data
        if self.open is not None and not self.averages:
            self.open.last = a_pass.ended = self.clock.mark()
            self.open.spent = None
            return
        if any(a_pass in phase.fetched for phase in self.phases):
            a_pass.ended = self.clock.mark()
            return
        d.asked(a_pass, seconds)
        if a_pass.steps_before != self.count:
            return
        a_pass.unused = a_pass.backwards == self.backwards
        if self.count == 0:
            return
        if self.torch.is_grad_enabled() and not self._may_validate(a_pass):
            return
        d.forget(a_pass)
        if self.averages:
            self.pauses.append((a_pass.begin, self.clock.mark()))
        else:
            self.whole.append((a_pass.begin, self.clock.mark(), {a_pass.loader_id: a_pass.units}))
