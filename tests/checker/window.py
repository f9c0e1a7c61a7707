"""The texts that the window's tables must show for a run: the report's numbers, formatted."""


def three_digits(value):
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def duration(ns):
    """"412 ns", "3.10 µs": three digits, in the largest unit that gives at least 1."""
    if ns < 0:
        return "\u2212" + duration(-ns)
    if ns < 999.5:
        return f"{ns:.0f} ns"
    size, unit = max((size, unit) for size, unit in ((1, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
                     if ns >= size * 0.9995)
    return f"{three_digits(ns / size)} {unit}"


def size(count):
    """"353 MB", "2.6 MB", "812 B"."""
    unit_size, unit = max((unit_size, unit) for unit_size, unit in
                          ((1, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"))
                          if count >= unit_size * 0.9995 or unit_size == 1)
    number = count / unit_size
    return f"{number:.0f} {unit}" if unit_size == 1 or number >= 9.95 else f"{number:.1f} {unit}"


def percent(share):
    """"0 %", "< 0.1 %", "4.0 %", "14 %"."""
    hundredths = 100 * share
    if hundredths == 0 or hundredths >= 9.95:
        return f"{hundredths:.0f} %"
    return "< 0.1 %" if hundredths < 0.05 else f"{hundredths:.1f} %"


def ops(count):
    return f"{count:,} op" + ("" if count == 1 else "s")


def words_of(path):
    """Reads the texts of a frame: [(x, y, text)]."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t", 2) for line in file]
    return [(int(x), int(y), text) for x, y, text in lines]


def behind(words, head):
    """The nearest text to the right of each occurrence of this name, on the same line."""
    found = []
    for x, y, text in words:
        if text == head:
            right = [(x2, text2) for x2, y2, text2 in words if y2 == y and x2 > x]
            found += [text2 for _, text2 in sorted(right)[:1]]
    return found


def differences(report, lanes_ns, words):
    """(how many texts were compared, [(name, the window's texts, the expected text)]). `lanes_ns`: the run's total for each
    lane that executed something."""
    of_table = {
        "total": duration(report["total_ns"]),
        "issue": duration(report["issue_ns"]),
        "blocked": duration(report["blocked_ns"]),
        "backend idle": percent(report["backend_idle_ns"] / lanes_ns) if lanes_ns else "–",
        "max headway": ops(report["headway_max"]),
        "peak memory": size(report["live_bytes_peak"]),
        **{head: "–" if (ns := report[key]) is None else duration(ns)
           for head, key in (("t₁ issue", "t1_ns"), ("t₂ execute", "t2_ns"), ("t₃ return", "t3_ns"))},
    }
    if report["predicted_ns"] is not None:
        of_table["predicted"] = duration(report["predicted_ns"])
    wrong, compared = [], 0
    for head, text in of_table.items():
        compared += 1
        said = behind(words, head)
        if text not in said:
            wrong.append((head, said, text))
    for line, said, text in lines_of(report, words):
        compared += 1
        if text not in said:
            wrong.append((f"ops of line {line}", said, text))
    return compared, wrong


def lines_of(report, words):
    """For each visible source line: (line, the texts in its row, the number of ops that it issued)."""
    # The column's head stands beside another one; sentences may have such words, too.
    heads = [(x, y) for x, y, text in words if text == "ops" and any(
        other == "issue" and 0 < x - other_x < 300 and abs(y - other_y) < 20 for other_x, other_y, other in words)]
    for line in report["lines"]:
        rows = [(x, y) for x, y, text in words if text == str(line["line"]) and any(
            x < head_x and y > head_y and head_x - x < 1000 for head_x, head_y in heads)]
        if line["ops"] and len(rows) == 1 and sum(other["line"] == line["line"] for other in report["lines"]) == 1:
            x, y = rows[0]
            yield line["line"], [text for x2, y2, text in words if y2 == y and x2 > x], f"{line['ops']:,}"
