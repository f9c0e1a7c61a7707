# Runs PyTorch's own sample inputs of its ops (OpInfo) on the device and on the CPU, forward and backward, and prints a
# line of JSON for each op: python3 opinfos_main.py in Headway.
import json
import os
import random
import sys
import types
import unittest

import torch

MOST_SAMPLES = int(os.environ.get("OPINFO_SAMPLES", "4"))
DTYPE = getattr(torch, os.environ.get("OPINFO_DTYPE", "float32"))
CHOSEN = os.environ.get("OPINFO_OPS", "").split()


def infos():
    # PyTorch's test module imports expecttest for a base class of its tests, none of which is used here.
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase, stand_in.ACCEPT = unittest.TestCase, False
    sys.modules.setdefault("expecttest", stand_in)
    from torch.testing._internal.common_methods_invocations import op_db
    return op_db


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors(v)]
    return []


def moved(value, device):
    """A copy of an operand on the device: a leaf of its own."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().to(device).requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(moved(v, device) for v in value)
    if isinstance(value, dict):
        return {k: moved(v, device) for k, v in value.items()}
    if isinstance(value, (torch.device, str)) and str(value) == "cpu":
        return torch.device(device)
    return value


def call(info, sample, device):
    """(outputs, gradients) of the op on the device."""
    torch.manual_seed(3)
    operands = [moved(sample.input, device), moved(list(sample.args), device), moved(sample.kwargs, device)]
    leaves = [t for t in tensors([operands[0], operands[1], list(operands[2].values())]) if t.requires_grad]
    result = info(operands[0], *operands[1], **operands[2])
    if sample.output_process_fn_grad is not None:
        processed = sample.output_process_fn_grad(result)
    else:
        processed = result
    outputs = tensors(result)
    loss = [t for t in tensors(processed) if t.requires_grad and t.is_floating_point()]
    gradients = []
    if loss and leaves:
        gradients = torch.autograd.grad([t.sum() for t in loss], leaves, allow_unused=True)
    return outputs, [g for g in gradients if g is not None]


def different(expected, got):
    if len(expected) != len(got):
        return "%d tensors, not %d" % (len(got), len(expected))
    for e, g in zip(expected, got):
        e, g = e.detach().cpu(), g.detach().cpu()
        if e.shape != g.shape or e.dtype != g.dtype:
            return "%s %s, not %s %s" % (g.dtype, list(g.shape), e.dtype, list(e.shape))
        if not torch.allclose(e.to(torch.complex128), g.to(torch.complex128), 1e-4, 1e-5, equal_nan=True):
            return "other values"
    return ""


def check(info):
    name = info.name + ("." + info.variant_test_name if info.variant_test_name else "")
    row = {"name": name, "samples": 0, "forward": 0, "backward": 0, "wrong": "", "refused": "", "left_out": "", "elsewhere": ""}
    random.seed(1)
    torch.manual_seed(1)
    try:
        samples = list(info.sample_inputs("cpu", DTYPE, requires_grad=info.supports_autograd and DTYPE.is_floating_point))
    except Exception as problem:
        row["left_out"] = "no samples: %s" % problem
        return row
    step = max(1, len(samples) // MOST_SAMPLES)
    for sample in samples[::step][:MOST_SAMPLES]:
        try:
            expected, expected_gradients = call(info, sample, "cpu")
            again, again_gradients = call(info, sample, "cpu")
            if any(t.layout != torch.strided for t in tensors([sample.input, list(sample.args), expected])):
                row["left_out"] = "sparse"
                continue
        except Exception as problem:
            row["left_out"] = "on the CPU: %s" % str(problem)[:200]
            continue
        if different(expected, again) or different(expected_gradients, again_gradients):
            row["left_out"] = "no two calls give the same values"
            continue
        row["samples"] += 1
        try:
            got, gradients = call(info, sample, "cuda")
            if any(t.device.type != "cuda" for t in got):
                row["elsewhere"] = "the result is on the CPU"
            row["wrong"] = row["wrong"] or different(expected, got)
            if problem := different(expected_gradients, gradients):
                row["wrong"] = row["wrong"] or "gradients: " + problem
            row["forward"] += 1
            row["backward"] += bool(gradients)
        except Exception as problem:
            row["refused"] = "%s: %s" % (type(problem).__name__, str(problem).split("\n")[0][:200])
    return row


torch.set_num_threads(1)
for info in infos():
    if DTYPE in info.dtypes and (not CHOSEN or info.name in CHOSEN):
        print("row", json.dumps(check(info)), flush=True)
