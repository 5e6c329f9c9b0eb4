"""Trainings within others' loops, and before others: python3 trained_again.py prints of each what the hook finds in its first step.

They need no PyTorch: a step asks the hook and ends the training.
"""

import linecache
import multiprocessing
import re
import sys
import types

from sweetspot_hook import epochs, repeats, steps

FINE_TUNE = False
FEW = 4


SEARCHES = """
def try_all(net, tasks):
    for data in (task for task in tasks):
        net.fit(data)
"""

SEARCH = """
def search(objective, rounds=1):
    done = 0
    while done < rounds:
        objective()
        done += 1


class Estimator:
    def __init__(self, step, max_epochs=2):
        self.step, self.max_epochs = step, max_epochs

    def fit(self, data):
        for epoch in range(self.max_epochs):
            for x in data:
                self.step()
        return self

    def fine_tune(self, data):
        self.fit(data)
        self.max_epochs += 1
        self.fit(data)

    def call(self, way, data):
        getattr(self, way)(data)

    def fit_with_hooks(self, data):
        self.call("fit", data)
        self.call("close", data)

    def close(self, data):
        pass

    def fit_for(self, n, data):
        for epoch in range(n):
            for x in data:
                self.step()

    def tune(self, data, frozen=1, epochs=4):
        self.fit_for(frozen, data)
        self.fit_for(epochs, data)


class Trainer(Estimator):
    def train(self, data):
        done = 0
        while not done:
            for x in data:
                self.step()


class Network(Estimator):
    def fit(self, data, epochs):
        for epoch in range(epochs):
            for x in data:
                self.step()
"""


BESIDE = """
def adapt(data, epochs=3):
    for epoch in range(epochs):
        for x in data:
            optimizer.step()


def describe(data):
    for epoch in range(3):
        print(data)
"""


def library(package, text):
    return module("/x-packages/%s/core.py" % package, package, text)


def module(name, package, text):
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    names = {"__name__": package + ".core"}
    exec(compile(text, name, "exec"), names)
    return types.SimpleNamespace(**names)


tuner = library("tuner", SEARCH)  # calls what it is given in a loop of its own, and has classes that train
searcher = library("searcher", SEARCHES)
beside = module("/x/beside.py", "beside", BESIDE)
adapt_to, describe = beside.adapt, beside.describe


class Found(Exception):
    pass


def step():
    frames = epochs.frames_of(sys._getframe(1))
    raise Found(epochs.find(frames, []), steps.find(frames, ["--steps", "50"]), *repeats.find(frames))


def train(x):
    for batch in [1, 2, 3]:
        step()


def evaluate():
    pass


def fit(epochs):
    for epoch in range(epochs):
        train(epoch)


class Folds:
    def __init__(self, n):
        self.n_splits = n

    def split(self, data):
        for i in range(self.n_splits):
            yield data[i:], data[:i]


class Layers:
    def __init__(self):
        self.layers = [1, 2]

    def train(self):
        for i, layer in enumerate(self.layers):
            fit(4)


def whole():
    for epoch in range(1, 5):
        step()


def numbered(num_epochs=6):
    for t in range(num_epochs):
        step()


def comprehended():
    for epoch in range(4):
        print([train(batch) for batch in "ab"])


def listed():
    for rate in (0.1, 0.01):
        for epoch in range(3):
            train(rate)


def cross_validated():
    folds = Folds(5)
    for fold, (trained, tested) in enumerate(folds.split([1] * 9)):
        fit(3)


def drawn_before():
    folds = Folds(5).split([1] * 9)
    for trained, tested in folds:
        fit(3)


def layer_by_layer():
    Layers().train()


def differing():
    for n in (1, 3):
        for epoch in range(n):
            train(n)


def tasks():
    yield from "abc"


def streamed():
    for task in tasks():
        fit(3)


def tried():
    for attempt in range(3):
        fit(2)
        break


def tried_again():
    for attempt in range(3):
        if fit(2) is None:
            break


def once_more():
    fit(2)
    evaluate()
    fit(3)


def on_one_line():
    n = 2; fit(n)


def alternative():
    if not FINE_TUNE:
        fit(2)
    else:
        fit(3)


def turned_off():
    fit(2)
    if FINE_TUNE:
        fit(3)


def no_rounds():
    for epoch in range(3):
        train(epoch)
    for epoch in range(0):
        train(epoch)


def tell(pipe):
    try:
        fit(2)
    except Found as found:
        pipe.send(found.args)


def forked():
    fork = multiprocessing.get_context("fork")
    for rank in range(3):
        ours, of_child = fork.Pipe()
        fork.Process(target=tell, args=(of_child,)).start()
        raise Found(*ours.recv())


def second_loop():
    for epoch in range(3):
        train(epoch)
    for epoch in range(2):
        train(epoch)


def adapt(loss):
    loss.backward()


def play(world):
    world.step()


def loop_of_a_world():
    for epoch in range(3):
        train(epoch)
    for epoch in range(2):
        play(epoch)


def loop_of_another_step():
    for epoch in range(3):
        train(epoch)
    for epoch in range(2):
        adapt(epoch)


def passes(n=3, first=1):
    for epoch in range(first, n + first):
        train(epoch)


class Network:
    def fit(self, data, epochs=5):
        for epoch in range(epochs):
            train(data)


def each_its_own():
    model = Network()
    model = model.fit("ab", 2)
    model = Network()
    model = model.fit("ab")
    model = model.fit("ab", epochs=7)


def set_between():
    n = 2
    passes(n)
    n = 4
    passes(n)


def longer():
    passes()
    passes(n=4)


def perhaps():
    passes()
    if input:
        passes()


def of_unknown_length():
    passes(2)
    passes(sum((3, 4)))


def evaluated():
    for epoch in range(3):
        train(epoch)
    for epoch in range(2):
        evaluate()


def objective():
    fit(2)


def searched():
    tuner.search(objective, rounds=20)


def called_once():
    tuner.search(objective)


def given_to_another():
    net = tuner.Estimator(step)
    net.fit("ab")
    pipeline = Folds([("scale", None), ("net", net)])
    pipeline.fit("ab")


def of_the_same_library():
    net = tuner.Estimator(step)
    net.fit("ab")
    other = tuner.Estimator(step, max_epochs=3)
    other.fit("ab")


def of_others():
    net = tuner.Estimator(step)
    net.fit("ab")
    seen = net.transform("ab")
    other = Folds(3)
    other.fit(seen)


def distil(n):
    for epoch in range(n):
        step()


def by_another_function():
    fit(2)
    evaluate()
    distil(3)


def made_later():
    net = tuner.Estimator(step)
    net.fit("ab")
    other = make(net)
    other.fit("ab", epochs=3)


def experiment(net):
    return net.fit("ab", epochs=FEW)


def by_experiments():
    experiment(tuner.Network(step))
    history = experiment(tuner.Network(step))


def experiment_of(n):
    return tuner.Network(step).fit("ab", epochs=n)


def by_another_module():
    fit(2)
    describe("ab")
    adapt_to("ab")


def by_experiments_of():
    experiment_of(2)
    history = experiment_of(n=3)


def experiment_now(net):
    n = FEW
    return net.fit("ab", epochs=n)


def by_experiments_now():
    experiment_now(tuner.Network(step))
    history = experiment_now(tuner.Network(step))


def two_each_round():
    for fold in range(3):
        net = tuner.Estimator(step)
        net.fit("ab")
        other = tuner.Estimator(step)
        other.fit("ab")


def by_a_trainer():
    for member in range(1):
        tuner.Trainer(step, max_epochs=6).train("ab")


def by_a_trainer_each():
    for member in range(3):
        tuner.Trainer(step, max_epochs=6).train("ab")


def until():
    for seed in range(3):
        epoch = 1
        while epoch <= 4 and FINE_TUNE is False:
            train(epoch)
            epoch += 1


def until_counted():
    epoch = 0
    while epoch < 4:
        epoch += 1
        train(epoch)


def by_a_search():
    searcher.try_all(tuner.Estimator(step), ["ab", "ac"])


def fine_tuned():
    tuner.Estimator(step).fine_tune("ab")


def fine_tuned_for():
    tuner.Estimator(step).tune("ab")


def by_a_hook():
    tuner.Estimator(step).fit_with_hooks("ab")


def asked(way):
    try:
        way()
    except Found as found:
        n, of_steps, words, more = found.args
        begin = way.__code__.co_firstlineno
        words = words and re.sub(r"line (\d+)(?! of)\b", lambda line: "line %d of it" % (int(line[1]) - begin), words)
        return "%s: %s epochs, %s steps, %s%s" % (way.__name__, n, of_steps, words, "" if not more else ", for %d epochs more" % more)


print(*map(asked, (whole, numbered, comprehended, listed, cross_validated, drawn_before, layer_by_layer, differing, streamed, tried, tried_again,
                   once_more, on_one_line, alternative, turned_off, no_rounds, forked, second_loop, loop_of_another_step, loop_of_a_world, each_its_own, set_between, longer, perhaps, of_unknown_length, evaluated,
                   searched, called_once, given_to_another, of_the_same_library, of_others, by_another_function, by_another_module, by_experiments, by_experiments_of, by_experiments_now, made_later, two_each_round,
                   by_a_trainer, by_a_trainer_each, until, until_counted, by_a_search,
                   fine_tuned, fine_tuned_for, by_a_hook)), sep="\n")
