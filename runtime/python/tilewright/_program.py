"""Runs the program tilewright, which is in the package."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Dict

from . import _files
from ._opencl import LIBRARIES, pyopencl_folder, pyopencl_loader


def _has_opencl() -> bool:
    for name in LIBRARIES:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            continue
    return False


def environment() -> Dict[str, str]:
    """Returns the environment for the program.

    If this machine has no OpenCL library but that of pyopencl, the program uses it.
    """
    variables = dict(os.environ)
    if not variables.get("TILEWRIGHT_OPENCL") and not _has_opencl():
        bundled, folder = pyopencl_loader(), pyopencl_folder()
        if bundled and folder:
            variables["TILEWRIGHT_OPENCL"] = bundled
            variables["PYOPENCL_HOME"] = folder  # the bundled library needs it
    return variables


def main() -> None:
    """The console script `tilewright`: becomes the program."""
    try:
        file = _files.program_file()
    except ImportError as error:
        sys.exit(f"tilewright: {error}")
    os.execve(file, ["tilewright", *sys.argv[1:]], environment())
