#!/usr/bin/env python3
"""mlp_rivals_test.py SCRIPT: the statistics of test/bench/mlp_rivals.py, and a whole run with a program that answers
made-up figures and without any rival."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("mlp_rivals", SCRIPT)
mlp_rivals = importlib.util.module_from_spec(importlib.util.spec_from_loader("mlp_rivals", loader))
loader.exec_module(mlp_rivals)

# Forwards of 100 us, of 150 us in every other turn.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls"), "a") as calls:
    print(*sys.argv[1:], file=calls)
with open(calls.name) as calls:
    us = 100.0 if len(calls.readlines()) % 2 else 150.0
if "broken" in sys.argv:
    sys.exit("no such net")
around = dict(median=us, low=0.9 * us, high=1.1 * us)
print(json.dumps(dict(device="Made-up", profile="none", results=[
    dict(forward_us=around, samples=9, launch_floor_us=around)])))
"""


class Statistics(unittest.TestCase):
    def test_quantiles_lie_between_order_statistics(self):
        self.assertEqual(mlp_rivals.quantile([3, 1, 2], 0.5), 2)
        self.assertEqual(mlp_rivals.quantile([1, 2], 0.25), 1.25)
        self.assertEqual(mlp_rivals.quantile([7], 0.9), 7)

    def test_a_turn_warms_up_and_takes_samples_of_two_milliseconds(self):
        now, calls = [0.0], []

        def call():
            now[0] += 0.01 if len(calls) < 3 else 0.0005  # the first calls are slow
            calls.append(now[0])
        figures = mlp_rivals.turn(call, 0.1, lambda: now[0])
        self.assertAlmostEqual(figures["median"], 500.0)
        self.assertAlmostEqual(figures["high"], 500.0)
        self.assertEqual(len(figures["quartiles"]), 2)
        self.assertGreaterEqual(figures["samples"], 9)
        self.assertGreaterEqual((calls[-1] - 0.1) / figures["samples"], 1e-3)

    def test_slow_calls_are_sampled_nine_times(self):
        now = [0.0]

        def call():
            now[0] += 2.0
        self.assertEqual(mlp_rivals.turn(call, 0.1, lambda: now[0])["samples"], 9)

    def test_ratios_are_of_rounds(self):
        turns = {"tilewright": [{"median": 100.0}, {"median": 200.0}, {"median": 400.0}],
                 "numpy": [{"median": 200.0}, {"median": 300.0}, {"median": 400.0}]}
        result = mlp_rivals.result_of(7, turns)
        self.assertEqual(result["contenders"]["numpy"]["ratio"], {"median": 1.5, "least": 1.0, "greatest": 2.0})
        self.assertEqual(result["contenders"]["numpy"]["forward_us"]["median"], 300.0)
        table = mlp_rivals.table([result]).splitlines()
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

    def test_rivals_that_are_not_there_are_named(self):
        done = self.run_script("net.onnx", "--batch", "1,100", "--rounds", "2", "--profile", "p.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1      tilewright", done.stdout)
        self.assertIn("125.0 (100.0-150.0)", done.stdout)
        for name in ("numpy", "onnxruntime", "pytorch"):
            self.assertIn(f"{name}: left out (no NumPy today)", done.stdout)
        with open(os.path.join(self.folder.name, "calls"), encoding="utf-8") as calls:
            self.assertEqual(calls.read().splitlines(),
                             [f"mlp bench net.onnx --batch {batch} --seconds 1.0s --json --profile p.toml"
                              for batch in (1, 1, 100, 100)])

    def test_json_has_every_turn(self):
        done = self.run_script("net.onnx", "--rounds", "3", "--rivals", "numpy", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["missing_rivals"], {"numpy": "no NumPy today"})
        self.assertEqual(report["tilewright"]["device"], "Made-up")
        self.assertEqual([turn["median"] for turn in report["results"][0]["contenders"]["tilewright"]["turns"]],
                         [100.0, 150.0, 100.0])

    def test_what_is_wrong_is_said(self):
        done = self.run_script("broken")
        self.assertEqual((done.returncode, done.stderr), (1, "mlp_rivals: no such net\n"))
        for bad in (["--rivals", "mkl"], ["--batch", "x"], ["--batch", "0"], ["--rounds", "0"], []):
            done = self.run_script(*bad if not bad else ["net.onnx", *bad])
            self.assertEqual(done.returncode, 2, bad)


unittest.main()
