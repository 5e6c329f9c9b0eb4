"""What a run needs: the network to measure, its data, the device."""

from . import counting, dataset, events, labelled, libraries, loading, machine, precision, stopping, trained
from .loading import Problem, describe


class Run:
    """Everything a training or an inference needs.

    fixed is the only batch size a model file takes, or None; classes the
    number of outputs of a classifier, or None.
    """

    def __init__(self, opt, dev):
        import torch

        self.options, self.device = opt, dev
        torch.manual_seed(1)
        torch.backends.cudnn.benchmark = True
        self.context, self.scaler = precision.setup(opt.precision, dev)
        self.model = loading.load(opt.model, dev)
        self.fixed = getattr(self.model, "batch", None) if loading.suffix(opt.model) else None
        self.vocabulary = libraries.vocabulary(self.model)
        self.shape = self._shape()
        self._check_batch()
        self.classes = self.try_out()
        self.classified = self.classes == dataset.CLASSES
        self.given = None
        self.train = self.test = None
        self._memory_at = 0.0
        self.prepare()

    def _shape(self):
        if self.options.input:
            return tuple(int(s) for s in self.options.input.split("x"))
        shape = (
            getattr(self.model, "sample", None) if loading.suffix(self.options.model)
            else libraries.sample(self.model)
        )
        if shape is None and self.vocabulary:
            raise Problem("the length of the sequences is missing; give --input with the number of tokens, such as 128")
        if shape is None and not loading.suffix(self.options.model):
            raise Problem("the network does not state the shape of its input; give --input, such as 3x224x224")
        if shape is None:
            raise Problem("the model file does not state the shape of its input; give --input, such as 3x224x224")
        return shape

    def _check_batch(self):
        if self.fixed is None:
            return
        if self.options.fit_batch or self.options.batch != self.fixed:
            raise Problem(
                "the model file takes batches of exactly %d; use --batch %d, or export it with a batch dimension left "
                "open" % (self.fixed, self.fixed)
            )

    def prepare(self):
        """Makes the requested variant and loads the data."""
        opt = self.options
        if opt.work_only:
            self.network = type(self.model).__name__
            self.params, self.work = self._counts()
            return
        if opt.eval:
            self.given = self._labelled()
        if not opt.fit_batch:
            self.train, self.test = self.data()
        with events.aside():
            if opt.trained and self.is_fashion_mnist() and opt.data != "synthetic" and not opt.fit_batch:
                trained.load_or_train(self, opt.name, opt.model.rpartition(":")[0])
        self.network = type(self.model).__name__
        self.params, self.work = self._counts()  # the model's, which its pruned variants share
        if opt.prune:
            self._prune()
        with events.aside():
            if opt.fine_tune > 0 and not opt.fit_batch:
                events.log(
                    "fine-tuning for %d epoch%s on Fashion-MNIST" % (opt.fine_tune, "s" if opt.fine_tune > 1 else "")
                )
                trained.train(self, opt.fine_tune)
        if opt.precision == "int8":
            with events.aside():
                self._quantise()

    def _labelled(self):
        if self.classes is None:
            raise Problem(
                "an accuracy needs an output of batch x classes, which this model does not have; leave out --eval"
            )
        given = labelled.Given(self.options.eval, self.shape)
        if self.options.mode == "train" and not self.is_fashion_mnist():
            raise Problem(
                "the accuracy after training on synthetic input means nothing; use --mode infer with --eval, or "
                "-- COMMAND for your own training"
            )
        return given

    def _prune(self):
        from . import pruning

        if self.options.mode == "train":
            self.model.train()  # what is traced is what runs
        _, whole = pruning.prune(self.model, pruning.degree(self.options.prune))
        if whole:
            events.warn(pruning.words(whole))
        self.try_out()

    def _quantise(self):
        from . import quantising

        self.model.eval()
        self.model = quantising.quantise(self.model, self._calibration())
        self.try_out()

    def _calibration(self):
        """Inputs for calibrating int8 ranges: from the training set if there is one."""
        import torch

        from .quantising import CALIBRATION

        if self.given is not None:
            seen = 0
            for x, _ in self.given.batches(64, self.device):
                yield x
                seen += len(x)
                if seen >= CALIBRATION:
                    return
            return
        rows = torch.arange(CALIBRATION)
        if self.test is not None:
            yield dataset.FashionMNIST("train", self.options.data_dir).batch(rows, self.device)[0]
            return
        yield self.synthetic(1, CALIBRATION).batch(rows, self.device)[0]

    def sample(self, count):
        """Normally distributed input, or for a language model random tokens, as the network takes it."""
        import torch

        if self.vocabulary:
            return torch.randint(0, self.vocabulary, (count,) + self.shape, device=self.device)
        return self.laid_out(torch.randn((count,) + self.shape, device=self.device))

    def zeros(self, count):
        import torch

        return torch.zeros(
            (count,) + self.shape, device=self.device, dtype=torch.long if self.vocabulary else torch.float
        )

    def synthetic(self, classes, length):
        return dataset.Synthetic(self.shape, classes, length, self.vocabulary)

    def predict(self, x):
        """The outputs for any number of samples; a file with a fixed batch size gets its batch padded."""
        import torch

        missing = 0 if self.fixed is None else -len(x) % self.fixed
        if missing:
            x = torch.cat([x, x[:1].expand((missing,) + tuple(x.shape[1:]))])
        with self.context():
            if self.fixed is None:
                return libraries.output(self.model(x))
            out = torch.cat([self.model(part) for part in x.split(self.fixed)])
        return out[: len(out) - missing]

    def try_out(self):
        """One forward pass: the number of classes, or None for another kind of output."""
        import torch

        self.model.eval()
        x = self.zeros(self.fixed or 2)
        try:
            with torch.no_grad(), self.context():
                out = libraries.output(self.model(x))
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError, AssertionError) as err:
            if machine.out_of_memory(err):
                raise
            raise Problem(
                "the model does not take input of shape %s: %s" % ("x".join(map(str, self.shape)), describe(err))
            )
        classes = out.shape[1] if isinstance(out, torch.Tensor) and out.dim() == 2 else None
        tokens = (
            self.vocabulary is not None and isinstance(out, torch.Tensor)
            and out.shape[1:] == self.shape + (self.vocabulary,)
        )
        if classes is None and not tokens and self.options.mode == "train":
            shape = "x".join(map(str, out.shape)) if isinstance(out, torch.Tensor) else type(out).__name__
            raise Problem(
                "cross-entropy needs an output of batch x classes, but for two samples the model returned %s; use "
                "--mode infer, or -- COMMAND for your own training" % shape
            )
        return classes

    def is_fashion_mnist(self):
        """Whether the dataset is here and fits the model."""
        return self.shape == dataset.SHAPE and self.classified and dataset.present(self.options.data_dir)

    def data(self):
        """The input of the steps: a training and a test set, or synthetic input and None."""
        opt = self.options
        if opt.data == "fashion-mnist" and not self.is_fashion_mnist():
            raise Problem("Fashion-MNIST cannot be used: " + self._why_not())
        if opt.data != "synthetic" and self.is_fashion_mnist():
            test = dataset.FashionMNIST("t10k", opt.data_dir)
            train = dataset.FashionMNIST("train", opt.data_dir) if opt.mode == "train" else None
            size = len(train if opt.mode == "train" else test)
            if opt.batch > size:
                raise Problem("a batch of %d is more than the %d images of the set" % (opt.batch, size))
            return train, test
        if opt.data == "auto" and self.given is None:
            fits = self.shape == dataset.SHAPE and self.classified
            why = "Fashion-MNIST is not installed" if fits else "no dataset here has this shape and number of classes"
            events.warn("the input is synthetic (%s): times are real, but there is no accuracy" % why)
        length = opt.train_size or 100 * opt.batch
        return self.synthetic(self.classes or 1, length), None

    def _why_not(self):
        if self.shape == dataset.SHAPE and self.classified:
            return "its files are not in %s; apt install dataset-fashion-mnist" % self.options.data_dir
        return "it has 10 classes of 1x28x28, the model %s of %s" % (self.classes, "x".join(map(str, self.shape)))

    def labelled(self):
        """The set that accuracy is measured on, or None."""
        return self.given if self.given is not None else self.test

    def is_trained(self):
        """Whether the network is known to be trained."""
        return self.options.trained or self.given is not None or self.options.mode == "train"

    def _counts(self):
        """Parameters, and what one sample takes as fields of an event; None and nothing if unknown."""
        params = self.model.params if hasattr(self.model, "params") else counting.parameters(self.model)
        try:
            facts = counting.work(self.model, self.zeros(1)).facts()
        except Exception:  # only a count: a model that resists it still runs
            facts = {}
        return params, facts

    def describe(self):
        opt, data = self.options, self.train if self.train is not None else self.test
        name = self.given.name if self.given is not None else getattr(data, "name", None)
        size = None
        if opt.mode == "train" and (data is not None or opt.work_only):
            size = opt.train_size or None if self.test is None else len(data)
        events.emit(
            "model", name=opt.name, dataset=name, params=self.params,
            unit="image" if len(self.shape) == 3 else "sample", batch_size=opt.batch, train_size=size,
            iterations_per_epoch=None if size is None else -(-size // opt.batch),
            precision=getattr(self.model, "precision", None) or opt.precision, pruning=self._ratio(),
            epochs=opt.epochs if opt.mode == "train" and size is not None else None,
            network=self.network, input="x".join(map(str, self.shape)), **self.work,
        )

    def _ratio(self):
        """The fraction removed from every convolution, or None where it is not the same."""
        return None if "=" in self.options.prune else float(self.options.prune or 0)

    def settle(self):
        """Before the first step that counts: the data is where the steps are, and nothing of what came before counts.

        The sets have 64 MiB at most, so that a GPU holds them.
        """
        if self.device.type != "cuda":
            return
        import gc

        import torch

        precision.hold(self.options.precision)  # a model file may set switches of its own
        with events.aside():
            for data in (self.train, self.test):
                if data is not None:
                    data.move(self.device)
            if self.channels_last():
                self.model.to(memory_format=torch.channels_last)
            gc.collect()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self.device)

    def channels_last(self):
        """Whether images lie channel by channel in memory, as tensor cores want them: in reduced precision on a GPU."""
        import torch

        return (
            self.device.type == "cuda" and len(self.shape) == 3 and self.options.precision in ("bf16", "fp16")
            and isinstance(self.model, torch.nn.Module)
        )

    def batch(self, data, rows):
        """Inputs and labels of these rows, as the network takes them."""
        x, y = data.batch(rows, self.device)
        return self.laid_out(x), y

    def laid_out(self, x):
        import torch

        return x.contiguous(memory_format=torch.channels_last) if self.channels_last() else x

    def synchronize(self):
        if self.device.type == "cuda":
            import torch

            torch.cuda.synchronize(self.device)

    def memory_is_due(self, now):
        """After the first step, then once a second."""
        if self.device.type != "cuda" or now - self._memory_at < 1:
            return False
        self._memory_at = now
        return True
