#!/usr/bin/env python3
"""Pictures of the window: every lesson in every theme and at every size, every language of it, and the window's dialogs.

    tour.py --headway PATH --out FOLDER [--lesson ID]... [--no-parts] [--jobs N]

A lesson's first language is shown three times, each time in another theme and at another size, so that over all lessons
each theme meets each size; its other languages once each. FOLDER gets the pictures and index.html. Exit status: 0 all
pictures are there; 1 some are not, with a line for each.
"""

import argparse
import html
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SIZES = ["1280x720", "1920x1080", "3840x2160"]
THEMES = ["dark", "light", "projector"]
# Some lessons need a second run to show their point.
SECOND = {
    "matmul": ["set:wait=each"],
    "increment": ["set:wait=each"],
    "train": ["barrier:none"],
}
# Steps after a run and a second run without a barrier.
PARTS = {
    "export dialog": ["key:f12"],
    "export menu": ["click:export", "frames:3"],
    "keys": ["key:shift+/", "frames:3"],
    "palette": ["key:ctrl+shift+p", "frames:3"],
    "search": ["key:/", "text:kind:matmul", "frames:20"],
    "hovered op": ["hover-op:0,400", "frames:40"],
    "deep zoom": ["point:timeline", "wheel:8", "wheel:8", "frames:40"],
    "graph": ["key:g", "frames:10"],
    "scaled up": ["scale:1.5", "frames:10"],
}
TIMEOUT_S = 150


class Picture:
    def __init__(self, lesson, what, size, theme, tab, steps):
        self.lesson, self.what, self.size, self.theme, self.tab, self.steps = lesson, what, size, theme, tab, steps
        words = [f"{lesson['number']:02d}", lesson["id"], *([what] if what else []), *([tab] if tab else []), size, theme]
        self.name = "-".join(words).replace(" ", "-") + ".png"
        self.problem = ""

    def take(self, headway, folder):
        path = folder / self.name
        command = [headway, self.lesson["id"], "--offscreen", self.size, "--theme", self.theme]
        command += ["--tab", self.tab] if self.tab else []
        for step in [*self.steps, f"picture:{path}"]:
            command += ["--do", step]
        with tempfile.TemporaryDirectory(prefix="headway-tour-") as data:
            try:
                done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL,
                                      cwd=data, env={**os.environ, "XDG_DATA_HOME": data})
            except subprocess.TimeoutExpired:
                self.problem = f"took longer than {TIMEOUT_S} s"
                return
        if done.returncode != 0:
            self.problem = done.stderr.decode(errors="replace").strip() or f"status {done.returncode}"
        elif size_of(path) != self.size:
            self.problem = f"is {size_of(path)}"


def size_of(path):
    """"1280x720" of a PNG; "no picture" of all else."""
    with open(path, "rb") as file:
        head = file.read(24)
    return "{}x{}".format(*struct.unpack(">II", head[16:24])) if head.startswith(b"\x89PNG") else "no picture"


def pictures_of(lesson, index):
    steps = ["run", "wait", *([*SECOND[lesson["id"]], "run", "wait"] if lesson["id"] in SECOND else [])]
    for place, size in enumerate(SIZES):
        yield Picture(lesson, "", size, THEMES[(index + place) % len(THEMES)], "", steps)
    for place, tab in enumerate(lesson["tabs"]):
        yield Picture(lesson, "", SIZES[1], THEMES[(index + place) % len(THEMES)], tab, steps)


def parts_of(lesson):
    before = ["run", "wait", "barrier:none", "run", "wait"]
    for index, (what, steps) in enumerate(PARTS.items()):
        for size, theme in ((SIZES[0], THEMES[index % 3]), (SIZES[1], THEMES[(index + 1) % 3])):
            yield Picture(lesson, what, size, theme, "", [*before, *steps])


def page(pictures, seconds):
    rows = []
    for lesson in dict.fromkeys((p.lesson["number"], p.lesson["title"]) for p in pictures):
        rows.append(f"<h2>{lesson[0]}. {html.escape(lesson[1])}</h2>")
        for p in pictures:
            if (p.lesson["number"], p.lesson["title"]) != lesson:
                continue
            words = html.escape(", ".join(w for w in (p.what, p.tab, p.theme, p.size) if w))
            shown = (f"<b>{html.escape(p.problem)}</b>" if p.problem else
                     f'<a href="{p.name}"><img loading="lazy" width="560" src="{p.name}" alt="{words}"></a>')
            rows.append(f"<figure>{shown}<figcaption>{words}</figcaption></figure>")
    return ("<!doctype html><meta charset=utf-8><title>Headway: a tour of the window</title>\n"
            "<style>body{font:15px sans-serif;margin:2em}figure{display:inline-block;margin:0 1em 1.5em 0;"
            "vertical-align:top}img{border:1px solid #888}b{color:#b00}</style>\n"
            f"<h1>A tour of the window</h1><p>{len(pictures)} pictures, taken in {seconds:.0f} s.</p>\n"
            + "\n".join(rows) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--headway", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--lesson", action="append", default=[], help="only this one (repeatable)")
    parser.add_argument("--no-parts", action="store_true", help="without the window's dialogs")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1))
    options = parser.parse_args()
    headway = options.headway.resolve()
    lessons = json.loads(subprocess.run([headway, "lessons", "--json"], check=True, capture_output=True).stdout)
    unknown = [id for id in options.lesson if id not in [lesson["id"] for lesson in lessons]]
    if unknown:
        parser.error(f"there is no lesson called {unknown[0]}")
    pictures = []
    for index, lesson in enumerate(lessons):
        if not options.lesson or lesson["id"] in options.lesson:
            pictures += pictures_of(lesson, index)
            if lesson["id"] == "train" and not options.no_parts:
                pictures += parts_of(lesson)
    options.out.mkdir(parents=True, exist_ok=True)
    folder = options.out.resolve()
    for old in folder.glob("[0-9][0-9]-*.png"):
        old.unlink()
    begin = time.monotonic()
    # Start the largest first, because they take longest.
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda p: p.take(headway, folder),
                      sorted(pictures, key=lambda p: -int(p.size.split("x")[0]))))
    (folder / "index.html").write_text(page(pictures, time.monotonic() - begin), encoding="utf-8")
    broken = [p for p in pictures if p.problem]
    for p in broken:
        print(f"{p.name}: {p.problem}", file=sys.stderr)
    print(f"{len(pictures) - len(broken)} pictures in {folder}, {time.monotonic() - begin:.0f} s; see {folder / 'index.html'}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
