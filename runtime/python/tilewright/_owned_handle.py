"""Owns a handle of the C interface: frees it with a Python object, but not during a call."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

from . import _c_api
from ._errors import Error, invalid_value


class _Calls:
    """The calls that use a handle."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0  # that run
        self.may_start = True


def _free(process: int, function: str, value: int, calls: _Calls) -> None:
    # After fork() the driver does not work in the child. At exit, a daemon thread may be in a call; the system then
    # frees everything.
    if os.getpid() == process and calls.number == 0:
        getattr(_c_api.library(), function)(value)


class OwnedHandle:
    """A handle, which is freed by close(), with its owner, or at exit. Each call uses it in a `with` statement:

        with handle as value:
            _c_api.library().tw_explain(value, ...)
    """

    def __init__(self, owner: Any, value: int, function: str, name: str) -> None:
        """`function`: name of the C function that frees the handle. `name`: of the owner, for messages."""
        self._value = value
        self._name = name
        self._process = os.getpid()
        self._calls = _Calls()
        self._finalizer = weakref.finalize(owner, _free, self._process, function, value, self._calls)

    @property
    def is_open(self) -> bool:
        """False after close()."""
        return self._calls.may_start and self._finalizer.alive

    def close(self) -> None:
        """Frees the handle, or lets the last call that runs free it. Does nothing if it is closed."""
        self._calls.may_start = False
        if os.getpid() != self._process:  # another thread of the parent may have had the lock
            return
        with self._calls.lock:
            is_unused = self._calls.number == 0
        if is_unused:
            self._finalizer()

    def __enter__(self) -> int:
        if os.getpid() != self._process:
            raise Error(f"the {self._name} was opened before fork(), and OpenCL drivers do not work in the child "
                        "process; start processes with multiprocessing's method \"spawn\", and open it there",
                        "TW_FORKED")
        with self._calls.lock:
            if not self.is_open:
                raise invalid_value(f"the {self._name} is closed")
            self._calls.number += 1
        return self._value

    def __exit__(self, *error: object) -> None:
        with self._calls.lock:
            self._calls.number -= 1
            is_last = self._calls.number == 0 and not self._calls.may_start
        if is_last:
            self._finalizer()
