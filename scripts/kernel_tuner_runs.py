"""Runs Kernel Tuner's optimisers on recorded spaces in its simulation mode: no device is needed.

  python kernel_tuner_runs.py SPACE RUNS BUDGET_S FOLDER STRATEGY...

Writes FOLDER/STRATEGY.jsonl for each that is not there, a line of JSON for each run: {"optimiser", "seed", "points"}, the numbers of the
space's points (from 0, in the order of their keys) in the order in which they were first tried. SPACE is
a cache file of Kernel Tuner's. Options are Kernel Tuner's defaults, but for
the limits: without max_fevals some stop after 100 points. Only simulated time counts
against the budget, not what the optimiser itself takes.

For scripts/search-benchmark, which makes the environment that this needs (PyPI: kernel_tuner).
"""
import contextlib
import io
import json
import keyword
import os
import random
import sys
import warnings

import kernel_tuner
import numpy
from kernel_tuner import interface, util
from kernel_tuner.runners import simulation
from kernel_tuner.strategies import gen_hybrid_vndx

# Points beyond the budget cannot count, but optimisers plan by what they may spend.
MARGIN = 1.1


def cached_results(space):
    """The file's results as Kernel Tuner reads them, less what no optimiser looks at."""
    kinds = {"InvalidConfig": util.InvalidConfig, "CompilationFailedConfig":
             util.CompilationFailedConfig, "RuntimeFailedConfig": util.RuntimeFailedConfig}
    for key, result in space["cache"].items():
        result = {name: value for name, value in result.items() if name not in ("times", "GFLOP/s")}
        if result.get("time") in kinds:
            error = kinds[result["time"]]()
            result["time"] = result["__error__"] = error
        yield key, result


def hasten_hybrid_vndx():
    """The same predictions of that optimiser's, but not by sorting all that it knows each time."""
    def knn_predict(self, point, history):
        known = getattr(self, "known", None)
        if known is None or len(known) < len(history):
            grown = numpy.empty((2 * len(history), len(point)), dtype=numpy.int64)
            done = 0 if known is None else self.filled
            if done:
                grown[:done] = known[:done]
            self.known, self.filled = grown, done
        for at in range(self.filled, len(history)):
            self.known[at] = [hash(value) for value in history[at][0]]
        self.filled = len(history)
        apart = (self.known[:self.filled] != [hash(value) for value in point]).sum(axis=1)
        nearest = numpy.argsort(apart, kind="stable")[:self.k]
        return sum(history[i][1] for i in nearest) / len(nearest)

    gen_hybrid_vndx.HybridVNDX.knn_predict = knn_predict


def patch(space):
    """Lets all runs share what is the same for all: the results and the list of points.

    Answers the list that each run fills, and whether a point is recorded.
    """
    cache = dict(cached_results(space))
    util.process_cache = lambda *_: cache
    util.close_cache = lambda *_: None
    parameters = space["tune_params"]
    make, made = interface.Searchspace, []
    points = {tuple(result[name] for name in parameters) for result in space["cache"].values()}

    def searchspace(*arguments, **options):
        if not made:
            made.append(make(*arguments, **options))
        return made[0]

    interface.Searchspace = searchspace
    util.TuningBudget.get_time_spent = lambda budget: budget.time_spent_extra
    tried = []

    class Visited(set):
        def add(self, key):
            tried.append(key)
            super().add(key)

    begin = simulation.SimulationRunner.__init__

    def begin_recorded(runner, *arguments, **options):
        begin(runner, *arguments, **options)
        tried.clear()
        runner.visited_results = Visited()

    simulation.SimulationRunner.__init__ = begin_recorded
    return tried, lambda *point: point in points


def run_all(space, recorded, tried, runs, budget_s, strategy):
    """A line for each run."""
    number = {key: i for i, key in enumerate(sorted(space["cache"]))}
    for seed in range(1, runs + 1):
        random.seed(seed)
        numpy.random.seed(seed)
        with contextlib.redirect_stdout(io.StringIO()):
            kernel_tuner.tune_kernel(
                space["kernel_name"], "", space["problem_size"], [], space["tune_params"],
                restrictions=[recorded], cache="recorded.json", simulation_mode=True,
                strategy=strategy, quiet=True,
                strategy_options={"time_limit": MARGIN * budget_s, "max_fevals": len(number)})
        yield json.dumps({"optimiser": strategy, "seed": seed,
                          "points": [number[key] for key in tried]}) + "\n"


def by_names(recorded, names):
    """The same function, but with named arguments: by these Kernel Tuner asks restrictions."""
    for name in names:
        # The file is a stranger's, and what is no name would be run as a program.
        if not name.isidentifier() or keyword.iskeyword(name) or name == "recorded":
            sys.exit(f"kernel_tuner_runs.py: tune_params: {name!r} cannot name a parameter")
    listed = ", ".join(names)
    return eval(f"lambda {listed}: recorded({listed})", {"recorded": recorded})


def main():
    path, runs, budget_s, folder, *strategies = sys.argv[1:]
    with open(path) as file:
        space = json.load(file)
    hasten_hybrid_vndx()
    tried, recorded = patch(space)
    restriction = by_names(recorded, space["tune_params"])
    warnings.simplefilter("ignore")
    for strategy in strategies:
        kept = os.path.join(folder, strategy + ".jsonl")
        if os.path.exists(kept):
            continue
        with open(kept + ".part", "w") as out:
            out.writelines(run_all(space, restriction, tried, int(runs), float(budget_s), strategy))
        os.rename(kept + ".part", kept)


if __name__ == "__main__":
    main()
