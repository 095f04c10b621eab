"""Exceptions of the package."""

from __future__ import annotations

import operator
import os
from ctypes import c_size_t, sizeof
from typing import Any, Optional, Type

# As in the library: objects and host memory cannot be allocated, or a buffer is larger than the device allows.
_CL_OUT_OF_MEMORY = (-4, -6, -61)


class Error(Exception):
    """Base class of all errors of tilewright.

    Attributes:
        status: name of a status of the C interface, e.g. "TW_OUT_OF_MEMORY"; None for a
            TuningError.
        opencl_code: the OpenCL code that caused the error, e.g. -5; 0 if OpenCL did not fail.
    """

    def __init__(self, message: str, status: Optional[str] = None, opencl_code: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.opencl_code = opencl_code


class ArgumentError(Error, ValueError):
    """An argument has a wrong value, for example shapes that do not fit each other."""


class UnsupportedTypeError(Error, TypeError):
    """The library or the device does not support the element type."""


class ProfileError(Error):
    """A profile that was named cannot be used: it is missing, damaged, or for another device."""


class MissingProfileError(ProfileError, FileNotFoundError):
    """A profile that was named does not exist."""


class MissingNetworkError(ArgumentError, FileNotFoundError):
    """The file of a network does not exist."""


class OutOfMemoryError(Error, MemoryError):
    """Device memory does not suffice."""


class TuningError(Error):
    """The program tilewright failed.

    Attributes:
        exit_code: of the program, negative: the number of the signal that ended it.
    """

    def __init__(self, message: str, exit_code: int = 0) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def invalid_value(message: str) -> ArgumentError:
    """Returns the error for an argument that the package itself refuses."""
    return ArgumentError(message, "TW_INVALID_VALUE")


def to_size(value: Any, name: str) -> int:
    """Returns a number that fits in a size_t of C. Raises ArgumentError for any other, because ctypes would wrap it."""
    try:
        number = operator.index(value)
    except TypeError:
        raise invalid_value(f"{name} is not a whole number: {value!r}") from None
    if number < 0 or number >= 1 << 8 * sizeof(c_size_t):
        raise invalid_value(f"{name} is {number}, which is {'negative' if number < 0 else 'too large'}")
    return number


def unsupported_type(message: str) -> UnsupportedTypeError:
    """Returns the error for an element type that the package itself refuses."""
    return UnsupportedTypeError(message, "TW_UNSUPPORTED_TYPE")


def opencl_error(function: str, code: int) -> Error:
    """Returns the error for an OpenCL function that failed with a code."""
    message = f"{function} failed with {code}"
    if code in _CL_OUT_OF_MEMORY:
        return OutOfMemoryError(message, "TW_OUT_OF_MEMORY", code)
    return Error(message, "TW_OPENCL_ERROR", code)


def error_class(status: int, file: Optional[bytes] = None) -> Type[Error]:
    """Returns the class for a status of the C interface, by its group (tilewright.h). `file`: that the call reads."""
    if file is not None and not os.path.exists(file):
        if status == 2001:  # TW_NO_PROFILE
            return MissingProfileError
        if status == 1300:  # TW_INVALID_NETWORK
            return MissingNetworkError
    if status == 1030:  # TW_UNSUPPORTED_TYPE
        return UnsupportedTypeError
    if status == 3002:  # TW_OUT_OF_MEMORY
        return OutOfMemoryError
    return {1: ArgumentError, 2: ProfileError}.get(status // 1000, Error)
