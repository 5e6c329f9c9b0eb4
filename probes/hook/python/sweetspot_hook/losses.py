"""The samples of a batch, from the graph of its loss, where neither a module nor a loader tells how many these are.

    hidden = torch.tanh(embeddings[x[ix]].view(-1, 30) @ w1 + b1)
    loss = F.cross_entropy(hidden @ w2 + b2, y[ix])
    loss.backward()

A loss is a mean or a sum over rows, and as many rows went into its products of matrices, or, where it has none, into
its products of data and parameters. Of a sum of several losses it is unknown how many samples these share, unless all
layers that took data took the same.
"""

MOST = 1000  # nodes of a graph that is looked at: of a part of one, what it was given first would be unseen

# What nodes keep for their gradients: of a loss what it is taken over, of a layer its input, and where it looked
# its input up.
REDUCED = ("_saved_self_sym_sizes", "_saved_self_sizes", "_saved_self")
LOSSES = ("Loss", "BinaryCrossEntropy", "Mean", "Sum")
BY_DIMENSION = "1"  # form of a mean or a sum that leaves more than one number
LAYERS = {"Mm": "_saved_self", "Addmm": "_saved_mat1", "Convolution": "_saved_input", "Mv": "_saved_self"}
LOOKED_UP = ("Index", "Embedding")


def samples(loss):
    """Those that a loss of one number is taken over; None if unknown."""
    try:
        return _samples(loss)
    except Exception:  # a node of another version or of the program's own, or whose tensors were changed since
        return None


def rows(loss):
    """How many rows its means and sums are taken over, each; none where that is unknown."""
    try:
        return _taken(list(_nodes(getattr(loss, "grad_fn", None))))
    except Exception:  # as above
        return []


def _taken(nodes):
    found = []
    for node in nodes:
        name, _, form = type(node).__name__.partition("Backward")
        if any(kind in name for kind in LOSSES) and form != BY_DIMENSION:
            found += _rows(next((getattr(node, of) for of in REDUCED if hasattr(node, of)), ()))
    return found


def _samples(loss):
    nodes = list(_nodes(getattr(loss, "grad_fn", None)))
    taken, given, scaled, data = _taken(nodes), set(), set(), []
    for node in nodes:
        name = type(node).__name__.partition("Backward")[0]
        if any(kind in name for kind in LOSSES):
            continue
        if name in LAYERS:
            of = getattr(node, LAYERS[name])
            given |= _rows(of)
            if of is not None and not of.requires_grad:
                data.append(of)
        elif name in LOOKED_UP:
            looked_up = node._saved_indices
            for indices in looked_up if isinstance(looked_up, (tuple, list)) else (looked_up,):
                given |= _rows(indices)
        elif name == "Mul":
            for factor in (node._saved_self, node._saved_other):
                scaled |= _rows(factor) if factor is not None and not factor.requires_grad else set()
    given = given or scaled
    rows = given.pop() if len(given) == 1 else None
    return rows if taken.count(rows) == 1 or set(taken) == {rows} and _are_one(data) else None


def _are_one(data):
    """Whether tensors are the same, or hold the same, as where each network joins states and actions itself."""
    return bool(data) and all(
        t.data_ptr() == data[0].data_ptr() or t.shape == data[0].shape and bool((t == data[0]).all()) for t in data[1:]
    )


def _nodes(node):
    """All of the graph's nodes, from the loss on; none of a large one."""
    found, left = {}, [node]
    for each in left:
        if each is not None and each not in found:
            found[each] = True
            left += [before for before, _ in each.next_functions]
        if len(found) > MOST:
            return {}
    return found


def _rows(of):
    """The set of the first size of a tensor, or of sizes, if there is one."""
    shape = getattr(of, "shape", of)
    return {int(shape[0])} if shape is not None and len(shape) else set()
