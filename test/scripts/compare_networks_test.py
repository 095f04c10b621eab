#!/usr/bin/env python3
"""compare_networks_test.py SCRIPT: tests the statistics of test/bench/compare_networks.py, and a whole run without competitors and
with a program that prints made-up times."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("compare_networks", SCRIPT)
compare_networks = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_networks", loader))
loader.exec_module(compare_networks)

# A program whose forward passes take 100 us in one round and 150 us in the next.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls"), "a") as calls:
    print(*sys.argv[1:], file=calls)
with open(calls.name) as calls:
    us = 100.0 if len(calls.readlines()) % 2 else 150.0
if "broken" in sys.argv:
    sys.exit("no such network")
around = dict(median=us, low=0.9 * us, high=1.1 * us)
print(json.dumps(dict(conditions=dict(device="Made-up", profile="none"), results=[dict(figures=[
    dict(kind="tilewright", us=around), dict(kind="launch_floor", us=around)])])))
"""


class Statistics(unittest.TestCase):
    def test_quantiles_lie_between_order_statistics(self):
        self.assertEqual(compare_networks.quantile([3, 1, 2], 0.5), 2)
        self.assertEqual(compare_networks.quantile([1, 2], 0.25), 1.25)
        self.assertEqual(compare_networks.quantile([7], 0.9), 7)

    def test_a_turn_warms_up_and_takes_samples_of_two_milliseconds(self):
        now, calls = [0.0], []

        def call():
            now[0] += 0.01 if len(calls) < 3 else 0.0005  # the first calls are slow
            calls.append(now[0])
        figures = compare_networks.turn(call, 0.1, lambda: now[0])
        self.assertAlmostEqual(figures["median"], 500.0)
        self.assertAlmostEqual(figures["high"], 500.0)
        self.assertEqual(len(figures["quartiles"]), 2)
        self.assertGreaterEqual(figures["samples"], 9)
        self.assertGreaterEqual((calls[-1] - 0.1) / figures["samples"], 1e-3)

    def test_slow_calls_are_sampled_nine_times(self):
        now = [0.0]

        def call():
            now[0] += 2.0
        self.assertEqual(compare_networks.turn(call, 0.1, lambda: now[0])["samples"], 9)

    def test_ratios_are_of_rounds(self):
        turns = {"tilewright": [{"median": 100.0}, {"median": 200.0}, {"median": 400.0}],
                 "numpy": [{"median": 200.0}, {"median": 300.0}, {"median": 400.0}]}
        result = compare_networks.result_of(7, turns)
        self.assertEqual(result["figures"][0], {"kind": "tilewright", "name": "tilewright",
                                                "us": {"median": 200.0, "low": 100.0, "high": 400.0},
                                                "turns_us": [100.0, 200.0, 400.0]})
        numpy = result["figures"][1]
        self.assertEqual((numpy["ratio"], numpy["ratio_range"]), (1.5, [1.0, 2.0]))
        self.assertEqual(numpy["us"]["median"], 300.0)
        table = compare_networks.table([result]).splitlines()
        self.assertEqual(table[1].split(), ["7", "tilewright", "200.0", "(100.0-400.0)"])
        self.assertEqual(table[2].split(), ["7", "numpy", "300.0", "(200.0-400.0)", "1.50", "(1.00-2.00)"])


class WholeRun(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = os.path.join(self.folder.name, "tilewright")
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        os.chmod(self.program, 0o755)
        with open(os.path.join(self.folder.name, "numpy.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError('no NumPy today')\n")

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, "--tilewright", self.program, *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env=dict(os.environ, PYTHONPATH=self.folder.name, PYTHONDONTWRITEBYTECODE="1"))

    def test_competitors_that_are_not_there_are_named(self):
        done = self.run_script("net.onnx", "--batch", "1,100", "--rounds", "2", "--profile", "p.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1      tilewright", done.stdout)
        self.assertIn("125.0 (100.0-150.0)", done.stdout)
        for name in ("numpy", "onnxruntime", "pytorch"):
            self.assertIn(f"{name}: left out (no NumPy today)", done.stdout)
        with open(os.path.join(self.folder.name, "calls"), encoding="utf-8") as calls:
            self.assertEqual(calls.read().splitlines(),
                             [f"net bench net.onnx --batch {batch} --seconds 1.0s --json --profile p.toml"
                              for batch in (1, 1, 100, 100)])

    def test_another_build_has_turns(self):
        before = os.path.join(self.folder.name, "earlier")
        os.symlink(self.program, before)
        done = self.run_script("net.onnx", "--before", before, "--rounds", "2", "--compare", "", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["competitors"], [{"name": "before", "details": before}])
        figures = {figure["name"]: figure for figure in report["results"][0]["figures"]}
        self.assertEqual(sorted(figures["tilewright"]["turns_us"] + figures["before"]["turns_us"]), [100.0, 100.0, 150.0, 150.0])
        ratios = [theirs / own for theirs, own in zip(figures["before"]["turns_us"], figures["tilewright"]["turns_us"])]
        self.assertEqual(figures["before"]["ratio_range"], [min(ratios), max(ratios)])

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_onnxruntime_transposes_outputs_as_the_file_does(self):
        rows = numpy.arange(5 * 6).reshape(5, 6)  # of 5 samples
        for name, is_transposed, given in (("onnxruntime", True, rows.T), ("onnxruntime", False, rows), ("numpy", True, rows),
                                           ("onnxruntime", True, rows.reshape(5, 2, 3).transpose(1, 0, 2))):
            facts = {"output_ports": [{"transposed": is_transposed, "columns": 6}]}
            self.assertEqual(compare_networks.in_rows(name, given, facts).tolist(), rows.tolist())

    def test_onnxruntime_reads_the_file_itself(self):
        options = compare_networks.parse_options(["Net.ONNX"])
        self.assertEqual(compare_networks.Tilewright("tilewright", "absent", options, "folder").onnx_file(), "Net.ONNX")

    def test_json_has_every_turn(self):
        done = self.run_script("net.onnx", "--rounds", "3", "--compare", "numpy", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["kind"], "network")
        self.assertEqual(report["competitors"], [{"name": "numpy", "missing": "no NumPy today"}])
        self.assertEqual(report["conditions"]["device"], "Made-up")
        own, floor = report["results"][0]["figures"]
        self.assertEqual(own["turns_us"], [100.0, 150.0, 100.0])
        self.assertEqual((floor["kind"], floor["us"]["median"]), ("launch_floor", 100.0))

    def test_what_is_wrong_is_said(self):
        done = self.run_script("broken")
        self.assertEqual((done.returncode, done.stderr), (1, "compare_networks: no such network\n"))
        for bad in (["--compare", "mkl"], ["--batch", "x"], ["--batch", "0"], ["--rounds", "0"], []):
            done = self.run_script(*bad if not bad else ["net.onnx", *bad])
            self.assertEqual(done.returncode, 2, bad)


unittest.main()
