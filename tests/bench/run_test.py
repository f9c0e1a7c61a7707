#!/usr/bin/env python3
"""The table's arithmetic: minimum, goals, and missing peers."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import fresh  # noqa: E402
import run  # noqa: E402


def rows(*lines):
    made = {}
    for peer, workload, issue, end_to_end in lines:
        made[(peer, workload)] = run.Row({
            "peer": peer, "workload": workload, "n": 10, "note": "", "issue": [issue * 2, issue],
            "e2e": [end_to_end, end_to_end * 2], "rss_growth_bytes": 5 << 20, "foreign_percent": 0,
            "trace_bytes_per_op": 64})
    return made


def goal(judged, text):
    return next(item for item in judged if text in item.text)


class Goals(unittest.TestCase):
    def test_compares_minimum_with_the_fastest_peer(self):
        judged = run.goals(rows(("Headway", "a10k", 30, 40), ("GCC OpenMP", "a10k", 400, 400),
                                ("oneTBB task_group", "a10k", 80, 100), ("oneTBB flow graph", "a10k", 120, 90)))
        issue = goal(judged, "issue (a, 10k)")
        self.assertAlmostEqual(issue.measured, 30 / 80)
        self.assertTrue(issue.met)
        self.assertIn("task_group", issue.detail)

    def test_is_not_met_above_the_bar(self):
        judged = run.goals(rows(("Headway", "d", 300, 300), ("limit", "round_trip", 100, 100),
                                ("libtorch", "a10k", 1500, 1500)))
        self.assertFalse(goal(judged, "spin round trip").met)
        self.assertFalse(goal(judged, "libtorch op").met)

    def test_is_not_judged_without_the_peer(self):
        judged = run.goals(rows(("Headway", "d", 300, 300)))
        self.assertIsNone(goal(judged, "spin round trip").met)
        self.assertIsNone(goal(judged, "(e) waiting each time / libtorch").met)
        self.assertIsNone(goal(judged, "cheapest").met)

    def test_takes_the_recorder_as_a_difference(self):
        judged = run.goals(rows(("Headway", "a10k", 40, 40), ("Headway, not recording", "a10k", 28, 28),
                                ("limit", "record", 10, 10)))
        self.assertAlmostEqual(goal(judged, "recorder").measured, 1.2)

    def test_judges_memory_and_lanes(self):
        judged = run.goals(rows(("Headway", "a1m", 30, 40), ("Headway, 2 lanes", "a1m", 30, 50),
                                ("Headway, 4 lanes", "a1m", 30, 70)))
        self.assertTrue(goal(judged, "trace bytes").met)
        self.assertFalse(goal(judged, "growth").met)
        self.assertTrue(goal(judged, "2 lanes").met)
        self.assertFalse(goal(judged, "4 lanes").met)


class Table(unittest.TestCase):
    def test_shows_minimum_and_median_in_the_unit_of_the_column(self):
        self.assertEqual(run.short(12.34, "a10k"), "12.3")
        self.assertEqual(run.short(40_100, "d"), "40.1k")
        self.assertEqual(run.short(11_500_000, "e_sync"), "11.5")
        self.assertEqual(run.short(49_000, "f"), "49.0")

    def test_has_a_line_for_each_peer_and_dashes_for_missing_values(self):
        lines = run.table(rows(("Headway", "a10k", 30, 40), ("NumPy", "d", 600, 600), ("limit", "record", 10, 10)))
        self.assertEqual(len(lines), 3)
        self.assertIn("30.0/45.0", lines[1])
        self.assertIn("–", lines[2])


class Fresh(unittest.TestCase):
    def found(self):
        mine = [{"e2e": time, "processor": 40, "record": 20, "descheduled": 0, "page_faults": 7} for time in (40, 60, 400)]
        return {"headway run increment": mine, "GCC OpenMP": [{"e2e": 300, "processor": 300, "page_faults": 0}] * 3,
                "oneTBB task_group": [{"e2e": 120, "processor": 120, "page_faults": 3}] * 3}

    def test_compares_medians_with_the_fastest_peer(self):
        measured, bar, detail = fresh.judged(self.found())
        self.assertAlmostEqual(measured, 60 / 120)
        self.assertEqual(bar, 0.30)
        self.assertIn("task_group", detail)

    def test_is_not_judged_without_a_peer(self):
        self.assertIsNone(fresh.judged({"headway run increment": self.found()["headway run increment"]})[0])
        self.assertIsNone(fresh.judged({})[0])

    def test_shows_quartiles_faults_and_the_share_of_recording(self):
        line = fresh.lines(self.found())[1]
        self.assertIn(" 60.0 ", line)
        self.assertIn(" 40.0       7   recording 20.0 ns (33%)", line)
        self.assertEqual(fresh.lines({}), [])


if __name__ == "__main__":
    unittest.main()
