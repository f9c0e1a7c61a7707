"""Minibatches and scopes of the program: an optimizer's step, and ranges of NVTX. (record_function: graph_nodes.cpp)"""

import functools
import os
import threading

import _headway


def install(torch):
    process, thread = os.getpid(), threading.get_ident()

    def record(*event):
        if os.getpid() == process and threading.get_ident() == thread:
            _headway.program_event(*event)

    record_minibatches(torch, record)
    record_ranges(torch, record)


def record_minibatches(torch, record):
    """An optimizer's step ends a minibatch, as in the dialect: the barrier policy acts there."""
    inside = threading.local()  # .step: a step is running in this thread; it may call the step of its base class
    real_hook = torch.optim.Optimizer._hook_for_profile

    def recorded(step):
        @functools.wraps(step)
        def call(*arguments, **options):
            if getattr(inside, "step", False):
                return step(*arguments, **options)
            inside.step = True
            try:
                result = step(*arguments, **options)
            finally:
                inside.step = False
            record("minibatch_end")
            record("minibatch_begin")
            return result

        call.records_minibatches = True
        return call

    def hook(self):  # called by each optimizer's constructor
        real_hook(self)
        own = type(self)
        if not getattr(own.step, "records_minibatches", False):
            own.step = recorded(own.step)
        record("minibatch_begin")

    torch.optim.Optimizer._hook_for_profile = hook


def record_ranges(torch, record):
    open_ranges, nvtx = [], torch.cuda.nvtx

    def push(message):
        open_ranges.append(str(message))
        record("scope_begin", open_ranges[-1])
        return len(open_ranges) - 1

    def pop():
        if not open_ranges:
            return -1
        record("scope_end", open_ranges.pop())
        return len(open_ranges)

    nvtx.range_push, nvtx.range_pop, nvtx.mark = push, pop, lambda message: None
