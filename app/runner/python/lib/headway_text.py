"""Tensors as text, formatted as each framework prints them."""

import struct

import _headway


def values_of(tensor, kind="print", name=None):
    """Waits and returns the values as a flat tuple of floats, ints or bools, depending on `numbers`."""
    data = tensor.to_bytes(kind, name or kind)
    values = struct.unpack("%df" % (len(data) // 4), data)
    return values if tensor.numbers == "real" else tuple(map(int if tensor.numbers == "integer" else bool, values))


def nested(values, shape):
    """The values as nested lists."""
    if not shape:
        return values[0]
    if len(shape) == 1:
        return list(values)
    step = len(values) // shape[0] if shape[0] else 0
    return [nested(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def number_format(values, torch_style):
    """A function that formats numbers with a common width, chosen as NumPy or PyTorch does."""
    if values and isinstance(values[0], int):  # includes booleans
        width = 5 if isinstance(values[0], bool) and not torch_style else max(len(str(v)) for v in values)
        return lambda v: str(v).rjust(width)
    finite = [abs(v) for v in values if v == v and v not in (float("inf"), float("-inf"))]
    if all(v == int(v) for v in finite) and not any(v > 1e8 for v in finite):
        texts = lambda v: "%d." % v if v == v and abs(v) != float("inf") else str(v)
    else:
        nonzero = [v for v in finite if v]
        scientific = nonzero and (max(nonzero) >= 1e8 or min(nonzero) < 1e-4 or max(nonzero) / min(nonzero) > 1e3)
        if scientific:
            texts = lambda v: "%.4e" % v
        elif torch_style:
            texts = lambda v: "%.4f" % v
        else:
            digits = max((len(shortest(v).partition(".")[2]) for v in finite), default=0)
            digits = min(8, digits)
            texts = lambda v: "%.*f" % (digits, v)
    width = max((len(texts(v)) for v in values), default=0)
    return lambda v: texts(v).rjust(width)


def shortest(value):
    """The shortest decimal that converts back to the same float32."""
    for digits in range(1, 10):
        text = "%.*g" % (digits, value)
        if struct.pack("f", float(text)) == struct.pack("f", value):
            break
    return text if "e" not in text else "%.8f" % value


def array_text(tensor, prefix, torch_style, kind="print", name=None):
    values = values_of(tensor, kind, name)
    shape = tuple(tensor.shape)
    if not shape:
        return number_format(values, torch_style)(values[0]).strip()
    summarise = len(values) > 1000
    edge = 3
    shown = [v for i, v in indexed(values, shape, edge if summarise else None)]
    text_of = number_format(shown, torch_style)

    def level(flat, sides, indent):
        step = len(flat) // sides[0]
        cut = summarise and sides[0] > 2 * edge
        rows = list(range(edge)) + [None] + list(range(sides[0] - edge, sides[0])) if cut else range(sides[0])
        if len(sides) == 1:
            words = ["..." if i is None else text_of(flat[i]) for i in rows]
            room = max(1, (76 - indent) // (len(words[0]) + 2))
            lines = [", ".join(words[i : i + room]) for i in range(0, len(words), room)]
            return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
        parts = ["..." if i is None else level(flat[i * step : (i + 1) * step], sides[1:], indent + 1) for i in rows]
        return "[" + ("," + "\n" * (len(sides) - 1) + " " * (indent + 1)).join(parts) + "]"

    return level(values, shape, len(prefix))


def indexed(values, shape, edge):
    """(position, value) of the values to show."""
    if edge is None:
        yield from enumerate(values)
        return
    positions = [0]
    for side in shape:
        rows = range(side) if side <= 2 * edge else [*range(edge), *range(side - edge, side)]
        positions = [p * side + r for p in positions for r in rows]
    for p in positions:
        yield p, values[p]


def to_numpy(tensor, name="numpy"):
    import numpy

    values = numpy.frombuffer(bytearray(tensor.to_bytes("numpy", name)), dtype=numpy.float32).reshape(tensor.shape)
    return values if tensor.numbers == "real" else values.astype(numpy.int64 if tensor.numbers == "integer" else bool)


def float32_only(dtype, dialect, known):
    """Refuses every dtype except float32."""
    if dtype is not None and str(getattr(dtype, "__name__", dtype)).rpartition(".")[2] != "float32":
        raise NotImplementedError("Headway's %s dialect has tensors of %s only, not of %s" % (dialect, known, dtype))


def holds_values(values):
    """Whether these are a list of values, not a number; a tensor in a list is a number."""
    if type(values) in (float, int, bool) or not hasattr(values, "__len__") or isinstance(values, _headway.Tensor):
        return False
    if isinstance(values, (str, bytes, dict)):
        raise TypeError("a tensor is made of numbers, not of %s: %.60r" % (type(values).__name__, values))
    return getattr(values, "ndim", 1) > 0


def numbers_of(values):
    """The kind that a framework infers for these values: "real", "integer" or "boolean"."""
    if isinstance(values, _headway.Tensor):
        return values.numbers
    many = holds_values(values)
    try:
        code = memoryview(values).format.lstrip("<=>@!")
        return "boolean" if code == "?" else "integer" if code in "bBhHiIlLqQnN" else "real"
    except TypeError:
        pass
    if many:
        kinds = {numbers_of(v) for v in values}
        return next((k for k in ("real", "integer", "boolean") if k in kinds), "real")
    return "boolean" if isinstance(values, bool) else "integer" if isinstance(values, int) else "real"


def typed(values, make):
    """The tensor from make(), with the kind of numbers that a framework infers for `values`."""
    tensor = make()  # refuses what is no list of numbers
    numbers = numbers_of(values)
    if numbers == "integer" and _largest(values) > 1 << 24:
        raise NotImplementedError("Headway's integers are held as float32: exact up to 16,777,216 only")
    tensor.numbers = numbers
    return tensor


def _largest(values):
    if isinstance(values, _headway.Tensor):
        return 0  # its integers were checked when it was made
    if hasattr(values, "max") and hasattr(values, "min"):  # a NumPy array
        return max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0
    if holds_values(values):
        return max((_largest(v) for v in values), default=0)
    return abs(values)


def from_values(values, kind, place=None, waits=False, device=-1):
    """A tensor from an object with the buffer protocol, a number, or nested lists of numbers."""
    import array

    many = holds_values(values)
    try:
        memoryview(values)
    except TypeError:
        flat, shape = array.array("f"), []
        if not many:
            return _headway.full(getattr(values, "shape", []), float(values), kind, place, waits, device)
        level = values
        while holds_values(level):
            shape.append(len(level))
            if len(shape) > 8:
                raise ValueError("a tensor has at most 8 dimensions")
            level = level[0] if len(level) else None

        def gather(part, depth):
            many = holds_values(part)
            if many != (depth < len(shape)) or many and len(part) != shape[depth]:
                raise ValueError("nested lists must have equal lengths to form a tensor")
            if many:
                for item in part:
                    gather(item, depth + 1)
            else:
                flat.append(float(part))

        gather(values, 0)
        return _headway.from_buffer(flat, kind, place, waits, device).reshape(shape)
    if not memoryview(values).c_contiguous:
        values = values.copy()
    return _headway.from_buffer(values, kind, place, waits, device)
