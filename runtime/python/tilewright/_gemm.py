"""Describes products in the terms of the C interface."""

from __future__ import annotations

from ctypes import sizeof
from typing import Sequence, Tuple, Union

import numpy as np

from . import _c_api
from ._errors import invalid_value, unsupported_type
from ._layout import Product, Strided, as_matrices, c_matrix, element_type, product, storage

_TRANS = {False: _c_api.NO_TRANS, True: _c_api.TRANS, "N": _c_api.NO_TRANS, "T": _c_api.TRANS,
          "C": _c_api.CONJ_TRANS}


def to_transpose(trans: Union[bool, str]) -> int:
    """Returns the tw_transpose for what a caller gave: False, True, "N", "T" or "C"."""
    key = trans.upper() if isinstance(trans, str) else bool(trans)
    if key not in _TRANS:
        raise invalid_value(f"a transpose is False, True, 'N', 'T' or 'C', not {trans!r}")
    return _TRANS[key]


def combined_trans(trans: int, order: str, layout: str) -> int:
    """Returns the tw_transpose for an operand in storage order `order` of a call with order `layout`."""
    if order == layout:
        return trans
    if trans == _c_api.CONJ_TRANS:
        raise invalid_value("the conjugate transpose of a matrix needs the same storage order as the result")
    return _c_api.TRANS if trans == _c_api.NO_TRANS else _c_api.NO_TRANS


def scalar(value: complex, name: str) -> _c_api.Scalar:
    """Returns a tw_scalar."""
    try:
        number = complex(value)
    except TypeError:
        raise unsupported_type(f"{name} is not a number: {value!r}") from None
    return _c_api.Scalar(number.real, number.imag)


def gemm_desc(dtype: np.dtype, sizes: Product, layout: str, trans_a: int, trans_b: int,
              alpha: complex = 1, beta: complex = 0) -> _c_api.GemmDesc:
    """Returns a tw_gemm_desc. `layout` is the storage order of C, "C" or "F"."""
    desc = _c_api.GemmDesc(type=element_type(dtype), trans_a=trans_a, trans_b=trans_b, m=sizes.m, n=sizes.n,
                           k=sizes.k, alpha=scalar(alpha, "alpha"), beta=scalar(beta, "beta"),
                           batch_count=sizes.count)
    desc.struct_size = sizeof(_c_api.GemmDesc)
    desc.layout = _c_api.ROW_MAJOR if layout == "C" else _c_api.COLUMN_MAJOR
    return desc


def without_vectors(sizes: Product, ndim_a: int, ndim_b: int) -> Tuple[int, ...]:
    """Returns the shape of a result as NumPy has it. `ndim_a`, `ndim_b`: of the operands."""
    rows = () if ndim_a == 1 else (sizes.m,)
    columns = () if ndim_b == 1 else (sizes.n,)
    return (*sizes.batch, *rows, *columns)


def _result_place(where: Strided, x_is_vector: bool, y_is_vector: bool) -> Strided:
    # Adds the dimensions of 1 that a product with vectors lacks.
    shape, strides = list(where.shape), list(where.strides)
    if y_is_vector:
        shape.append(1)
        strides.append(0)
    if x_is_vector:
        shape.insert(max(len(shape) - 1, 0), 1)
        strides.insert(max(len(strides) - 1, 0), 0)
    return Strided(tuple(shape), tuple(strides), where.offset)


def describe_gemm(places: Sequence[Strided], dtype: np.dtype, trans_x: Union[bool, str], trans_y: Union[bool, str],
                  alpha: complex, beta: complex) -> Tuple[_c_api.GemmDesc, Sequence[_c_api.Matrix]]:
    """Returns the descriptor and the matrices of a call, without buffers. `places`: of x, y and out."""
    x, y, out = places
    vectors = len(x.shape) == 1, len(y.shape) == 1
    trans = [_c_api.NO_TRANS if vector else to_transpose(one) for vector, one in zip(vectors, (trans_x, trans_y))]
    if np.dtype(dtype).kind != "c":  # the conjugate of a real matrix is the matrix
        trans = [_c_api.TRANS if one == _c_api.CONJ_TRANS else one for one in trans]
    matrices = [as_matrices(x, True), as_matrices(y, False), _result_place(out, *vectors)]
    sizes = product(matrices[0].shape, matrices[1].shape, *trans)
    if matrices[2].shape != sizes.shape:
        raise invalid_value(f"out has shape {out.shape}, and the result {without_vectors(sizes, len(x.shape), len(y.shape))}")
    stored = []
    for matrix, name in zip(matrices, ("x", "y", "out")):
        found = ("C", max(matrix.shape[-1], 1)) if 0 in matrix.shape else storage(matrix)
        if found is None:
            raise invalid_value(f"{name}: the elements are not contiguous in either of the last two dimensions")
        stored.append(found)
    layout = stored[2][0]
    trans = [combined_trans(one, order, layout) for one, (order, _) in zip(trans, stored)]
    desc = gemm_desc(dtype, sizes, layout, *trans, alpha, beta)
    return desc, [c_matrix(matrix, ld, None, sizes.batch) for matrix, (_, ld) in zip(matrices, stored)]
