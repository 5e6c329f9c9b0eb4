"""Networks of timm and transformers by name, and what those libraries' networks take and put out."""

import difflib
import sys

from .loading import Problem, describe

# What the auxiliary classifiers of a training weigh in its loss: Szegedy et al. 2015, section 5.
AUXILIARY = 0.3


def make(library, name):
    """The network of a name in the library, with random weights and without a download."""
    try:
        return {"timm": _timm, "transformers": _transformers}[library](name)
    except ImportError as err:
        raise Problem(
            "%s:%s needs %s, which this Python (%s) cannot import: %s" % (library, name, library, sys.executable, err)
        ) from err


def _timm(name):
    import timm

    if not timm.is_model(name):
        raise Problem("timm %s has no network %s%s" % (timm.__version__, name, _alike(name, timm.list_models())))
    return timm.create_model(name)


def _transformers(name):
    import transformers

    try:
        made = getattr(transformers, name, None)
    except Exception as err:  # it is imported only now
        raise Problem("transformers:%s cannot be loaded: %s" % (name, describe(err))) from err
    if isinstance(made, type) and issubclass(made, transformers.PretrainedConfig):
        return transformers.AutoModel.from_config(made())
    if isinstance(made, type) and issubclass(made, transformers.PreTrainedModel) and made.config_class is not None:
        return made(made.config_class())
    names = [n for n in dir(transformers) if n.endswith("Config")]
    raise Problem(
        "transformers %s has no configuration or network %s%s; name a configuration such as BertConfig, or a network "
        "such as BertForSequenceClassification"
        % (transformers.__version__, name, _alike(name, names))
    )


def _alike(name, names):
    found = difflib.get_close_matches(name, names, 3)
    return " (it has %s)" % ", ".join(found) if found else ""


def vocabulary(model):
    """How many tokens a language model knows, or None for a network that takes numbers."""
    if getattr(model, "main_input_name", None) != "input_ids":
        return None
    config = getattr(model, "config", None)
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    return getattr(text, "vocab_size", None)


def sample(model):
    """The shape of one sample that a network of a library names, or None."""
    for facts in (getattr(model, "pretrained_cfg", None), getattr(model, "default_cfg", None)):
        if isinstance(facts, dict) and facts.get("input_size"):
            return tuple(facts["input_size"])
    config = getattr(model, "config", None)
    if getattr(model, "main_input_name", None) == "pixel_values" and hasattr(config, "image_size"):
        size = config.image_size
        return (getattr(config, "num_channels", 3),) + (
            tuple(size) if isinstance(size, (list, tuple)) else (size, size)
        )
    return None


def output(out):
    """The tensor that counts among the outputs: the logits, or the last hidden state."""
    for name in ("logits", "last_hidden_state"):
        if getattr(out, name, None) is not None:
            return getattr(out, name)
    return out


def loss(criterion, out, x, y):
    """The cross-entropy of a classifier, with its auxiliary ones, or of each token of a language model."""
    main = output(out)
    if main.dim() == 3:
        return criterion(main.flatten(0, 1), x.flatten())
    total = criterion(main, y)
    for name in getattr(out, "_fields", ()):
        if name.startswith("aux") and getattr(out, name) is not None:
            total = total + AUXILIARY * criterion(getattr(out, name), y)
    return total
