"""Small programs as courses write them. Each takes a device and returns values; corpus_test.py runs each with plain
PyTorch on the CPU and with Headway's CUDA device, and compares."""

# (the imports fill the list)
from programs import arrays, courses, gradients, learning, models, optimising, projects, tensors  # noqa: F401
from programs.common import PROGRAMS  # noqa: F401
