"""Reimplements the simulated device's lanes by the rules in engine/devices/simulated/virtual_lanes.h."""

import math
from collections import deque

FREE = (0, 0.0, 0)  # a task without cost: (ns alone, share, resource)


def rounded(value):
    return math.floor(value + 0.5)


class Task:
    def __init__(self, cost, op, wait, issued, order, fails, links):
        self.cost, self.op, self.wait, self.issued, self.order, self.fails = cost, op, wait, issued, order, fails
        self.links = links
        self.begin = self.end = None


class Lane:
    def __init__(self):
        self.queue = deque()
        self.running = None
        self.ends = []         # ends of completed tasks, in order
        self.expected = deque()  # expected ends of the other tasks, minus `slip`
        self.slip = 0
        self.expected_ns = 0   # expected end of everything submitted
        self.submitted = 0
        self.left = 0.0        # remaining work of the running task, in ns at full speed, at time `since`
        self.since = 0

    def expects(self, number):
        """When this task is expected to end; 0: it has ended."""
        behind = number - len(self.ends) - 1
        return self.expected[behind] + self.slip if behind >= 0 else 0


class Link:
    """Carries one task at a time."""

    def __init__(self):
        self.busy = False
        self.free = 0  # end of the last task that used it
        self.tasks = 0  # submitted and not ended
        self.expected_ns = 0  # when the last of them is expected to end


class VirtualLanes:
    def __init__(self, count):
        self.lanes = [Lane() for _ in range(count)]
        self.slowdown = {}
        self.order = 0
        self.links = {}  # by name: Link

    def submit(self, index, cost, op, wait, issued, fails=False, links=()):
        """`op`: receives the task's begin and end, or None; `wait`: (lane, number of a task in it), or None; `fails`:
        the task fails when it begins; `links`: the names of those that it occupies while it runs. Returns the task's number in its lane, from 1."""
        lane = self.lanes[index]
        expected = max(issued, lane.expected_ns)
        if wait:
            expected = max(expected, self.lanes[wait[0]].expects(wait[1]))
        links = [self.links.setdefault(name, Link()) for name in links]
        expected = max([expected, *(link.expected_ns for link in links)])
        lane.expected_ns = expected + cost[0]
        for link in links:
            link.tasks += 1
            link.expected_ns = lane.expected_ns
        lane.expected.append(lane.expected_ns - lane.slip)
        lane.queue.append(Task(cost, op, wait, issued, self.order, fails, links))
        self.order += 1
        lane.submitted += 1
        return lane.submitted

    def earliest(self, candidates, needs, issued):
        """The first lane in which an op that waits for `needs` (lane: number) is expected to begin earliest."""
        def begin(index):
            return max([issued, self.lanes[index].expected_ns] +
                       [self.lanes[other].expects(number) for other, number in needs.items() if other != index])
        return min(candidates, key=begin)

    def has_completed(self, place):
        return len(self.lanes[place[0]].ends) >= place[1]

    def completed_at(self, place):
        while not self.has_completed(place):
            self._next(None)
        return self.lanes[place[0]].ends[place[1] - 1]

    def run_until(self, ns):
        while self._next(ns):
            pass

    def run_all(self):
        while self._next(None):
            pass

    # ---- events ----

    def _next(self, until):
        """The next event up to `until`. Ends come before begins; among begins, tasks without cost first, then in order
        of submission."""
        best = None
        for index, lane in enumerate(self.lanes):
            if lane.running:
                event = (lane.running.end, 0, index, index)
            elif lane.queue:
                task = lane.queue[0]
                if task.wait and not self.has_completed(task.wait):
                    continue
                if any(link.busy for link in task.links):
                    continue
                begin = max([task.issued, lane.ends[-1] if lane.ends else 0, *(link.free for link in task.links)])
                if task.wait:
                    begin = max(begin, self.lanes[task.wait[0]].ends[task.wait[1] - 1])
                event = (begin, 2 if task.op else 1, task.order, index)
            else:
                continue
            if best is None or event < best:
                best = event
        if best is None or (until is not None and best[0] > until):
            return False
        ns, kind, _, index = best
        if kind == 0:
            self._end(self.lanes[index])
        else:
            self._begin(self.lanes[index], ns)
        return True

    def _begin(self, lane, ns):
        task = lane.running = lane.queue.popleft()
        if task.fails:
            task.cost = FREE
        alone, share, resource = task.cost
        for link in task.links:
            link.busy = not task.fails
        task.begin = lane.since = ns
        lane.left = float(alone)
        task.end = ns + alone
        if share > 0:
            task.end = ns + rounded(lane.left * self.slowdown.get(resource, 1.0))
            self._share(resource, ns)

    def _end(self, lane):
        task, lane.running = lane.running, None
        lane.ends.append(task.end)
        late = task.end - (lane.expected.popleft() + lane.slip)
        lane.slip += late
        lane.expected_ns = lane.expected_ns + late if lane.expected else task.end
        if task.cost[1] > 0:
            self._share(task.cost[2], task.end)
        for link in task.links:
            if link.busy and not task.fails:
                link.busy, link.free = False, task.end
            link.tasks -= 1
            link.expected_ns = link.expected_ns + late if link.tasks else task.end
        if task.op:
            task.op.now = (task.begin, task.end)

    def _share(self, resource, ns):
        """Updates the progress of the tasks that share a resource before their speed changes."""
        running = [lane for lane in self.lanes if lane.running and lane.running.cost[2] == resource]
        shares = 0.0
        for lane in running:
            shares += lane.running.cost[1]
        before, now = self.slowdown.get(resource, 1.0), max(1.0, shares)
        if now == before:
            return
        for lane in running:
            if lane.running.cost[1] > 0:
                lane.left = max(lane.left - (ns - lane.since) / before, 0.0)
                lane.since = ns
                lane.running.end = ns + rounded(lane.left * now)
        self.slowdown[resource] = now
