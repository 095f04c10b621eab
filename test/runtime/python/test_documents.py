"""Runs the Python examples in the documents, each alone, with the names and files that they assume.

(The C and C++ examples are compiled by the step `fences` of test/install/package_test.sh.)
"""

import ctypes.util
import importlib.util
import inspect
import re
import subprocess
import sys
import types

import numpy as np
import pytest
from conftest import ROOT
from test_net import two_by_two

import tilewright as tw
from tilewright import _files, _tune

PAGES = [ROOT / "README.md", ROOT / "runtime/python/README.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERIC = ROOT / "profiles/data/generic.toml"
M, N, K = 12, 8, 64  # a sample of the network of the digits has 64 columns, too


def examples():
    for page in PAGES:
        for found in re.finditer(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            line = page.read_text().count("\n", 0, found.start()) + 1
            yield pytest.param(found[1], id=f"{page.relative_to(ROOT)}:{line}")


EXAMPLES = list(examples())


def test_examples_are_found():
    assert len(EXAMPLES) >= 10


def open_here(device):
    """Returns tilewright.open for examples: another device than the one of the tests is replaced by it."""
    def opened(named=None, **options):
        return real_open(None if "queue" in options else device, **{"cache": False, **options})
    real_open = tw.open
    return opened


def checked_tune(*args, **options):
    """Stands for tilewright.tune: checks the options with the program, and writes a profile."""
    given = inspect.signature(_tune.tune).bind(*args, **options)
    given.apply_defaults()
    words = dict(given.arguments.pop("options"), **given.arguments)
    words.pop("progress")
    subprocess.run([_files.program_file(), "tune", *_tune._arguments(words), "--dry-run"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(words["output"], "w") as file:
        file.write(GENERIC.read_text())
    return tw.Profile(words["output"])


@pytest.fixture
def names(lib, random, monkeypatch, tmp_path):
    """Returns the names that examples use, in a folder with the files that they name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.toml").write_text(GENERIC.read_text())
    for name in ("policy.onnx", "digits.onnx"):
        (tmp_path / name).write_bytes((ROOT / "test/digits/digits.onnx").read_bytes())
    (tmp_path / "actor-critic.onnx").write_bytes(two_by_two(np.ones((4, 3), np.float32), ("actions", "value")))

    monkeypatch.setattr(tw, "open", open_here(lib.device))
    monkeypatch.setattr(tw, "tune", checked_tune)
    if importlib.util.find_spec("pandas") is None:
        monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=list))

    def numbers(*shape):
        return random.uniform(-1, 1, shape).astype(np.float32)
    return {"np": np, "tw": tw, "sys": sys, "lib": lib, "m": M, "n": N, "k": K, "alpha": 2.0, "beta": 1.0,
            "a": numbers(M, K), "b": numbers(K, N), "x": numbers(K), "batch_a": numbers(5, M, K),
            "s": numbers(5, 4), "g": numbers(5, 3),
            "profile_text": GENERIC.read_text()}


@pytest.mark.parametrize("code", EXAMPLES)
def test_example(code, names, lib):
    if "pyopencl" in code:
        pytest.importorskip("pyopencl", reason="pyopencl is not installed")
        names["queue"] = lib.queue
    if "libopenblas.so.0" in code and ctypes.util.find_library("openblas") is None:
        pytest.skip("libopenblas.so.0 is not installed")
    exec(compile(code, "example", "exec"), names)
