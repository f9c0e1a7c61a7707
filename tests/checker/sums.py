"""Sums over the measured part of a run, from its raw events."""

from collections import defaultdict

import curves
from events import PENDING
from graph import clipped, held_between, spread, stopped_between, union


class Sums:
    """The report's numbers except predictions, paths and waits, by the report's keys."""

    def __init__(self, trace, graph):
        self.trace, self.graph = trace, graph
        waits = trace.measured_waits()
        self.asked = [w for w in waits if w.kind != "paused"]
        ops = trace.measured_ops()
        self.ended = [op for op in ops if op.end != PENDING]
        self.measured_pauses = sorted(self.pauses(waits, trace.begin, trace.end))
        self.paused_ns = sum(end - begin for begin, end in self.measured_pauses)
        self.total_ns = trace.end - trace.begin - self.paused_ns
        # as recorded; the frontend's share is checked in frontend.py
        self.issue_ns = sum(self.issue_of(op) for op in ops)
        self.blocked_ns = sum(w.end - w.begin - w.held for w in self.asked)
        self.work_ns = sum(clipped(w.begin, w.end, trace) for w in trace.works)
        self.busy_ns = sum(op.end - op.begin for op in self.ended)
        self.lanes_used = {op.lane for op in self.ended}
        self.t1 = spread([self.issue_of(op) for op in ops])
        self.t2 = spread([op.end - op.begin for op in self.ended if not op.failed])
        self.t3 = spread(self.returns())

    def issue_of(self, op):
        """One launch may issue several ops: its time counts once."""
        before = self.trace.op(op.id - 1) if op.id > 1 else None
        same = before and before.issued and (before.issue_begin, before.issue_end) == (op.issue_begin, op.issue_end)
        return 0 if same else op.issue_end - op.issue_begin

    def returns(self):
        """Return times of barriers and blockers: from the end of the last op to the end of the wait. Waits without
        anything to wait for count only if there are no others."""
        some, idle = [], []
        for wait in self.asked:
            if wait.group in ("barrier", "blocker"):
                done = self.graph.done(wait)
                back = max(wait.end - max(wait.begin, min(done, wait.end)), 0)
                (some if done > wait.begin else idle).append(back)
        return some or idle

    def numbers(self):
        trace = self.trace
        headway = curves.headway(trace)
        (live, pending), _ = curves.memory(trace)
        median = lambda times: times["median_ns"] if times else 0
        return {
            "ops": trace.last - trace.first + 1,
            "parts": sum(len(op.parts) for op in self.ended),
            "total_ns": self.total_ns,
            "warmup_ns": trace.begin - trace.first_ns - sum(
                end - begin for begin, end in self.pauses(trace.waits[:trace.first_wait], trace.first_ns, trace.begin)),
            "op_issue_ns": self.issue_ns,
            "blocked_ns": self.blocked_ns,
            "recorded_work_ns": self.work_ns,
            "recording_wait_ns": sum(w.end - w.begin for w in self.asked if w.kind == "recording"),
            "backend_busy_ns": self.busy_ns,
            "backend_idle_ns": self.idle_ns(),
            "backend_open_ns": sum(end - begin for lane in self.lanes_begun() for begin, end in self.open_in(lane)),
            **{f"{name}_ns": median(times) if times else None
               for name, times in (("t1", self.t1), ("t2", self.t2), ("t3", self.t3))},
            "t1": self.t1, "t2": self.t2, "t3": self.t3,
            "headway_max": curves.peak(headway, trace.begin, trace.end),
            "live_bytes_peak": curves.peak(live, trace.begin, trace.end),
            "pending_bytes_peak": curves.peak(pending, trace.begin, trace.end),
            "reserved_bytes_peak": self.reserved_peak(curves.peak(live, trace.begin, trace.end)),
            "rss_bytes_peak": self.sampled_peak("resident bytes"),
            "lost_records": trace.other["lost_records"],
            "folded": None,  # a folded run has no trace
            "lines": self.lines(),
            "minibatches": self.minibatches(),
            "scopes": [{"name": s.name, "ns": None if s.end == PENDING else self.scope_ns(s)} for s in trace.scopes],
            "idle": self.idle_causes(),
        }

    def reserved_peak(self, live_peak):
        """Peak of reserved bytes; at least the live peak, because tensors are inside reserved memory."""
        peak = self.sampled_peak("reserved bytes")
        return None if peak is None else max(peak, live_peak)

    def sampled_peak(self, name):
        """Memory is sampled every 10 ms. For a run shorter than that, the samples just before and after it count."""
        if self.trace.other["virtual_clock"]:
            return None
        curve = self.trace.counters.get(name, [])
        within = curves.peak(curve, self.trace.begin, self.trace.end)
        return within or max((value for _, value in curve), default=0)

    def pauses(self, waits, begin, end):
        """Within these times: the pauses, and the holds that the frontend waited through."""
        within = [(max(w.begin, begin), min(w.end, end), w.kind) for w in waits]
        return [(max(a, c), min(b, d)) for a, b, kind in within
                for c, d in ([(a, b)] if kind == "paused" else union(self.trace.holds)) if max(a, c) < min(b, d)]

    def scope_ns(self, scope):
        paused = self.pauses(self.trace.waits, scope.begin, scope.end)
        return scope.end - scope.begin - sum(end - begin for begin, end in paused)

    def lanes_begun(self):
        """Lanes that executed something in the measured part, also what was issued before it."""
        return [lane for lane, ops in enumerate(self.trace.lanes) if any(self.in_part(op) for op in ops)]

    def in_part(self, op):
        inside = op.begin < self.trace.end and op.end > self.trace.begin
        return inside or self.trace.begin <= op.begin == op.end < self.trace.end

    def unpaused(self, begin, end):
        """[begin, end) within the measured part, without its pauses."""
        at, rest = max(begin, self.trace.begin), []
        for pause_begin, pause_end in self.measured_pauses:
            rest.append((at, min(pause_begin, end, self.trace.end)))
            at = max(at, pause_end)
        return [(a, b) for a, b in [*rest, (at, min(end, self.trace.end))] if a < b]

    def open_in(self, lane):
        """Time without an outcome: in a lane with unfinished ops, from the last finished op to the end."""
        if not any(op.end == PENDING for op in self.trace.ops if op.lane == lane):
            return []
        return self.unpaused(self.trace.lanes[lane][-1].end, self.trace.end)

    def idle_ns(self, of=lambda lane: True):
        total = 0
        for lane in filter(of, self.lanes_begun()):
            spent = [span for op in self.trace.lanes[lane] for span in self.unpaused(op.begin, op.end)]
            total += self.total_ns - sum(end - begin for begin, end in spent + self.open_in(lane))
        return max(total, 0)

    def lanes_ns(self):
        return len(self.lanes_begun()) * self.total_ns

    def lines(self):
        zero = {"issue_ns": 0, "blocked_ns": 0, "recorded_work_ns": 0, "ops": 0, "backward_ops": 0, "backward_ns": 0}
        lines = defaultdict(lambda: dict(zero))
        for op in self.trace.measured_ops():
            lines[op.line]["issue_ns"] += self.issue_of(op)
            lines[op.line]["ops"] += 1
            if op.forward:
                lines[op.forward]["backward_ops"] += 1
                lines[op.forward]["backward_ns"] += op.end - op.begin if op.end != PENDING else 0
        for wait in self.asked:
            lines[wait.line]["blocked_ns"] += wait.end - wait.begin - wait.held
        for work in self.trace.works:
            if clipped(work.begin, work.end, self.trace) > 0:
                lines[work.line]["recorded_work_ns"] += clipped(work.begin, work.end, self.trace)
        return [{"line": line, "file": self.trace.files[file], **lines[(file, line)]} for file, line in sorted(lines)]

    def minibatches(self):
        found = []
        for batch in self.trace.minibatches:
            ops = self.trace.ops[batch.more["first"] - 1:batch.more["last"]]
            ends = [op.end for op in ops]
            begins = [op.begin for op in ops if op.begin != PENDING]
            found.append({"index": batch.more["index"], "issue_begin_ns": batch.begin,
                          "issue_end_ns": None if batch.end == PENDING else batch.end,
                          "execute_begin_ns": min(begins, default=None),
                          "execute_end_ns": max(ends) if ends and PENDING not in ends else None})
        return found

    def devices(self):
        trace = self.trace
        _, by_device = curves.memory(trace)
        found = []
        for i, device in enumerate(trace.devices):
            ops = [op for op in self.ended if trace.device_of_lane(op.lane) == i]
            waits = [w for w in self.asked if self.device_of(w) == i]
            busy = sum(op.end - op.begin for op in ops)
            live, pending = by_device[i]
            reserved = "reserved bytes" if len(trace.devices) == 1 else None
            speeds = trace.other.get("gpu_speeds", [])
            found.append({
                **({"speed": float(speeds[i])} if i < len(speeds) else {}),
                "id": trace.device_word(i), "kind": device["kind"], "name": device["name"], "simulated": device["simulated"],
                "lanes": [name for lane, name in enumerate(trace.other["lanes"]) if trace.device_of_lane(lane) == i],
                "ops": len(ops),
                "busy_ns": busy,
                "idle_ns": self.idle_ns(lambda lane, i=i: trace.device_of_lane(lane) == i),
                "waits": len(waits),
                "waited_ns": sum(w.end - w.begin - w.held for w in waits),
                "live_bytes_peak": curves.peak(live, trace.begin, trace.end),
                "pending_bytes_peak": curves.peak(pending, trace.begin, trace.end),
                "reserved_bytes_peak": self.reserved_of(i, reserved, curves.peak(live, trace.begin, trace.end)),
            })
        return found

    def links(self):
        """What each link carried; None for a machine without links."""
        trace = self.trace
        if trace.gpus < 2:
            return None
        names = ["PCIe to the GPUs", "PCIe to the host"]
        for i in range(trace.gpus):
            for a, b in ((i, (i + 1) % trace.gpus), ((i + 1) % trace.gpus, i)):
                linked = trace.other["links"] == "ring" or trace.other["links"] == "pairs" and i % 2 == 0 and i + 1 < trace.gpus
                if linked and f"NVLink {a} → {b}" not in names:
                    names.append(f"NVLink {a} → {b}")
        found = []
        for name in names:
            copies = [op for op in trace.measured_ops()
                      if op.end != PENDING and not op.failed and name in trace.links_of(op)]
            found.append({"name": name, "copies": len(copies), "bytes": sum(map(trace.copied_bytes, copies)),
                          "busy_ns": sum(op.end - op.begin for op in copies)})
        return found

    def reserved_of(self, device, name, live_peak):
        trace = self.trace
        if trace.other["virtual_clock"]:
            return None
        if name is None:
            second = dict(trace.counters.get("reserved bytes, second device", []))
            if device == 1:
                curve = sorted(second.items())
            else:  # the sum minus the second device's part
                curve = [(ns, value - second.get(ns, 0)) for ns, value in trace.counters.get("reserved bytes", [])]
        else:
            curve = trace.counters.get(name, [])
        return max(curves.peak(curve, trace.begin, trace.end), live_peak)

    def device_of(self, wait):
        """The device whose ops it waited for; None: all devices."""
        if len(self.trace.devices) == 1:
            return 0
        if wait.device >= 0:
            return wait.device
        asked = wait.writer if wait.target else wait.through if wait.kind in ("op_barrier", "queue_limit") else 0
        return self.trace.device_of_lane(self.trace.op(asked).lane) if asked else None

    # ---- why lanes stood idle ----

    def idle_causes(self):
        trace = self.trace
        causes = dict.fromkeys(("frontend_ns", "barrier_ns", "blocker_ns", "limit_ns", "paused_ns", "dependency_ns",
                                "link_ns", "handover_ns", "done_ns"), 0)
        for lane in trace.lanes:
            inside = [op for op in lane if self.in_part(op)]
            if not inside:
                continue
            free = trace.begin
            for op in inside:
                self._before(op, free, op.begin, causes)
                free = max(free, op.end)
            later = [op for op in lane if op.begin >= trace.end]
            if later and later[0].id <= trace.last:
                self._before(later[0], free, trace.end, causes)
            else:
                end = trace.end
                if any(op.end == PENDING for op in trace.ops if op.lane == inside[0].lane):
                    end = min(end, lane[-1].end)
                self._behind(free, end, causes)
        return causes

    def _carried(self, name):
        """The copies over a link."""
        if not hasattr(self, "_copies"):
            self._copies = {}
            for op in self.trace.ops:
                for link in self.trace.links_of(op):
                    self._copies.setdefault(link, []).append(op)
        return self._copies.get(name, [])

    def _before(self, op, free, begin, causes):
        if begin <= free:
            return
        issued = min(max(op.issue_end, free), begin)
        self._unissued(free, issued, causes)
        ends = [other.end for other in self.graph.needs_of(op) if other.end != PENDING]
        ready = min(max([issued, *ends]), begin)
        before = [other.end for name in self.trace.links_of(op) for other in self._carried(name)
                  if other.begin < begin and not other.failed]
        free_link = min(max([ready, *before]), begin)
        for key, since, until in (("dependency_ns", issued, ready), ("link_ns", ready, free_link),
                                  ("handover_ns", free_link, begin)):
            stopped = stopped_between(self.trace, since, until)
            causes[key] += until - since - stopped
            causes["paused_ns"] += stopped

    def _behind(self, free, end, causes):
        """Idle time after a lane's last op: until everything is issued, another op might have come."""
        if end <= free:
            return
        last = self.trace.op(self.trace.last) if self.trace.last else None
        issued = min(max(last.issue_end, free), end) if last else end
        self._unissued(free, issued, causes)
        work = sum(max(min(w.end, end) - max(w.begin, issued), 0) for w in self.trace.works)
        causes["frontend_ns"] += work
        stopped = min(stopped_between(self.trace, issued, end), end - issued - work)
        causes["paused_ns"] += stopped
        causes["done_ns"] += end - issued - work - stopped

    def _unissued(self, begin, end, causes):
        left = end - begin
        for wait in self.trace.waits:
            since, until = max(wait.begin, begin), min(wait.end, end)
            if until > since:
                held = held_between(self.trace, since, until) if wait.kind != "paused" else 0
                causes[wait.group + "_ns"] += until - since - held
                causes["paused_ns"] += held
                left -= until - since
        causes["frontend_ns"] += left
