"""As fastai.data.load: PyTorch's iterators over a stand-in for a loader."""

import itertools

import torch
from torch.utils.data.dataloader import _DatasetKind, _SingleProcessDataLoaderIter


class FakeLoader:
    _IterableDataset_len_called, _auto_collation, drop_last, in_order = None, False, False, True
    _index_sampler, generator, prefetch_factor = itertools.count(), None, 2
    _dataset_kind, num_workers, pin_memory, timeout, persistent_workers = _DatasetKind.Iterable, 0, False, 0, False
    pin_memory_device, worker_init_fn, multiprocessing_context = "", None, None

    def __init__(self, d):
        self.dataset, self.d = self, d

    def _get_shared_seed(self):
        return None

    def collate_fn(self, x):
        return x

    def __iter__(self):
        return self.d.batches()


class DataLoader:
    def __init__(self, dataset, bs):
        self.dataset, self.bs = dataset, bs
        self.fake = FakeLoader(self)

    def __len__(self):
        return len(self.dataset) // self.bs

    def batches(self):
        for i in range(len(self)):
            rows = [self.dataset[k] for k in range(i * self.bs, (i + 1) * self.bs)]
            yield tuple(torch.stack(column) for column in zip(*rows))

    def __iter__(self):
        yield from _SingleProcessDataLoaderIter(self.fake)
