"""Minibatches and scopes of the program: an optimizer's step, and ranges of NVTX. (record_function: graph_nodes.cpp)"""

import functools
import os
import threading

import _headway

def install(torch):
    process, thread = os.getpid(), threading.get_ident()

    def mark(*what):
        if os.getpid() == process and threading.get_ident() == thread:
            _headway.mark(*what)

    mark_minibatches(torch, mark)
    mark_ranges(torch, mark)


def mark_minibatches(torch, mark):
    """An optimizer's step ends a minibatch, as in the dialect: the barrier policy acts there."""
    inside = threading.local()  # .step: a step is running in this thread; it may call the step of its base class
    real_hook = torch.optim.Optimizer._hook_for_profile

    def marked(step):
        @functools.wraps(step)
        def call(*arguments, **options):
            if getattr(inside, "step", False):
                return step(*arguments, **options)
            inside.step = True
            try:
                result = step(*arguments, **options)
            finally:
                inside.step = False
            mark("minibatch_end")
            mark("minibatch_begin")
            return result

        call.marks_minibatches = True
        return call

    def hook(self):  # called by each optimizer's constructor
        real_hook(self)
        own = type(self)
        if not getattr(own.step, "marks_minibatches", False):
            own.step = marked(own.step)
        mark("minibatch_begin")

    torch.optim.Optimizer._hook_for_profile = hook


def mark_ranges(torch, mark):
    open_ranges, nvtx = [], torch.cuda.nvtx

    def push(message):
        open_ranges.append(str(message))
        mark("scope_begin", open_ranges[-1])
        return len(open_ranges) - 1

    def pop():
        if not open_ranges:
            return -1
        mark("scope_end", open_ranges.pop())
        return len(open_ranges)

    nvtx.range_push, nvtx.range_pop, nvtx.mark = push, pop, lambda message: None
