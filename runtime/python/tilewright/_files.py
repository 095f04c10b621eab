"""Finds the shared library and the program: in the folder of the package, otherwise those installed on the system."""

from __future__ import annotations

import ctypes
import glob
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
SONAME = "libtilewright.so.0.1"  # of the installed library; a test compares it with the header


def library_file() -> str:
    """Returns the path of libtilewright.so, or its name for the dynamic linker. Raises ImportError if there is none."""
    found = glob.glob(os.path.join(FOLDER, "lib", "libtilewright.so*"))
    if found:
        return found[0]
    try:
        ctypes.CDLL(SONAME)
    except OSError as error:
        raise ImportError(f"the package has no libtilewright.so in {FOLDER}/lib, and the system none: {error}; "
                          "docs/python.md in the sources explains how to install either") from error
    return SONAME


def program_file() -> str:
    """Returns the path of the program tilewright. Raises ImportError if there is none."""
    for folder in (os.path.join(FOLDER, "bin"), *os.get_exec_path()):
        file = os.path.join(folder, "tilewright")
        if os.access(file, os.X_OK) and os.path.isfile(file) and not _is_script(file):
            return file
    raise ImportError(f"neither {FOLDER}/bin nor a folder in PATH has the program tilewright; "
                      "docs/python.md in the sources explains how to install it")


def _is_script(file: str) -> bool:
    # pip installs a script of this name, which runs the program that is found here.
    with open(file, "rb") as opened:
        return opened.read(2) == b"#!"
