#!/usr/bin/env python3
"""Compares forward passes of a network in NumPy, onnxruntime and PyTorch with `tilewright net bench`.

  test/bench/compare_networks.py MODEL [--tilewright PROGRAM] [--before PROGRAM] [--batch B,...] [--rounds N]
                                [--seconds S] [--threads N] [--compare NAME,...] [--profile FILE]
                                [--device N|TEXT] [--json]

  MODEL                 as for `tilewright net`: a file (.onnx, .json) or preset:NAME
  --tilewright PROGRAM  default: build/release/tuner/tilewright
  --before PROGRAM      another build of tilewright to compare with, for example of an earlier commit
  --batch B,...         batch sizes (default: 100)
  --rounds N            number of rounds (default: 5)
  --seconds S           time of a turn (default: 1)
  --threads N           threads of competitors on the CPU (default: 2)
  --compare NAME,...    some of numpy, onnxruntime, pytorch (default: all that can be imported)
  --profile, --device   passed to tilewright
  --json                print JSON in the form of `net bench --json`

In each round every build of tilewright and every competitor have one turn, in random order. A turn warms up, then takes
samples of at least 2 ms until its time is over, at least nine; its result is their median. A ratio compares turns of the
same round. `tilewright net bench` is started again for each of its turns. A forward pass is timed from the call to the
complete output; its input is already on the device that computes it. PyTorch computes in float32 without TF32, on the GPU
if it has one (without CUDA graphs), otherwise on the CPU. Each competitor's output is compared with that of `tilewright
net run`.

Competitors that cannot be imported are named and left out; all of them need NumPy. NumPy and PyTorch are also left out for a
network that is no sequence of layers (one that `tilewright net convert` cannot write as JSON). `--compare ""` runs no
competitors. On PoCL, POCL_MAX_PTHREAD_COUNT=1 limits tilewright to one thread.
"""
import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the imported module must leave no files in this folder
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from network_competitors import COMPETITORS, read_network  # noqa: E402

MIN_SAMPLE_S = 2e-3
MIN_SAMPLES = 9
WARM_UP_S = 0.1
REST_S = 0.25  # threads of BLAS libraries spin for up to 0.2 s after a call


class Failure(Exception):
    """An error that ends the run; its text is a sentence."""


def quantile(values, p):
    """Returns a quantile, with linear interpolation between order statistics."""
    values = sorted(values)
    at = p * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def turn(call, seconds, clock=time.perf_counter):
    """Measures one turn and returns a summary of the times of a call, in us."""
    begin, calls = clock(), 0
    while clock() - begin < WARM_UP_S or calls < 3:
        call()
        calls += 1
    in_sample = max(1, math.ceil(MIN_SAMPLE_S / ((clock() - begin) / calls)))
    samples, begin = [], clock()
    while len(samples) < MIN_SAMPLES or clock() - begin < seconds:
        start = clock()
        for _ in range(in_sample):
            call()
        samples.append(1e6 * (clock() - start) / in_sample)
    return {"median": quantile(samples, 0.5), "low": quantile(samples, 0.1), "high": quantile(samples, 0.9),
            "quartiles": [quantile(samples, 0.25), quantile(samples, 0.75)], "samples": len(samples)}


class Tilewright:
    """Runs a build of tilewright, and has the files that it writes for the competitors."""

    def __init__(self, name, program, options, folder):
        self.name, self.program, self.model, self.folder = name, program, options.model, folder
        self.details = program
        self.where = [word for name in ("device", "profile") if getattr(options, name)
                      for word in (f"--{name}", getattr(options, name))]
        self.seconds = options.seconds
        self.report = {}

    def run(self, *words):
        try:
            done = subprocess.run([self.program, "net", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, check=False, env=ENVIRONMENT)
        except OSError as error:
            raise Failure(f"{self.program}: {error.strerror}") from error
        if done.returncode != 0:
            raise Failure(done.stderr.strip() or f"{self.program} net {words[0]} exits with {done.returncode}")
        return done.stdout

    def convert(self, name):
        path = os.path.join(self.folder, name)
        self.run("convert", self.model, path)
        return path

    def onnx_file(self):
        return self.model if self.model.lower().endswith(".onnx") else self.convert("net.onnx")

    def turn(self, batch):
        self.report = json.loads(self.run("bench", self.model, "--batch", str(batch), "--seconds",
                                          f"{self.seconds}s", "--json", *self.where))
        figures = {figure["kind"]: figure for figure in self.report["results"][0]["figures"]}
        return {**figures["tilewright"]["us"], "floor": figures["launch_floor"]["us"]["median"]}

    def output(self, np, x, batch):
        given, made = (os.path.join(self.folder, name) for name in ("x.npy", "y.npy"))
        np.save(given, x)
        self.run("run", self.model, "--input", given, "--output", made, "--batch", str(batch), *self.where)
        return np.load(made)


def load_competitors(names, tilewright, threads):
    """Returns NumPy's module or None, the competitors that can be used, and why the others cannot."""
    try:
        import numpy as np
    except ImportError as error:
        return None, [], {name: str(error) for name in names}
    present, missing = [], {}
    for name in names:
        try:
            present.append(COMPETITORS[name](np, lambda: read_network(np, tilewright.convert("net.json")),
                                             tilewright.onnx_file, threads))
        except (ImportError, Failure) as error:
            missing[name] = str(error)
    return np, present, missing


def check(np, name, got, expected, depth):
    bound = 2e-5 * depth * float(abs(expected).max())
    error = float(abs(got - expected).max()) if got.shape == expected.shape else math.inf
    if not error <= bound:
        raise Failure(f"{name} computes another output than tilewright: off by {error:.2g}, {bound:.2g} is allowed")


def in_rows(competitor, output, facts):
    """Returns an output with one row per sample. onnxruntime gives it as the file has it."""
    if competitor != "onnxruntime" or not facts["output_ports"][0]["transposed"]:
        return output
    # The batch is a dimension after the first; the other dimensions, in their order, are the columns.
    columns = facts["output_ports"][0]["columns"]
    batch = next(axis for axis in range(1, output.ndim) if output.size == output.shape[axis] * columns)
    order = [batch] + [axis for axis in range(output.ndim) if axis != batch]
    return output.transpose(order).reshape(output.shape[batch], columns)


def measure(batch, programs, np, competitors, options, rng):
    """Returns {name: [summary of each turn]}."""
    turns = {program.name: lambda program=program: program.turn(batch) for program in programs}
    if competitors:
        tilewright = programs[0]
        facts = json.loads(tilewright.run("info", options.model, "--json"))
        depth = sum(layer["kind"].startswith("affine") for layer in facts["layers"])
        x = np.random.default_rng(1).uniform(-1, 1, (batch, facts["inputs"])).astype(np.float32)
        expected = tilewright.output(np, x, batch)
        for competitor in competitors:
            call, output = competitor.prepare(x)
            check(np, competitor.name, in_rows(competitor.name, output(), facts), expected, depth)
            turns[competitor.name] = lambda call=call: turn(call, options.seconds)
    figures = {name: [] for name in turns}
    for _ in range(options.rounds):
        for name in rng.sample(list(turns), len(turns)):
            figures[name].append(turns[name]())
            time.sleep(REST_S)
    return figures


def around(values):
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def result_of(batch, turns):
    """Returns a result in the form of `net bench --json`. Its figures summarise the medians of the turns."""
    ours = [turn["median"] for turn in turns["tilewright"]]
    figures = []
    for name, summaries in turns.items():
        medians = [turn["median"] for turn in summaries]
        figure = {"kind": "competitor", "name": name, "us": around(medians), "turns_us": medians}
        if name == "tilewright":
            figure["kind"] = name
        else:
            ratios = [theirs / own for theirs, own in zip(medians, ours)]
            figure.update(ratio=statistics.median(ratios), ratio_range=[min(ratios), max(ratios)])
        figures.append(figure)
    floors = [turn["floor"] for turn in turns["tilewright"] if "floor" in turn]
    if floors:
        figures.append({"kind": "launch_floor", "name": "launch floor", "us": around(floors)})
    return {"batch": batch, "figures": figures}


def json_output(report, competitors, missing, rounds, results):
    """Returns the output of --json, in the form of `net bench --json`; `report` is an output of that."""
    listed = [{"name": competitor.name, "details": competitor.details} for competitor in competitors]
    listed += [{"name": name, "missing": why} for name, why in missing.items()]
    timing = "wall time of one forward to its finished output; figures are of the medians of turns: median, lowest, highest"
    conditions = {**report["conditions"], "timing": timing, "rounds": rounds}
    return {"kind": "network", "conditions": conditions, "competitors": listed, "results": results, "missing": []}


def table(results):
    lines = [f"{'batch':<7}{'':<14}{'us of a forward':>30}{'ratio':>24}"]
    for result in results:
        for figure in result["figures"]:
            us = figure["us"]
            times = f"{us['median']:.1f} ({us['low']:.1f}-{us['high']:.1f})"
            ratio = "{:.2f} ({:.2f}-{:.2f})".format(figure["ratio"], *figure["ratio_range"]) if "ratio" in figure else ""
            lines.append(f"{result['batch']:<7}{figure['name']:<14}{times:>30}{ratio:>24}".rstrip())
    lines.append("median of the turns' medians (lowest-highest); ratio: of a round, tilewright's rate divided by the "
                 "competitor's, above 1 tilewright is faster")
    return "\n".join(lines)


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("model")
    parser.add_argument("--tilewright", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 2,
                                                             "build", "release", "tuner", "tilewright"))
    parser.add_argument("--before")
    parser.add_argument("--batch", default="100")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--compare", default=",".join(COMPETITORS))
    parser.add_argument("--profile")
    parser.add_argument("--device")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    options.compare = [name for name in options.compare.split(",") if name]
    for name in options.compare:
        if name not in COMPETITORS:
            parser.error(f"--compare: '{name}' is none of {', '.join(COMPETITORS)}")
    try:
        options.batch = [int(batch) for batch in options.batch.split(",")]
    except ValueError:
        parser.error(f"--batch: '{options.batch}' is no list of whole numbers")
    if min(*options.batch, options.rounds, options.threads, 1) < 1 or not options.seconds > 0:
        parser.error("--batch, --rounds, --threads and --seconds are positive")
    return options


def main(options):
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(options.threads)  # read when NumPy is imported
    for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(variable, None)  # OpenBLAS chooses the kernels for the present CPU
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        programs = [Tilewright(name, program, options, folder)
                    for name, program in (("tilewright", options.tilewright), ("before", options.before)) if program]
        np, competitors, missing = load_competitors(options.compare, programs[0], options.threads)
        results = [result_of(batch, measure(batch, programs, np, competitors, options, rng)) for batch in options.batch]
    output = json_output(programs[0].report, programs[1:] + competitors, missing, options.rounds, results)
    if options.json:
        print(json.dumps(output, indent=2))
        return
    print(table(results))
    print("tilewright: {device}, {profile}".format(**output["conditions"]))
    for competitor in output["competitors"]:
        print(f"{competitor['name']}: {competitor.get('details') or 'left out (' + competitor['missing'] + ')'}")


ENVIRONMENT = dict(os.environ)  # for tilewright, without the changes for the competitors

if __name__ == "__main__":
    try:
        main(parse_options(sys.argv[1:]))
    except Failure as failure:
        print(f"compare_networks: {failure}", file=sys.stderr)
        sys.exit(1)
