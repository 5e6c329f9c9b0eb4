"""Trainings whose loops do not count steps: it prints what the hook tells of each by its first rounds.

They need no PyTorch.
"""

import sys

from sweetspot_hook import epochs, pace


class Steps:
    def __init__(self):
        self.done, self.pace, self.told, self.at = 0, None, None, None

    def step(self):
        if self.done == 0:
            self.pace = pace.find(epochs.frames_of(sys._getframe(1)), 0)
        elif self.pace is not None:
            value = self.pace.read(sys._getframe(1))
            if value is not None:
                self.told = self.pace.turned(value, self.done)
                self.at = self.at or self.told and self.done
        self.done += 1


def rollouts(train):
    for iteration in range(1, 7):
        for epoch in range(3):
            for batch in range(4):
                train()


class Algorithm:
    frames = 0

    def rollout(self):
        self.frames += 32


def counted_before(train):
    a = Algorithm()
    a.frames = 0
    while a.frames < 150:
        a.rollout()
        for batch in range(12):
            train()


def counted_after(train):
    a = Algorithm()
    a.frames = 0
    while a.frames <= 160:
        for batch in range(12):
            train()
        a.rollout()


def replayed(train):
    for frame in range(0, 400, 2):
        if frame > 100 and frame % 8 == 0:
            train()


def backwards(train):
    for left in range(40, 0, -1):
        if left % 2 == 0:
            train()


def early(train):
    for iteration in range(4):
        for batch in range(4):
            train()


def changing(train):
    for iteration in range(9):
        for batch in range(12 if iteration < 5 else 6):
            train()


def played(train):
    time_step, most, each = 0, 200, 40
    while time_step <= most:
        for t in range(1, 11):
            time_step += 1
            if time_step % each == 0:
                for k in range(6):
                    train()


def until_solved(train):
    for iteration in range(6):
        left = 20
        while left > 0:
            left -= 1
            train()


def unknown(train):
    for sample in iter([1, 2, 3]):
        for batch in range(12):
            train()


def alone(train):
    for batch in [1, 2, 3]:
        train()
    train()


def told(way):
    s = Steps()
    way(s.step)
    return "%s: %s steps told, at first after %s, %d done" % (way.__name__, s.told, s.at, s.done)


ways = (
    rollouts, counted_before, counted_after, replayed, backwards, early, changing, played, until_solved, unknown, alone,
)
print(*map(told, ways), sep="\n")
