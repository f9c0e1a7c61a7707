"""Small programs as courses write them. Each takes a device and returns values; corpus_test.py runs each with plain
PyTorch on the CPU and with Headway's CUDA device, and compares."""

from programs import arrays, gradients, learning, models, optimising, tensors  # noqa: F401  (fill the list)
from programs.common import PROGRAMS  # noqa: F401
