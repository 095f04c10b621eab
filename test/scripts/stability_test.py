#!/usr/bin/env python3
"""stability_test.py SCRIPT: the parts of scripts/stability that need no device."""
import importlib.machinery
import importlib.util
import math
import random
import statistics
import sys
import unittest

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("stability", SCRIPT)
stability = importlib.util.module_from_spec(importlib.util.spec_from_loader("stability", loader))
loader.exec_module(stability)


def process(times, rounds, rng, slow=0.0, jitter=0.01):
    """Logarithms of so many samples of each kernel, on a machine that takes half as long again in a share of the
    rounds, and in some of these from one kernel to the next."""
    kernels = [[] for _ in times]
    for _ in range(rounds):
        is_slow = rng.random() < slow
        straddles = is_slow and rng.random() < 0.3
        for of_kernel, ns in zip(kernels, times):
            longer = is_slow and not (straddles and rng.random() < 0.5)
            of_kernel.append(math.log(ns * (1.5 if longer else 1.0)) + rng.gauss(0, jitter))
    return kernels


class BesideEachOther(unittest.TestCase):
    def test_takes_out_what_the_machine_did_to_a_round(self):
        rng = random.Random(1)
        times = [100, 102, 105, 100, 110]
        def error(own):
            return max(abs(log - own[0] - math.log(ns / 100)) for ns, log in zip(times, own))
        samples = [process(times, 40, rng, slow=0.5) for _ in range(50)]
        self.assertLess(max(error(stability.beside_each_other(each)) for each in samples), 0.02)
        # Each kernel's own median says which of them met more slow rounds.
        self.assertGreater(max(error([statistics.median(kernel) for kernel in each]) for each in samples), 0.3)

    def test_takes_rounds_that_straddle_a_change_for_what_they_are(self):
        # Two that are equal; in three rounds of ten the machine was slow for the first alone, in three for both.
        longer = math.log(1.5)
        own = stability.beside_each_other([[longer] * 6 + [0.0] * 4, [0.0] * 3 + [longer] * 3 + [0.0] * 4])
        self.assertAlmostEqual(own[0], own[1])

    def test_of_one_round_takes_it(self):
        own = stability.beside_each_other([[1.0], [1.5]])
        self.assertAlmostEqual(own[1] - own[0], 0.5)


class Differences(unittest.TestCase):
    def test_says_how_far_each_is_behind_the_best(self):
        behind, _ = stability.differences([[0.0, 0.01, 0.02], [0.1, 0.11, 0.12]])
        self.assertAlmostEqual(behind[0], 0.0)
        self.assertAlmostEqual(behind[2], 100 * math.expm1(0.02))

    def test_one_kernel_is_beaten_by_none(self):
        self.assertEqual(stability.differences([[1.0, 1.0], [2.0, 2.0]]), ([0.0, 0.0], 0.0))

    def test_equals_are_seldom_beaten_by_more_than_noise(self):
        rng = random.Random(2)
        beaten = 0
        for _ in range(200):
            behind, noise = stability.differences([[rng.gauss(0, 0.01) for _ in range(6)] for _ in range(8)])
            beaten += max(behind) > noise
        self.assertLess(beaten, 200 * 0.1)


class StudentizedRange(unittest.TestCase):
    def test_is_that_of_the_tables(self):
        self.assertAlmostEqual(stability.studentized_range(3, 10), 3.88, delta=0.02)
        self.assertAlmostEqual(stability.studentized_range(10, 20), 5.01, delta=0.02)


class Turns(unittest.TestCase):
    def test_everybody_is_first_once(self):
        self.assertEqual([stability.turned("abc", i)[0] for i in range(4)], ["a", "b", "c", "a"])

    def test_like_kernels_have_like_letters(self):
        self.assertEqual(stability.letters(["x", "y", "x"]), ["a", "b", "a"])


if __name__ == "__main__":
    unittest.main()
