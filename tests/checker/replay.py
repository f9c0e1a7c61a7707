"""Replays a run without some waits or with typical overheads. Rules: app/model/replay/replay.h."""

from collections import defaultdict

from events import PENDING
from graph import held_between
from virtual_lanes import FREE, VirtualLanes, rounded

ASLEEP_NS = 50_000  # how long lanes and frontend spin before they sleep


def median(values):
    """The lower median; 0 for an empty list."""
    return sorted(values)[(len(values) - 1) // 2] if values else 0


class Samples:
    """Samples of the measured part; the median is None if there are none."""

    def __init__(self):
        self.measured = []

    def add(self, ns, measured):
        if measured:
            self.measured.append(max(ns, 0))

    def median(self):
        return median(self.measured) if self.measured else None


class Moment:
    """(begin, end) of an op in the replay."""

    def __init__(self):
        self.now = None


class RecordedLanes:
    """Ops stay in their lanes and keep their durations. Hand-overs are kept, too, or replaced by medians per class; an
    op that the lane has to be woken for in the run only has at most the least one so far."""

    def __init__(self, trace, graph, handovers=None):
        self.trace, self.graph, self.handovers = trace, graph, handovers
        self.least = defaultdict(lambda: PENDING)
        self.samples = defaultdict(Samples)  # (device, class): hand-overs as recorded
        self.moments = {}

    def issue(self, op, begin, end):
        moment = self.moments[op.id] = Moment()
        if op.begin == PENDING:
            return
        shift = end - op.issue_end
        start = min(op.issue_end, op.begin)
        then, now = (start, "issue", None), (start + shift, "issue", None)
        others = {other.id: "lane" if other.lane == op.lane else "dependency" for other in self.graph.needs_of(op)}
        before = self.graph.before.get(op.id)
        if before:
            others.pop(before.id, None)
            others[before.id] = "lane"  # moved to the end, because the last of equals counts
        for id, kind in others.items():
            other = self.trace.op(id)
            if other.end == PENDING:
                continue
            ended = min(other.end, op.begin)
            ends_now = self.moments[id].now[1] - (other.end - ended)
            then, now = self._follow(then, ended, kind), self._follow(now, ends_now, kind)
        device = self.trace.device_of_lane(op.lane)
        handover = op.begin - then[0] - held_between(self.trace, then[0], op.begin)
        kind = device, self._class_of(then)
        self.samples[kind].add(handover, self.trace.first <= op.id <= self.trace.last)
        if self.handovers is not None:
            typical = self.handovers.get(kind)
            handover = handover if typical is None else typical
        else:
            self.least[device] = min(self.least[device], max(handover, 0))
            if now[1] == "lane" and then[1] != "lane":
                handover = min(handover, self.least[device])
        begins = now[0] + handover
        moment.now = (begins, begins + op.end - op.begin)

    @staticmethod
    def _follow(gate, ended, kind):
        when, by, lane_free = gate
        if kind == "lane":
            lane_free = ended
        return (ended, kind, lane_free) if ended >= when else (when, by, lane_free)

    @staticmethod
    def _class_of(gate):
        when, by, lane_free = gate
        if by == "lane":
            return "lane"
        asleep = lane_free is None or when - lane_free >= ASLEEP_NS
        return by + (" asleep" if asleep else " awake")

    def finish(self, wait, now):
        if wait.target and not wait.writer or not wait.target and not wait.through:
            return PENDING
        moments = [self.moments[op.id].now for op in self.graph.asked_for(wait)]
        return PENDING if None in moments else max((end for _, end in moments), default=now)

    def medians(self):
        return {key: samples.median() for key, samples in self.samples.items()}

    def drop(self, buffer, ns):
        pass

    def recorded_frees(self, wait):
        return 0

    def room_for(self, op, now):
        return now

    def end(self):
        pass


class SimulatedLanes:
    """The simulated device's own rules: costs from the models, the choice of a lane, contention."""

    def __init__(self, trace, graph):
        self.trace, self.graph = trace, graph
        models = trace.other["cost_models"]
        self.models = [models["beside" if i > 0 and device["kind"] == "cpu" else "device"]
                       for i, device in enumerate(trace.devices)]
        speeds = trace.other.get("gpu_speeds", [])
        self.speeds = [speeds[i] if i < len(speeds) and device["kind"] != "cpu" else 1
                       for i, device in enumerate(trace.devices)]
        self.link_costs = models.get("links")
        self.lanes = VirtualLanes(len(trace.lanes))
        self.places, self.moments = {}, {}
        self.next_lane = [device["first_lane"] for device in trace.devices]
        self.limit = trace.other["queue_limit"]
        self.lazy = trace.other["free_policy"] == "lazy"
        self.uses = {}  # per buffer: (device, place of its writer, {lane: number of its last reader})
        self.used_until = {}  # per buffer: the end of these ops in the recording
        self.frees = defaultdict(int)  # per device: the end of its frees in the recording

    def _lanes_of(self, device):
        return [lane for lane in range(len(self.trace.lanes)) if self.trace.device_of_lane(lane) == device]

    def _cost_of_signature(self, id, device):
        signature, model = self.trace.signatures[id], self.models[device]
        name = signature["name"]
        family = ("create", "elementwise", "matmul", "reduce", "update", "copy", "random", "other")[signature["family"]]
        rates = model.get("ops", {}).get(name) or model["families"][family]
        # Same order of operations as in the device: factors per operation and per byte, multiplied.
        per = lambda key: 1e9 / rates[key] if rates.get(key) else 0.0
        beyond = max(per("flops_per_s") * signature["flops"], per("bytes_per_s") * signature["moved_bytes"])
        ns = rates["base_ns"] + beyond
        resource = {"copy_to_device": 1, "copy_to_host": 2}.get(name, 0)
        return rounded(ns / self.speeds[device]), beyond / ns if model["lanes_share"] and ns > 0 else 0.0, resource

    def cost_of(self, op, device):
        if links := self.trace.links_of(op):
            rates = self.link_costs["nvlink" if links[0].startswith("NVLink") else "pcie"]
            per_byte = 1e9 / rates["bytes_per_s"] if "bytes_per_s" in rates else 0.0
            return rounded(rates["base_ns"] + per_byte * self.trace.copied_bytes(op)), 0.0, 0
        if not op.parts:
            ns, share, resource = self._cost_of_signature(op.signature, device)
            return ns, share, resource + 4 * device
        parts = [self._cost_of_signature(signature, device) for _, _, signature in op.parts]
        ns = sum(part[0] for part in parts)
        busy = 0.0
        for part in parts:
            busy += part[1] * part[0]
        return ns, busy / ns if ns else 0.0, 4 * device

    def issue(self, op, begin, end):
        self.lanes.run_until(begin)
        device = self.trace.device_of_lane(op.lane)
        needs, newest, reader_lanes = {}, 0, []
        for id, only_read in self.graph.needs[op.id - 1].items():
            lane, number = self.places[id]
            if not self.lanes.has_completed((lane, number)):
                needs[lane] = max(needs.get(lane, 0), number)
                if only_read:
                    reader_lanes.append(lane)
                else:
                    newest = max(newest, id)
        preferred = self.places[newest][0] if newest else min(reader_lanes, default=None)
        own = self._lanes_of(device)
        at = own.index(self.next_lane[device])
        order = own[at:] + own[:at]
        lane = self.lanes.earliest(([preferred] if preferred in own else []) + order, needs, end)
        streams = device == 0 or self.trace.devices[device]["kind"] != "cpu"
        if self.trace.streams_from and op.id >= self.trace.streams_from and streams:
            lane = preferred = op.lane  # the program's own choice
        if lane != preferred:
            self.next_lane[device] = own[(own.index(lane) + 1) % len(own)]
        waits = [(other, number) for other, number in sorted(needs.items()) if other != lane]
        for wait in waits[1:]:  # a task has one wait; further waits are separate tasks before it
            self.lanes.submit(lane, FREE, None, wait, end)
        moment = self.moments[op.id] = Moment()
        number = self.lanes.submit(lane, self.cost_of(op, device), moment, waits[0] if waits else None, end,
                                   fails=op.failed and not op.parts, links=self.trace.links_of(op))
        place = self.places[op.id] = (lane, number)
        if self.lazy:
            self._note_use(op, device, place)
        self.lanes.run_until(end)

    def _note_use(self, op, device, place):
        for buffer in op.reads:
            if buffer in self.uses:
                self.uses[buffer][2][place[0]] = place[1]
                self.used_until[buffer] = max(self.used_until[buffer], op.end)
        for buffer in [*op.made, *op.overwrites]:
            self.uses[buffer] = (len(self.trace.devices) - 1 if op.beside else device, place, {})
            self.used_until[buffer] = op.end

    def drop(self, buffer, ns):
        """Frees memory by a separate task that follows all uses of the buffer."""
        self.lanes.run_until(ns)
        if not self.lazy or buffer not in self.uses:
            return
        device, writer, readers = self.uses.pop(buffer)
        self.frees[device] = max(self.frees[device], self.used_until.pop(buffer))
        home = self._lanes_of(device)
        lane = writer[0] if writer[0] in home else home[0]
        needs = dict(readers)
        needs[writer[0]] = max(needs.get(writer[0], 0), writer[1])
        for place in sorted(needs.items()):
            if place[0] != lane and not self.lanes.has_completed(place):
                self.lanes.submit(lane, FREE, None, place, ns)
        self.lanes.submit(lane, FREE, None, None, ns)
        self.lanes.run_until(ns)

    def finish(self, wait, now):
        self.lanes.run_until(now)
        if wait.target and not wait.writer or not wait.target and not wait.through:
            return PENDING
        if not wait.target and wait.through >= wait.issued:  # all tasks, including those that are not ops
            places = [(lane, self.lanes.lanes[lane].submitted) for lane in range(len(self.trace.lanes))
                      if wait.device < 0 or self.trace.device_of_lane(lane) == wait.device]
        else:
            last = {}
            for op in self.graph.asked_for(wait):
                last[self.places[op.id][0]] = self.places[op.id]
            places = last.values()
        done = now
        for place in places:
            if place[1] and not self.lanes.has_completed(place):
                done = max(done, self.lanes.completed_at(place))
        self.lanes.run_until(done)
        return done

    def recorded_frees(self, wait):
        """When the frees that a wait for one device is for had ended: with the last use, perhaps on another device."""
        of_device = not wait.target and wait.device >= 0 and wait.through >= wait.issued
        return self.frees[wait.device] if of_device else 0

    def room_for(self, op, now):
        """The earliest time at which the op may be issued under the queue limit."""
        if not self.limit:
            return now
        self.lanes.run_until(now)
        if op.id <= self.limit:
            return now
        place = self.places[op.id - self.limit]
        if self.lanes.has_completed(place):
            return now
        done = self.lanes.completed_at(place)
        returned = done + self.models[self.trace.device_of_lane(place[0])]["t3_ns"]
        self.lanes.run_until(returned)
        return max(now, done) + returned - done

    def end(self):
        self.lanes.run_all()


def return_class(waited):
    return "nothing left" if waited <= 0 else "soon" if waited < ASLEEP_NS else "later"


def recorded_finish(graph, wait):
    if wait.target and not wait.writer or not wait.target and not wait.through:
        return PENDING
    return graph.done(wait)


def typical_returns(trace, graph):
    samples = defaultdict(Samples)
    for index, wait in enumerate(trace.waits):
        done = recorded_finish(graph, wait)
        if wait.kind != "paused" and done <= wait.end:
            samples[return_class(done - wait.begin - wait.held)].add(
                wait.end - max(wait.begin, done), trace.first_wait <= index < trace.waits_end)
    return {key: of.median() for key, of in samples.items()}


def replay(trace, graph, lanes, left_out=frozenset(), returns=None):
    """Duration of the measured part without the waits `left_out` (indices). `returns`: medians by
    class that replace the recorded returns."""
    limits = isinstance(lanes, SimulatedLanes) and lanes.limit > 0
    shift = 0  # replayed minus recorded time of the frontend
    paused = 0
    begin = end = None
    now_front = then_front = -PENDING
    drops = list(reversed(trace.drops)) if isinstance(lanes, SimulatedLanes) and lanes.lazy else []
    waits = list(enumerate(trace.waits))
    ops = list(trace.ops)
    at_wait = at_op = 0

    def take_drops(issued, until):
        while drops and drops[-1][2] <= issued and drops[-1][0] <= until:
            ns, buffer, _ = drops.pop()
            lanes.drop(buffer, ns + shift)

    while True:
        if begin is None and (not trace.begin_marked or (at_op + 1 >= trace.first and at_wait >= trace.first_wait)):
            begin = trace.begin + shift
        if (begin is not None and end is None and trace.end_marked and at_op >= trace.last
                and at_wait >= trace.waits_end):
            end = trace.end + shift
        if at_wait < len(waits) and (waits[at_wait][1].issued <= at_op or at_op >= len(ops)):
            index, wait = waits[at_wait]
            at_wait += 1
            take_drops(wait.issued, wait.begin)
            then = wait.end
            if index in left_out or (limits and wait.kind == "queue_limit"):
                shift -= wait.end - wait.begin
            elif wait.kind == "paused":
                paused += wait.end - wait.begin if begin is not None and end is None else 0
            else:
                now = wait.begin + shift
                then_done = max(recorded_finish(graph, wait), lanes.recorded_frees(wait))
                now_done = lanes.finish(wait, now)
                if then_done > wait.end or now_done == PENDING:
                    shift -= wait.held  # it waited for something else: keep its duration
                else:
                    back = wait.end - max(wait.begin, then_done)
                    if returns is not None:
                        typical = returns.get(return_class(then_done - wait.begin - wait.held))
                        back = back if typical is None else typical
                    shift = max(now, now_done) + back - wait.end
        elif at_op < len(ops):
            op = ops[at_op]
            take_drops(at_op, op.issue_begin)
            at_op += 1
            shift = lanes.room_for(op, op.issue_begin + shift) - op.issue_begin
            lanes.issue(op, op.issue_begin + shift, op.issue_end + shift)
            then = op.issue_end
        else:
            break
        then_front, now_front = max(then_front, then), max(now_front, then + shift)
    if trace.works and trace.works[-1].end > then_front:
        then_front, now_front = trace.works[-1].end, max(now_front, trace.works[-1].end + shift)
    take_drops(len(ops), PENDING)
    lanes.end()

    ran = [(op, lanes.moments[op.id].now[1]) for op in ops if op.end != PENDING and lanes.moments[op.id].now]
    last_now, last_then = (max((end_ for _, end_ in ran), default=-PENDING),
                           max((op.end for op, _ in ran), default=-PENDING))
    part = [(op, end_) for op, end_ in ran if trace.first <= op.id <= trace.last]
    if not trace.end_marked and trace.program_end is not None:
        end = max(last_now, trace.program_end + shift)
    elif not trace.end_marked:
        end = max(last_now, now_front) + trace.end - max(last_then, then_front)
    elif max((op.end for op, _ in part), default=-PENDING) <= trace.end:
        end = max([end, *(end_ for _, end_ in part)])  # measured work has to end within the measured part
    return max(end - begin - paused, 0)


def lanes_for(trace, graph, handovers=None):
    if trace.simulated and "cost_models" in trace.other:
        return SimulatedLanes(trace, graph)
    return RecordedLanes(trace, graph, handovers)


POLICY = ("op_barrier", "minibatch_barrier")


def frameworks_own(trace):
    """PyTorch waits for each op on a CPU, under any policy."""
    if trace.other["barrier"] == "op" or trace.other.get("barrier_changes") or trace.other.get("profile") == "Headway":
        return set()
    return {index for index, wait in enumerate(trace.waits) if wait.kind == "op_barrier"}


def blockers_left_out(trace):
    """The measured waits before the last op that the program did not ask for."""
    own = frameworks_own(trace)
    return frozenset(index for index in range(trace.first_wait, trace.waits_end)
                     if trace.waits[index].issued < trace.last
                     and (trace.waits[index].group == "blocker" or index in own))


def barriers_left_out(trace):
    """The measured barriers except one at the end, and the policy's barriers before measuring began."""
    stay = frameworks_own(trace)
    at_end = [index for index in range(trace.first_wait, trace.waits_end) if trace.waits[index].issued >= trace.last]
    own = [index for index in at_end if trace.waits[index].group == "barrier" and trace.waits[index].kind not in POLICY]
    for_all = [index for index in own if not trace.waits[index].target and trace.waits[index].device < 0]
    waits_anyway = any(trace.waits[index].group == "blocker" or index in stay for index in at_end)
    policy = [] if waits_anyway else [index for index in at_end
                                      if trace.waits[index].kind in POLICY and index not in stay]
    stays = (for_all or own or policy or [None])[-1]
    return frozenset(index for index, wait in enumerate(trace.waits) if index != stays and index not in stay and
                     (wait.group == "barrier" if index >= trace.first_wait else wait.kind in POLICY))
