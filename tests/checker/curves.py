"""Curves over time from raw events: headway, live and pending bytes. A curve is a list of (time, value since)."""

from collections import defaultdict

from events import PENDING


def curve_of(changes):
    """A curve from (time, change); changes at the same time are combined."""
    at = defaultdict(int)
    for ns, change in changes:
        at[ns] += change
    curve, value = [], 0
    for ns in sorted(at):
        value += at[ns]
        curve.append((ns, value))
    return curve


def changes_only(curve):
    """The curve without points that do not change the value."""
    kept, value = [], 0
    for ns, next_value in curve:
        if next_value != value:
            kept.append((ns, next_value))
        value = next_value
    return kept


def peak(curve, begin, end):
    """The maximum between two times, inclusive; includes the value at the start."""
    most = before = 0
    for ns, value in curve:
        if ns <= begin:
            before = value
        elif ns <= end:
            most = max(most, value)
    return max(most, before, 0)


def headway(trace):
    """Number of ops issued but not finished: from the end of the issue, or the start of the execution if a worker was
    faster than the return of the call, to the end of the execution."""
    changes = []
    for op in trace.ops:
        if op.issued:
            changes.append((min(op.issue_end, op.begin), 1))
            if op.end != PENDING:
                changes.append((op.end, -1))
    return curve_of(changes)


class Buffer:
    def __init__(self, bytes, device):
        self.bytes = bytes
        self.device = device
        self.taken = PENDING
        self.dropped = PENDING
        self.done = 0  # end of the last op that uses it; PENDING: one has not ended


def memory(trace):
    """Curves of live and pending bytes: in total and per device."""
    policy = trace.other["free_policy"]
    buffers = {}
    for op in trace.ops:
        for buffer, bytes in op.made.items():
            device = trace.home[buffer]
            buffers[buffer] = Buffer(bytes, device)
            if policy != "lazy":
                buffers[buffer].taken = op.issue_begin
            elif not op.failed or len(op.made) + len(op.overwrites) > 1:  # of a composite, some may have been made
                buffers[buffer].taken = op.begin
        for buffer in {*op.reads, *op.made, *op.overwrites}:
            if buffer in buffers:
                buffers[buffer].done = max(buffers[buffer].done, op.end)
    for ns, buffer, _ in trace.drops:
        if buffer in buffers:
            buffers[buffer].dropped = min(buffers[buffer].dropped, ns)
    live, pending = defaultdict(list), defaultdict(list)
    for buffer in buffers.values():
        if buffer.taken == PENDING:
            continue
        live[buffer.device].append((buffer.taken, buffer.bytes))
        if buffer.dropped == PENDING:
            continue
        if policy == "stream":
            live[buffer.device].append((buffer.dropped, -buffer.bytes))
            continue
        dropped = max(buffer.dropped, buffer.taken)
        if buffer.done > dropped:
            pending[buffer.device].append((dropped, buffer.bytes))
        if buffer.done != PENDING:
            live[buffer.device].append((max(buffer.dropped, buffer.done), -buffer.bytes))
            if buffer.done > dropped:
                pending[buffer.device].append((buffer.done, -buffer.bytes))
    devices = range(len(trace.devices))
    return ([curve_of([change for device in devices for change in kind[device]]) for kind in (live, pending)],
            [[curve_of(kind[device]) for kind in (live, pending)] for device in devices])
