"""The races of a program that orders its streams itself, computed again from the lanes, the waits between streams and
the frontend's waits; and the report's list of them.

The engine orders ops of a CPU beside GPUs, and all uses of its memory. Everything else is in the recorded orders: a
copy between GPUs follows the streams of both, and theirs follow it."""

WORDS = {"read_write": ("reads what", "writes"), "write_read": ("writes what", "reads"),
         "write_write": ("writes what", "writes"), "reuse": ("writes memory that", "uses")}
RACES = tuple(WORDS)


class Order:
    """What each op follows: per lane, the last op of it. In a lane ops follow each other."""

    def __init__(self, trace):
        self.trace = trace
        self.after = {}  # by op: {lane: the last op of that lane that has ended before it begins}
        last, host = {}, {}
        waits = iter(sorted((w for w in trace.waits if w.kind != "paused" and w.kind != "queue_limit"),
                            key=lambda w: w.issued))
        wait = next(waits, None)
        asked, known_to_host, uses = {}, {}, {}  # uses: as in conflicts()
        for order in trace.orders:
            if order["kind"] in ("stream_wait", "host_wait"):
                into = asked if order["kind"] == "stream_wait" else known_to_host
                into.setdefault(order["op"], []).append(order["other"])
        for op in trace.ops:
            for other in known_to_host.get(op.id, ()):
                self.join(host, other)
            while wait is not None and wait.issued < op.id:
                for ended in self.waited_for(wait, op.id):
                    self.join(host, ended)
                wait = next(waits, None)
            known = dict(host)
            if op.lane in last:
                self.join(known, last[op.lane])
            for other in asked.get(op.id, ()):
                self.join(known, other)
            for buffer in {*op.reads, *op.made, *op.overwrites}:
                if not (trace.is_programs(op) and trace.is_programs_memory(buffer)):
                    for lane, (wrote, read) in uses.get(buffer, {}).items():
                        for other in (wrote, read if buffer in op.made or buffer in op.overwrites else 0):
                            if other and lane != op.lane:
                                self.join(known, other)
            use(uses, op)
            self.after[op.id] = known
            last[op.lane] = op.id

    def join(self, known, op):
        for lane, other in [*self.after[op].items(), (self.trace.op(op).lane, op)]:
            known[lane] = max(known.get(lane, 0), other)

    def waited_for(self, wait, before):
        """The last op of each lane that has ended when the wait has."""
        if wait.stream >= 0 or wait.target:
            return [wait.writer] if wait.writer else []
        if wait.kind == "op_barrier" and wait.device < 0:
            return [wait.through]
        found = {}
        for op in self.trace.ops[:min(wait.through, before - 1)]:
            if wait.device < 0 or self.trace.device_of_lane(op.lane) == wait.device:
                found[op.lane] = op.id
        return list(found.values())

    def follows(self, op, other):
        return op.lane == other.lane or self.after[op.id].get(other.lane, 0) >= other.id


def use(uses, op):
    """uses: by buffer and lane, the last op that wrote, and the last one that read."""
    writes = {*op.made, *op.overwrites}
    for buffer in {*op.reads, *writes}:
        wrote, read = uses.setdefault(buffer, {}).get(op.lane, (0, 0))
        uses[buffer][op.lane] = (op.id, read) if buffer in writes else (wrote, op.id)


def conflicts(trace, order):
    """(op, other, kind, buffer): pairs that use one buffer, one of them writing, that nothing orders. Of each other lane
    the last one: a wait for that one orders the earlier ones, too."""
    found, uses = set(), {}
    for op in trace.ops:
        writes = {*op.made, *op.overwrites}
        for buffer in {*op.reads, *writes} if trace.is_programs(op) else ():
            if not trace.is_programs_memory(buffer):
                continue
            for wrote, read in uses.get(buffer, {}).values():
                pairs = [(wrote, "write_write" if buffer in writes else "read_write")]
                pairs += [(read, "write_read")] if buffer in writes else []
                pairs = [pair for pair in pairs if pair[0] and not order.follows(op, trace.op(pair[0]))]
                if pairs:
                    other, kind = max(pairs)
                    found.add((op.id, other, kind, buffer))
        use(uses, op)
    return found


def recorded(trace):
    return [order for order in trace.orders if order["kind"] in RACES]


def grouped(trace):
    """As the report lists them: all pairs of two lines together, in the order of their first pairs."""
    groups = {}
    for race in recorded(trace):
        op, other = trace.op(race["op"]), trace.op(race["other"])
        groups.setdefault((race["kind"], op.line, other.line, race["lane"], race["other_lane"]), []).append(race)
    return list(groups.values())


def missing(trace, race):
    later, earlier = (trace.stream_name(race[key]) for key in ("lane", "other_lane"))
    if race["kind"] == "reuse":
        return f"record_stream of the dropped tensor for {earlier}, or {later} waits for {earlier}"
    return f"{later} waits for {earlier} (wait_stream, or an event)"


def check(checker):
    trace = checker.trace
    own = []
    for races in grouped(trace):
        race = races[0]
        entry = {"kind": race["kind"]}
        for key in ("op", "other"):
            op = trace.op(race[key])
            entry[key] = {"op": op.id, "name": trace.signatures[op.signature]["name"], "line": op.line[1],
                          "file": trace.files[op.line[0]], "lane": trace.stream_name(op.lane)}
        entry |= {"buffer": race["buffer"], "other_buffer": race["other_buffer"] if race["kind"] == "reuse" else None,
                  "missing": missing(trace, race), "pairs": len(races)}
        own.append(entry)
    checker.top("races", own)
    if trace.streams_from != 1:  # the engine orders earlier ops
        return
    order = Order(trace)
    said = {(r["op"], r["other"], r["kind"], r["buffer"]) for r in recorded(trace) if r["kind"] != "reuse"}
    checker.equal("races, from the order", sorted(said), sorted(conflicts(trace, order)))
    for race in recorded(trace):
        if race["kind"] == "reuse":
            op, other = trace.op(race["op"]), trace.op(race["other"])
            checker.equal(f"reuse {op.id}: nothing orders it", order.follows(op, other), False)
            checker.equal(f"reuse {op.id}: uses the buffer", race["other_buffer"] in
                          {*other.reads, *other.made, *other.overwrites}, True)
            dropped = [after for _, buffer, after in trace.drops if buffer == race["other_buffer"]]
            checker.equal(f"reuse {op.id}: was dropped before", bool(dropped) and dropped[0] < op.id, True)
