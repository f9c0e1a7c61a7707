#!/usr/bin/env python3
"""tour_test.py HEADWAY: the tour takes pictures of a lesson with several languages, and reports an unknown lesson.
Exit status 77: there is no OpenGL here."""

import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

TOUR = Path(__file__).with_name("tour.py")
HEADWAY = Path(sys.argv[1]).resolve()


def tour(out, *words):
    return subprocess.run([sys.executable, TOUR, "--headway", HEADWAY, "--out", out, *words], capture_output=True, text=True)


def colours(path):
    """The number of different rows of pixels: a blank picture has one."""
    data, at, packed = path.read_bytes(), 8, b""
    width = int.from_bytes(data[16:20], "big")
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    pixels = zlib.decompress(packed)
    row = len(pixels) // int.from_bytes(data[20:24], "big")
    assert row > width, path
    return len({pixels[i:i + row] for i in range(0, len(pixels), row)})


def main():
    with tempfile.TemporaryDirectory(prefix="headway-tour-test-") as folder:
        probe = subprocess.run([HEADWAY, "--offscreen", "640x400"], capture_output=True, text=True)
        if probe.returncode != 0:
            print(probe.stderr)
            return 77
        out = Path(folder, "out")
        out.mkdir()
        (out / "99-of-another-time.png").write_text("")
        done = tour(out, "--lesson", "dependency-graph")
        assert done.returncode == 0, done.stderr
        names = sorted(path.name for path in out.glob("*.png"))
        page = (out / "index.html").read_text()
        for word in ("dark", "light", "projector", "1280x720", "1920x1080", "3840x2160", "pytorch", "mxnet", "tensorflow"):
            assert any(word in name for name in names), (word, names)
        for name in names:
            assert f'src="{name}"' in page, name
            assert colours(out / name) > 100, name
        assert "99-of-another-time.png" not in names
        # An unknown lesson: no picture, and an error message.
        done = subprocess.run([sys.executable, TOUR, "--headway", HEADWAY, "--out", out, "--lesson", "nothing"],
                              capture_output=True, text=True)
        assert done.returncode != 0 and "nothing" in done.stderr, done
    return 0


if __name__ == "__main__":
    sys.exit(main())
