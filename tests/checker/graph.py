"""The dependencies of ops, the previous op in each lane, and the ops that a wait waits for."""

from events import PENDING


def copies_to_host(trace, op):
    return trace.signatures[op.signature]["name"] == "copy_to_host"


class Graph:
    def __init__(self, trace):
        self.trace = trace
        self.needs = []         # per op: {dependency: whether it is only a WAR dependency}
        self.before = {}        # the previous op in the lane
        self.writers = {}       # per buffer: ids of the ops that wrote it, ascending
        self._find_needs()
        for lane in trace.lanes:
            for earlier, later in zip(lane, lane[1:]):
                self.before[later.id] = earlier
        for wait in trace.waits:
            if wait.stream >= 0:
                wait.writer = wait.through
            elif wait.target:
                wrote = [id for id in self.writers.get(wait.target, []) if id <= wait.issued]
                wait.writer = wrote[-1] if wrote else 0
                last = trace.op(wait.issued) if wait.issued else None
                if wait.group == "blocker" and last and last.reads[:1] == [wait.target] and copies_to_host(trace, last):
                    wait.writer = last.id
            if wait.kind != "paused":
                wait.held = held_between(trace, wait.begin, wait.end)

    def _find_needs(self):
        writer, readers, orders = {}, {}, {}
        for order in self.trace.orders:
            orders.setdefault(order["op"], []).append(order)
        for op in self.trace.ops:
            needs = {}
            changed = set(op.overwrites)
            # Buffers that a composite op changes, other than its output, it has also read.
            also_read = {b for b in changed if b != op.out or op.in_place}
            for buffer in {*op.reads, *also_read}:
                if buffer in writer:
                    needs[writer[buffer]] = False
            for buffer in changed:
                if buffer in writer:
                    needs[writer[buffer]] = False
                for reader in readers.get(buffer, ()):
                    needs.setdefault(reader, True)
            needs.pop(op.id, None)
            # It does not follow the ops of a stream that it races with, and follows those that its stream waited for.
            raced = {order["other_lane"] for order in orders.get(op.id, ())
                     if order["kind"] not in ("stream_wait", "host_wait")}
            needs = {id: war for id, war in needs.items() if self.trace.op(id).lane not in raced}
            needs |= {order["other"]: False for order in orders.get(op.id, ()) if order["kind"] == "stream_wait"}
            self.needs.append(needs)
            written = changed | set(op.made)
            for buffer in written:
                writer[buffer] = op.id
                readers[buffer] = []
                self.writers.setdefault(buffer, []).append(op.id)
            for buffer in set(op.reads) - written:
                readers.setdefault(buffer, []).append(op.id)

    def needs_of(self, op):
        return [self.trace.op(id) for id in self.needs[op.id - 1]]

    def gate(self, op):
        """The last event that the op had to follow: (time, op; None for its own issue). Device times are slightly
        uncertain: an end after the op's begin is moved to that begin."""
        when, by = min(op.issue_end, op.begin), None
        candidates = sorted(self.needs_of(op), key=lambda other: other.id)
        if op.id in self.before:
            candidates.insert(0, self.before[op.id])
        for other in candidates:
            if other.id < op.id and other.end != PENDING and min(other.end, op.begin) > when:
                when, by = min(other.end, op.begin), other
        return when, by

    # ---- waits ----

    def asked_for(self, wait):
        """The ops that the wait names, without their dependencies."""
        trace = self.trace
        if wait.kind == "paused":
            return []
        if wait.stream >= 0:
            return [op for op in trace.ops[:wait.writer] if op.lane == wait.stream]
        if wait.target:
            return [trace.op(wait.writer)] if wait.writer else []
        return [op for op in trace.ops[:wait.through]
                if wait.device < 0 or trace.device_of_lane(op.lane) == wait.device]

    def causes(self, wait):
        """Ids of the unfinished ops that it waited for: those named and all their dependencies."""
        found, open = set(), [op for op in self.asked_for(wait) if op.end > wait.begin]
        while open:
            op = open.pop()
            if op.id not in found:
                found.add(op.id)
                open += [other for other in self.needs_of(op) if other.end > wait.begin]
        return sorted(found)

    def done(self, wait):
        """When all ops that it names had ended; PENDING if some never did."""
        return max((op.end for op in self.asked_for(wait)), default=0)

    def ended_by(self, wait):
        asked = self.asked_for(wait)
        if not asked or any(op.end == PENDING for op in asked):
            return None
        last = max(asked, key=lambda op: (op.end, -op.lane))
        return last if wait.begin < last.end <= wait.end else None

    def split(self, index):
        """(parts in ns, number of earlier ops, number of ops issued by the wait's own line)."""
        trace, wait = self.trace, self.trace.waits[index]
        earlier = trace.waits[index - 1].issued if index else 0
        first_own = wait.issued + 1
        while wait.line[1] and first_own - 1 > earlier and trace.op(first_own - 1).line == wait.line:
            first_own -= 1
        causes = self.causes(wait)
        own_ops = sum(id >= first_own for id in causes)
        parts = {"before_ns": 0, "own_ns": 0, "handover_ns": 0, "return_ns": wait.end - wait.begin - wait.held}
        op = self.ended_by(wait)
        if op is not None:
            parts["return_ns"] = wait.end - op.end - held_between(trace, op.end, wait.end)
        now = op.end if op is not None else wait.begin
        while op is not None and now > wait.begin:
            when, by = self.gate(op)
            ready = wait.begin if by is None else max(when, wait.begin)
            begin = min(max(op.begin, ready), now)
            parts["before_ns" if op.id < first_own else "own_ns"] += now - begin - held_between(trace, begin, now)
            parts["handover_ns"] += begin - ready - held_between(trace, ready, begin)
            now, op = ready, by
        return parts, len(causes) - own_ops, own_ops

    # ---- the run ----

    def critical_path(self):
        trace = self.trace
        totals = dict.fromkeys(("frontend_ns", "handover_ns", "execute_ns", "return_ns", "limit_ns", "ops"), 0)
        now = trace.end

        def piece(key, since):
            nonlocal now
            since = min(max(since, trace.begin), now)
            took = now - since
            totals[key] += took - (held_between(trace, since, now) if key == "handover_ns" else 0)
            now = since
            return took > 0

        op = None
        if not trace.end_marked:
            last = [lane[-1] for lane in trace.lanes if lane and lane[-1].end >= trace.end]
            op = max(last, key=lambda o: (o.end, -o.lane), default=None)
        waits = [wait for wait in trace.waits if wait.end > wait.begin]
        while now > trace.begin:
            if op is not None:
                when, by = self.gate(op)
                totals["ops"] += piece("execute_ns", op.begin)
                piece("handover_ns", when)
                op = by
                continue
            while waits and waits[-1].end > now:
                waits.pop()
            if not waits or waits[-1].end <= trace.begin:
                piece("frontend_ns", trace.begin)
                break
            wait = waits.pop()
            piece("frontend_ns", wait.end)
            op = self.ended_by(wait)
            if op is not None:
                piece("return_ns", op.end)
            elif wait.kind == "paused":  # not part of the program's time
                now = min(max(wait.begin, trace.begin), now)
            else:
                piece("limit_ns" if wait.group == "limit" else "return_ns", wait.begin)
        return totals

    def longest_chain(self):
        """The greatest total duration of a chain of dependent ops in the measured part."""
        chain = {}
        for op in self.trace.measured_ops():
            if op.end != PENDING:
                chain[op.id] = op.end - op.begin + max((chain.get(id, 0) for id in self.needs[op.id - 1]), default=0)
        return max(chain.values(), default=0)


def union(spans):
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def held_between(trace, begin, end):
    """How long the user held at least one lane."""
    return covered(trace.holds, begin, end)


def stopped_between(trace, begin, end):
    """How long the user held a lane or had paused the frontend."""
    stops = [*trace.holds, *((wait.begin, wait.end) for wait in trace.waits if wait.kind == "paused")]
    return covered(stops, begin, end)


def covered(spans, begin, end):
    """How much of [begin, end) lies in any of these."""
    return sum(max(min(last, end) - max(first, begin), 0) for first, last in union(spans))


def clipped(begin, end, trace):
    return max(min(end, trace.end) - max(begin, trace.begin), 0)


def spread(times):
    """Quantiles of individual measurements; each is one of the values, the lower of two."""
    if not times:
        return None
    times = sorted(max(time, 0) for time in times)
    at = lambda share: times[int(share * (len(times) - 1))]
    return {"p10_ns": at(0.1), "median_ns": at(0.5), "p90_ns": at(0.9), "most_ns": times[-1], "count": len(times)}
