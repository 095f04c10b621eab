#!/usr/bin/env python3
"""bench_regression_test.py SCRIPT: the decision of scripts/bench-regression on noise, and a whole run with
programs that answer made-up figures."""
import importlib.machinery
import importlib.util
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("bench_regression", SCRIPT)
regression = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_regression", loader))
loader.exec_module(regression)

# Answers rates of 100 GFLOPS times `speed`, with 2 % of noise, for two products.
PROGRAM = """#!/usr/bin/env python3
import json, random, sys
results = [dict(op="NN", m=m, n=8, k=8, gflops=dict(median=100 * {speed} * random.lognormvariate(0, 0.02)))
           for m in (8, 16)]
print(json.dumps(dict(device="Made-up", results=results)))
"""


def noise(rng, rounds, change, deviation=0.02, outliers=0.03):
    """Logarithms of old over new time: each time has noise, and some are disturbed much."""
    def time(true):
        disturbed = 1.5 if rng.random() < outliers else 1.0
        return true * disturbed * math.exp(rng.gauss(0.0, deviation))
    return [math.log(time(1.0) / time(change)) for _ in range(rounds)]


class Statistic(unittest.TestCase):
    def test_the_interval_is_that_of_tables(self):
        # The sign test at 95 %: n = 10 leaves out one value on each side (2.1 %), n = 20 five (4.1 %).
        self.assertEqual(regression.interval(list(range(10, 0, -1)), 0.05), (2, 5.5, 9))
        self.assertEqual(regression.interval(list(range(20)), 0.05), (5, 9.5, 14))

    def test_few_rounds_decide_nothing(self):
        self.assertEqual(regression.interval([-0.5] * 5, 0.05), (-math.inf, -0.5, math.inf))
        self.assertEqual(regression.interval([-0.5] * 6, 0.05), (-0.5, -0.5, -0.5))
        for products in (1, 6, 18):
            rounds = regression.least_rounds(products, 0.05)
            self.assertEqual(regression.judge([-0.5] * rounds, products, 0.05, 0.02)[0], "slower")
            self.assertEqual(regression.judge([-0.5] * (rounds - 1), products, 0.05, 0.02)[0], "same")


class Decision(unittest.TestCase):
    def share(self, verdict, change, threshold=0.02, runs=200):
        """Of runs with six products, those in which one product has that verdict."""
        rng = random.Random(7)
        found = 0
        for _ in range(runs):
            verdicts = [regression.judge(noise(rng, 20, change), 6, 0.05, threshold)[0] for _ in range(6)]
            found += verdict in verdicts
        return found / runs

    def test_equal_builds_are_seldom_told_apart(self):
        # Without a threshold, too; both directions together have the chance alpha.
        self.assertLessEqual(self.share("slower", 1.0, threshold=0.0), 0.05)
        self.assertLessEqual(self.share("faster", 1.0, threshold=0.0), 0.05)
        self.assertLessEqual(self.share("slower", 1.0), 0.025)

    def test_five_percent_are_found(self):
        rng = random.Random(5)
        for change, verdict in ((1.05, "slower"), (1 / 1.05, "faster")):
            found = [regression.judge(noise(rng, 20, change), 6, 0.05, 0.02)[0] for _ in range(1000)]
            self.assertGreaterEqual(found.count(verdict) / 1000, 0.92)

    def test_what_is_certain_but_small_is_no_change(self):
        self.assertEqual(regression.judge([-0.01] * 12, 1, 0.05, 0.02)[0], "same")
        self.assertEqual(regression.judge([-0.01] * 12, 1, 0.05, 0.005)[0], "slower")

    def test_ratios_are_speeds(self):
        verdict, (low, ratio, high) = regression.judge([math.log(0.5)] * 10, 1, 0.05, 0.02)
        self.assertEqual(verdict, "slower")
        self.assertAlmostEqual(ratio, 0.5)
        self.assertLessEqual(low, high)


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, name, speed):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(speed=speed))
        os.chmod(path, 0o755)
        return path

    def compare(self, *arguments):
        done = subprocess.run([sys.executable, SCRIPT, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_a_slower_build_is_found(self):
        code, out, _ = self.compare("--json", self.program("old", 1.0), self.program("new", 0.8))
        answer = json.loads(out)
        self.assertEqual(code, 1)
        self.assertEqual((answer["slower"], answer["faster"], answer["rounds"]), (2, 0, 20))
        self.assertAlmostEqual(answer["products"][0]["ratio"], 0.8, delta=0.05)

    def test_a_build_is_not_slower_than_itself(self):
        # The threshold lies far beyond the noise: this asks that the two are not mixed up.
        same = self.program("same", 1.0)
        code, out, _ = self.compare("--threshold", "10", same, same)
        self.assertEqual(code, 0)
        self.assertIn("0 slower, 0 faster, 2 same", out)

    def test_a_faster_build_is_no_failure(self):
        code, out, _ = self.compare(self.program("old", 1.0), self.program("new", 1.3))
        self.assertEqual(code, 0)
        self.assertIn("0 slower, 2 faster, 0 same", out)

    def test_bad_questions_are_refused(self):
        same = self.program("same", 1.0)
        code, _, error = self.compare("--rounds", "3", same, same)
        self.assertEqual(code, 2)
        self.assertIn("2 products need at least 7", error)
        code, _, error = self.compare(same, "no-such-commit")
        self.assertEqual(code, 2)
        self.assertIn("'no-such-commit' is neither a program nor a commit", error)
        code, _, error = self.compare(same, "/bin/false")
        self.assertEqual(code, 2)
        self.assertIn("/bin/false bench", error)


unittest.main()
