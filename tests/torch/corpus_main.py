# Runs the programs and writes what they return as one line of JSON each: python3 corpus_main.py, or in Headway.
import json
import os

import torch

import programs

torch.set_num_threads(1)
device = "cuda" if torch.cuda.is_available() else "cpu"


def plain(value):
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return {"type": str(value.dtype), "shape": list(value.shape), "values": value.double().flatten().tolist()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if isinstance(value, (bool, int, float, str)) else str(value)


chosen = os.environ.get("CORPUS_PROGRAMS", "").split()
for name, program in programs.PROGRAMS.items():
    if chosen and name not in chosen:
        continue
    torch.manual_seed(7)
    try:
        row = {"name": name, "values": plain(program(device))}
    except Exception as problem:
        row = {"name": name, "error": "%s: %s" % (type(problem).__name__, str(problem)[:300])}
    print("row", json.dumps(row))
if device == "cuda":
    print("ways", torch.ops.headway.issue_counts())
