"""Runs the tests on an installed package, or on the sources with the library of a build folder.

TILEWRIGHT_TEST_LIBRARY and TILEWRIGHT_TEST_PROGRAM name the files of a build folder. Device tests use
the device whose name contains TILEWRIGHT_TEST_DEVICE, or else the first one.
"""

import os
import pathlib

import numpy as np
import pytest

import tilewright as tw
from tilewright import _files

ROOT = pathlib.Path(__file__).resolve().parents[3]

FIND_LIBRARY, FIND_PROGRAM = _files.library_file, _files.program_file
if "TILEWRIGHT_TEST_LIBRARY" in os.environ:
    _files.library_file = lambda: os.environ["TILEWRIGHT_TEST_LIBRARY"]
    _files.program_file = lambda: os.environ["TILEWRIGHT_TEST_PROGRAM"]


@pytest.fixture(scope="session")
def device():
    name = os.environ.get("TILEWRIGHT_TEST_DEVICE", "")
    found = [one for one in tw.devices() if name.lower() in one.name.lower()]
    if not found:
        pytest.skip("there is no OpenCL device")
    return found[0]


@pytest.fixture(scope="session")
def lib(device):
    with tw.open(device.index, cache=False) as library:
        yield library


@pytest.fixture
def random():
    return np.random.default_rng(1)
