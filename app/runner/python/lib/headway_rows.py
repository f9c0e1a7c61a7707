"""Writes rows of tensors: item assignment and stack. Error messages name the operation as the program wrote it."""

import _headway


def assign(tensor, key, value):
    """tensor[key] = value"""
    _write(tensor, key, value, "item assignment", tensor)


def stacked(tensors, kind):
    """Stacks tensors along a new first axis, on the first one's device; gradients flow back into each."""
    first = tensors[0]
    for i, part in enumerate(tensors):
        if not isinstance(part, _headway.Tensor):
            raise TypeError("stack: expected a tensor, not %s (item %d)" % (type(part).__name__, i))
        if tuple(part.shape) != tuple(first.shape):
            raise ValueError(
                "stack: expected all tensors to have the same shape, but item 0 has %s and item %d has %s"
                % (tuple(first.shape), i, tuple(part.shape))
            )
    shape = (len(tensors),) + tuple(first.shape)
    out = _headway.full(shape, 0.0, kind, first.place, first.waits, first.device_number)
    for i, part in enumerate(tensors):
        _write(out, i, part, "stack", first)
    return out


def _write(tensor, key, value, what, shown):
    try:
        _headway.Tensor.__setitem__(tensor, key, value)
    except _headway.Error as error:
        # Rephrase the engine's message, which names its own op and the shapes that this op takes.
        words = str(error).split(" of shape ")
        if words[0].startswith("assign_slice: expected all tensors to be on the same device") and len(words) == 3:
            shapes = [str(tuple(t.shape)) + w[w.index(" on the ") :] for t, w in zip((shown, value), words[1:])]
            error.args = (" of shape ".join([words[0].replace("assign_slice", what, 1)] + shapes),)
        elif words[0].startswith("reshape: "):
            value_shape, _, rest = words[0][len("reshape: ") :].partition(" does not fit into ")
            place = rest[rest.index(")") + 1 :]  # ", at file:line"
            error.args = ("%s: %s does not fit into %s%s" % (what, value_shape, _rows(tensor, key), place),)
        raise


def _rows(tensor, key):
    """The rows that a key selects, in words: "(2,), row 0 of (4, 2)"."""
    shape = tuple(tensor.shape)
    if not isinstance(key, slice):
        return "%s, row %d of %s" % (shape[1:], key, shape)
    rows = range(*key.indices(shape[0]))
    which = "row %d" % rows[0] if len(rows) == 1 else "rows %d to %d" % (rows[0], rows[-1])
    return "%s, %s of %s" % ((len(rows),) + shape[1:], which, shape)
