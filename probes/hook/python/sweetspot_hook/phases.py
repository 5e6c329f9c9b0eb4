"""Validations.

One begins when the trained module goes from training to evaluation mode, or after the
step before, if nothing else came since. It ends when the module goes back, unless nothing
was computed, as where a program saves. A program that switches back late, or never, ends it
where it first fetches the batch that the next step uses. And a whole pass over a loader
without a step or a gradient is one, whatever the mode.
"""


class Phase:
    """A validation, or a candidate for one.

    Marks are those of a clock. `since` is the last step, if nothing but this came after
    it. `back` is when training mode was switched on again, `last` when a loader was last
    exhausted, `fetched` when each pass was first asked for a batch, `units` what it gave,
    and `wait` for how long it kept the program waiting, and `before` when the network had
    last computed by then. `spent` is a pass whose last batch is in use. `backwards` are the
    backward passes before it, and `differentiated` is whether it had some of its own.
    `turns` are when evaluation mode was asked for, each but the last with
    something computed after it, and `computed` when the network last was. Of one that only holds
    others and computes nothing as a whole, `touched` is when one of these was. `shown` is
    whether the program's text only looks at what is computed, and measures nothing, or the kind of pause that it is;
    None for unknown.
    """

    def __init__(self, begin, followed, backwards, shown=None, of_step=False):
        self.begin = begin
        self.since = None
        self.asks = None  # the code that asked for evaluation mode
        self.of_step = of_step  # whether it comes in each step, and scores the batch of that unless it has its own
        self.back, self.shown = None, shown
        self.backwards, self.differentiated = backwards, False
        self.turns, self.computed, self.touched = [begin], None, None
        self.ran = False if followed else None  # whether anything was computed; None for unknown
        self.idle = True  # nothing was since the last turn
        self.last = self.spent = None
        self.fetched, self.before = {}, {}
        self.units = {}
        self.wait = {}

    def asking(self, a_pass, mark):
        if a_pass not in self.fetched:
            self.fetched[a_pass], self.before[a_pass] = mark(), self.computed or self.touched

    def add(self, a_pass, size, seconds):
        self.wait[a_pass] = self.wait.get(a_pass, 0.0) + seconds
        known = self.units.get(a_pass, 0)
        self.units[a_pass] = None if size is None or known is None else known + size

    def turn(self, mark):
        """Evaluation mode is asked for once more."""
        if not self.idle:
            self.turns.append(mark())
            self.idle = True

    def compute(self):
        """A module has computed."""
        self.ran, self.idle = True, False

    def close(self, mark, backwards):
        """Training mode is switched on again."""
        self.back, self.differentiated = mark, backwards != self.backwards

    def others(self, training):
        return [p for p in self.units if p is not training]

    def continues(self, training, before):
        """Whether it goes on with a pass of the phase before, as where each batch is attacked in evaluation mode."""
        return any(p is not training and p in before.fetched for p in self.fetched)

    def shows(self, training, before):
        """Whether one of the two went over a loader and the other, as far as is known, made something to look at."""
        both = before, self
        with_data = [bool(phase.others(training)) for phase in both]
        return with_data[0] != with_data[1] and all(
            phase.ran and not phase.differentiated and not phase.shown for phase in both
        )

    def extend(self, later):
        """Takes the one that continues it."""
        self.back, self.last, self.spent = later.back, later.last or self.last, later.spent
        self.turns, self.computed = self.turns + later.turns, later.computed or self.computed
        self.shown = False if False in (self.shown, later.shown) else self.shown or later.shown
        self.touched = later.touched or self.touched
        self.ran, self.idle = later.ran if self.ran is False else self.ran, later.idle
        for p, mark in later.fetched.items():
            self.fetched.setdefault(p, mark)
            self.before.setdefault(p, later.before[p])
        for p in later.units:
            self.add(p, later.units[p], later.wait[p])

    def whole(self, training):
        """(begin, end, pass) of each whole evaluation: passes over loaders, else turns."""
        turns = self.turns[:-1] if self.idle else self.turns
        passes, most = self.others(training), {}
        for p in passes:
            most[p.loader_id] = max(p.given, most.get(p.loader_id, 0))
        # Beside a loader that was gone over, a few batches more are looked at, such as to draw them.
        gone_over = any(p.exhausted or p.given == p.length for p in passes)
        passes = [p for p in passes if p.exhausted or p.given == most[p.loader_id] and not (gone_over and p.is_cut())]
        return [(p.begin, p.ended, p) for p in passes] or [(t, None, None) for t in turns]

    def end(self, clock, training, at_end):
        """Where it ended, seen from the next step or the end of the program, or None if it was not a validation.

        A module left in evaluation mode trains all the same: some fine-tune so. And what is differentiated
        without data of its own belongs to the training, as an attack on the batch does.
        """
        if (self.ran is False or self.differentiated or self.of_step) and not self.others(training):
            return None
        resumed = self.fetched.get(training)
        if self.back is not None and (resumed is None or clock.host(self.back) <= clock.host(resumed)):
            return self.back
        if resumed is not None and (self.back is not None or self.others(training)):
            return resumed
        if resumed is not None and self.before[training] is not None:  # the next training is of another network
            return self.before[training]
        end = self.last if self.back is None and self.others(training) else self.back
        return self.computed or self.touched if end is None and at_end else end

    def evaluations(self, training, end):
        """(begin, end, samples seen by loader, this phase) of each evaluation in it, until it ended."""
        whole = self.whole(training) or [(self.begin, None, None)]
        begins = [self.begin] + [b for b, _, _ in whole[1:]]
        ends = [e or b for (_, e, _), b in zip(whole, begins[1:])] + [end]
        seen = [{p.loader_id: self.units[p]} if p else {} for _, _, p in whole]
        return [(b, e, by_loader, self) for b, e, by_loader in zip(begins, ends, seen)]


def together(evaluations, usual):
    """(spans, samples seen) of each validation among evaluations without a step in between.

    It has all of them, or the usual number: a program that validates or tests once more after its last step does not
    train in between. Those of a phase are one span. Of several loaders the result may be that of one, and the samples
    are None.
    """
    usual = usual or len(evaluations)
    for i in range(0, len(evaluations), usual or 1):
        spans, units, loaders, before = [], [], set(), None
        for begin, end, seen, phase in evaluations[i : i + usual]:
            begin = spans.pop()[0] if phase and phase is before else begin
            spans.append((begin, end))
            units, loaders, before = [*units, *seen.values()], loaders | set(seen), phase
        yield spans, sum(units) if len(loaders) == 1 and None not in units else None


def joined(phases, training, at_end):
    """The phases, those that continue each other as one; what comes after the last step, as a test, is of its own."""
    found = []
    for phase in phases:
        before = found[-1] if found else None
        if before and (phase.continues(training, before) or not at_end and phase.shows(training, before)):
            found[-1].extend(phase)
        else:
            found.append(phase)
    return found


def interruptions(clock, training, phases, whole, pauses, usual, at_end, with_data=False):
    """What happened between two steps, or after the last one, given how many evaluations a validation usually has.

    Returns validations, what was made to look at or predicted, with its kind if that is known, pauses, the wait for
    the batch that arrived during a validation, and how many evaluations there were. A validation is the spans of these,
    the samples seen and the pauses within.

    whole are the passes that were validations, pauses the checkpoints; a checkpoint
    within a validation does not count in its time. with_data is whether validations go over loaders: what the
    network computes in evaluation mode without one, and the text does not measure, is then only looked at.
    """
    found, shown, late = [(*w, None) for w in whole], [], 0.0
    for phase in phases:
        if phase.since is not None and not at_end:  # after the last step, anything may have come before a test
            phase.begin = phase.since
        end = phase.end(clock, training, at_end)
        if end is None or end is phase.fetched.get(training):
            late += phase.wait.get(training, 0.0)
        looks = phase.shown or phase.shown is None and with_data and not at_end
        kind = phase.shown if isinstance(phase.shown, str) else None
        if end is not None and looks and (kind or not phase.others(training)):
            shown.append((phase.begin, end, kind))
        elif end is not None:
            found += phase.evaluations(training, end)
    host, rest = clock.host, list(pauses)

    def within(begin, end):
        nonlocal rest
        inside = [p for p in rest if host(begin) <= host(p[0]) and host(p[1]) <= host(end)]
        rest = [p for p in rest if p not in inside]
        return inside

    found, shown = (sorted(intervals, key=lambda v: host(v[0])) for intervals in (found, shown))
    validations = [
        (spans, seen, [p for span in spans for p in within(*span)]) for spans, seen in together(found, usual)
    ]
    shown = [(b, e, kind, within(b, e)) for b, e, kind in shown]
    return validations, shown, rest, late, len(found)
