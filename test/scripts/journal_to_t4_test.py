#!/usr/bin/env python3
"""journal_to_t4_test.py SCRIPT JOURNAL: what scripts/journal-to-t4 makes of a journal."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT, JOURNAL = sys.argv.pop(1), sys.argv.pop(1)


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


def outcome(result, shapes, point="gemm tile_m=4 access=aligned"):
    return {"outcomes": [{"task": "NN", "point": point, "result": result, "shapes": shapes, "took_s": 0.5}]}


class Export(unittest.TestCase):
    def exported(self, *lines):
        header = {"header": {"tool_version": "1", "date": "today", "device": {"identity": {"name": "board"}}}}
        with tempfile.TemporaryDirectory() as folder:
            journal = os.path.join(folder, "journal.jsonl")
            with open(journal, "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(line) + "\n" for line in (header, *lines)))
            return json.loads(run(journal).stdout)

    def test_exports_every_candidate_of_a_journal(self):
        with open(JOURNAL, encoding="utf-8") as file:
            candidates = sum('"outcomes"' in line and '"packing"' not in line for line in file)
        results = json.loads(run(JOURNAL).stdout)["results"]
        self.assertEqual(len(results), candidates)
        self.assertTrue(all(result["invalidity"] == "correct" for result in results))

    def test_the_objective_is_the_geometric_mean_of_the_time_per_flop(self):
        shapes = [{"shape": "1x1x1", "ns": [2.0, 9.0, 1.0]}, {"shape": "2x1x1", "ns": [32.0]}]
        (result,) = self.exported(outcome("ok", shapes))["results"]
        self.assertEqual(result["configuration"], {"codelet": "gemm", "tile_m": 4, "access": "aligned"})
        self.assertAlmostEqual(result["measurements"][0]["value"], (1.0 * 8.0) ** 0.5)
        self.assertAlmostEqual(result["times"]["framework"], 500.0 - 44e-6)

    def test_failures_have_the_names_of_the_schema(self):
        names = {"limits": "constraints", "build": "compile", "build_crash": "compile", "launch": "runtime",
                 "hang": "timeout", "wrong": "correctness"}
        results = self.exported(*(outcome(name, []) for name in names))["results"]
        self.assertEqual([result["invalidity"] for result in results], list(names.values()))
        self.assertTrue(all(result["correctness"] == 0 for result in results))

    def test_refuses_what_is_no_journal(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write("{}\n")
            file.flush()
            for path in (file.name, file.name + ".missing"):
                refused = run(path)
                self.assertEqual(refused.returncode, 1)
                self.assertIn(path, refused.stderr)
                self.assertEqual(refused.stdout, "")


unittest.main()
