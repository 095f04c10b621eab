"""Arrays in OpenCL buffers: those of pyopencl, and parts of plain buffers."""

from __future__ import annotations

import dataclasses
import operator
from ctypes import c_void_p
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._errors import invalid_value, to_size, unsupported_type
from ._layout import Strided, contiguous_strides


_MIN_ADDRESS = 4096  # handles are addresses, and nothing is in the first page of memory


@dataclasses.dataclass(frozen=True)
class DeviceArray:
    """An array in an OpenCL buffer, for buffers that are not a pyopencl.array.Array.

    Attributes:
        buffer: a pyopencl.Buffer, or the handle of a cl_mem as an integer.
        shape: extents.
        dtype: element type.
        offset: position of the first element, in elements.
        strides: distances between neighbours in each dimension, in elements; None: C order
            without gaps.
    """

    buffer: Any
    shape: Tuple[int, ...]
    dtype: Any = np.float32
    offset: int = 0
    strides: Optional[Tuple[int, ...]] = None


def handle(thing: Any, name: str) -> int:
    """Returns the OpenCL handle of an object of pyopencl, or the integer itself."""
    if isinstance(thing, (int, np.integer)) and not isinstance(thing, bool):
        number = to_size(thing, name)
        if number < _MIN_ADDRESS:
            raise invalid_value(f"{name} is {number}, which is no handle of an OpenCL object")
        return number
    found = getattr(thing, "int_ptr", None)
    if found is None:
        raise unsupported_type(f"{name} is neither an OpenCL object of pyopencl nor a handle: {type(thing).__name__}")
    return found


@dataclasses.dataclass(frozen=True)
class BufferView:
    """What a call needs to know about an array in a buffer."""

    buffer: int
    dtype: np.dtype
    place: Strided
    events: List[Any]  # of pyopencl, to be waited for
    queue: Any  # of pyopencl, or None
    source: Any

    def record(self, event: Any) -> None:
        """Makes later uses of a pyopencl.array.Array wait for the event."""
        if hasattr(self.source, "add_event"):
            self.source.add_event(event)


def _checked_strides(given: Sequence[Any], shape: Tuple[int, ...], name: str) -> Tuple[int, ...]:
    # A stride may be negative. Positions that do not fit in a ssize_t would wrap.
    try:
        strides = tuple(operator.index(stride) for stride in given)
    except TypeError:
        raise invalid_value(f"a stride of {name} is not a whole number: {tuple(given)}") from None
    if len(strides) != len(shape):
        raise invalid_value(f"the strides of {name} are {strides}, and its shape is {shape}")
    span = sum((extent - 1) * abs(stride) for extent, stride in zip(shape, strides) if extent > 1)
    if span > np.iinfo(np.intp).max:
        raise invalid_value(f"the strides of {name} are {strides}, which is too large for the shape {shape}")
    return strides


def view(array: Any, name: str) -> BufferView:
    """Returns the view of a pyopencl.array.Array or a DeviceArray. `name`: of the argument."""
    if isinstance(array, DeviceArray):
        shape = tuple(to_size(extent, f"an extent of {name}") for extent in array.shape)
        strides = contiguous_strides(shape) if array.strides is None else _checked_strides(array.strides, shape, name)
        place = Strided(shape, strides, to_size(array.offset, f"the offset of {name}"))
        return BufferView(handle(array.buffer, f"the buffer of {name}"), np.dtype(array.dtype), place, [], None, array)
    if not hasattr(array, "base_data"):
        raise unsupported_type(f"{name} must be a pyopencl.array.Array or a tilewright.DeviceArray, not "
                               f"{type(array).__name__}; matmul() takes NumPy arrays")
    size = array.dtype.itemsize
    if array.offset % size or any(stride % size for stride in array.strides):
        raise invalid_value(f"{name}: offset and strides must be multiples of the element size of {size} bytes")
    place = Strided(tuple(array.shape), tuple(stride // size for stride in array.strides), array.offset // size)
    return BufferView(handle(array.base_data, name), np.dtype(array.dtype), place,
                      list(getattr(array, "events", [])), array.queue, array)


def wait_list(views: Sequence[BufferView], wait_for: Optional[Sequence[Any]]) -> list:
    """Returns the handles of the events that a command must wait for."""
    events = list(wait_for or [])
    for one in views:
        events.extend(one.events)
    return [handle(event, "wait_for") for event in events]


def to_event(event: c_void_p) -> Any:
    """Returns a pyopencl.Event that owns the event."""
    import pyopencl
    return pyopencl.Event.from_int_ptr(event.value, retain=False)


def require_pyopencl() -> None:
    """Raises ImportError, with the way out, if pyopencl is not installed."""
    try:
        import pyopencl  # noqa: F401
    except ImportError as error:
        raise ImportError("arrays on the device need pyopencl (pip install pyopencl); matmul() takes NumPy "
                          "arrays without it") from error
