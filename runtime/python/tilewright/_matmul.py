"""What all functions matmul() have in common: types, shapes and the output are those of numpy.matmul."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from ._errors import invalid_value, unsupported_type
from ._gemm import without_vectors
from ._host_arrays import place, unmasked
from ._layout import Product, as_matrices, product, result_type

# Multiplies two arrays that have elements into an aligned array without gaps, in column order only if it is no batch.
Multiply = Callable[[np.ndarray, np.ndarray, np.ndarray, Product], None]


def matmul(a: Any, b: Any, out: Optional[np.ndarray], multiply: Multiply) -> Any:
    """Returns the product, or fills `out`, with a function that multiplies."""
    a, b = unmasked(a, "a"), unmasked(b, "b")
    dtype = result_type(a.dtype, b.dtype)
    sizes = product(as_matrices(place(a), True).shape, as_matrices(place(b), False).shape)
    shape = without_vectors(sizes, a.ndim, b.ndim)
    _check_out(out, shape, dtype)
    column_major = out is not None and out.ndim == 2 and not sizes.batch and out.flags.f_contiguous
    direct = (out is not None and out.flags.aligned and (out.flags.c_contiguous or column_major)
              and not np.may_share_memory(out, a) and not np.may_share_memory(out, b))
    result = out if direct else np.empty(shape, dtype)
    if result.size > 0:
        if sizes.k > 0:
            multiply(a, b, result, sizes)
        else:
            result[...] = 0
    if out is not None and not direct:
        out[...] = result
    return out if out is not None else result[()]


def _check_out(out: Optional[np.ndarray], shape: Tuple[int, ...], dtype: np.dtype) -> None:
    if out is None:
        return
    if not isinstance(out, np.ndarray):
        raise unsupported_type(f"out must be a numpy.ndarray, not {type(out).__name__}")
    unmasked(out, "out")
    if out.shape != shape:
        raise invalid_value(f"out has shape {out.shape}, and the result {shape}")
    if out.dtype != dtype:
        raise unsupported_type(f"out has elements of {out.dtype}, and the result of {dtype}")
    if not out.flags.writeable:
        raise invalid_value("out is read-only")
