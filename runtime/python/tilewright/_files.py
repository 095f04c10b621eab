"""Finds the shared library and the program, which are in the folder of the package."""

from __future__ import annotations

import glob
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))


def library_file() -> str:
    """Returns the path of libtilewright.so. Raises ImportError if the package does not have it."""
    found = glob.glob(os.path.join(FOLDER, "lib", "libtilewright.so*"))
    if not found:
        raise ImportError(f"{FOLDER}/lib has no libtilewright.so; install the wheel (docs/python.md)")
    return found[0]


def program_file() -> str:
    """Returns the path of the program tilewright. Raises ImportError if the package does not have it."""
    file = os.path.join(FOLDER, "bin", "tilewright")
    if not os.path.isfile(file):
        raise ImportError(f"{file} does not exist; install the wheel (docs/python.md)")
    return file
