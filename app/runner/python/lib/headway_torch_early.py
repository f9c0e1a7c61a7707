"""Warns of a CPU tensor that is read while a non_blocking copy may still be writing it.

On Headway's devices such a read finds the new values more often than on a GPU: the simulated one computes them at once.
So what counts is whether the program has waited since the copy, and not when the copy ran.
"""

import os
import sys
import warnings
import weakref

HERE = os.path.dirname(os.path.abspath(__file__))

READS = ("item", "tolist", "numpy", "__array__", "__bool__", "__float__", "__int__", "__index__", "__repr__", "__str__",
         "__format__")
TEXT = ("this reads a CPU tensor that the non_blocking copy of line %d may not have written yet: the program has not "
        "waited for it, and on a GPU the values may be old. Call torch.cuda.synchronize() first, or synchronize with an "
        "event that was recorded after the copy.")


def install(torch, ops):
    libraries = (HERE, os.path.dirname(torch.__file__))
    copies = {}  # those that the program has not waited for, by the address of the storage that they write

    class Copy:
        def __init__(self, tensor, source, line):
            self.address, self.line = tensor.storage().data_ptr(), line
            self.tensor = weakref.ref(tensor, lambda _: copies.get(self.address) is self and copies.pop(self.address))
            self.point, self.waits = ops.stream_point(ops.current_stream(source.device.index)), ops.waits()
            copies[self.address] = self

        def __del__(self):
            ops.release_point(self.point)

        def waited_for(self):
            return ops.waits() != self.waits and ops.point_reached(self.point)

    def program_frame():
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith(libraries):
            frame = frame.f_back
        return frame

    def warn_if_early(tensor):
        if tensor.layout != torch.strided:
            return  # a sparse tensor has no storage
        copy = copies.get(tensor.storage().data_ptr())
        if copy is not None:
            if copy.waited_for():
                copies.pop(copy.address, None)
            else:
                frame = program_frame()
                warnings.warn_explicit(TEXT % copy.line, UserWarning, frame.f_code.co_filename, frame.f_lineno,
                                       registry=frame.f_globals.setdefault("__warningregistry__", {}))

    def reading(real):
        def call(self, *arguments, **options):
            if copies and self.device.type == "cpu":
                warn_if_early(self)
            return real(self, *arguments, **options)

        return call

    def copying(real):
        def call(self, *arguments, **options):
            result = real(self, *arguments, **options)
            if (options.get("non_blocking") or any(a is True for a in arguments)) and result.device.type == "cpu":
                source = arguments[0] if result is self else self
                if isinstance(source, torch.Tensor) and source.is_cuda and result.is_pinned():
                    Copy(result, source, program_frame().f_lineno)
            return result

        return call

    for names, wrapped in ((READS, reading), (("to", "copy_"), copying)):
        for name in names:
            real = getattr(torch.Tensor, name)
            call = wrapped(real)
            call.__name__, call.__doc__ = name, real.__doc__
            setattr(torch.Tensor, name, call)
