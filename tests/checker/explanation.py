"""Compares every number of every sentence of an explanation with the one recomputed from the raw events."""

import re

from explanation_facts import Facts
from window import duration, percent, size


def binary_size(count):
    """"8 MiB" where that is a round number, else "2.6 MB"."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count and count % 1024 ** power == 0:
            return f"{count // 1024 ** power} {unit}"
    return size(count)


def texts_of(unit, value):
    """The texts that this number may have."""
    return {"ns": lambda: [duration(value)],
            "bytes": lambda: [size(value), binary_size(value)],
            "count": lambda: [f"{value:,}", {1: "once", 2: "twice"}.get(value)],
            "share": lambda: [percent(value)],
            "line": lambda: [str(value)]}[unit]()


def left_over(sentence):
    """The text without its numbers and names; they must stand in it in their order."""
    text = sentence["text"]
    for name in sorted(sentence["names"], key=len, reverse=True):
        text = text.replace(name, "\0", 1)
    rest = 0
    for number in sentence["numbers"]:
        at = text.find(number["text"], rest)
        if at < 0:
            return f"{number['text']} is not in the text at its place"
        text = text[:at] + "\0" + text[at + len(number["text"]):]
        rest = at
    return text


def check_place(checker, key, place):
    trace = checker.trace
    checker.equal(f"{key}, row", place["row"] in ("run", "frontend", "headway", "lane", "memory"), True)
    if place.get("lane") is not None:
        checker.equal(f"{key}, lane", place["lane"] in trace.other["lanes"], True)
    if "wait" in place:
        found = [w.name for w in trace.waits if (w.begin, w.end) == (place["begin_ns"], place["end_ns"])]
        checker.equal(f"{key}, wait", place["wait"] in found, True)
    if "line" in place:
        lines = {(trace.files[w.line[0]], w.line[1]) for w in trace.waits}
        checker.equal(f"{key}, line", (place["file"], place["line"]) in lines, True)


def check(checker):
    said = checker.report["explanation"]
    checker.seen.add("explanation")
    facts = Facts(checker)
    facts.own_verdict = checker.report["end"]["verdict"]
    least = 3 if facts.ops > 0 and facts.own_verdict == "complete" else 1
    checker.equal("explanation, sentences", least <= len(said) <= 6, True)
    checker.equal("explanation, repeated", len({sentence["kind"] for sentence in said}), len(said))
    for i, sentence in enumerate(said):
        key = f"explanation[{i}] {sentence['kind']}"
        facts.shown = None
        holds, own, words = getattr(facts, sentence["kind"])()
        numbers = {number["id"]: number["value"] for number in sentence["numbers"]}
        checker.equal(f"{key} is true", holds, True)
        if sentence["kind"] == "incomplete" and not numbers:
            own = {}
        checker.equal(key, sorted(numbers), sorted(own))
        for id in {*numbers, *own}:
            if isinstance(own.get(id), float):
                checker.near(f"{key}.{id}", numbers.get(id, 0), own[id], 1e-9)
            else:
                checker.equal(f"{key}.{id}", numbers.get(id, "(absent)"), own.get(id, "(unchecked)"))
        for number in sentence["numbers"]:
            checker.equal(f"{key}.{number['id']}, text", number["text"] in texts_of(number["unit"], number["value"]),
                          True)
        for word in words:
            checker.equal(f"{key} says {word}", word in sentence["text"], True)
        digits = re.findall(r"\d+", left_over(sentence))
        checker.equal(f"{key}, numbers left over in '{sentence['text']}'", digits, [])
        checker.equal(f"{key} is in virtual time", "virtual" in sentence["text"],
                      checker.trace.other["virtual_clock"] and i == (facts.own_verdict != "complete"))
        ranges = [(place["begin_ns"], place["end_ns"]) for place in sentence["shows"]]
        whole = [(checker.trace.begin, checker.trace.end)] * len(ranges)
        checker.equal(f"{key}, what it shows", ranges, facts.shown or whole)
        for place in sentence["shows"]:
            check_place(checker, key, place)
