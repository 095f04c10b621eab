#!/usr/bin/env python3
"""performance_test.py SCRIPT: the summary of scripts/performance, from made-up figures, and its shapes."""
import glob
import importlib.machinery
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("performance", SCRIPT)
performance = importlib.util.module_from_spec(importlib.util.spec_from_loader("performance", loader))
loader.exec_module(performance)


def around(median):
    return {"median": median, "low": 0.9 * median, "high": 1.1 * median}


def product(op, m, n, k, ours, theirs):
    return {"op": op, "m": m, "n": n, "k": k, "kernel": "x", "gflops": around(ours), "samples": 9,
            "rivals": {"exec:bin/cublas_rival": around(theirs)}, "launch_share": 0.25}


REPORT = {"device": "Made-up GPU", "platform": "OpenCL 3.0", "date": "2026-01-02T03:04:05Z",
          "results": [product("NN", 60, 60, 60, 300.0, 600.0), product("NN", 960, 960, 960, 800.0, 400.0)]}


class Summary(unittest.TestCase):
    def test_has_a_row_for_each_run_and_class_of_products(self):
        squares = dict(REPORT, environment=["POCL_AFFINITY=1"])
        random = [product("NN", 8 + i, 7, 6, 70.0, 100.0) for i in range(30)]
        random[0].update(gflops=around(7.0), launch_share=0.9)  # 0.07, and mostly its launch
        random[1].update(gflops=None, launch_share=None)        # not measured
        layers = [product("NN", 100, 10 * i, 50, 300.0, 100.0) for i in (1, 2, 3)]
        layers[0]["rivals"]["clblast"] = around(150.0)
        older = dict(REPORT, date="2025-12-31T23:59:59Z", results=layers)
        doubles = dict(older, precision="d")
        few = dict(REPORT, device="Another", results=[product("NN", 2, 3, 4, 1.0, 2.0), product("NN", 5, 3, 4, 1.0, 2.0)])
        table = performance.summary([squares, dict(REPORT, results=random), older, few, doubles]).splitlines()
        self.assertEqual(table[2:], [
            "| Another, 2026-01-02 | 2 shapes, 2 to 5 a side | cublas 0.50 (0.50 to 0.50) |",
            "| Made-up GPU, 2025-12-31 | 3 layers, batch 100 | cublas 3.00 (3.00 to 3.00), clblast 2.00 (2.00 to 2.00) |",
            "| Made-up GPU, POCL_AFFINITY=1, 2026-01-02 | squares 60 to 960 | cublas 1.00 (0.50 to 2.00) |",
            "| Made-up GPU, 2026-01-02 | 29 random shapes | cublas 0.65 (0.07 to 0.70) |",
            "|  | of these, launch below 30 % | cublas 0.70 (0.70 to 0.70) |",
            "| Made-up GPU, double precision, 2025-12-31 | 3 layers, batch 100 | cublas 3.00 (3.00 to 3.00), "
            "clblast 2.00 (2.00 to 2.00) |"])

    def test_the_page_has_what_its_files_give(self):
        folder = os.path.join(os.path.dirname(os.path.abspath(SCRIPT)), "..", "docs")
        with open(os.path.join(folder, "performance.md"), encoding="utf-8") as file:
            page = file.read()
        # As the command on the page lists them.
        patterns = page.split("--page docs/performance.md ")[1].split("\n")[0].split()
        files = sorted(file for pattern in patterns for file in glob.glob(os.path.join(folder, "..", pattern)))
        made = performance.summary(list(map(performance.read, files)))
        self.assertIn(f"<!-- begin: summary -->\n{made}\n<!-- end -->", page)


class Shapes(unittest.TestCase):
    def test_are_a_function_of_the_seed_of_all_classes_and_within_bounds(self):
        shapes = performance.random_shapes(1)
        self.assertEqual(shapes, performance.random_shapes(1))
        self.assertNotEqual(shapes, performance.random_shapes(2))
        self.assertEqual(len(set(shapes)), 64)
        for m, n, k in shapes:
            self.assertTrue(1 <= min(m, n, k) and max(m, n, k) <= 4096 and 2 * math.prod((m, n, k)) <= 2e10)
        for is_of_class in (lambda m, n, k: m >= 4 * n, lambda m, n, k: n >= 4 * m, lambda m, n, k: k >= 4 * max(m, n),
                            lambda m, n, k: min(m, n) <= 8, lambda m, n, k: m % 2 == n % 2 == k % 2 == 1):
            self.assertGreaterEqual(sum(is_of_class(*shape) for shape in shapes), 12)


class Page(unittest.TestCase):
    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.report = self.file("products.json", json.dumps(REPORT))

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_its_marked_part_is_replaced_and_nothing_else(self):
        page = self.file("page.md", "Before\n<!-- begin: summary -->\nold \\1\n<!-- end -->\nafter\n")
        for _ in range(2):  # twice is as once
            done = self.run_script("--page", page, self.report)
            self.assertEqual(done.returncode, 0, done.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        printed = self.run_script(self.report).stdout
        self.assertEqual(text, f"Before\n<!-- begin: summary -->\n{printed}<!-- end -->\nafter\n")

    def test_what_it_cannot_use_is_refused_and_the_page_stays(self):
        page = self.file("page.md", "no marks\n")
        for arguments in ((), (self.file("x.json", "{}"),), (self.file("y.json", "{"),), ("/no/such/file",),
                          ("--page", page, self.report), ("--page", "/no/such/page", self.report)):
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn("performance: ", done.stderr)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(file.read(), "no marks\n")


unittest.main()
