#!/usr/bin/env python3
"""published_tables_test.py SCRIPT TILEWRIGHT: scripts/published-tables with a made-up tilewright, and with the real one."""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)
DATA = os.path.join(os.path.dirname(os.path.dirname(SCRIPT)), "docs/published/tables.json")
# A replacement of the program: every kernel reaches 4 GFLOPS, those with "morton" in their name 8,
# and images do not work.
FAKE = f"""#!{sys.executable}
import json, math, sys
words = sys.argv[1:]
values = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
conditions = dict(device="board", platform="fake", driver="1.0", date="today", environment=["CORES=2"], profile="builtin",
                  rates=dict(peak_gflops=8.0), rate_unit="GFLOPS", timing="wall time")

def figure(kind, name, work, gflops, **more):
    us = [work / rate / 1e3 for rate in gflops]
    summary = lambda values: dict(median=values[2], low=min(values), high=max(values))
    return dict(kind=kind, name=name, work=work, us=summary(us), rate=summary(gflops), samples_us=us, **more)

def kernel(name, work):
    if "image" in name:
        return dict(kind="kernel", name=name, us=None)
    return figure("kernel", name, work, [rate * (2 if "morton" in name else 1) for rate in (3.0, 4.0, 4.0, 4.0, 5.0)])

def both(work, own, cblas):
    return [figure("tilewright", "tilewright", work, own, kernels=["one", "two"], peak_share=own[2] / 8.0),
            figure("competitor", "cblas", work, cblas, ratio=own[2] / cblas[2])]

if words[:2] == ["emit", "--list-points"]:
    for name in json.loads('NAMES'):
        print(f"{{name}}: a paper\\n    a remark\\n    gemm op={{name}} id_order=mn work_group_m=64")
elif words[0] == "net":
    print(json.dumps(dict(conditions=conditions, results=[dict(batch=1, figures=both(8e6, [2.0, 4.0, 4.0], [1.0, 2.0, 2.0]))])))
else:
    shapes = [list(map(int, shape.split("x"))) for shape in values["shapes"].split(",")]
    points = values["points"].split(",") if "points" in values else []
    results = [dict(m=m, n=n, k=k, op="NN", figures=[kernel(point, 2.0 * m * n * k) for point in points] or
                    both(2.0 * m * n * k, [3.0, 5.0, 4.0], [3.0, 5.0, 4.0])) for m, n, k in shapes]
    print(json.dumps(dict(conditions=conditions, missing=["x: no images"], in_part=[], results=results)))
"""


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)


def listed_points():
    """Names that the real program knows."""
    lines = subprocess.run([PROGRAM, "emit", "--list-points"], capture_output=True, text=True, check=True).stdout
    return [line.split(":")[0] for line in lines.splitlines()[::3]]


class MadeUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(DATA, encoding="utf-8") as file:
            cls.tables = json.load(file)
        cls.folder = tempfile.TemporaryDirectory()
        cls.fake = os.path.join(cls.folder.name, "tilewright")
        with open(cls.fake, "w", encoding="utf-8") as file:
            file.write(FAKE.replace("NAMES", json.dumps(listed_points())))
        os.chmod(cls.fake, stat.S_IRWXU)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def printed(self, *arguments):
        ran = run("--program", self.fake, *arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def row(self, text, *start):
        """The cells of the row that starts so, without these."""
        rows = [re.split(" {2,}", line) for line in text.splitlines()]
        return next(row for row in rows if tuple(row[:len(start)]) == start)[len(start):]

    def test_prints_every_table_and_lists_it(self):
        listed = run("--list").stdout
        text = self.printed(*[table["name"] for table in self.tables])
        for table in self.tables:
            self.assertIn(f"{table['name']} ", listed)
            self.assertIn(f"{table['name']}: {table['document']}, {table['place']}: ", text)

    def test_the_figures_of_a_table_fit_its_sizes_and_its_points_are_known(self):
        names = listed_points()
        for table in self.tables:
            for column in table.get("columns", []):
                for key in ("published", "spread"):
                    self.assertIn(len(column.get(key, [])), (0, len(table.get("sizes", []))), table["name"])
                self.assertTrue(column["point"] in names or "=" in column["point"], column["point"])
            for claim in table.get("claims", []):
                self.assertIn(claim["point"], names)
                self.assertIn(claim["over"], names)

    def test_prints_published_and_measured_figures_with_unit_and_conditions(self):
        text = self.printed("thesis-8.2")
        self.assertEqual(self.row(text, "768x768x768", "Morton 4-2"), ["13.67", "8 (6-10)"])
        self.assertEqual(self.row(text, "96x96x96", "Baseline"), ["11.65 +- 0.05", "4 (3-5)"])
        self.assertIn("published: Mali-T628, the device of 4 cores at 600 MHz", text)
        self.assertIn("measured: board (fake), driver 1.0, today\n  CORES=2\nunit: GFLOPS of 2 N^3", text)
        self.assertIn("- Morton 4-2 over the ARM paper's kernel: published 1.12, measured 2.00", text)
        self.assertIn("- x: no images", text)

    def test_counts_operations_as_the_document_does(self):
        text = self.printed("mali-t600-1.4", "--shapes", "4x4x4")
        self.assertEqual(self.row(text, "4x4x4", "blocked, median"), ["-", "5 (3.75-6.25)"])
        self.assertEqual(self.row(text, "4x4x4", "blocked, high"), ["-", "6.25"])
        times = self.printed("thesis-9.1", "--shapes", "1000x1000x1")
        self.assertEqual(self.row(times, "1000x1000x1", "RM"), ["-", "500 (400-667)"])

    def test_prints_products_and_networks(self):
        self.assertEqual(self.row(self.printed("raijin-IV"), "NN 1024x1024x1024"), ["4 (3-5)", "50", "4 (3-5)", "one+two"])
        self.assertEqual(self.row(self.printed("thesis-10.5"), "full-mnist"),
                         ["3705.5", "129.33", "28.65", "4 (4-8)", "2 (2-4)", "2.00"])

    def test_refuses_what_it_does_not_know(self):
        for arguments, reason in ((["thesis-99"], "there is no table 'thesis-99'"), ([], "no NAME is given"),
                                  (["--device"], "expected one argument"),
                                  (["--program", "/no/such/program", "thesis-7.1"], "cannot run '/no/such/program'"),
                                  (["--program", "false", "thesis-7.1"], "exit code 1")):
            ran = run(*arguments)
            self.assertEqual(ran.returncode, 1)
            self.assertIn("published-tables: ", ran.stderr)
            self.assertIn(reason, ran.stderr)


class Real(unittest.TestCase):
    def test_the_program_answers(self):
        devices = subprocess.run([PROGRAM, "devices"], capture_output=True, text=True, check=False).stdout
        if "no OpenCL device" in devices:
            self.skipTest("no OpenCL device")
        for table, shape, rows in (("mali-t600-1.4", "32x32x32", 4), ("raijin-III", "32x32x32", 3)):
            ran = run("--program", PROGRAM, "--shapes", shape, "--seconds", "10ms", table)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stdout.count(shape), rows, ran.stdout)
            self.assertIn("measured: ", ran.stdout)


unittest.main()
