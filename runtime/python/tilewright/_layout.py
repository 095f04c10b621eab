"""How matrices lie in memory, in the terms of BLAS: storage order, leading dimension, offsets."""

from __future__ import annotations

import dataclasses
from ctypes import POINTER, c_size_t
from typing import Optional, Sequence, Tuple

import numpy as np

from . import _c_api
from ._errors import invalid_value, unsupported_type

TYPE_NAMES = "float16, float32, float64, complex64 and complex128"


@dataclasses.dataclass(frozen=True)
class Strided:
    """The place of an array's elements in a buffer. Offsets and strides count elements."""

    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    offset: int = 0

    @property
    def span(self) -> int:
        """Number of elements from the first to the last one, if no stride is negative."""
        if 0 in self.shape:
            return 0
        return 1 + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides))


def contiguous_strides(shape: Sequence[int]) -> Tuple[int, ...]:
    """Returns the strides of an array in C order without gaps, in elements."""
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(extent, 1))
    return tuple(strides[:len(shape)])


def element_type(dtype: np.dtype) -> int:
    """Returns the tw_type of a NumPy type. Raises UnsupportedTypeError for another type."""
    found = _c_api.TYPES.get(np.dtype(dtype))
    if found is None:
        raise unsupported_type(f"element type {np.dtype(dtype)} is not supported; convert to one of {TYPE_NAMES}")
    return found


def result_type(first: np.dtype, second: np.dtype) -> np.dtype:
    """Returns the type of a product, by NumPy's rules of promotion."""
    try:
        result = np.result_type(first, second).newbyteorder("=")
    except TypeError:  # there is no common type
        result = None
    if result not in _c_api.TYPES:
        raise unsupported_type(f"products of {first} and {second} are not supported; convert to one of {TYPE_NAMES}, "
                               "for example with astype(numpy.float32)")
    return result


def storage(place: Strided) -> Optional[Tuple[str, int]]:
    """Returns the storage order ("C" or "F") and the leading dimension of the last two dimensions.

    None if BLAS cannot describe them: elements are not contiguous in either dimension, or a
    stride is negative.
    """
    rows, columns = place.shape[-2:]
    row_stride, column_stride = place.strides[-2:]
    if columns == 1 or column_stride == 1:
        ld = row_stride if rows > 1 else columns
        if ld >= columns:
            return "C", ld
    if rows == 1 or row_stride == 1:
        ld = column_stride if columns > 1 else rows
        if ld >= rows:
            return "F", ld
    return None


def as_matrices(place: Strided, is_first: bool) -> Strided:
    """Returns the place with at least two dimensions: a vector is a row (first operand) or a column."""
    if len(place.shape) == 0:
        raise invalid_value("an operand has no dimension; multiply scalars with *")
    if len(place.shape) > 1:
        return place
    if is_first:
        return Strided((1, *place.shape), (0, *place.strides), place.offset)
    return Strided((*place.shape, 1), (*place.strides, 0), place.offset)


def _batch_offsets(place: Strided, batch: Tuple[int, ...]) -> np.ndarray:
    own = place.shape[:-2]
    offsets = np.full(own, place.offset, np.intp)
    for axis, (extent, stride) in enumerate(zip(own, place.strides)):
        steps = np.arange(extent, dtype=np.intp) * (stride if extent > 1 else 0)
        offsets += steps.reshape([-1 if i == axis else 1 for i in range(len(own))])
    if offsets.size > 0 and offsets.min() < 0:
        raise invalid_value("a matrix of a batch starts before its buffer")
    return np.ascontiguousarray(np.broadcast_to(offsets, batch).ravel(), np.uintp)


def c_matrix(place: Strided, ld: int, buffer: Optional[int], batch: Tuple[int, ...]) -> _c_api.Matrix:
    """Returns a tw_matrix. `batch` has the extents of the batch that all operands are broadcast to."""
    matrix = _c_api.Matrix(buffer=buffer, offset=place.offset, ld=ld)
    if batch:
        # From the start of the buffer, because a batch in reversed order has steps below 0.
        matrix.offset, offsets = 0, _batch_offsets(place, batch)
        matrix.offsets = offsets.ctypes.data_as(POINTER(c_size_t))
        matrix.keep_alive = offsets  # the pointer does not own them
    return matrix


@dataclasses.dataclass(frozen=True)
class Product:
    """The extents of a product or of a batch of products: C = op(A) op(B)."""

    m: int
    n: int
    k: int
    batch: Tuple[int, ...]

    @property
    def shape(self) -> Tuple[int, ...]:
        """Shape of C."""
        return (*self.batch, self.m, self.n)

    @property
    def count(self) -> int:
        """Number of products."""
        return int(np.prod(self.batch, dtype=np.int64))


def product(a: Sequence[int], b: Sequence[int], trans_a: int = _c_api.NO_TRANS,
            trans_b: int = _c_api.NO_TRANS) -> Product:
    """Returns the product of matrices with these shapes, which have at least two dimensions."""
    m, k = a[-2:] if trans_a == _c_api.NO_TRANS else reversed(a[-2:])
    rows, n = b[-2:] if trans_b == _c_api.NO_TRANS else reversed(b[-2:])
    if k != rows:
        raise invalid_value(f"shapes {tuple(a)} and {tuple(b)} do not fit: the inner extents are {k} and {rows}")
    try:
        batch = np.broadcast(np.empty(a[:-2], np.bool_), np.empty(b[:-2], np.bool_)).shape
    except ValueError:
        raise invalid_value(f"shapes {tuple(a)} and {tuple(b)} do not fit: their batches cannot be broadcast") from None
    return Product(m, n, k, batch)
