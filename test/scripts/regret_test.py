#!/usr/bin/env python3
"""regret_test.py SCRIPT: the parts of scripts/regret that need no device."""
import importlib.machinery
import importlib.util
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("regret", SCRIPT)
regret = importlib.util.module_from_spec(importlib.util.spec_from_loader("regret", loader))
loader.exec_module(regret)


class Options(unittest.TestCase):
    def test_help_explains(self):
        told = subprocess.run([sys.executable, SCRIPT, "--help"], capture_output=True, text=True)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("below 98 %", told.stdout)


class ShapeList(unittest.TestCase):
    def test_is_a_function_of_the_seed(self):
        self.assertEqual(regret.shape_list(60, 1, 2048, 2e9, set()),
                         regret.shape_list(60, 1, 2048, 2e9, set()))
        self.assertNotEqual(regret.shape_list(60, 1, 2048, 2e9, set()),
                            regret.shape_list(60, 2, 2048, 2e9, set()))

    def test_keeps_its_bounds_and_has_no_shape_twice(self):
        shapes = regret.shape_list(200, 3, 512, 1e7, set())
        self.assertEqual(len(set(shapes)), 200)
        for m, n, k in shapes:
            self.assertGreaterEqual(min(m, n, k), 1)
            self.assertLessEqual(max(m, n, k), 512)
            self.assertLessEqual(2 * m * n * k, 1e7)

    def test_has_all_classes(self):
        shapes = regret.shape_list(60, 1, 2048, 2e9, set())
        self.assertGreaterEqual(sum(m >= 4 * n for m, n, k in shapes), 12)
        self.assertGreaterEqual(sum(n >= 4 * m for m, n, k in shapes), 12)
        self.assertGreaterEqual(sum(k >= 4 * max(m, n) for m, n, k in shapes), 12)
        self.assertGreaterEqual(sum(min(m, n) <= 8 for m, n, k in shapes), 12)
        self.assertGreaterEqual(sum(m % 2 == n % 2 == k % 2 == 1 for m, n, k in shapes), 12)

    def test_leaves_out_what_was_tuned(self):
        first = regret.shape_list(60, 1, 2048, 2e9, set())[0]
        self.assertNotIn(first, regret.shape_list(60, 1, 2048, 2e9, {first}))

    def test_reads_what_was_tuned(self):
        text = '[[result]]\nop = "NN"\nm = 64\nn = 32\nk = 128\nkernel = "x"\n'
        self.assertEqual(regret.tuned_shapes(text + text.replace("64", "65")),
                         {(64, 32, 128), (65, 32, 128)})


class Regret(unittest.TestCase):
    def test_is_the_share_of_the_best_way(self):
        plans = [{"kernel": "picked", "gflops": {"median": 8.0}},
                {"kernel": "better", "gflops": {"median": 10.0}}]
        self.assertEqual(regret.regret_of({"plans": plans}), (0.8, "better"))
        self.assertEqual(regret.regret_of({"plans": plans[:1]}), (1.0, "picked"))

    def test_is_summed_up_by_geometric_mean_and_worst(self):
        mean, worst = regret.summary([1.0, 0.25])
        self.assertAlmostEqual(mean, 0.5)
        self.assertEqual(worst, 0.25)


unittest.main()
