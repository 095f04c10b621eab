#!/usr/bin/env python3
"""performance_test.py SCRIPT: the summary of scripts/performance, from made-up figures, and its shapes."""
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


def figure(kind, name, rate):
    return {"kind": kind, "name": name, "samples": 9, "us": around(1.0), "rate": around(rate)}


def product(op, m, n, k, ours, theirs, launch_share=0.25):
    return {"op": op, "m": m, "n": n, "k": k, "launch_share": launch_share,
            "figures": [figure("tilewright", "tilewright", ours), figure("competitor", "exec:bin/cublas_competitor", theirs),
                        {"kind": "competitor", "name": "lost", "samples": 0, "us": None},
                        figure("plan", "x", 1.0), {"kind": "launch_floor", "name": "launch floor", "us": around(0.25)}]}


CONDITIONS = {"device": "Made-up GPU", "platform": "OpenCL 3.0", "date": "2026-01-02T03:04:05Z"}
REPORT = {"kind": "products", "conditions": CONDITIONS,
          "competitors": [{"name": "exec:bin/cublas_competitor", "details": "cuBLAS 13"}, {"name": "lost"}],
          "results": [product("NN", 60, 60, 60, 300.0, 600.0), product("NN", 960, 960, 960, 800.0, 400.0)]}


def report(results, **conditions):
    return dict(REPORT, results=results, conditions=dict(CONDITIONS, **conditions))


class Summary(unittest.TestCase):
    def test_has_a_row_for_each_run_and_class_of_products(self):
        random = [product("NN", 8 + i, 7, 6, 70.0, 100.0) for i in range(30)]
        random[0] = product("NN", 8, 7, 6, 7.0, 100.0, launch_share=0.9)
        del random[1]["figures"][0]  # not measured
        layers = [product("NN", 100, 10 * i, 50, 300.0, 100.0) for i in (1, 2, 3)]
        layers[0]["figures"].append(figure("competitor", "clblast", 150.0))
        few = [product("NN", 2, 3, 4, 1.0, 2.0), product("NN", 5, 3, 4, 1.0, 2.0)]
        reports = [report(REPORT["results"], environment=["POCL_AFFINITY=1"], platform="PoCL 6.0"),
                   report(random, environment=["POCL_AFFINITY=1"]),  # not PoCL: has no influence
                   report(layers, date="2025-12-31T23:59:59Z"), report(few, device="Another"),
                   report(layers, date="2025-12-31T23:59:59Z", precision="d")]
        table = performance.summary(reports).splitlines()
        self.assertEqual(table[2:], [
            "| Another, 2026-01-02 | 2 shapes, 2 to 5 a side | cublas 0.50 (0.50 to 0.50) |",
            "| Made-up GPU, 2025-12-31 | 3 layers, batch 100 | cublas 3.00 (3.00 to 3.00), clblast 2.00 (2.00 to 2.00) |",
            "| Made-up GPU, 2026-01-02 | 29 random shapes, launch below 30 % | cublas 0.70 (0.70 to 0.70) |",
            "|  | all of these | cublas 0.65 (0.07 to 0.70) |",
            "| Made-up GPU, POCL_AFFINITY=1, 2026-01-02 | squares 60 to 960 | cublas 1.00 (0.50 to 2.00) |",
            "| Made-up GPU, double precision, 2025-12-31 | 3 layers, batch 100 | cublas 3.00 (3.00 to 3.00), "
            "clblast 2.00 (2.00 to 2.00) |", "", "- cublas: cuBLAS 13"])
        self.assertEqual(performance.summary(reports, squares_only=True).splitlines()[2:], [table[6], *table[8:]])

    def test_squares_that_are_powers_of_two_have_rows_of_their_own(self):
        squares = [product("NN", n, n, n, ours, 100.0) for n, ours in ((96, 110.0), (256, 50.0), (2048, 80.0), (2880, 120.0))]
        self.assertEqual([line.split(" | ")[1:] for line in performance.summary([report(squares)]).splitlines()[2:4]],
                         [["squares 96 to 2880", "cublas 1.15 (1.10 to 1.20) |"],
                          ["squares 256 to 2048, powers of two", "cublas 0.63 (0.50 to 0.80) |"]])
        measured = {int(shape.split("x")[0]) for shape in performance.squares_text().split(",")}
        self.assertLessEqual({256, 512, 1024, 2048, 4096, 96, 2880}, measured)

    def test_the_pages_have_what_the_results_give(self):
        answers = performance.answers_about_products([])
        top = os.path.join(os.path.dirname(os.path.abspath(SCRIPT)), "..")
        for page, marks, squares_only in (("docs/performance.md", "summary", False), ("README.md", "squares", True)):
            with open(os.path.join(top, page), encoding="utf-8") as file:
                made = performance.summary(answers, squares_only)
                self.assertIn(f"<!-- begin: {marks} -->\n{made}\n<!-- end -->", file.read(), page)


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
        points = self.file("points.json", json.dumps(dict(REPORT, kind="points")))
        for arguments in ((points,), (self.file("x.json", "{}"),), (self.file("y.json", "{"),), ("/no/such/file",),
                          ("--page", page, self.report), ("--page", "/no/such/page", self.report)):
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn("performance: ", done.stderr)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(file.read(), "no marks\n")


class Measurement(unittest.TestCase):
    def test_runs_bench_and_writes_an_answer_for_each_kind_of_shapes(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "tilewright")
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!{sys.executable}\nimport json, sys\n"
                           f"print(json.dumps(dict({REPORT!r}, missing=sys.argv[1:])))\n")
            os.chmod(program, 0o755)
            performance.measure("board", program, ["--compare", "clblast"], folder)
            for part, shapes in (("products", performance.squares_text()), ("thesis", "thesis"), ("random", None)):
                answer = performance.read(os.path.join(folder, f"board-{part}.json"))
                self.assertEqual(answer["results"], REPORT["results"])
                command = answer["missing"]
                self.assertEqual([command[0], *command[2:]], ["bench", "--json", "--compare", "clblast"])
                if shapes:
                    self.assertEqual(command[1], f"--shapes={shapes}")

    def test_keeps_the_answers_of_a_bench_that_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "tilewright")
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps({REPORT!r}))\nsys.exit(1)\n")
            os.chmod(program, 0o755)
            with self.assertRaises(SystemExit) as stopped:
                performance.measure("board", program, [], folder)
            self.assertIn("exit code 1", str(stopped.exception))
            for part in ("products", "thesis", "random"):
                answer = performance.read(os.path.join(folder, f"board-{part}.json"))
                self.assertEqual(answer["results"], REPORT["results"])


unittest.main()
