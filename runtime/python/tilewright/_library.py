"""Opens a library for a device, and multiplies matrices."""

from __future__ import annotations

import os
import warnings
import weakref
from ctypes import byref, c_void_p, sizeof
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from . import _c_api, _opencl
from ._devices import Device, choose, find
from ._device_arrays import handle as opencl_handle
from ._device_arrays import require_pyopencl, to_event, view, wait_list
from ._errors import invalid_value, to_size, unsupported_type
from ._host_arrays import HostArrays, in_place, place
from ._gemm import combined_trans, describe_gemm, gemm_desc, to_transpose
from ._layout import Product, Strided, as_matrices, c_matrix, contiguous_strides, product, result_type, storage
from ._matmul import matmul
from ._owned_handle import OwnedHandle


def open(device: Union[None, int, str, Device] = None, *, queue: Any = None, profile: Any = None,
         profile_text: Optional[str] = None, built_in: bool = False, allow_other_device: bool = False,
         cache: Union[None, bool, str, "os.PathLike[str]"] = None, max_kept_bytes: Optional[int] = None,
         log: Optional[Callable[[int, str], None]] = None) -> "Library":
    """Opens the library for one device. Nothing is compiled yet.

        lib = tilewright.open()              # the first GPU, or else the first device
        lib = tilewright.open("mali")        # the device with this in its name
        lib = tilewright.open(queue=queue)   # the device of a pyopencl.CommandQueue

    At most one of `profile`, `profile_text` and `built_in` may be given. Without them the library
    looks for a profile of the device (docs/shipping.md).

    Args:
        device: one of devices(), its index as in `tilewright devices`, or a part of its name. Not
            together with `queue`.
        queue: a pyopencl.CommandQueue, or the handle of one. Its context is used.
        profile: path of a profile, or a tilewright.Profile.
        profile_text: text of a profile.
        built_in: use the built-in profile, which supports every device.
        allow_other_device: the profile may be for another device; its kernels are verified at
            their first use.
        cache: folder for compiled kernels. False: none. None: the default.
        max_kept_bytes: device memory that is kept for temporaries. None: the default.
        log: function that receives a level (logging.INFO or logging.WARNING) and a line of text for each event that
            happens once, such as logging.getLogger("tilewright").log. It may be called by several threads at the same
            time and must not call the library.

    Raises:
        ProfileError: the profile that is named cannot be used.
        ArgumentError: no device, or more than one, matches.
        Error: OpenCL fails, or there is no device.
    """
    return Library(device, queue, _options(profile, profile_text, built_in, allow_other_device, cache, max_kept_bytes,
                                           log))


def _options(profile: Any, profile_text: Optional[str], built_in: bool, allow_other_device: bool, cache: Any,
             max_kept_bytes: Optional[int], log: Optional[Callable[[int, str], None]]) -> _c_api.Options:
    options = _c_api.Options(struct_size=sizeof(_c_api.Options), max_kept_bytes=_c_api.DEFAULT_KEPT_BYTES)
    if profile is not None:
        options.profile_path = os.fsencode(getattr(profile, "path", profile))
    if profile_text is not None:
        options.profile_text = profile_text.encode()
    options.built_in_profile = bool(built_in)
    options.allow_other_device = bool(allow_other_device)
    if cache is not None and cache is not True:
        options.cache_folder = os.fsencode(cache or "")
    if max_kept_bytes is not None:
        options.max_kept_bytes = to_size(max_kept_bytes, "max_kept_bytes")
    if log is not None:
        options.log = _c_api.Log(lambda severity, line, user: log(10 * (severity + 1), line.decode()))
    return options


def _warn_of_untrusted(origin: str) -> None:
    """Warns once of each folder or profile that is not used because other users can change it."""
    for reason in origin.split("not used: ")[1:]:
        if "can be written by other users" in reason or "belongs to another user" in reason:
            warnings.warn("profiles of this device are not used: " + reason.rstrip("; "), RuntimeWarning)


def _release_queue(process: int, queue: int, context: Optional[int]) -> None:
    if os.getpid() != process:  # after fork() the driver does not work in the child
        return
    opencl = _opencl.functions()
    opencl.clReleaseCommandQueue(queue)
    if context is not None:
        opencl.clReleaseContext(context)


class Library:
    """Multiplies matrices on one device. Made by tilewright.open().

    A library can be used as a context manager; otherwise it is freed with its last reference.

    Thread safety: all methods may be called from any thread at the same time, except that close()
    must be the last call. Calls with NumPy arrays use one queue; they release Python's global lock
    while they wait.

    Attributes:
        device: the device (tilewright.Device).
    """

    def __init__(self, device: Union[None, int, str, Device], queue: Any, options: _c_api.Options) -> None:
        api = _c_api.library()
        context = None
        if queue is None:
            self.device: Device = choose(device)
            platform, chosen = self.device._handles
            context = _opencl.create_context(platform, chosen)
            self._queue = _opencl.create_queue(context, chosen)
        else:
            if device is not None:
                raise invalid_value("give a device or a queue, not both")
            self._queue = opencl_handle(queue, "queue")
            own = _opencl.read_number("clGetCommandQueueInfo", self._queue, _opencl.QUEUE_DEVICE)
            self.device = find(own)
            _opencl.check("clRetainCommandQueue", _opencl.functions().clRetainCommandQueue(self._queue))
        self._context = _opencl.read_number("clGetCommandQueueInfo", self._queue, _opencl.QUEUE_CONTEXT)
        # Not freed by close(), because networks use it, too; and not at exit, because a daemon thread may use it.
        weakref.finalize(self, _release_queue, os.getpid(), self._queue, context).atexit = False
        self._options = options  # keeps the log function alive
        opened = c_void_p()
        _c_api.check(api.tw_open_for_queue(self._queue, byref(options), byref(opened)), options.profile_path)
        # At exit, too: PoCL's binaries are stored when the library is closed.
        self._handle = OwnedHandle(self, opened.value, "tw_close", "library")
        _warn_of_untrusted(self.profile_origin)

    def close(self) -> None:
        """Frees the library. Networks that it loaded remain usable. Does nothing if it is closed.

        While a call of another thread runs, the library is kept until the call returns.
        """
        self._handle.close()

    def __enter__(self) -> "Library":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._handle.is_open else ", closed"
        return f"<tilewright.Library on {self.device.name!r}{state}>"

    @property
    def profile_origin(self) -> str:
        """Which profile the library uses, and why."""
        with self._handle as handle:
            return _c_api.library().tw_profile_origin(handle).decode()

    def supports(self, dtype: Any) -> bool:
        """Returns whether products of an element type are supported: False for float64 on a device without it.

        Args:
            dtype: a NumPy type, e.g. numpy.float64.
        """
        found = _c_api.TYPES.get(np.dtype(dtype))
        with self._handle as handle:
            return found is not None and bool(_c_api.library().tw_supports(handle, found))

    @property
    def queue(self) -> Any:
        """The queue of matmul() as a pyopencl.CommandQueue, for example to make arrays with. Needs pyopencl."""
        require_pyopencl()
        import pyopencl
        with self._handle:
            return pyopencl.CommandQueue.from_int_ptr(self._queue)

    def host_arrays(self) -> HostArrays:
        """For the package only: the buffers for NumPy arrays of one call."""
        return HostArrays(self._context, self._queue, self.device.shares_host_memory)

    def matmul(self, a: Any, b: Any, out: Optional[np.ndarray] = None) -> Any:
        """Returns the matrix product of two arrays, like numpy.matmul.

        Args:
            a: array of shape (m, k), (..., m, k) or (k,).
            b: array of shape (k, n), (..., k, n) or (k,). The dimensions before the last two are
                a batch, which is broadcast as NumPy does.
            out: receives the result; it must have its shape and type. None: a new array.

        Element types are float16, float32, float64, complex64 and complex128. If they differ, both
        arrays are converted to the type that NumPy would promote them to, so float32 and int64
        give float64. float16 is summed in single precision.

        Transposed arrays, slices and columns are read in place if the elements are contiguous in
        one dimension; other arrays are copied first.

        Returns:
            Array of shape (..., m, n), without m if `a` is a vector, and without n if `b` is one.

        Raises:
            ArgumentError: shapes do not fit (a ValueError).
            UnsupportedTypeError: the library or the device lacks the type (a TypeError).
        """
        return matmul(a, b, out, self._multiply)

    def _multiply(self, a: np.ndarray, b: np.ndarray, result: np.ndarray, sizes: Product) -> None:
        gaps_are_free = self.device.shares_host_memory and self.device.type == "cpu"
        a, b = in_place(a, result.dtype, gaps_are_free), in_place(b, result.dtype, gaps_are_free)
        place_a, place_b = as_matrices(place(a), True), as_matrices(place(b), False)
        (order_a, ld_a), (order_b, ld_b) = storage(place_a), storage(place_b)
        layout = "C" if result.flags.c_contiguous else "F"
        place_c = Strided(sizes.shape, contiguous_strides(sizes.shape))
        desc = gemm_desc(result.dtype, sizes, layout, combined_trans(_c_api.NO_TRANS, order_a, layout),
                         combined_trans(_c_api.NO_TRANS, order_b, layout))
        with self._handle as handle, self.host_arrays() as memory:
            matrix_a = c_matrix(place_a, ld_a, memory.input(a), sizes.batch)
            matrix_b = c_matrix(place_b, ld_b, memory.input(b), sizes.batch)
            matrix_c = c_matrix(place_c, sizes.n if layout == "C" else sizes.m, memory.output(result), sizes.batch)
            _c_api.check(_c_api.library().tw_gemm(handle, self._queue, byref(desc), byref(matrix_a), byref(matrix_b),
                                                  byref(matrix_c), 0, None, byref(memory.event)))
            memory.fetch()

    def gemm(self, x: Any, y: Any, *, out: Any, alpha: complex = 1, beta: complex = 0,
             trans_x: Union[bool, str] = False, trans_y: Union[bool, str] = False, queue: Any = None,
             wait_for: Optional[Sequence[Any]] = None) -> Any:
        """Enqueues out = alpha op(x) op(y) + beta out on the device, and returns without waiting.

        Args:
            x: (m, k) or (..., m, k) or (k,), a pyopencl.array.Array or a tilewright.DeviceArray.
            y: (k, n) or (..., k, n) or (k,), likewise.
            out: (..., m, n), without m or n for vectors, likewise. It must not overlap x or y.
                All three have the same element type, one of those of matmul().
            alpha, beta: scalars. If beta is 0, out is not read.
            trans_x, trans_y: op(): False or "N", True or "T" for the transpose, "C" for the
                conjugate transpose.
            queue: a pyopencl.CommandQueue. None: that of `out`, or else that of the library.
            wait_for: events to wait for, in addition to those of the arrays.

        Returns:
            A pyopencl.Event that completes when `out` is written.

        Raises:
            ArgumentError: shapes do not fit, or an array's elements are not contiguous in either of
                its last two dimensions.
            UnsupportedTypeError: the library or the device lacks the element type.
        """
        require_pyopencl()
        views = [view(x, "x"), view(y, "y"), view(out, "out")]
        dtype = views[2].dtype
        for one, name in zip(views, ("x", "y")):
            if one.dtype != dtype:
                raise unsupported_type(f"{name} has elements of {one.dtype}, and out of {dtype}")
        desc, matrices = describe_gemm([one.place for one in views], dtype, trans_x, trans_y, alpha, beta)
        for matrix, one in zip(matrices, views):
            matrix.buffer = one.buffer
        waits = wait_list(views, wait_for)
        queue = queue if queue is not None else views[2].queue
        queue_handle = self._queue if queue is None else opencl_handle(queue, "queue")
        done = c_void_p()
        with self._handle as handle:
            _c_api.check(_c_api.library().tw_gemm(handle, queue_handle, byref(desc), *map(byref, matrices), len(waits),
                                                  _c_api.handle_array(waits), byref(done)))
        event = to_event(done)
        views[2].record(event)
        return event

    def explain(self, a: Any, b: Any, dtype: Any = np.float32, *, beta: complex = 0, trans_a: Union[bool, str] = False,
                trans_b: Union[bool, str] = False) -> str:
        """Explains which kernels multiply two matrices. Loads the kernels; nothing is multiplied.

        Args:
            a, b: shapes (m, k) and (k, n), or arrays, whose types and strides then count. Their
                addresses do not: matrices are explained as if they were aligned. A product of a
                part of an array, such as x[1:], may use another plan.
            dtype: element type, for two shapes.
            beta, trans_a, trans_b: as for gemm().

        Returns:
            A table of all plans, best first, with their predicted times and kernels.
        """
        types = [matrix.dtype for matrix in (a, b) if hasattr(matrix, "dtype")]
        if types:
            dtype = result_type(types[0], types[-1])
        places = [_place_to_explain(matrix, dtype) for matrix in (a, b)]
        sizes = product(places[0].shape, places[1].shape, to_transpose(trans_a), to_transpose(trans_b))
        if sizes.batch:
            raise invalid_value("a batch cannot be explained; give the shapes of one product")
        places.append(Strided(sizes.shape, contiguous_strides(sizes.shape)))
        desc, matrices = describe_gemm(places, np.dtype(dtype), trans_a, trans_b, 1, beta)
        with self._handle as handle:
            return _c_api.explain(_c_api.library().tw_explain, handle, byref(desc), *map(byref, matrices))

    def load_net(self, source: Union[str, "os.PathLike[str]", bytes], dtype: Any = np.float32, *,
                 outputs: Optional[Sequence[str]] = None) -> Any:
        """Loads a fully connected network from a file and copies its weights to the device.

        Args:
            source: path of a file .onnx or .json (docs/models.md), or the bytes of such a file (JSON with all
                matrices in its text).
            dtype: numpy.float32, or numpy.float16 for half precision.
            outputs: names of the outputs that the network has, in this order, each once; a string is
                one name. None: all outputs of the file that can be computed; its first output of
                floats must be one of them.

        Returns:
            A tilewright.Network: y = net(x).

        Raises:
            ArgumentError: the file cannot be read, or a layer is not supported; the message names it.
                Or an output is unknown or cannot be computed; the message names those that can.
        """
        from ._network import Network
        if outputs is not None and len(outputs) == 0:
            raise invalid_value("outputs is empty; None chooses all outputs")
        names = [outputs] if isinstance(outputs, str) else list(outputs or ())
        return Network(self, source, dtype, names)


def _place_to_explain(matrix: Any, dtype: np.dtype) -> Strided:
    if not hasattr(matrix, "strides"):
        shape = tuple(to_size(extent, "an extent") for extent in matrix)
        found = Strided(shape, contiguous_strides(shape))
    elif isinstance(matrix, np.ndarray):
        found = place(in_place(matrix, dtype, True))
    else:
        found = view(matrix, "a matrix").place
    if len(found.shape) != 2:
        raise invalid_value(f"a matrix to explain has two dimensions, not the shape {found.shape}")
    return found
