"""Reads a Chrome trace that Headway exported. Times become integer nanoseconds; nothing else is computed here."""

import gzip
import json
from dataclasses import dataclass, field

PENDING = 1 << 62
FRONTEND, WAITS, MINIBATCHES, DROPS, WORK, LAUNCH, DRIVER, COSTS = range(1, 9)
FIRST_SCOPE, FIRST_LANE, DEEP_SCOPE = 10, 100, 2000
WAIT_KINDS = {1: "waitall", 2: "wait_to_read", 3: "synchronize", 4: "op_barrier", 5: "minibatch_barrier", 16: "item",
              17: "numpy", 18: "print", 19: "boolean", 20: "copy", 32: "queue_limit", 33: "memory", 34: "recording",
              48: "paused"}


@dataclass
class Op:
    id: int
    issue_begin: int
    issue_end: int
    signature: int
    lane: int
    line: tuple
    out: int
    reads: list
    made: dict       # buffers that it creates, with their bytes
    overwrites: list  # existing buffers that it writes
    in_place: bool   # it also reads `out`
    beside: bool     # `out` is memory of the CPU, and the lane a GPU's
    issued: bool = True
    forward: tuple = None  # the line of its forward op
    begin: int = PENDING
    end: int = PENDING
    failed: bool = False
    parts: list = field(default_factory=list)  # (begin, end, signature)


@dataclass
class Wait:
    begin: int
    end: int
    kind: str
    group: str   # barrier, blocker, limit, paused
    name: str
    line: tuple
    issued: int  # ops issued before it
    target: int  # a buffer, or 0
    through: int  # it waits for the ops up to this one
    device: int
    held: int = 0
    # the op that it waits for: the op just issued if that copies the target to the host, else the target's last writer
    writer: int = 0
    stream: int = -1  # it waits for the ops of this lane up to `writer`; -1: for something else


@dataclass
class Span:
    begin: int
    end: int
    name: str = ""
    line: tuple = ("", 0)
    more: dict = field(default_factory=dict)


def nanoseconds(us):
    return round(us * 1000)


class Trace:
    """The raw events of one run. Lines are (file number, line)."""

    def __init__(self, path):
        opened = gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(path, encoding="utf-8")
        with opened as file:
            whole = json.load(file)
        self.other = whole["otherData"]
        # What the program's streams order, and what they do not; and the op from which on it chooses them (0: never).
        orders = self.other.get("orders", [])
        self.streams_from = next((order["op"] for order in orders if order["kind"] == "begin"), 0)
        self.orders = [order for order in orders if order["kind"] != "begin"]
        self.signatures = self.other["signatures"]
        self.files = self.other["files"]
        self.ops, self.waits, self.works, self.scopes, self.minibatches = {}, [], [], [], []
        self.drops, self.costs, self.launches, self.driver, self.holds = [], [], [], [], []
        self.counters = {}
        self.lanes = [[] for _ in self.other["lanes"]]
        self.first_ns = PENDING
        executions = []
        for event in whole["traceEvents"]:
            self._take(event, executions)
        self.ops = [self.ops[id] for id in sorted(self.ops)]
        assert [op.id for op in self.ops] == list(range(1, len(self.ops) + 1)), "issues are missing"
        for lane, begin, end, args in executions:
            if "part_of" in args:
                self.ops[args["part_of"] - 1].parts.append((begin, end, args["sig"]))
                continue
            op = self.ops[args["op"] - 1]
            op.begin, op.end, op.failed = begin, end, args.get("failed", False)
            assert op.lane == lane, f"op {op.id} was issued to lane {op.lane} and ran in lane {lane}"
            self.lanes[lane].append(op)
        measured = self.other["measured"]
        self.begin, self.end = nanoseconds(measured["begin_us"]), nanoseconds(measured["end_us"])
        self.first, self.last = measured["first"], measured["last"]
        self.first_wait, self.waits_end = measured["first_wait"], measured["waits_end"]
        self.end_marked, self.begin_marked = measured["end_marked"], measured["begin_marked"]
        self.program_end = nanoseconds(self.other["program_end_us"]) if "program_end_us" in self.other else None
        self.devices = [{"first_lane": 0, "kind": self.other["device_kind"], "name": self.other["device_name"],
                         "simulated": self.other["simulated"]}] + self.other.get("more_devices", [])
        self.simulated = self.other["simulated"]
        self.gpus = sum(device["kind"] != "cpu" for device in self.devices)
        self.home = {}  # of buffers: the number of the device
        for op in self.ops:
            own = self.device_of_lane(op.lane)
            for buffer in op.made:
                self.home[buffer] = len(self.devices) - 1 if op.beside and buffer == op.out else own

    def _take(self, event, executions):
        phase, tid = event["ph"], event["tid"]
        if phase == "C":
            self.counters.setdefault(event["name"], []).append(
                (nanoseconds(event["ts"]), next(iter(event["args"].values()))))
            return
        if phase == "i" and tid == DROPS:
            self.drops.append((nanoseconds(event["ts"]), event["args"]["buffer"], event["args"]["after"]))
            return
        if phase != "X":
            return
        args = event.get("args", {})
        begin = nanoseconds(event["ts"])
        end = begin + nanoseconds(event["dur"])
        line = (args.get("file", 0), int(args["line"].rsplit(":", 1)[1]) if "line" in args else 0)
        if tid in (FRONTEND, WAITS, WORK, MINIBATCHES) or FIRST_SCOPE <= tid < FIRST_LANE or tid >= DEEP_SCOPE:
            self.first_ns = min(self.first_ns, begin)
        if tid == FRONTEND:
            self._take_issue(begin, end, line, args)
        elif tid == WAITS:
            self.waits.append(Wait(begin, end, WAIT_KINDS[args["kind"]], event["cat"].split(",")[1], event["name"],
                                   line, args["issued"], args.get("target", 0), args.get("through", 0),
                                   args.get("device", -1)))
            if "stream" in args:
                self.waits[-1].stream, self.waits[-1].target = args["stream"], -1
        elif FIRST_LANE <= tid < DEEP_SCOPE:
            if event["cat"] == "held":
                self.holds.append((begin, end))
            elif not args.get("open"):  # else the op has no end
                executions.append((tid - FIRST_LANE, begin, end, args))
        else:
            span = Span(begin, PENDING if args.get("open") else end, event["name"], line, args)
            if tid >= FIRST_SCOPE:
                self.scopes.append(span)
            else:
                {WORK: self.works, MINIBATCHES: self.minibatches, COSTS: self.costs, LAUNCH: self.launches,
                 DRIVER: self.driver}[tid].append(span)

    def _take_issue(self, begin, end, line, args):
        reads = [buffer for buffer in args.get("in", []) if buffer]
        made, overwrites = {}, []
        if args["out"]:
            if "bytes" in args:
                made[args["out"]] = args["bytes"]
            else:
                overwrites.append(args["out"])
        pairs = args.get("made", [])
        for buffer, signature in zip(pairs[::2], pairs[1::2]):
            made[buffer] = self.signatures[signature]["out_bytes"]
        overwrites += args.get("changed", [])[::2]
        self.ops[args["op"]] = Op(args["op"], begin, end, args["sig"], args["lane"], line, args["out"], reads, made,
                                  overwrites, args.get("in_place", False), args.get("beside", False),
                                  not args.get("unissued", False))
        if "forward" in args:
            self.ops[args["op"]].forward = (args.get("forward_file", 0), int(args["forward"].rsplit(":", 1)[1]))

    # ---- lookup ----

    def op(self, id):
        return self.ops[id - 1]

    def device_of_lane(self, lane):
        return max(i for i, device in enumerate(self.devices) if device["first_lane"] <= lane)

    def stream_name(self, lane):
        """Each of several GPUs has a "Stream 0"."""
        device, name = self.device_of_lane(lane), self.other["lanes"][lane]
        return name if self.gpus < 2 or self.devices[device]["kind"] == "cpu" else f"{name} of GPU {device}"

    def device_word(self, device):
        kind = self.devices[device]["kind"]
        return kind if kind == "cpu" or self.gpus < 2 else f"{kind}:{device}"

    def device_name(self, device):
        return "CPU" if self.devices[device]["kind"] == "cpu" else "GPU" if self.gpus < 2 else f"GPU {device}"

    def links_of(self, op):
        """The names of the links that a copy between devices uses."""
        name = self.signatures[op.signature]["name"]
        if self.other.get("gpus", 1) < 2 or name not in ("copy_to_device", "copy_to_host"):
            return ()
        own, gpus = self.device_of_lane(op.lane), self.other["gpus"]
        to_host = name == "copy_to_host"
        source = own if to_host else self.home.get(op.reads[0], gpus) if op.reads else gpus
        if to_host or source >= gpus:
            return ("PCIe to the host",) if to_host else ("PCIe to the GPUs",)
        joined = {"pcie": False, "pairs": source // 2 == own // 2,
                  "ring": (source - own) % gpus in (1, gpus - 1)}[self.other["links"]]
        return (f"NVLink {source} → {own}",) if joined else ("PCIe to the GPUs", "PCIe to the host")

    def is_programs(self, op):
        """Whether only the program orders it, if it uses streams: an op of a GPU, or of the run's only device."""
        return self.device_of_lane(op.lane) < max(self.gpus, 1)

    def is_programs_memory(self, buffer):
        return self.home.get(buffer, 0) < max(self.gpus, 1)

    def is_between_gpus(self, op):
        links = self.links_of(op)
        return len(links) == 2 or links[:1] != () and links[0].startswith("NVLink")

    def copied_bytes(self, op):
        signature = self.signatures[op.signature]
        return signature["out_bytes"] or signature["moved_bytes"] // 2

    def measured_ops(self):
        return self.ops[self.first - 1:self.last]

    def measured_waits(self):
        return self.waits[self.first_wait:self.waits_end]
