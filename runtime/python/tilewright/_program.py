"""Runs the program tilewright, which is in the package."""

from __future__ import annotations

import os
import sys
from typing import Dict

from . import _files
from ._opencl import pyopencl_folder, pyopencl_loader_in_use


def environment() -> Dict[str, str]:
    """Returns the environment for the program.

    The program uses the same OpenCL library as this process, so that devices have the same numbers.
    """
    variables = dict(os.environ)
    if not variables.get("TILEWRIGHT_OPENCL"):
        bundled, folder = pyopencl_loader_in_use(), pyopencl_folder()
        if bundled and folder:
            variables["TILEWRIGHT_OPENCL"] = bundled
            variables["PYOPENCL_HOME"] = folder  # the bundled library needs it
            # Drivers next to the bundled library are named without a folder. Python finds them through pyopencl's own library.
            folders = [os.path.dirname(bundled), variables.get("LD_LIBRARY_PATH")]
            variables["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, folders))
    return variables


def main() -> None:
    """The console script `tilewright`: becomes the program."""
    try:
        file = _files.program_file()
    except ImportError as error:
        sys.exit(f"tilewright: {error}")
    os.execve(file, ["tilewright", *sys.argv[1:]], environment())
