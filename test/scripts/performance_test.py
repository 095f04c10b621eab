#!/usr/bin/env python3
"""performance_test.py SCRIPT: tables, plots and the page of scripts/performance, from made-up figures."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

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


PRODUCTS = {
    "device": "Made-up GPU", "platform": "OpenCL 3.0", "driver": "1.2.3", "tool_version": "0.1.0",
    "date": "2026-01-02T03:04:05Z", "command": "tilewright bench --json", "profile": "p.toml",
    "profile_digest": "xxh3-12", "rates": {"peak_gflops": 1000.0, "copy_gbytes_per_s": 60.0},
    "missing_rivals": ["clblast"], "rival_details": {"exec:bin/cublas_rival": "cuBLAS 13"},
    "results": [product("NN", 60, 60, 60, 300.0, 600.0), product("NN", 960, 960, 960, 800.0, 400.0),
                product("NT", 100, 10, 200, 50.0, 100.0)]}
POINTS = {"device": "Made-up GPU", "platform": "OpenCL 3.0", "points": ["one", "two"], "missing": [],
          "results": [{"m": 96, "n": 96, "k": 96, "gflops": {"one": around(10.0), "two": around(20.0)}},
                      {"m": 192, "n": 192, "k": 192, "gflops": {"one": around(30.0), "two": None}}]}
PACKS = {"device": "Made-up GPU", "platform": "OpenCL 3.0", "rates": {},
         "packs": [{"rows": 1000, "columns": 1000, "copy_gbytes_per_s": around(50.0),
                    "kernels": [{"kernel": "pack_R_C", "gbytes_per_s": around(40.0), "share_of_copy": 0.8}]}]}


class Tables(unittest.TestCase):
    def test_products_have_shares_and_ratios(self):
        table = performance.products_table(PRODUCTS["results"], 1000.0, 60.0).splitlines()
        self.assertEqual(table[0], "| op | size | tilewright | % peak | % roofline | cublas | ratio | % launch |")
        # 2 n^3 flops on 12 n^2 bytes at 60 GB/s: 10 n GFLOPS, 600 at 60.
        self.assertEqual(table[2], "| NN | 60 | 300 (270–330) | 30 | 50 | 600 (540–660) | 0.50 | 25 |")
        self.assertEqual(table[3], "| NN | 960 | 800 (720–880) | 80 | 80 | 400 (360–440) | 2.00 | 25 |")
        self.assertTrue(table[4].startswith("| NT | 100x10x200 | 50 (45–55) |"))

    def test_what_is_not_known_is_a_dash(self):
        row = dict(product("NN", 60, 60, 60, 3.0, 6.0), rivals={})
        table = performance.products_table([row, PRODUCTS["results"][0]], 0.0, 0.0).splitlines()
        self.assertEqual(table[2], "| NN | 60 | 3 (2.7–3.3) | – | – | – | – | 25 |")

    def test_a_summary_has_a_row_a_run_and_class_of_products(self):
        squares = dict(PRODUCTS, results=PRODUCTS["results"][:2], environment=["POCL_AFFINITY=1"])
        random = [product("NN", 8 + i, 7, 6, 70.0, 100.0) for i in range(30)]
        random[0].update(gflops=around(7.0), launch_share=0.9)  # 0.07, and mostly its launch
        random[1].update(gflops=None, launch_share=None)        # not measured
        layers = [product("NN", 100, 10 * i, 50, 300.0, 100.0) for i in (1, 2, 3)]
        layers[0]["rivals"]["clblast"] = around(150.0)
        older = dict(PRODUCTS, date="2025-12-31T23:59:59Z", results=layers)
        doubles = dict(older, precision="d")
        few = dict(PRODUCTS, device="Another", results=[product("NN", 2, 3, 4, 1.0, 2.0), product("NN", 5, 3, 4, 1.0, 2.0)])
        table = performance.summary_table([squares, dict(PRODUCTS, results=random), older, few, doubles]).splitlines()
        self.assertEqual(table[2:], [
            "| Another, 2026-01-02 | 2 shapes, 2 to 5 a side | cublas 0.50 (0.50 to 0.50) |",
            "| Made-up GPU, 2025-12-31 | 3 layers, batch 100 | cublas 3.00 (3.00 to 3.00), clblast 2.00 (2.00 to 2.00) |",
            "| Made-up GPU, POCL_AFFINITY=1, 2026-01-02 | squares 60 to 960 | cublas 1.00 (0.50 to 2.00) |",
            "| Made-up GPU, 2026-01-02 | 29 random shapes | cublas 0.65 (0.07 to 0.70) |",
            "|  | of these, launch below 30 % | cublas 0.70 (0.70 to 0.70) |",
            "| Made-up GPU, doubles, 2025-12-31 | 3 layers, batch 100 | cublas 3.00 (3.00 to 3.00), "
            "clblast 2.00 (2.00 to 2.00) |"])

    def test_the_page_s_summary_is_what_the_files_say(self):
        root = os.path.join(os.path.dirname(os.path.abspath(SCRIPT)), "..", "docs")
        names = [f"{device}-{what}" for device in ("avx512", "h100") for what in ("products", "thesis", "random")]
        names += ["h200-random"] + [f"h200-{kind}-products" for kind in ("double", "half", "complex", "complex-double")]
        files = [os.path.join(root, "performance", f"{name}.json") for name in sorted(names)]
        made = performance.summary(performance.read(files, of_any_devices=True))["summary"]
        with open(os.path.join(root, "performance.md"), encoding="utf-8") as page:
            self.assertIn(f"<!-- begin: summary -->\n{made}\n<!-- end -->", page.read())

    def test_ratios_are_summed_up_by_geometric_mean(self):
        lines = performance.ratio_lines(PRODUCTS["results"])
        self.assertIn("NN 1.00 (0.50 to 2.00)", lines)
        self.assertIn("NT 0.50 (0.50 to 0.50)", lines)
        self.assertIn("all 0.79 (0.50 to 2.00)", lines)

    def test_points_have_the_best_of_a_size_in_bold(self):
        table = performance.points_table(POINTS, 40.0).splitlines()
        self.assertEqual(table[0], "| point | 96 | 192 |")
        self.assertEqual(table[2], "| one | 10 (9–11) | **30 (27–33)** |")
        self.assertEqual(table[3], "| two | **20 (18–22)** | – |")
        self.assertEqual(table[4], "| best, % peak | 50 | 75 |")

    def test_packs_stand_below_their_copy(self):
        table = performance.packs_table(PACKS, 100.0).splitlines()
        self.assertEqual(table[2], "| 1000x1000 | *copy* | 50 (45–55) |  | 50 |")
        self.assertEqual(table[3], "| 1000x1000 | `pack_R_C` | 40 (36–44) | 80 | 40 |")

    def test_conditions_are_complete(self):
        text = performance.conditions([PRODUCTS], 1000.0, 60.0)
        for part in ("Made-up GPU", "driver 1.2.3", "2026-01-02", "tilewright 0.1.0",
                     "`tilewright bench --json`", "p.toml, xxh3-12", "cublas: cuBLAS 13",
                     "clblast was not in this build", "1000 GFLOPS", "60 GB/s"):
            self.assertIn(part, text)
        # Of the same device and driver twice, these are said once.
        self.assertEqual(performance.conditions([PRODUCTS, PRODUCTS], 0, 0).count("driver 1.2.3"), 1)


class Plots(unittest.TestCase):
    def setUp(self):
        self.made = performance.plots([PRODUCTS, POINTS], "gpu", "A <GPU>", 1000.0, 60.0)

    def test_have_a_row_for_each_figure(self):
        self.assertEqual(sorted(self.made), ["gpu-NN.svg", "gpu-NT.svg", "gpu-points.svg"])
        data = self.made["gpu-NN.svg"]["datasets"]
        self.assertEqual([(row["who"], round(row["size"]), row["gflops"]) for row in data["figures"]],
                         [("tilewright", 60, 300.0), ("tilewright", 960, 800.0), ("cublas", 60, 600.0),
                          ("cublas", 960, 400.0)])
        self.assertEqual({row["bound"] for row in data["bounds"]}, {"measured peak", "roofline"})
        self.assertEqual([row["gflops"] for row in self.made["gpu-points.svg"]["datasets"]["figures"]],
                         [10.0, 30.0, 20.0])

    @unittest.skipUnless(performance.browser(), "no Chromium: scripts/packages --full installs it")
    def test_are_svg(self):
        drawn = performance.draw([self.made["gpu-NN.svg"], self.made["gpu-points.svg"]])
        self.assertEqual(len(drawn), 2)
        drawing = xml.etree.ElementTree.fromstring(drawn[0])
        space = "{http://www.w3.org/2000/svg}"
        said = [text.text for text in drawing.iter(f"{space}text")]
        for text in ("A <GPU>, NN: SGEMM end to end", "tilewright", "cublas", "roofline", "GFLOPS"):
            self.assertIn(text, said)
        marks = [path for path in drawing.iter(f"{space}path") if path.get("aria-roledescription") == "point"]
        self.assertEqual(len(marks), 4)


class Page(unittest.TestCase):
    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.files = []
        for name, report in (("products", PRODUCTS), ("points", POINTS), ("packs", PACKS)):
            self.files.append(self.file(name + ".json", json.dumps(report)))

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_its_marked_parts_are_replaced_and_nothing_else(self):
        page = self.file("page.md", "Before\n<!-- begin: gpu-points -->\nold \\1\n<!-- end -->\nbetween\n"
                         "<!-- begin: gpu-packs -->\n<!-- end -->\nafter\n")
        drawn = performance.browser() is not None
        plots = ("--plots", os.path.join(self.folder.name, "plots")) if drawn else ()
        for _ in range(2):  # twice is as once
            done = self.run_script("--name", "gpu", "--page", page, "--only", "points,packs", *plots, *self.files)
            self.assertEqual(done.returncode, 0, done.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("Before\n<!-- begin: gpu-points -->\n| point | 96 | 192 |\n"))
        self.assertIn("<!-- end -->\nbetween\n<!-- begin: gpu-packs -->\n| matrix |", text)
        self.assertTrue(text.endswith("<!-- end -->\nafter\n"))
        self.assertNotIn("old", text)
        if not drawn:
            self.skipTest("no Chromium draws plots: scripts/packages --full installs it")
        self.assertEqual(text.count("![gpu-points.svg](plots/gpu-points.svg)"), 1)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "plots", "gpu-NN.svg")))

    def test_the_pages_of_the_documentation_have_the_parts_that_its_commands_fill(self):
        pages = {"2026-11-22-figures-h200.md": {"h200": self.files, "h200-thesis": self.files[:1]},
                 "2026-11-22-figures-pocl-epyc.md": {"pocl": self.files, "pocl-thesis": self.files[:1]}}
        for page, names in pages.items():
            with open(os.path.join(os.path.dirname(SCRIPT), "..", "docs", "experiments", page),
                      encoding="utf-8") as file:
                copy = self.file(page, file.read())
            for name, files in names.items():
                done = self.run_script("--name", name, "--page", copy, *files)
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(copy, encoding="utf-8") as file:
                self.assertEqual(file.read().count("| NT | 100x10x200 |"), 2)

    def test_a_part_that_is_not_there_is_an_error_and_the_page_stays(self):
        page = self.file("page.md", "<!-- begin: gpu-points -->\n<!-- end -->\n")
        done = self.run_script("--name", "gpu", "--page", page, *self.files)
        self.assertEqual(done.returncode, 2)
        self.assertIn("gpu-products", done.stderr)
        with open(page, encoding="utf-8") as file:
            self.assertEqual(file.read(), "<!-- begin: gpu-points -->\n<!-- end -->\n")

    def test_without_a_page_the_tables_are_printed(self):
        done = self.run_script(*self.files)
        for kind in ("products", "points", "packs", "conditions"):
            self.assertIn(f"<!-- begin: made-up-gpu-{kind} -->", done.stdout)

    def test_rates_are_those_of_the_profile_or_of_the_files(self):
        profile = self.file("p.toml", "[rates]\npeak_gflops = 123.0\n")
        self.assertEqual(performance.rates_of([POINTS, PRODUCTS]), (1000.0, 60.0))
        self.assertEqual(performance.rates_of([POINTS, PRODUCTS], profile), (123.0, 60.0))
        self.assertEqual(performance.rates_of([POINTS]), (0.0, 0.0))
        doubles = self.file("d.toml", "[rates]\npeak_gflops = 123.0\ndouble_peak_gflops = 45.0\n")
        for kind, peak in (("s", 123.0), ("d", 45.0), ("z", 45.0), ("h", 123.0)):
            report = dict(PRODUCTS, precision=kind)
            self.assertEqual(performance.rates_of([report], doubles), (peak, 60.0))
        self.assertEqual(self.run_script("--profile", "/no/such/file", *self.files).returncode, 2)

    def test_a_file_of_doubles_tells_their_peak_only_with_rooflines(self):
        row = dict(PRODUCTS["results"][0], roofline_gflops=600.0)
        for kind, old, new in (("s", 1000.0, 1000.0), ("d", 0.0, 1000.0), ("z", 0.0, 1000.0), ("h", 1000.0, 1000.0)):
            report = dict(PRODUCTS, precision=kind)
            self.assertEqual(performance.rates_of([report]), (old, 60.0))
            self.assertEqual(performance.rates_of([dict(report, results=[row])]), (new, 60.0))
            packs = dict(PACKS, rates={"peak_gflops": 1000.0})
            self.assertEqual(performance.rates_of([report, packs]), (old, 60.0))

    def test_a_roofline_counts_the_bytes_of_the_type(self):
        row = {"m": 10, "n": 10, "k": 10}
        for kind, roof in (("s", 20.0), ("d", 10.0), ("h", 40.0), ("c", 0.0)):
            self.assertAlmostEqual(performance.roofline(row, 1000.0, 12.0, kind), roof)

    def test_other_files_are_refused(self):
        self.assertEqual(self.run_script(self.file("x.json", "{}")).returncode, 2)
        self.assertEqual(self.run_script(self.file("y.json", "{")).returncode, 2)
        other = self.file("z.json", json.dumps(dict(PACKS, device="Another")))
        done = self.run_script(*self.files, other)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Another, Made-up GPU", done.stderr)
        doubles = self.file("d.json", json.dumps(dict(PRODUCTS, precision="d")))
        done = self.run_script(*self.files, doubles)
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 types of elements: d, s", done.stderr)
        packs = self.file("packs.json", json.dumps(PACKS))
        self.assertEqual(self.run_script(doubles, packs).returncode, 0)
        self.assertEqual(self.run_script("--summary", *self.files[:1], doubles).returncode, 0)


unittest.main()
