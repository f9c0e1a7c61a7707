"""What each sentence of an explanation needs to be true, and its numbers, from the raw events."""

import curves
import races
import replay
from graph import clipped
from prediction import imports_before_ops

EVEN_SHARE = 0.05
MOST_PLACES = 100


class Facts:
    """What the sentences are about, from the events alone. `own`: the recomputed entries of the report."""

    def __init__(self, checker):
        self.trace, self.graph, self.sums, self.own = checker.trace, checker.graph, checker.sums, checker.own
        trace = self.trace
        self.total = self.sums.total_ns
        self.ops = trace.last - trace.first + 1
        self.waits = [(i, trace.waits[i]) for i in range(trace.first_wait, trace.waits_end)
                      if trace.waits[i].kind != "paused"]
        self.prediction = self.own.get("prediction")
        self.headway = curves.headway(trace)
        (self.live, self.pending), _ = curves.memory(trace)
        self.lanes = [lane for lane in range(len(trace.lanes)) if self.ran(lane)]
        self.shown = None  # the ranges that the sentence points at, unless it is the whole measured part
        self.descheduled_ns = checker.report["frontend"]["descheduled_ns"]  # an estimate, compared in frontend.py

    def ran(self, lane):
        return any(op.begin < self.trace.end and (op.end > self.trace.begin or op.begin == op.end >= self.trace.begin)
                   for op in self.trace.lanes[lane])

    @staticmethod
    def waited(wait):
        return wait.end - wait.begin - wait.held

    def longest(self, group=None):
        """(index, wait)"""
        return max(((i, w) for i, w in self.waits if group in (None, w.group)), key=lambda found: self.waited(found[1]))

    def waits_of(self, *kinds):
        found = [w for _, w in self.waits if w.kind in kinds]
        if len(found) <= MOST_PLACES:
            self.shown = [(w.begin, w.end) for w in found]
        return len(found), sum(self.waited(w) for w in found)

    @staticmethod
    def value_at(curve, ns):
        return next((value for at, value in reversed(curve) if at <= ns), 0)

    def first_peak(self, curve):
        """When the curve first has its largest value in the measured part."""
        begin, end = self.trace.begin, self.trace.end
        most = curves.peak(curve, begin, end)
        if self.value_at(curve, begin) == most:
            return begin
        return next(ns for ns, value in curve if begin <= ns <= end and value == most)

    def busiest(self):
        """By the measured ops: some of the warm-up may still have run."""
        return max(range(len(self.trace.lanes)), key=lambda lane: sum(
            clipped(op.begin, op.end, self.trace) for op in self.trace.lanes[lane]
            if self.trace.first <= op.id <= self.trace.last))

    def overlap(self, wanted):
        """For how long `wanted` holds of the ops that are running at the same time."""
        edges = []
        for lane in self.trace.lanes:
            for op in lane:
                begin, end = max(op.begin, self.trace.begin), min(op.end, self.trace.end)
                if begin < end:
                    edges += [(begin, op), (end, op)]
        total, running, since = 0, {}, 0
        for ns, op in sorted(edges, key=lambda edge: edge[0]):
            if running and wanted(list(running.values())):
                total += ns - since
            since = ns
            if running.pop(op.id, None) is None:
                running[op.id] = op
        return total

    def is_copy(self, op):
        return self.trace.signatures[op.signature]["name"] in ("copy_to_device", "copy_to_host")

    def gap(self):
        """(lane, begin, end) of the longest time in which a lane that was used executed nothing."""
        longest = (0, 0, 0)
        for lane in self.lanes:
            free = self.trace.begin
            ops = [op for op in self.trace.lanes[lane] if op.end >= self.trace.begin and op.begin < self.trace.end]
            for begin, end in [*((op.begin, op.end) for op in ops), (self.trace.end, self.trace.end)]:
                if begin - free > longest[2] - longest[1]:
                    longest = (lane, free, begin)
                free = max(free, end)
        return longest

    # ---- what each kind of sentence says: (whether it holds, its numbers, words that it must contain) ----

    def incomplete(self):
        holds = self.own_verdict != "complete"
        return holds, {"recorded_ops": len(self.trace.ops)}, []

    def no_ops(self):
        return self.ops == 0, {"total_ns": self.total}, []

    def took(self):
        imports = imports_before_ops(self.trace)
        return {"total_ns": self.total, **({"imports_ns": imports} if imports and 50 * imports >= self.total else {})}

    def bound(self, regime):
        p = self.prediction
        side = {"execution-bound": "busiest_lane_ns", "dependency-bound": "longest_chain_ns"}.get(regime, "frontend_ns")
        beyond = self.sums.paused_ns != 0 and side != "frontend_ns" and p[side] > self.total
        numbers = {**self.took(), **({} if beyond else {"share": p[side] / self.total})}
        numbers |= {"longest_chain_ns": p[side]} if side == "longest_chain_ns" else {
            "frontend_ns": p["frontend_ns"], "busiest_lane_ns": p["busiest_lane_ns"]}
        words = [] if side == "longest_chain_ns" else [self.trace.stream_name(self.busiest())]
        return self.own["regime"] == regime, numbers, [regime, *words, *(["while the run was paused"] if beyond else [])]

    def execution_bound(self):
        return self.bound("execution-bound")

    def issue_bound(self):
        return self.bound("issue-bound")

    def frontend_bound(self):
        return self.bound("frontend-bound")

    def dependency_bound(self):
        return self.bound("dependency-bound")

    def sides(self):
        p = self.prediction
        return {**self.took(), "frontend_ns": p["frontend_ns"], "busiest_lane_ns": p["busiest_lane_ns"]}

    def waits_bound(self, regime):
        return self.own["regime"] == regime, self.sides(), [regime, self.trace.stream_name(self.busiest())]

    def barrier_bound(self):
        return self.waits_bound("barrier-bound")

    def blocker_bound(self):
        return self.waits_bound("blocker-bound")

    def about_equal(self):
        p = self.prediction
        numbers = self.sides()
        if p["longest_chain_ns"] > p["busiest_lane_ns"] * (1 + EVEN_SHARE):
            del numbers["busiest_lane_ns"]
            numbers["longest_chain_ns"] = p["longest_chain_ns"]
        return self.own["regime"] == "about equal", numbers, []

    def mixed(self):
        path = self.own["critical_path"]
        words = {"execute_ns": "executing ops", "frontend_ns": "the frontend's work", "handover_ns": "hand-overs",
                 "return_ns": "returns", "limit_ns": "waiting for memory or for room"}
        holds, numbers, named = self.waits_bound("mixed")
        if self.sums.paused_ns == 0 and sum(path[key] for key in words) == self.total:
            most = max(words, key=lambda key: path[key])
            numbers["path_ns"] = path[most]
            named.append(words[most])
        return holds, numbers, named

    def time_until_end(self):
        numbers = {"total_ns": self.total, "ops": self.ops}
        if self.lanes:
            numbers["backend_busy_ns"] = self.sums.busy_ns
        return self.own_verdict != "complete", numbers, ["lasted"]

    def all_issued(self):
        end = self.trace.op(self.trace.last).issue_end
        open_ops = self.value_at(self.headway, end)
        waited = any(w.issued < self.trace.last for _, w in self.waits)
        holds = not waited and 2 * open_ops >= self.own["headway_max"] >= 2
        self.shown = [(self.trace.begin, end), (end, end)]
        return holds, {"ops": self.ops, "issued_at_ns": end - self.trace.begin, "headway": open_ops}, []

    def ahead(self):
        numbers = {"headway_max": self.own["headway_max"]}
        peak = self.first_peak(self.headway)
        self.shown = [(peak, peak)]
        if self.sums.paused_ns == 0:
            numbers["peak_at_ns"] = peak - self.trace.begin
        return self.own["headway_max"] >= 2, numbers, []

    def never_ahead(self):
        return self.own["headway_max"] <= 1, {"headway_max": self.own["headway_max"]}, []

    def unfinished(self):
        open_ops = self.value_at(self.headway, self.trace.end)
        self.shown = [(self.trace.end, self.trace.end)]
        return open_ops > 0, {"open_ops": open_ops}, []

    def never_waited(self):
        return not self.waits, {}, []

    def described(self, wait):
        """The line, and how many ops the wait was for."""
        self.shown = [(wait.begin, wait.end)]
        numbers = {"line": wait.line[1]} if wait.line[1] else {}
        words = [wait.name]
        if wait.group in ("barrier", "blocker"):
            causes = len(self.graph.causes(wait))
            if causes:
                numbers["waited_ops"] = causes
            else:
                words.append("nothing left to wait for")
        return numbers, words

    def one_wait(self):
        holds, numbers, words = self.many_waits()
        del numbers["longest_ns"]
        return len(self.waits) == 1, numbers, words

    def many_waits(self):
        _, wait = self.longest()
        numbers, words = self.described(wait)
        waited = sum(self.waited(w) for _, w in self.waits)
        return len(self.waits) > 1, {"waits": len(self.waits), "waited_ns": waited, "share": waited / self.total,
                                     "longest_ns": self.waited(wait), **numbers}, words

    def inherited_wait(self):
        index, wait = self.longest("blocker")
        parts, _, _ = self.graph.split(index)
        self.shown = [(wait.begin, wait.end)]
        numbers = {"line": wait.line[1], "wait_ns": self.waited(wait), "before_ns": parts["before_ns"]}
        if parts["own_ns"] > 0:
            numbers["own_ns"] = parts["own_ns"]
        return 2 * parts["before_ns"] >= self.waited(wait) and parts["before_ns"] > parts["own_ns"], numbers, [wait.name]

    def barriers(self, of_framework):
        count, ns = self.waits_of("op_barrier", "minibatch_barrier")
        other = self.trace.other
        own = replay.frameworks_own(self.trace)
        by_itself = any(i in own for i, _ in self.waits)
        numbers = {"barriers": count, "barrier_ns": ns} if len(self.waits) > 1 else {}
        words = [] if of_framework else [
            "the program's own barrier" if other["barrier"] == "as-written" and not other["barrier_changes"] else "the chosen barrier"]
        return count > 0 and by_itself == of_framework, numbers, words

    def policy_barriers(self):
        return self.barriers(False)

    def framework_barriers(self):
        return self.barriers(True)

    def without(self, key, holds):
        held = sum(part["ns"] for part in self.prediction["parts"] if part["name"] == "held by the learner")
        cost = self.total - held - self.own[key]
        numbers = {"without_ns": self.own[key]}
        if cost > 0:
            numbers |= {"cost_ns": cost, "share": cost / self.total}
        return holds, numbers, [] if cost > 0 else ["no time"]

    def without_barriers(self):
        out, stay = replay.barriers_left_out(self.trace), replay.frameworks_own(self.trace)
        barriers = [(i, w) for i, w in self.waits if w.group == "barrier" and i not in stay]
        between = any(i in out and w.issued < self.trace.last for i, w in barriers)
        holds, numbers, words = self.without("without_barriers_ns", between)
        count = len(barriers)
        if count > 1:
            numbers["barriers"] = count
        words.append("barriers" if count > 1 else "it cost")
        words.append("the end" if any(i not in out for i, _ in barriers) else
                     ("barriers" if count > 1 else "barrier") + " the run")
        if self.trace.other["barrier"] == "none" and not any(w.kind in replay.POLICY for _, w in barriers):
            words.append("the program's own")
        return holds, numbers, words

    def without_blockers(self):
        return self.without("without_blockers_ns", self.own["regime"] == "blocker-bound")

    def limit(self, kind):
        count, ns = self.waits_of(kind)
        return count > 0, {"limit_waits": count, "limit_ns": ns}, []

    def queue_limit(self):
        holds, numbers, words = self.limit("queue_limit")
        limit = self.trace.other["queue_limit"]
        return holds and limit != 0, {"queue_limit": limit, **numbers}, words

    def queue_full(self):
        holds, numbers, words = self.limit("queue_limit")
        return holds and self.trace.other["queue_limit"] == 0, numbers, words

    def memory_waits(self):
        return self.limit("memory")

    def held(self, live=None):
        numbers = {"live_bytes_peak": self.own["live_bytes_peak"]}
        peak = self.first_peak(live or self.live)
        self.shown = [(peak, peak)]
        if self.sums.paused_ns == 0:
            numbers["peak_at_ns"] = peak - self.trace.begin
        return numbers

    def memory_peak(self):
        return True, self.held(), []

    def memory_pending(self):
        pending = self.value_at(self.pending, self.first_peak(self.live))
        part = {"pending_bytes": pending} if pending < self.own["live_bytes_peak"] else {}
        return 10 * pending >= self.own["live_bytes_peak"], {**self.held(), **part}, []

    def memory_budget(self):
        budget = self.own["settings"]["budget"]
        _, by_device = curves.memory(self.trace)
        peaks = [curves.peak(live, self.trace.begin, self.trace.end) for live, _ in by_device]
        fullest = peaks.index(max(peaks))
        numbers = {**self.held(by_device[fullest][0]), "live_bytes_peak": peaks[fullest]}
        words = [self.trace.device_name(fullest)] if len(peaks) > 1 else []
        return bool(budget), {**numbers, "share": peaks[fullest] / budget, "budget": budget}, words

    def lanes_overlap(self):
        ns = self.overlap(lambda ops: len({op.lane for op in ops}) > 1)
        return ns > 0, self.count_of_lanes() | self.shared(ns), []

    def no_overlap(self):
        ns = self.overlap(lambda ops: len({op.lane for op in ops}) > 1)
        return ns == 0 and len(self.lanes) > 1, self.count_of_lanes(), []

    def shared(self, ns):
        """Lanes go on while the run is paused: then the time has no share."""
        return {"overlap_ns": ns, **({"share": ns / self.total} if self.sums.paused_ns == 0 else {})}

    def count_of_lanes(self):
        return {"lanes": len(self.lanes)} if len(self.lanes) > 2 else {}  # else in words

    def devices_overlap(self):
        ns = self.overlap(lambda ops: len({self.trace.device_of_lane(op.lane) for op in ops}) > 1)
        devices = {self.trace.device_of_lane(lane) for lane in self.lanes}
        two = "Both devices" if len(self.trace.devices) == 2 else "Two devices"
        if ns == 0:
            words = two + " executed ops, but never" if len(devices) == 2 else "No two of the devices ever"
            return len(devices) > 1, {}, [words]
        words = "Two or more devices" if len(devices) > 2 else two
        return len(devices) > 1, self.shared(ns), [words]

    def copies_overlap(self):
        copies = self.overlap(lambda ops: any(map(self.is_copy, ops)))
        beside = self.overlap(lambda ops: any(map(self.is_copy, ops)) and not all(map(self.is_copy, ops)))
        between_gpus = {self.trace.is_between_gpus(op) for op in self.trace.ops if self.is_copy(op) and
                        min(op.end, self.trace.end) > max(op.begin, self.trace.begin)}
        words = {frozenset({False}): "Copies between host and device took", frozenset({True}): "Copies between GPUs took",
                 frozenset({False, True}): "Copies between host and GPUs, and between GPUs, took"}
        numbers = {"copies_ns": copies, **({"beside_ns": beside} if beside else {})}
        alone = [] if beside else ["no other lane computed"]
        return copies > 0, numbers, [words[frozenset(between_gpus)], *alone] if copies else []

    def idle(self):
        causes = {key: ns for key, ns in self.own["idle"].items() if key != "paused_ns"}
        own = replay.frameworks_own(self.trace)
        barriers = [(i in own, self.waited(w)) for i, w in self.waits if w.group == "barrier"]
        of_framework = sum(ns for its, ns in barriers if its) > sum(ns for its, ns in barriers if not its)
        words = {"frontend_ns": "at work", "barrier_ns": "of the framework's own" if of_framework else "in a barrier", "blocker_ns": "for a value",
                 "limit_ns": "by a limit", "dependency_ns": "of another lane", "link_ns": "waited for a link",
                 "handover_ns": "hand-overs",
                 "done_ns": "none was left"}
        most = max(words, key=lambda key: causes[key])
        lane, begin, end = self.gap()
        numbers = {} if len(self.lanes) == 1 else {"lanes": len(self.lanes)}
        numbers |= {"idle_ns": sum(causes.values()), "cause_ns": causes[most]}
        if self.sums.paused_ns == 0:
            numbers["gap_ns"] = end - begin
            self.shown = [(begin, end)]
        return causes[most] > 0, numbers, [words[most]]

    def races(self):
        found = races.grouped(self.trace)
        if not found:
            return False, {}, []
        race = found[0][0]
        op, other = self.trace.op(race["op"]), self.trace.op(race["other"])
        self.shown = [(o.begin, o.end) for o in (op, other)]
        numbers = {"races": len(found)}
        numbers |= {key: o.line[1] for key, o in (("line", op), ("other_line", other)) if o.line[1]}
        names = [self.trace.signatures[o.signature]["name"] for o in (op, other)]
        lanes = [self.trace.stream_name(o.lane) for o in (op, other)]
        return True, numbers, [*names, *lanes, *races.WORDS[race["kind"]], races.missing(self.trace, race)]

    def part_of_run(self, ns):
        return ns > 0, {"ns": ns, "share": ns / self.total}, []

    def bounded_ops(self):
        count = sum(span.more["bytes"] for span in self.trace.driver if span.more["kind"] == 32)
        return count > 0, {"bounded_ops": count}, []

    def busy_machine(self):
        return self.part_of_run(self.descheduled_ns)

    def late_handovers(self):
        return self.part_of_run(self.prediction["parts"][0]["ns"])

    def late_returns(self):
        return self.part_of_run(self.prediction["parts"][1]["ns"])

    def recording_waits(self):
        count, ns = self.waits_of("recording")
        return count > 0, {"waits": count, "ns": ns}, []

    def pauses(self):
        return self.sums.paused_ns > 0, {"paused_ns": self.sums.paused_ns}, []

    def unfinished_before(self):
        count = sum(op.end > self.trace.begin for op in self.trace.ops[:self.trace.first - 1])
        return self.trace.begin_marked and count > 0, {"ops": count}, []

    def warm_up(self):
        self.shown = [(self.trace.first_ns, self.trace.begin)]
        return self.trace.begin_marked, {"warmup_ns": self.trace.begin - self.trace.first_ns}, []

    def formula(self):
        p = self.prediction
        median = lambda key: self.own[key]["median_ns"]
        return bool(p["formula"]), {"ops": self.ops, "t1_ns": median("t1"), "h_ns": p["handover_median_ns"],
                                    "t2_ns": median("t2"), "t3_ns": median("t3"), "formula_ns": p["formula_ns"],
                                    "total_ns": self.total}, [p["formula"]]
