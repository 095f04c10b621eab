"""OpenCL through ctypes: the functions that the package needs where pyopencl is not installed.

The OpenCL library is the one that libtilewright itself uses (runtime/opencl/opencl_loader.cpp). If
pyopencl has loaded its own OpenCL library, or if the machine's library is missing or finds no
driver, both use pyopencl's. The first call decides.
"""

from __future__ import annotations

import ctypes
import functools
import glob
import importlib
import importlib.util
import os
import sys
from ctypes import POINTER, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import List, Optional, Tuple

from ._errors import Error, opencl_error

DEVICE_NOT_FOUND = -1
DEVICE_NOT_AVAILABLE = -2
PLATFORM_NOT_FOUND = -1001

DEVICE_TYPE_ALL = 0xFFFFFFFF
CONTEXT_PLATFORM = 0x1084
QUEUE_CONTEXT, QUEUE_DEVICE = 0x1090, 0x1091
MEM_READ_WRITE, MEM_READ_ONLY, MEM_USE_HOST_PTR, MEM_COPY_HOST_PTR = 1, 4, 8, 32
MAP_READ = 1

_64_BIT = sys.maxsize > 2**32

# As in opencl_loader.cpp; a test compares the two lists.
LIBRARIES = [
    "libOpenCL.so.1",
    "libOpenCL.so",
    "/vendor/lib64/libOpenCL.so" if _64_BIT else "/vendor/lib/libOpenCL.so",
    "/system/vendor/lib64/libOpenCL.so" if _64_BIT else "/system/vendor/lib/libOpenCL.so",
    "/system/lib64/libOpenCL.so" if _64_BIT else "/system/lib/libOpenCL.so",
    "/vendor/lib64/egl/libGLES_mali.so" if _64_BIT else "/vendor/lib/egl/libGLES_mali.so",
    "/system/vendor/lib64/egl/libGLES_mali.so" if _64_BIT else "/system/vendor/lib/egl/libGLES_mali.so",
    "libGLES_mali.so",
    "libmali.so.1",
    "libmali.so",
    "/usr/lib/aarch64-linux-gnu/mali-egl/libmali.so" if _64_BIT
    else "/usr/lib/arm-linux-gnueabihf/mali-egl/libmali.so",
]

_code = c_int32
_handle = c_void_p
_handles = POINTER(c_void_p)
_info = [c_uint32, c_size_t, c_void_p, POINTER(c_size_t)]
_waits = [c_uint32, _handles, _handles]  # number of events, events, event of the command

_FUNCTIONS = {
    "clGetPlatformIDs": (_code, [c_uint32, _handles, POINTER(c_uint32)]),
    "clGetPlatformInfo": (_code, [_handle, *_info]),
    "clGetDeviceIDs": (_code, [_handle, c_uint64, c_uint32, _handles, POINTER(c_uint32)]),
    "clGetDeviceInfo": (_code, [_handle, *_info]),
    "clCreateContext": (_handle, [POINTER(c_void_p), c_uint32, _handles, c_void_p, c_void_p,
                                  POINTER(_code)]),
    "clReleaseContext": (_code, [_handle]),
    "clCreateCommandQueue": (_handle, [_handle, _handle, c_uint64, POINTER(_code)]),
    "clRetainCommandQueue": (_code, [_handle]),
    "clReleaseCommandQueue": (_code, [_handle]),
    "clGetCommandQueueInfo": (_code, [_handle, *_info]),
    "clCreateBuffer": (_handle, [_handle, c_uint64, c_size_t, c_void_p, POINTER(_code)]),
    "clReleaseMemObject": (_code, [_handle]),
    "clEnqueueReadBuffer": (_code, [_handle, _handle, c_uint32, c_size_t, c_size_t, c_void_p,
                                    *_waits]),
    "clEnqueueMapBuffer": (_handle, [_handle, _handle, c_uint32, c_uint64, c_size_t, c_size_t,
                                     *_waits, POINTER(_code)]),
    "clEnqueueUnmapMemObject": (_code, [_handle, _handle, c_void_p, *_waits]),
    "clWaitForEvents": (_code, [c_uint32, _handles]),
    "clReleaseEvent": (_code, [_handle]),
    "clFinish": (_code, [_handle]),
}


def check(function: str, code: int) -> None:
    """Raises an exception if a function returned another code than CL_SUCCESS."""
    if code != 0:
        raise opencl_error(function, code)


def pyopencl_folder() -> Optional[str]:
    """Returns the folder of the package pyopencl, without importing it; None if it is not installed."""
    try:
        spec = importlib.util.find_spec("pyopencl")
    except (ImportError, ValueError):
        return None
    return next(iter(spec.submodule_search_locations or []), None) if spec else None


def pyopencl_loader() -> Optional[str]:
    """Returns the path of the OpenCL library in pyopencl's wheel; None if there is none.

    It works only after the import of pyopencl, or if $PYOPENCL_HOME is the package's folder.
    """
    folder = pyopencl_folder()
    for libraries in (os.path.join(folder, ".libs"), folder + ".libs") if folder else ():
        for file in sorted(glob.glob(os.path.join(libraries, "libOpenCL*.so*"))):
            return file
    return None


def _load_first() -> Optional[ctypes.CDLL]:
    for name in LIBRARIES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        if hasattr(library, "clGetPlatformIDs"):
            return library
    return None


def _finds_platforms(library: ctypes.CDLL) -> bool:
    count = c_uint32()
    return library.clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 and count.value > 0


def _load_bundled(file: str) -> Optional[ctypes.CDLL]:
    # Globally, so that libtilewright finds the functions in the process.
    try:
        importlib.import_module("pyopencl")
        return ctypes.CDLL(file, ctypes.RTLD_GLOBAL)
    except (ImportError, OSError):
        return None


@functools.lru_cache(maxsize=None)
def _load() -> Tuple[ctypes.CDLL, Optional[str]]:
    # Returns the library, and its path if it is pyopencl's.
    named = os.environ.get("TILEWRIGHT_OPENCL")
    if named:
        try:
            return ctypes.CDLL(named), None
        except OSError as error:
            raise Error(f"{error} (from TILEWRIGHT_OPENCL)", "TW_OPENCL_ERROR") from None
    process = ctypes.CDLL(None)
    if all(hasattr(process, name) for name in _FUNCTIONS):
        return process, None
    bundled = pyopencl_loader()
    found = None if bundled and "pyopencl" in sys.modules else _load_first()
    if bundled and (found is None or not _finds_platforms(found)):
        pyopencls = _load_bundled(bundled)
        if pyopencls is not None:
            return pyopencls, bundled
    if found is None:
        raise Error("no OpenCL library can be loaded; install one (Debian: ocl-icd-libopencl1; pip: pyopencl), "
                    "or set TILEWRIGHT_OPENCL to its path", "TW_OPENCL_ERROR")
    return found, None


def pyopencl_loader_in_use() -> Optional[str]:
    """Returns the path of pyopencl's OpenCL library if this process uses it. Loads a library at the first call."""
    try:
        return _load()[1]
    except Error:
        return None


@functools.lru_cache(maxsize=None)
def functions() -> ctypes.CDLL:
    """Returns the OpenCL library, which is loaded at the first call. Raises Error if there is none."""
    library = _load()[0]
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


def read_info(function: str, handle: int, name: int) -> bytes:
    """Returns the bytes that a function clGet...Info reports."""
    query = getattr(functions(), function)
    size = c_size_t()
    check(function, query(handle, name, 0, None, ctypes.byref(size)))
    value = ctypes.create_string_buffer(size.value)
    check(function, query(handle, name, size.value, value, None))
    return value.raw


def read_text(function: str, handle: int, name: int) -> str:
    """Returns a text that a function clGet...Info reports."""
    return read_info(function, handle, name).split(b"\0")[0].decode(errors="replace").strip()


def read_number(function: str, handle: int, name: int) -> int:
    """Returns a number or a handle that a function clGet...Info reports."""
    return int.from_bytes(read_info(function, handle, name), sys.byteorder)


def _list_handles(count: c_uint32) -> "ctypes.Array[c_void_p]":
    return (c_void_p * count.value)()


def platforms() -> List[int]:
    """Returns the handles of all platforms; none if no driver is installed."""
    opencl = functions()
    count = c_uint32()
    code = opencl.clGetPlatformIDs(0, None, ctypes.byref(count))
    if code == PLATFORM_NOT_FOUND or (code == 0 and count.value == 0):
        return []
    check("clGetPlatformIDs", code)
    handles = _list_handles(count)
    check("clGetPlatformIDs", opencl.clGetPlatformIDs(count, handles, None))
    return list(handles)


def devices(platform: int) -> List[int]:
    """Returns the handles of all devices of a platform; none if it has none."""
    opencl = functions()
    count = c_uint32()
    code = opencl.clGetDeviceIDs(platform, DEVICE_TYPE_ALL, 0, None, ctypes.byref(count))
    if code == DEVICE_NOT_FOUND or (code == 0 and count.value == 0):
        return []
    check("clGetDeviceIDs", code)
    handles = _list_handles(count)
    check("clGetDeviceIDs", opencl.clGetDeviceIDs(platform, DEVICE_TYPE_ALL, count, handles, None))
    return list(handles)


def create_context(platform: int, device: int) -> int:
    """Returns a new context for one device."""
    code = _code()
    properties = (c_void_p * 3)(CONTEXT_PLATFORM, platform, None)
    context = functions().clCreateContext(properties, 1, (c_void_p * 1)(device), None, None,
                                          ctypes.byref(code))
    check("clCreateContext", code.value)
    return context


def create_queue(context: int, device: int) -> int:
    """Returns a new in-order queue."""
    code = _code()
    queue = functions().clCreateCommandQueue(context, device, 0, ctypes.byref(code))
    check("clCreateCommandQueue", code.value)
    return queue


def create_buffer(context: int, flags: int, num_bytes: int, host: Optional[int]) -> int:
    """Returns a new buffer. `host` is the address for the flags that need one."""
    code = _code()
    buffer = functions().clCreateBuffer(context, flags, num_bytes, host, ctypes.byref(code))
    check("clCreateBuffer", code.value)
    return buffer
