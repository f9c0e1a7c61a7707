"""The predicted duration of a run and what limits it: the report's prediction, regime and critical path."""

from events import PENDING
from graph import clipped
from replay import RecordedLanes, barriers_left_out, blockers_left_out, lanes_for, replay, typical_returns
from virtual_lanes import rounded

BOUND_SHARE, EVEN_SHARE, FORMULA_SHARE, EQUAL_OPS = 0.85, 0.05, 0.1, 1.25
WAIT_SHARE, MOST_SHARE, CLEARLY_MORE = 0.15, 2 / 3, 2


def cut_off(trace):
    return trace.other.get("state") == "failed" and any(op.end == PENDING for op in trace.ops)


def imports_before_ops(trace):
    """The measured time of imports before the first measured op: named, and no part of the regime."""
    if trace.first > len(trace.ops):
        return 0
    first = trace.ops[trace.first - 1].issue_begin
    return sum(max(min(work.end, trace.end) - max(work.begin, trace.begin), 0) for work in trace.works
               if work.name == "import" and work.begin < first)


def regime(checker, sides, held_ns, costs):
    """The side that alone needs nearly all of the time; the chain counts only if clearly longer than the lane. Else the
    kind of waits without which the run would be clearly shorter. `costs`: of barriers and of blockers."""
    imports, parts = imports_before_ops(checker.trace), checker.frontend
    total = checker.sums.total_ns - imports
    front, lane, chain = sides
    front = max(front - imports, 0)
    backend = ("dependency-bound", chain) if chain > lane * (1 + EVEN_SHARE) else ("execution-bound", lane)
    own_ns = parts["work_ns"] + parts["unnamed_ns"] - imports
    frontend = ("frontend-bound" if own_ns > parts["issue_ns"] else "issue-bound", front)
    needs_most = max(backend, frontend, key=lambda side: side[1])
    if needs_most[1] >= BOUND_SHARE * max(total, 1):
        return "about equal" if abs(backend[1] - front) <= EVEN_SHARE * needs_most[1] else needs_most[0]
    for name, cost, other in (("barrier-bound", *costs), ("blocker-bound", *reversed(costs))):
        if cost > 0 and cost >= WAIT_SHARE * (total - held_ns) and cost >= CLEARLY_MORE * other:
            return name
    other = min(backend[1], front)
    clearly = needs_most[1] >= MOST_SHARE * max(total, 1) and needs_most[1] >= CLEARLY_MORE * other
    return needs_most[0] if clearly else "mixed"


def formula(checker, h, predicted):
    """The chapter's formula for runs of similar ops on one lane with a wait after each op or one after all of them:
    (formula, its result, why it does not apply although waits and lane are as it assumes)."""
    trace, sums, graph = checker.trace, checker.sums, checker.graph
    count = trace.last - trace.first + 1
    full, newest, others = 0, 0, False
    for wait in sums.asked:
        for_all = (wait.target == 0 and wait.device < 0 and wait.through == wait.issued
                   and wait.group in ("barrier", "blocker"))
        if not for_all:
            for_all = max((op.end for op in trace.ops[:wait.issued]), default=0) <= wait.end
        if not for_all:
            others = True
        elif wait.issued > newest:
            full, newest = full + 1, wait.issued
    if len(sums.lanes_used) != 1 or count <= 0 or others or newest != trace.last or not sums.t2:
        return "", None, None
    t1, t2, t3 = (times["median_ns"] if times else 0 for times in (sums.t1, sums.t2, sums.t3))
    each = count > 1 and full == count
    if not each and full != 1:
        return "", None, None

    def gives(issues, executions, own):
        if each:
            return issues + own + executions + count * (h + t3)
        return max(t1 + executions, issues + own + t2) + h + t3

    result = gives(count * t1, count * t2, 0)
    kinds = {(trace.signatures[op.signature]["name"], trace.signatures[op.signature]["shapes"]) for op in sums.ended}
    if len(kinds) > 1 and sums.t2["p90_ns"] > EQUAL_OPS * sums.t2["p10_ns"]:
        return "", None, "the ops are of several kinds and take unequal times"
    if abs(gives(sums.issue_ns, sums.busy_ns, 0) - result) > FORMULA_SHARE * result:
        return "", None, ("the ops' times are unequal: with their sums in place of N times the medians the result is more "
                          "than a tenth off")
    own = max(max(sums.total_ns - sums.blocked_ns, 0) - sums.issue_ns, 0)
    if gives(count * t1, count * t2, own) - result > FORMULA_SHARE * result:
        return "", None, "the frontend does more than issue ops: its other work changes the result by more than a tenth"
    if abs(result - predicted) > FORMULA_SHARE * predicted:
        return "", None, ("the result is more than a tenth off the predicted total: the formula has medians, and "
                          "not the times of each op and hand-over")
    return ("N·(t₁+h+t₂+t₃)" if each else "max(t₁+N·t₂, N·t₁+t₂)+h+t₃"), result, None


def check(checker):
    trace, graph, sums = checker.trace, checker.graph, checker.sums
    if cut_off(trace):
        for key in ("regime", "predicted_ns", "prediction", "critical_path", "handover_ns", "without_barriers_ns",
                    "without_blockers_ns"):
            checker.top(key, None)
        return
    path = graph.critical_path()
    checker.top("critical_path", path)
    if not trace.holds and sums.paused_ns == 0:
        checker.equal("critical_path, sum", sum(ns for key, ns in path.items() if key != "ops"), sums.total_ns)
    checker.top("handover_ns", path["handover_ns"])
    # On the simulated device, returns cost what the model says, so they are kept.
    returns = None if trace.simulated else typical_returns(trace, graph)
    lanes = lanes_for(trace, graph)
    with_handovers = replay(trace, graph, lanes, returns=returns)
    if not isinstance(lanes, RecordedLanes) and not trace.holds:
        for op in trace.ops:  # check that the device followed its rules
            checker.equal(f"lane and times of op {op.id}", (op.lane, op.begin, op.end),
                          (lanes.places[op.id][0], *lanes.moments[op.id].now))
    handovers = lanes.medians() if isinstance(lanes, RecordedLanes) else {}
    predicted = replay(trace, graph, lanes_for(trace, graph, handovers), returns=returns)
    as_recorded = sums.total_ns
    if trace.holds:
        as_recorded = replay(trace, graph, lanes_for(trace, graph))
    parts = [{"name": "hand-overs beyond their median", "ns": with_handovers - predicted},
             {"name": "returns beyond their median", "ns": as_recorded - with_handovers}]
    if trace.holds:
        parts.append({"name": "held by the learner", "ns": sums.total_ns - as_recorded})
    h = 0
    if isinstance(lanes, RecordedLanes):
        count = {name: len(lanes.samples[0, "issue " + name].measured) for name in ("awake", "asleep")}
        h = handovers.get((0, "issue asleep" if count["asleep"] > count["awake"] else "issue awake")) or 0
    lane_ns = max((sum(clipped(op.begin, op.end, trace) for op in sums.ended if op.lane == lane)
                   for lane in sums.lanes_used), default=0)
    frontend_ns = max(sums.total_ns - sums.blocked_ns, 0)
    name, formula_ns, no_formula = formula(checker, h, predicted)
    chain_ns = graph.longest_chain()
    checker.top("predicted_ns", predicted)
    checker.top("prediction", {
        "predicted_ns": predicted, "parts": parts, "measured_ns": sums.total_ns, "handover_median_ns": h,
        "formula": name, "formula_ns": formula_ns, "no_formula": no_formula, "frontend_ns": frontend_ns, "busiest_lane_ns": lane_ns,
        "longest_chain_ns": chain_ns})
    checker.equal("prediction, sum", predicted + sum(part["ns"] for part in parts), sums.total_ns)
    if trace.simulated:
        checker.equal("prediction on the simulated device", predicted, sums.total_ns)
    without = [replay(trace, graph, lanes_for(trace, graph), left_out(trace))
               for left_out in (barriers_left_out, blockers_left_out)]
    checker.top("without_barriers_ns", without[0])
    checker.top("without_blockers_ns", without[1])
    own = regime(checker, (frontend_ns, lane_ns, chain_ns), sums.total_ns - as_recorded,
                 [as_recorded - ns for ns in without])
    checker.top("regime", own if trace.last >= trace.first else None)
