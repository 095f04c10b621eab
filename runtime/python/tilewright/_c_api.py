"""The C interface (tilewright.h, network.h, team.h) through ctypes.

test/runtime/python/test_c_api.py compares every declaration with the headers.
"""

from __future__ import annotations

import ctypes
import functools
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int32, c_size_t,
                    c_uint32, c_void_p)
from typing import Any, Optional

import numpy as np

from . import _files, _opencl
from ._errors import error_class

ROW_MAJOR, COLUMN_MAJOR = 101, 102
NO_TRANS, TRANS, CONJ_TRANS = 111, 112, 113
DEFAULT_KEPT_BYTES = c_size_t(-1).value

# tw_type of each element type.
TYPES = {
    np.dtype(np.float32): 0,
    np.dtype(np.float64): 1,
    np.dtype(np.float16): 2,
    np.dtype(np.complex64): 3,
    np.dtype(np.complex128): 4,
}

Log = CFUNCTYPE(None, c_int, c_char_p, c_void_p)


class Options(Structure):
    """tw_options"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("profile_path", c_char_p),
        ("profile_text", c_char_p),
        ("built_in_profile", c_int),
        ("allow_other_device", c_int),
        ("cache_folder", c_char_p),
        ("max_kept_bytes", c_size_t),
        ("log", Log),
        ("log_user", c_void_p),
        ("log_free", c_void_p),
    ]


class Scalar(Structure):
    """tw_scalar"""

    _fields_ = [("re", c_double), ("im", c_double)]


class GemmDesc(Structure):
    """tw_gemm_desc"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("type", c_int),
        ("layout", c_int),
        ("trans_a", c_int),
        ("trans_b", c_int),
        ("m", c_size_t),
        ("n", c_size_t),
        ("k", c_size_t),
        ("alpha", Scalar),
        ("beta", Scalar),
        ("batch_count", c_size_t),
        ("alphas", POINTER(Scalar)),
        ("betas", POINTER(Scalar)),
        ("reserved", c_size_t),
    ]


class Matrix(Structure):
    """tw_matrix"""

    _fields_ = [
        ("buffer", c_void_p),
        ("offset", c_size_t),
        ("ld", c_size_t),
        ("stride", c_size_t),
        ("offsets", POINTER(c_size_t)),
        ("packed", c_void_p),
    ]


class TeamMember(Structure):
    """tw_team_member"""

    _fields_ = [("library", c_void_p), ("queue", c_void_p), ("cblas", c_char_p)]


class TeamDesc(Structure):
    """tw_team_desc"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("members", POINTER(TeamMember)),
        ("member_size", c_size_t),
        ("num_members", c_size_t),
        ("shares", POINTER(c_double)),
        ("measure", c_int),
        ("profile_path", c_char_p),
    ]


class NetworkLoadOptions(Structure):
    """tw_network_load_options"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("type", c_int),
        ("outputs", POINTER(c_char_p)),
        ("num_outputs", c_size_t),
    ]


# Structures by their C names, for the test.
STRUCTURES = {
    "tw_options": Options,
    "tw_scalar": Scalar,
    "tw_gemm_desc": GemmDesc,
    "tw_matrix": Matrix,
    "tw_team_member": TeamMember,
    "tw_team_desc": TeamDesc,
    "tw_network_load_options": NetworkLoadOptions,
}

_status = c_int
_out = POINTER(c_void_p)

# The functions that the package calls: result and arguments. Handles are void pointers.
FUNCTIONS = {
    "tw_version": (c_int, []),
    "tw_open": (_status, [c_void_p, c_void_p, POINTER(Options), _out]),
    "tw_open_for_queue": (_status, [c_void_p, POINTER(Options), _out]),
    "tw_close": (None, [c_void_p]),
    "tw_profile_origin": (c_char_p, [c_void_p]),
    "tw_supports": (c_int, [c_void_p, c_int]),
    "tw_gemm": (_status, [c_void_p, c_void_p, POINTER(GemmDesc), POINTER(Matrix), POINTER(Matrix),
                          POINTER(Matrix), c_uint32, _out, _out]),
    "tw_explain": (_status, [c_void_p, POINTER(GemmDesc), POINTER(Matrix), POINTER(Matrix),
                             POINTER(Matrix), _out]),
    "tw_text_free": (None, [c_void_p]),
    "tw_status_name": (c_char_p, [_status]),
    "tw_last_error": (c_char_p, []),
    "tw_last_opencl_code": (c_int32, []),
    "tw_network_free": (None, [c_void_p]),
    "tw_network_num_inputs": (c_size_t, [c_void_p]),
    "tw_network_num_outputs": (c_size_t, [c_void_p]),
    "tw_network_input_name": (c_char_p, [c_void_p, c_size_t]),
    "tw_network_output_name": (c_char_p, [c_void_p, c_size_t]),
    "tw_network_input_columns": (c_size_t, [c_void_p, c_size_t]),
    "tw_network_output_columns": (c_size_t, [c_void_p, c_size_t]),
    "tw_network_prepare": (_status, [c_void_p, c_void_p, c_size_t]),
    "tw_network_explain": (_status, [c_void_p, c_size_t, _out]),
    "tw_network_forward": (_status, [c_void_p, c_void_p, c_size_t, POINTER(Matrix), c_size_t,
                                 POINTER(Matrix), c_size_t, c_void_p, c_uint32, _out, _out]),
    "tw_network_load": (_status, [c_void_p, c_char_p, POINTER(NetworkLoadOptions), _out]),
    "tw_network_load_memory": (_status, [c_void_p, c_char_p, c_size_t, POINTER(NetworkLoadOptions), _out]),
    "tw_team_create": (_status, [POINTER(TeamDesc), _out]),
    "tw_team_free": (None, [c_void_p]),
    "tw_team_gemm": (_status, [c_void_p, POINTER(GemmDesc), c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t]),
    "tw_team_measure": (_status, [c_void_p, c_int]),
    "tw_team_explain": (_status, [c_void_p, POINTER(GemmDesc), _out]),
    "tw_team_drop_reason": (c_char_p, [c_void_p, c_size_t]),
    "tw_team_num_skipped": (c_size_t, [c_void_p, c_size_t]),
    "tw_team_skip_reason": (c_char_p, [c_void_p, c_size_t]),
}


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Returns libtilewright, which is loaded at the first call."""
    _opencl.functions()  # first, so that libtilewright calls the same OpenCL library
    loaded = ctypes.CDLL(_files.library_file())
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    return loaded


def check(status: int, file: Optional[bytes] = None) -> None:
    """Raises the exception for a status, with the message of the thread's last call. `file`: that the call reads."""
    if status == 0:
        return
    loaded = library()
    name = loaded.tw_status_name(status).decode()
    message = loaded.tw_last_error().decode(errors="replace")
    code = loaded.tw_last_opencl_code()
    raise error_class(status, file)(message or name, name, code)


def explain(function: Any, *arguments: Any) -> str:
    """Returns the text that tw_explain, or a function like it, writes to its last argument."""
    text = c_void_p()
    check(function(*arguments, byref(text)))
    try:
        return ctypes.string_at(text.value).decode()
    finally:
        library().tw_text_free(text)


def handle_array(handles: list) -> "ctypes.Array[c_void_p]":
    """Returns the handles of OpenCL events as an array in C; None if there are none."""
    return (c_void_p * len(handles))(*handles) if handles else None


def version() -> str:
    """Returns the version of the library, e.g. "0.1.0"."""
    number = ctypes.CDLL(_files.library_file()).tw_version()  # needs no OpenCL library
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"
