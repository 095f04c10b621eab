#!/usr/bin/env python3
"""energy_test.py SCRIPT: the script names the best plan by time and the best by energy, or says why there is no energy."""
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = sys.argv[1]


def summary(value):
    return {"median": value, "low": value, "high": value}


def figure(name, microseconds, joules):
    return {"kind": "plan", "name": name, "us": summary(microseconds), "rate": summary(1000 / microseconds),
            "energy": {"samples": 5, "watts": summary(1e6 * joules / microseconds), "joules": summary(joules),
                       "gflops_per_watt": summary(1e-3 / joules)}}


def answer(energy):
    figures = [figure("fast", 10, 0.002), figure("frugal", 11, 0.001),
               {"kind": "launch_floor", "name": "launch floor", "us": summary(5)}]
    return {"conditions": {"device": "GPU", "driver": "1", "date": "2026-01-02T03:04:05Z", **energy},
            "results": [{"op": "NN", "m": 8, "n": 16, "k": 24, "figures": figures}]}


def run(energy):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "bench.json"
        file.write_text(json.dumps(answer(energy)))
        return subprocess.run([SCRIPT, str(file)], capture_output=True, text=True, check=False)


sensors = [{"name": "nvml 0000:65:00.0", "covers": "GPU card", "source": "library", "measures": "energy"}]
table = run({"energy": {"sensors": sensors, "idle_watts": summary(60), "min_sample_s": 1}})
assert table.returncode == 0, table
assert "| NN 8x16x24 | time | fast |" in table.stdout, table
assert "|  | energy | frugal |" in table.stdout, table
assert "sensor nvml 0000:65:00.0 (covers GPU card; measures energy); idle 60 (60 to 60) W" in table.stdout, table
for energy, why in [({"energy": {"sensors": [], "missing": "no sensor"}}, "no sensor"), ({}, "without --energy")]:
    refused = run(energy)
    assert refused.returncode == 1 and why in refused.stderr and not refused.stdout, refused
