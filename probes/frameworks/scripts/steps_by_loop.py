"""Trainings that count steps and no epochs: it prints of each what the hook finds in its first step.

They need no PyTorch: a step asks the hook and ends the training.
"""

import argparse
import itertools
import sys

from sweetspot_hook import epochs, steps

num_steps = 128  # of a rollout, for all that a name tells


class Found(Exception):
    pass


def step_of_optimizer():
    frames = epochs.frames_of(sys._getframe(1))
    raise Found("%s steps, %s epochs" % (steps.find(frames, sys.argv[1:]), epochs.find(frames, sys.argv[1:])))


def train(x):
    x * 2
    step_of_optimizer()


def batches():
    return iter([1, 2, 3])


def counted():
    total_steps = 6
    for step in range(total_steps):
        train(1)


def until():
    step = 0
    while step < 7 and num_steps:
        for x in batches():
            train(x)
            step += 1


def nanogpt():
    iter_num, max_iters = 0, 5
    while True:
        for micro_step in range(2):
            sum(range(3))
        step_of_optimizer()
        iter_num += 1
        if iter_num >= max_iters:
            break


def stream():
    for step, x in enumerate(itertools.count()):
        if step >= 4:
            break
        train(x)


def sliced():
    for x in itertools.islice(itertools.count(), 3):
        train(x)


def named():
    p = argparse.ArgumentParser()
    p.add_argument("--max_steps", type=int, default=8)
    args = p.parse_args([])
    done = []
    while len(done) < args.max_steps:
        train(1)
        done.append(1)


def rollout():
    done = []
    while len(done) < 3:
        for i in range(2):
            train(1)
        done.append(1)


def accumulated():
    for step in range(8):
        sum(range(3))
        if (step + 1) % 2 == 0:
            step_of_optimizer()


def accumulated_by_name():
    done = {"batches": 0}
    max_iters = 8
    for x in itertools.count():
        if done["batches"] >= max_iters:
            break
        done["batches"] += 1
        goes_on = done["batches"] % 2 != 0
        if not goes_on:
            step_of_optimizer()


def in_parts_by_name():
    state, max_iters, each = {"iter_num": 0}, 24, 4
    for x in itertools.count():
        if state["iter_num"] >= max_iters:
            break
        is_accumulating = (state["iter_num"] + 1) % each != 0
        x * 2
        if not is_accumulating:
            step_of_optimizer()
        state["iter_num"] += 1


def both():
    max_steps, step = 6, 0
    for epoch in range(5):
        for x in batches():
            train(x)
            step += 1
            if step == max_steps:
                return


def last():
    step = 1
    while step <= 9:
        train(1)
        step += 1


def beyond():
    iteration = 0
    while True:
        train(1)
        iteration += 1
        if iteration > 9:
            break


def across():
    global_step = 0
    for epoch in range(5):
        for x in batches():
            if global_step >= 7:
                break
            train(x)
            global_step += 1


def within():
    for epoch in range(5):
        step = 0
        for x in batches():
            if step >= 2:
                break
            train(x)
            step += 1


def unclear():
    for i in [1, 2]:
        for j in range(3):
            train(1)


def sized():
    samples = [0] * 50
    for start in range(0, len(samples), 8):
        train(samples[start : start + 8])


def acting():
    timesteps, total_timesteps, n_epochs = 0, 100, 4
    while timesteps < total_timesteps:
        for epoch in range(n_epochs):
            for x in batches():
                train(x)
        timesteps += 10


def numbered():
    total_steps = 20
    for step, x in enumerate(itertools.count()):
        train(x)
        if step >= total_steps - 1:
            break


def from_one():
    total_steps = 20
    for step, x in enumerate(itertools.count(), 1):
        train(x)
        if step == total_steps:
            break


def passed():
    max_steps = 20
    for step, x in enumerate(itertools.count()):
        train(x)
        if step > max_steps:
            break


def ends_before():
    n_iter, start = 6, 0
    for idx in range(n_iter):
        i = idx + start
        if i > n_iter:
            break
        train(1)


def ends_around():
    max_steps, global_step = 20, 0
    for epoch in range(6):
        for x in batches():
            train(x)
            global_step += 1
        if global_step >= max_steps:
            break


def numbered_later():
    total_steps = 20
    for step, x in enumerate(itertools.count()):
        if step > 1:
            train(x)
        if step >= total_steps - 1:
            break


def limited_by_name():
    max_steps, done = 8, {"batches": 0}
    for epoch in range(3):
        for x in range(9):
            done["batches"] += 1
            is_due = done["batches"] % 2 == 0
            if is_due:
                step_of_optimizer()


def counts_by_name():
    total_iters = 0
    for epoch in range(3):
        for x in range(9):
            total_iters += 1
            train(x)


def summed():
    total_steps = 0
    for part in (3, 4):
        total_steps += part
    for x in itertools.count():
        train(x)


def left():
    iterations, most = 0, 9
    while True:
        for x in batches():
            train(x)
            iterations += 1
            if iterations >= most:
                sys.exit("done")


def resumed():
    last, n = -1, [1, 2, 3, 4, 5]
    for epoch in range(max(0, last), int(len(n) / 2) * 2):
        for x in batches():
            train(x)


class Bar:
    def __init__(self, iterable):
        self.iterable = iterable

    def __iter__(self):
        return iter(self.iterable)


def held():
    rounds = range(2, 8)
    for step in rounds:
        train(1)


def shown():
    progress = Bar(range(4))
    for epoch in progress:
        for x in batches():
            train(x)


def whole_set():
    for epoch in range(1, 13):
        train(1)


def rows_of_epoch():
    epoch_rows = [0] * 9
    for row in range(len(epoch_rows)):
        train(1)


def waits_for_a_number():
    learning_starts = 30.0
    for step in range(1, 101):
        if step > learning_starts:
            train(1)


def waits_above():
    for frame in range(100):
        if frame < 20:
            continue
        train(1)


class Batch:
    def __init__(self, step):
        self.rows = 4 if step % 6 else 3

    def size(self):
        return self.rows, 2


def waits_for_data():
    total_steps, buffer = 50, []
    for step in range(total_steps):
        buffer.append(step)
        if len(buffer) > 8:
            train(1)


def passes_over():
    for step in range(12):
        x = Batch(step)
        if x.size()[0] != 4:
            continue
        train(1)


def waits_within():
    total_steps, buffer = 50, []

    def learn():
        if len(buffer) < 8:
            return
        train(1)

    for step in range(total_steps):
        buffer.append(step)
        learn()


def waits_for_a_counter():
    done = 0
    for episode in range(50):
        for step in range(10):
            done += 1
            if done > 5:
                train(1)


def waits_before():
    rows = [1, 2, 3]
    if len(rows) < 2:
        return
    for step in range(12):
        train(1)


def waits_for_epochs():
    memory, n_epi = [], 0
    for n_epi in range(40):
        memory.append(n_epi)
        if len(memory) > 10:
            for i in range(5):
                train(1)


def waits_for_rounds():
    for epoch in range(40):
        if epoch >= 10:
            for x in batches():
                if len([x]) > 0:
                    train(1)


def worked_out():
    class Trainer:
        iteration, most = 0, 9

    trainer = Trainer()
    trainer.most = 9
    for epoch in range(5):
        for i, x in enumerate(batches()):
            trainer.iteration = epoch * 3 + i
            train(1)
            if trainer.iteration >= trainer.most:
                break


class Resumed:
    def run(self):
        while not self.most or self.step + self.start < self.most:
            train(next(batches()))
            self.step += 1


def goes_on():
    trainer = Resumed()
    trainer.step, trainer.start, trainer.most = 0, 20, 90
    trainer.run()


def without_end():
    trainer = Resumed()
    trainer.step, trainer.start, trainer.most = 0, 20, 0
    trainer.run()


def tasks():
    for iteration in range(100):
        for task in range(5):
            for step in range(3):
                train(1)


class Flag:
    def __init__(self, value):
        self._value = value


class FlagHolder:
    """As absl's DEFINE functions return."""

    def __init__(self, name, value):
        self._name, self._flagvalues = name, type("FlagValues", (), {"__module__": "absl.flags"})()
        vars(self._flagvalues)["__flags"] = {name: Flag(value)}

    @property
    def value(self):
        return vars(self._flagvalues)["__flags"][self._name]._value


def flagged():
    last_one = FlagHolder("last_one", 12)
    for number in range(last_one.value + 1):
        train(number)


def all_steps():
    epochs, batches = 4, [0] * 6
    for k in range(epochs * len(batches)):
        train(k)


def itr():
    cur_itrs = 0
    while True:
        for x in itertools.repeat(0, 3):
            cur_itrs += 1
            train(x)
            if cur_itrs >= 8:
                return


def last_named():
    num_iterations = 18
    for step in range(num_iterations + 1):
        last_step = step == num_iterations
        if last_step or step % 5 == 0:
            sum(range(3))
        if last_step:
            break
        train(step)


def divided():
    most, global_step = 8, 0
    while True:
        for step, x in enumerate(batches()):
            sum(range(3))
            if (step + 1) % 2 == 0:
                train(x)
                global_step += 1
                if global_step % most == 0:
                    break
        if global_step % most == 0:
            break


def counted_beside():
    global_step, batches_seen, max_steps = 0, 0, 8
    while global_step < max_steps:
        for step, x in enumerate(batches()):
            batches_seen += 1
            if (step + 1) % 2 == 0:
                train(x)
                global_step += 1


def parts_counted():
    steps_seen, max_parts = 0, 8
    while steps_seen < max_parts:
        for step, x in enumerate(batches()):
            steps_seen += 1
            if (step + 1) % 2 == 0:
                train(x)


def by_one(first=1):
    step, total_step, accumulated_steps = first, 6, 1
    while True:
        for x in batches():
            if step % accumulated_steps == 0:
                train(x)
            if step == total_step:
                quit()
            step += 1


def from_zero():
    by_one(first=0)


def before_the_next():
    iteration, num_iter = 0, 6
    while True:
        train(iteration)
        if iteration + 1 == num_iter:
            sys.exit()
        iteration += 1


def by_a_letter():
    i, num_iter = 0, 6
    while True:
        train(i)
        if i == num_iter:
            sys.exit()
        i += 1


def by_a_letter_alone():
    i, most = 0, 6
    while True:
        train(i)
        if i == most:
            sys.exit()
        i += 1


def shown_each():
    step = 0
    while len(sys.argv) < 9:
        train(step)
        step += 1
        for x in batches():
            if step % 4 == 0:
                break


def by_a_float():
    step, most, over = 0, 6e0, False
    while not over:
        for x in batches():
            step += 1
            train(x)
            if step >= most:
                over = True
                break


def asked(way):
    try:
        way()
    except Found as found:
        return "%s: %s" % (way.__name__, found)


WAYS = (
    counted, until, nanogpt, stream, sliced, named, rollout, accumulated, accumulated_by_name, limited_by_name,
    both, last, beyond, across, within, unclear, sized, acting, numbered, from_one, passed, numbered_later,
    counts_by_name, summed, left, resumed, held, shown, whole_set, rows_of_epoch, waits_for_a_number,
    waits_above, waits_for_data, passes_over, waits_within, waits_for_a_counter, waits_before, waits_for_epochs,
    waits_for_rounds, worked_out, goes_on, without_end, tasks, flagged, all_steps, itr,
    last_named, divided, counted_beside, parts_counted, by_one, from_zero, before_the_next, by_a_letter,
    by_a_letter_alone, shown_each, by_a_float, in_parts_by_name, ends_before, ends_around,
)
print(*map(asked, WAYS), sep="\n")
