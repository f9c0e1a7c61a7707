"""Kills at random moments: each output is the old file, a whole new one, or absent; never half of one.

HEADWAY_KILLS: how many (default 24).
"""

import json
import os
import random
import signal
import subprocess
import time

from scenario import RUNNER, WITH_FIGURES, Scenario, main, settings

KILLS = int(os.environ.get("HEADWAY_KILLS", "24"))
RUN = ("increment", *settings(n=2_000))


class Kill(Scenario):
    def outputs(self):
        names = ["report.json", "trace.json"] + (["figure.png"] if WITH_FIGURES else [])
        return {name: self.folder / name for name in names}

    def command(self):
        options = [word for name, path in self.outputs().items() for word in ("--" + name.split(".")[0], path)]
        return [RUNNER, "run", *map(str, (*RUN, *options))]

    def is_whole(self, path):
        data = path.read_bytes()
        if path.suffix == ".json":
            return bool(json.loads(data))
        return data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")

    def start(self):
        return subprocess.Popen(self.command(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)

    def program_of(self, supervisor):
        """The process that runs the program; the supervisor itself while there is none."""
        found = subprocess.run(["pgrep", "-P", str(supervisor)], capture_output=True, text=True).stdout.split()
        return int(found[0]) if found else supervisor

    def test_outputs_are_old_new_or_absent(self):
        began = time.monotonic()
        with self.start() as child:
            self.assertEqual(child.wait(timeout=60), 0)
        length_s = time.monotonic() - began
        for path in self.outputs().values():
            self.assertTrue(self.is_whole(path))
        chance = random.Random(7)
        absent = killed = 0
        for turn in range(KILLS):
            if turn % 2 == 0:
                for path in self.outputs().values():
                    path.unlink(missing_ok=True)
            with self.start() as child:
                time.sleep(chance.uniform(0, 1.3 * length_s))
                # The supervisor, the program, or both at once.
                victims = {0: [child.pid], 1: [self.program_of(child.pid)],
                           2: [child.pid, self.program_of(child.pid)]}[turn % 3]
                for victim in victims:
                    try:
                        os.kill(victim, chance.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV)))
                        killed += 1
                    except ProcessLookupError:
                        pass
                child.wait(timeout=60)
            for path in self.outputs().values():
                if path.exists():
                    self.assertTrue(self.is_whole(path), (turn, path.name))
                else:
                    absent += 1
            for name in os.listdir(self.folder):  # what a partial run left beside a complete file is whole, too
                if ".partial." in name:
                    self.assertTrue(self.is_whole(self.folder / name), (turn, name))
                    (self.folder / name).unlink()
        self.assertGreater(killed, KILLS // 2)
        # Nothing of a killed run goes on.
        time.sleep(0.5)
        left = subprocess.run(["pgrep", "-f", str(self.folder)], capture_output=True, text=True).stdout.split()
        self.assertEqual(left, [])


if __name__ == "__main__":
    main()
