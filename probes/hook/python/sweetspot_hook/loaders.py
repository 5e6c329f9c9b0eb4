"""One pass over a DataLoader, and what a batch and a loader reveal about the data."""

import collections
import collections.abc
import itertools
import weakref

from . import arrays

# Batches of a pass that are remembered until a step uses them.
REMEMBERED = 4096


class Pass:
    """One iteration over a loader, started by iter() or a for loop."""

    def __init__(self, loader, begin, steps):
        # The loader itself may be freed before its iterator, and another one be made in its place.
        self.loader_id, self.address = number(loader), id(loader)
        self.name, self.train_size, self.length = dataset_name(loader), train_size(loader), batches(loader)
        self.of_rank, self.held = draws_alone(loader), length(getattr(loader, "dataset", None))
        # The latter is the dimension of a batch that its samples are in.
        self._batch_size, self._dim = getattr(loader, "batch_size", None), 0
        self.begin = begin  # mark
        self.steps_before = steps  # of the run, when it began
        self.steps = 0  # that used its batches
        # Steps that used new ones, how many these were, and the index of the first such step in the epoch.
        self.uses = self.used = self.begun = 0
        self.units = 0  # fetched; None once a batch of unknown size was among them
        self.sizes = collections.deque(maxlen=REMEMBERED)  # of batches that no step used yet
        self.wait = 0.0  # seconds that it kept the training waiting
        self.image = False
        self.shape = self.whole = None  # of one unit of the latest batch, and of the batch
        self.exhausted = False
        self.backwards = self.latest = 0  # passes of the run, when it began and when it gave its latest batch
        self.unused = False  # whole, and no gradient was computed in it: no step used it, if there is another
        self.given = self.handed = 0  # batches that were recorded, and that the program has
        self.drawn = ()  # samples of the batches to come, None for unknown
        self.ended = None  # mark after the last batch was used, where that was seen
        self.iterator = None  # weak
        self.thread = None  # that fetches its batches
        # Whether its items are whole batches, of which the rows are the samples; False where nobody knows that.
        self.by_rows = None

    def may_hold_batches(self, used):
        """Whether each of its items may be a whole batch, when a network was given this.

        They come one by one, and it is given as many rows, which may also be the parts of one sample.
        """
        rows = self.whole[:2] if self.whole else ()  # of words alone each sentence has its own number
        return self._batch_size == 1 and bool(used) and len(rows) == 2 and 1 not in rows and rows[:1] == used[:1]

    def hold_batches(self, rows):
        """They are, with so many samples in the first; None for unknown."""
        self.by_rows, self.train_size = rows is not None, None
        self.sizes = collections.deque([rows] * len(self.sizes), REMEMBERED)
        self.units = rows if self.given == 1 else None

    def is_left(self):
        """Whether nobody can ask it for a batch any more."""
        if self.iterator is None:
            return False
        iterator = self.iterator()
        return iterator is None or iterator.__dict__.get("_sweetspot_pass") is not self

    def is_cut(self):
        """Whether it gave fewer batches than it has: where it was over, the program went on before its end."""
        return not self.exhausted and self.length is not None and self.given < self.length

    def samples(self):
        """Those of a whole pass. A sampler may repeat a few to fill the last batch up."""
        repeated = self.held and self.units and self.units - self.held
        return self.held if repeated and 0 < repeated < self.units / self.given else self.units

    def is_last(self):
        """After a batch was given: whether it has no more, of several."""
        self.handed += 1
        return self.handed == self.length != 1

    def skip(self):
        """A batch that is not recorded."""
        return self.drawn.popleft() if self.drawn else None

    def add(self, glance):
        """Records a batch of which this was seen; returns its units, or None."""
        self.given += 1
        size, self.image, self.shape = self._size(glance, self.skip())
        self.whole = glance and glance[0]
        if size is None and self.by_rows is None:
            size = self._batch_size
        self.units = None if size is None or self.units is None else self.units + size
        self.sizes.append(size)
        return size

    def _size(self, glance, drawn):
        """As look; the samples need not be in the first dimension: texts may have their words there."""
        if glance is None:
            return drawn, False, None
        shape, image = glance
        if self.by_rows is not None:
            return shape[0] if self.by_rows else None, image, shape[1:]
        if drawn is not None:
            self._dim = next((d for d in (0, 1) if shape[d : d + 1] == (drawn,)), None)
        elif self.given == 1 and shape[0] != self._batch_size and shape[1:2] == (self._batch_size,):
            self._dim = 1
        if self._dim is None:  # pictures of different sizes, or graphs
            return drawn, False, None
        if self._dim == 0:
            return drawn or shape[0], image, shape[1:]
        return drawn or shape[1], False, shape[:1] + shape[2:]

    def take(self, batches):
        """The units of the next batches, which a step used; None if one is unknown."""
        if batches == 1 and self.sizes:
            return self.sizes.popleft()
        taken = [self.sizes.popleft() for _ in range(min(batches, len(self.sizes)))]
        return None if None in taken else sum(taken)


_numbers = {}  # by the address of a loader: a reference to it, and its number
_next = itertools.count(-1, -1)  # no address
MOST_NUMBERS = 64


def number(loader):
    """That of a loader, which no other has; its address where it cannot be referred to weakly."""
    ref, known = _numbers.get(id(loader), (None, None))
    if ref is not None and ref() is loader:
        return known
    if len(_numbers) > MOST_NUMBERS:
        for address in [a for a, (r, _) in _numbers.items() if r() is None]:
            del _numbers[address]
    try:
        _numbers[id(loader)] = weakref.ref(loader), next(_next)
    except TypeError:
        return id(loader)
    return _numbers[id(loader)][1]


class Kept:
    """An iterator that a loader may keep for all of its passes: it has given more batches than there are in one."""

    def __init__(self, loader, batches):
        self.loader, self.batches, self.given = weakref.ref(loader), batches, 0

    def turns(self):
        """Whether the batch that was given now is the first of another pass than the first."""
        self.given += 1
        return self.given > self.batches and (self.given - 1) % self.batches == 0


class Words:
    """The words of all batches of the training set, where these are rows of them."""

    def __init__(self):
        self.loader_id = None
        self.first = self.longest = 0  # lengths of a row
        self.rows = self.units = self.words = self.batches = 0

    def add(self, a_pass, main):
        """The latest batch of a pass; main is the id of the loader that the steps use, None before the first."""
        if a_pass.loader_id != self.loader_id:
            if main is not None and a_pass.loader_id != main:
                return
            self.__init__()
            self.loader_id, self.first = a_pass.loader_id, None
        shape = a_pass.whole
        if shape is None or len(shape) != 2 or self.first == 0:
            self.first = 0  # it is something else
            return
        rows, n = shape
        self.first = self.first or n
        if n > self.longest:
            self.longest = n
        self.rows, self.words, self.batches = self.rows + rows, self.words + rows * n, self.batches + 1
        self.units += a_pass.sizes[-1] or rows

    def vary(self):
        """Whether rows have several lengths."""
        return self.rows * self.longest != self.words


DRAWN = "_sweetspot_drawn"  # where an iterator keeps the numbers of samples that it drew in a pass


def drawn(iterator):
    """The numbers of samples in the batches to come, as an iterator of PyTorch's draws them in this pass."""
    source = iterator._sampler_iter
    of, numbers = iterator.__dict__.get(DRAWN) or (None, None)
    if of is not source:
        of, numbers = iterator.__dict__[DRAWN] = source, collections.deque()
    return numbers


def draw(iterator, index):
    """It has drawn these places in the dataset. That of an IterableDataset may have fewer samples left."""
    of, numbers = iterator.__dict__.get(DRAWN) or (None, None)
    if numbers is None or of is not iterator._sampler_iter:
        numbers = drawn(iterator)
    known = isinstance(index, (list, tuple)) and iterator._dataset_kind == MAP
    numbers.append(len(index) if known else None)


MAP = 0  # the kind of a dataset whose samples have places


def look(inputs):
    """Of what a network is given: the samples, or None, whether they are images, and the shape of one, or None."""
    seen = glance_at_inputs(inputs)
    if seen is None:
        return None, False, None
    shape, image = seen
    return shape[0], image, shape[1:]


def glance_at_inputs(inputs):
    """As glance, of what a network is given: a list of objects, as of graphs, is as many samples."""
    first = inputs[0] if inputs else None
    if type(first) is list and len(first) > 1 and len(set(map(type, first))) == 1 and _has_parts(first[0]):
        return (len(first),), False
    return glance(inputs)


def _has_parts(thing):
    """Whether something is an object with attributes, and no array."""
    try:
        return hasattr(thing, "__dict__") and not hasattr(thing, "shape")
    except Exception:  # one that does not like to be looked at
        return False


def glance(batch):
    """The shape of the batch's first tensor, or else array, and whether it is of images; None for no such."""
    try:
        tensor = first_tensor(batch, 0)
        shape = arrays.first(batch) if tensor is None else tuple(tensor.shape)
        return (shape, len(shape) == 4 and (tensor is None or is_image(tensor))) if shape else None
    except Exception:  # a batch of the program's own making, which does not like to be looked at
        return None


def is_image(tensor):
    """Whether a tensor of four dimensions holds images."""
    return tensor.is_floating_point() or tensor.element_size() == 1


def first_tensor(batch, depth):
    """The first tensor in nested lists, tuples, mappings and plain objects."""
    if hasattr(batch, "is_floating_point") and hasattr(batch, "shape"):
        return batch
    if depth == 4 or isinstance(batch, (str, bytes)):
        return None
    if isinstance(batch, (list, tuple)):
        parts = batch
    elif isinstance(batch, collections.abc.Mapping):
        parts = batch.values()
    else:
        parts = getattr(batch, "__dict__", {}).values()
    for part in parts:
        found = first_tensor(part, depth + 1)
        if found is not None:
            return found
    return None


def length(thing):
    """len(thing), or None if it has none: the program's classes may raise any exception."""
    try:
        return len(thing)
    except Exception:
        return None


# A length from which on it means that there is no end: no epoch has so many samples.
ENDLESS = 10**9

# Where a DataLoader remembers that the length of its IterableDataset was asked
# for; it warns if that dataset gives more.
ASKED = "_IterableDataset_len_called"


def batches(loader):
    """Batches in a pass, or None. The loader's record of being asked is undone."""
    own = getattr(loader, "__dict__", {})
    asked = own.get(ASKED)
    try:
        n = length(loader)
        return None if n is None or n * (getattr(loader, "batch_size", None) or 1) >= ENDLESS else n
    finally:
        if ASKED in own:
            own[ASKED] = asked


def train_size(loader):
    """Samples in one epoch, or None: over all ranks, or of each one that draws alone."""
    dataset, sampler, batches = (getattr(loader, name, None) for name in ("dataset", "sampler", "batch_sampler"))
    if batches is not None and getattr(loader, "batch_size", None) is None:
        batches = getattr(batches, "batch_sampler", batches)  # of which accelerate shares the batches out
        sampler = getattr(batches, "sampler", None)
        if sampler is None:  # it draws what it likes, or each sample by chance
            size = length(dataset)
            return size if size and size == getattr(batches, "num_samples", None) else None
    elif dataset is not None and getattr(loader, "batch_size", 0) is None:
        return None  # each of the dataset's items may be a whole batch
    size = length(dataset)
    if size is not None and size >= ENDLESS:
        return None
    if size is None or sampler is None or hasattr(sampler, "num_replicas"):
        return size  # a distributed sampler has a rank's share only
    drawn = length(sampler)
    return size if drawn is None or drawn >= ENDLESS else drawn


def draws_alone(loader):
    """Whether each rank draws samples of its own, as from its part of the data, and none are shared out."""
    by = loader if getattr(loader, "batch_size", None) is not None else getattr(loader, "batch_sampler", None)
    sampler = getattr(by, "sampler", None)
    if sampler is None or hasattr(sampler, "num_replicas") or not length(sampler):
        return False
    return not any(kind.__module__.startswith("accelerate.") for kind in type(loader).__mro__)


# Classes whose name says nothing about their data.
NAMELESS = {
    "Dataset", "Datasets", "IterableDataset", "TensorDataset", "ConcatDataset", "ChainDataset", "StackDataset",
    "Subset", "list", "dict", "tuple",
}


def dataset_name(loader):
    """The name of the dataset's class, or None if that says nothing."""
    dataset = getattr(loader, "dataset", None)
    for _ in range(8):
        if type(dataset).__name__ != "Subset":
            break
        dataset = getattr(dataset, "dataset", None)
    name = type(dataset).__name__
    return None if dataset is None or name in NAMELESS else name
