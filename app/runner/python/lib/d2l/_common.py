"""Stopwatches on the run's clock, which stops during pauses and is virtual on the simulated device."""

import _headway


class Timer:
    """Measures several durations, in seconds."""

    def __init__(self):
        self.times = []
        self.start()

    def start(self):
        self._begin = _headway.clock()

    def stop(self):
        self.times.append(_headway.clock() - self._begin)
        return self.times[-1]

    def avg(self):
        return sum(self.times) / len(self.times)

    def sum(self):
        return sum(self.times)

    def cumsum(self):
        total, sums = 0.0, []
        for time in self.times:
            total += time
            sums.append(total)
        return sums


class Benchmark:
    """with Benchmark('name'): prints how long the frontend took, and shows it as a scope in the timeline."""

    def __init__(self, description="Done"):
        self.description = description

    def __enter__(self):
        _headway.program_event("scope_begin", str(self.description))
        self.timer = Timer()
        return self

    def __exit__(self, *args):
        seconds = self.timer.stop()
        _headway.program_event("scope_end", str(self.description))
        print(f"{self.description}: {seconds:.4f} sec")


def missing(module, name):
    return AttributeError("Headway's %s dialect has no %s" % (module, name))
