"""Finds the largest batch that fits in memory by trying."""

import gc
import os

from . import events, machine, stopping, training

_FULL, _FAILED = 3, 4  # exit codes of an attempt
_STEPS = 2  # the second has the optimizer's state beside it

# What oneDNN says of whatever it could not set up. Where a smaller batch ran, what is missing is memory.
_NOT_SET_UP = "could not create a primitive"


def go(run):
    """Doubles the batch until one fails, then halves the gap. Emits `limit`."""
    _bound_memory(run.device)
    run.settle()
    stopping.watch()
    attempt = Attempt(run)
    fits, fails, size, most = 0, None, run.options.batch, run.options.fit_batch
    while size > fits and (fails is None or size < fails):
        stopping.check()
        if attempt.fits(size) if run.device.type == "cuda" else attempt.fits_apart(size):
            fits, attempt.fitted = size, True
        else:
            fails = size
        events.log("a batch of %d %s in memory" % (size, "fits" if fits == size else "does not fit"))
        size = min(2 * size, most) if fails is None else (fits + fails) // 2
    if fits == 0:
        raise MemoryError("not even a batch of 1 fits in memory")
    events.emit("limit", batch_size=fits, fails_at=fails)


class Attempt:
    def __init__(self, run):
        self.run = run
        self.fitted = False  # a smaller batch
        self.trainer = training.Trainer(run) if run.options.mode == "train" else None

    def fits(self, size):
        if self.run.device.type == "cuda":
            import torch

            torch.cuda.reset_peak_memory_stats(self.run.device)  # each size has a peak of its own
        try:
            done = 0
            while done < _STEPS:
                self._step(size)
                done += not self._lacks_state()
            self.run.synchronize()
            return True
        except Exception as err:
            if not machine.out_of_memory(err) and not (self.fitted and _NOT_SET_UP in str(err)):
                raise
            return False
        finally:
            self._forget()

    def fits_apart(self, size):
        """The same in a separate process: on a CPU without free memory, libraries may crash instead of raising."""
        child = os.fork()
        if child == 0:
            self._answer(size)
        _, status = os.waitpid(child, 0)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
        if code == _FAILED:  # of something else than memory: it is said here
            return self.fits(size)
        return code == 0

    def _answer(self, size):
        """Tries in the child process, and ends it."""
        import torch

        code = _FAILED
        try:
            torch.set_num_threads(1)  # the parent's threads are not here
            code = 0 if self.fits(size) else _FULL
        except BaseException:  # noqa: the parent tries again, and says it
            pass
        finally:
            os._exit(code)

    def _step(self, size):
        import torch

        run = self.run
        x = run.sample(size)
        if self.trainer is not None:
            run.model.train()
            self.trainer.learn(x, torch.zeros(size, dtype=torch.long, device=run.device))
            return
        run.model.eval()
        with torch.no_grad(), run.context():
            run.model(x)

    def _lacks_state(self):
        """Whether the scaler has skipped all steps so far, as it does until its scale is small enough for fp16."""
        scaler, trainer = self.run.scaler, self.trainer
        return scaler is not None and trainer is not None and not trainer.optimizer.state and scaler.get_scale() > 1

    def _forget(self):
        """Frees the memory of the attempt, so that the next starts from the same state."""
        import torch

        if self.trainer is not None:
            self.trainer.optimizer.zero_grad(set_to_none=True)
        gc.collect()
        if self.run.device.type == "cuda":
            torch.cuda.empty_cache()


def _bound_memory(dev):
    """Limits the CPU's memory so that exceeding it raises an error: the kernel grants more than there is."""
    if dev.type == "cuda":
        return
    import resource

    try:
        with open("/proc/meminfo") as f:
            free = next(int(line.split()[1]) * 1024 for line in f if line.startswith("MemAvailable"))
        with open("/proc/self/statm") as f:
            used = int(f.read().split()[0]) * resource.getpagesize()
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = used + int(0.9 * min(free, _group_free()))
        if soft == resource.RLIM_INFINITY or bound < soft:
            resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    except (OSError, ValueError, StopIteration):
        pass  # not Linux: the attempts are bounded by their largest batch


def _group_free():
    """Bytes that the container still grants; infinity without a limit."""
    try:
        with open("/sys/fs/cgroup/memory.max") as f:
            most = float(f.read())
        with open("/sys/fs/cgroup/memory.current") as f:
            return max(0.0, most - float(f.read()))
    except (OSError, ValueError):
        return float("inf")
