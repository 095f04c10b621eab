"""Owns a handle of the C interface: frees it with a Python object, but not during a call."""

from __future__ import annotations

import os
import weakref
from typing import Any, List

from . import _c_api
from ._errors import invalid_value


def _free(process: int, function: str, value: int, calls: List[None]) -> None:
    # After fork() the driver does not work in the child. At exit, a daemon thread may be in a call; the system then
    # frees everything.
    if os.getpid() == process and not calls:
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
        self._calls: List[None] = []  # one element for each call that runs
        self._finalizer = weakref.finalize(owner, _free, self._process, function, value, self._calls)

    @property
    def is_open(self) -> bool:
        """False after close()."""
        return self._finalizer.alive

    def close(self) -> None:
        """Frees the handle. Does nothing if it is closed."""
        self._finalizer()

    def __enter__(self) -> int:
        self._calls.append(None)  # before the check, so that close() cannot come between it and the call
        try:
            if os.getpid() != self._process:
                raise invalid_value(f"the {self._name} was opened before fork(), and OpenCL drivers do not work in the child "
                                    "process; open it there, or start processes with multiprocessing's method \"spawn\"")
            if not self.is_open:
                raise invalid_value(f"the {self._name} is closed")
        except BaseException:
            self._calls.pop()
            raise
        return self._value

    def __exit__(self, *error: object) -> None:
        self._calls.pop()
