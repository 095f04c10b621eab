#!/usr/bin/env python3
"""NumPy as a competitor for `tilewright bench --compare exec:docs/examples/numpy_competitor.py`.

NumPy's wheels from PyPI contain a recent OpenBLAS. In a virtual environment, `pip install --upgrade numpy` installs the
newest. OpenBLAS runs the kernels for the CPU that it detects, because the variables that select others are removed here.
"""
import ctypes
import glob
import os
import sys

for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(variable, None)  # OpenBLAS reads them when it is loaded
sys.dont_write_bytecode = True
import numpy as np  # noqa: E402

from competitor import serve  # noqa: E402


def blas_details():
    """Version, kernels and number of threads of the OpenBLAS in NumPy's wheel (1.26 or newer); otherwise what NumPy reports."""
    folder = os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs")
    for path in glob.glob(os.path.join(folder, "libscipy_openblas*")):
        library = ctypes.CDLL(path)
        suffix = "64_" if "openblas64" in os.path.basename(path) else ""
        config, core = (getattr(library, f"scipy_openblas_get_{name}{suffix}") for name in ("config", "corename"))
        config.restype = core.restype = ctypes.c_char_p
        threads = getattr(library, f"scipy_openblas_get_num_threads{suffix}")()
        version = " ".join(config().decode().split()[:2])
        return f"{version}, kernels for {core().decode()}, {threads} threads"
    try:
        blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    except TypeError:  # NumPy before 1.25
        return "an unknown BLAS"
    return f"{blas['name']} {blas['version']}"


class NumPy:
    details = f"NumPy {np.__version__} with {blas_details()}"

    def set_product(self, op, m, n, k, a, b):
        a, b = np.frombuffer(a, np.float32), np.frombuffer(b, np.float32)
        self.a = a.reshape(k, m).T if op[0] == "T" else a.reshape(m, k)
        self.b = b.reshape(n, k).T if op[1] == "T" else b.reshape(k, n)
        self.c = np.full((m, n), np.nan, np.float32)

    def multiply(self):
        np.matmul(self.a, self.b, out=self.c)

    def element(self, i, j):
        return self.c[i, j]


serve(NumPy())
