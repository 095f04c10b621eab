"""Makes NumPy arrays available to the commands of one call, and fetches their results."""

from __future__ import annotations

import ctypes
from ctypes import c_void_p
from typing import Any, List, Tuple

import numpy as np

from . import _opencl
from ._errors import unsupported_type
from ._layout import Strided, as_matrices, storage

# A view with gaps becomes a buffer as it is, unless it is more than this much larger than its elements.
_MAX_SPAN = 2


def address(array: np.ndarray) -> int:
    """Returns the address of an array's first element."""
    return array.__array_interface__["data"][0]


def unmasked(array: Any, name: str) -> np.ndarray:
    """Returns numpy.asarray() of an argument. Raises UnsupportedTypeError for a masked array, whose mask would be lost."""
    if isinstance(array, np.ma.MaskedArray):
        raise unsupported_type(f"{name} is a masked array, and masks are not supported; replace its masked elements, "
                               "for example with filled(0)")
    return np.asarray(array)


def place(array: np.ndarray) -> Strided:
    """Returns where the elements of an array are, relative to its first element."""
    return Strided(array.shape, tuple(stride // array.itemsize for stride in array.strides))


def in_place(array: np.ndarray, dtype: np.dtype, gaps_are_free: bool) -> np.ndarray:
    """Returns an array that tw_matrix can describe: the array itself if possible, or a copy.

    `gaps_are_free`: the array's gaps are certainly not copied, so their size does not matter.
    """
    array = np.asarray(array)
    fits = (array.dtype == dtype and array.flags.aligned
            and all(stride >= 0 and stride % array.itemsize == 0 for stride in array.strides))
    if fits:
        where = place(array)
        small = gaps_are_free or where.span <= _MAX_SPAN * array.size
        if small and storage(as_matrices(where, is_first=True)) is not None:
            return array
    return np.require(array, dtype, ["C", "ALIGNED"]).reshape(array.shape)


class HostArrays:
    """Buffers for the arrays of one call. Use it in a `with` statement.

    On a device that shares the memory of the host, a buffer refers to the memory of the array
    (CL_MEM_USE_HOST_PTR). Some drivers of GPUs copy it nevertheless.
    """

    def __init__(self, context: int, queue: int, in_host_memory: bool) -> None:
        self._context = context
        self._queue = queue
        self._in_host_memory = in_host_memory
        self._inputs: List[Tuple[np.ndarray, int, int]] = []
        self._outputs: List[Tuple[np.ndarray, int]] = []
        self._buffers: List[int] = []
        self.event = c_void_p()  # of the last command that uses the buffers

    def __enter__(self) -> "HostArrays":
        return self

    def __exit__(self, *error: object) -> None:
        # An exception must not free memory that a command still uses. A call that fails half-way returns no event.
        try:
            if error and error[0] is not None and not self.event:
                _opencl.functions().clFinish(self._queue)
            self._wait(self.event)
        finally:
            for buffer in self._buffers:
                _opencl.functions().clReleaseMemObject(buffer)

    def input(self, array: np.ndarray) -> int:
        """Returns a buffer with an array's elements, from its first to its last one."""
        start, num_bytes = address(array), place(array).span * array.itemsize
        for other, other_bytes, buffer in self._inputs:
            if (start, num_bytes) == (address(other), other_bytes):
                return buffer
        # OpenCL does not define what happens if two buffers share host memory.
        overlaps = any(np.may_share_memory(array, other) for other, _, _ in self._inputs)
        in_place = self._in_host_memory and not overlaps
        flags = _opencl.MEM_READ_ONLY | (_opencl.MEM_USE_HOST_PTR if in_place else _opencl.MEM_COPY_HOST_PTR)
        buffer = self._create(flags, num_bytes, start)
        self._inputs.append((array, num_bytes, buffer))
        return buffer

    def output(self, array: np.ndarray) -> int:
        """Returns a buffer for a contiguous array, which fetch() fills."""
        host = address(array) if self._in_host_memory else None
        flags = _opencl.MEM_READ_WRITE | (_opencl.MEM_USE_HOST_PTR if host else 0)
        buffer = self._create(flags, array.nbytes, host)
        self._outputs.append((array, buffer))
        return buffer

    def fetch(self) -> None:
        """Waits for the event, and until all outputs are in their arrays."""
        self._wait(self.event)
        opencl = _opencl.functions()
        for array, buffer in self._outputs:
            if not self._in_host_memory:
                code = opencl.clEnqueueReadBuffer(self._queue, buffer, 1, 0, array.nbytes, address(array), 0, None, None)
                _opencl.check("clEnqueueReadBuffer", code)
                continue
            result = ctypes.c_int32()
            mapped = opencl.clEnqueueMapBuffer(self._queue, buffer, 1, _opencl.MAP_READ, 0, array.nbytes, 0, None,
                                               None, ctypes.byref(result))
            _opencl.check("clEnqueueMapBuffer", result.value)
            unmapped = c_void_p()
            code = opencl.clEnqueueUnmapMemObject(self._queue, buffer, mapped, 0, None, ctypes.byref(unmapped))
            _opencl.check("clEnqueueUnmapMemObject", code)
            self._wait(unmapped)

    def _create(self, flags: int, num_bytes: int, host: object) -> int:
        buffer = _opencl.create_buffer(self._context, flags, num_bytes, host)
        self._buffers.append(buffer)
        return buffer

    @staticmethod
    def _wait(event: c_void_p) -> None:
        if event.value is None:
            return
        opencl = _opencl.functions()
        code = opencl.clWaitForEvents(1, ctypes.byref(event))
        opencl.clReleaseEvent(event)
        event.value = None
        _opencl.check("clWaitForEvents", code)
