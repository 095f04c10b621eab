"""Shows the progress of the program on a terminal, in a notebook or in a file."""

from __future__ import annotations

import re
import shutil
import sys
from typing import Any, Callable, Iterator, Tuple

_CONTROL = re.compile(r"\r|\033\[[0-9;]*[A-Za-z]")
_ERASE = "\033[K"  # at the end of a line that the program will replace (tuner/tuning/live_line.cpp)
_NOTEBOOK_COLUMNS = 120

Progress = Callable[[str, bool], None]


class LineSplitter:
    """Splits the output of the program for a terminal into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Tuple[str, bool]]:
        """Returns the complete lines, and whether each one will be replaced by the next one."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            yield _CONTROL.sub("", text), text.endswith(_ERASE)


def _is_notebook(stream: Any) -> bool:
    return type(stream).__module__.startswith("ipykernel")


class Display:
    """Writes lines to sys.stderr. Lines that will be replaced are shown in place."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        notebook = _is_notebook(self._stream)
        self.is_live = notebook or self._stream.isatty()
        self.columns = _NOTEBOOK_COLUMNS if notebook else shutil.get_terminal_size().columns
        self._shown = 0  # characters of the line that will be replaced

    def __call__(self, text: str, is_live: bool) -> None:
        """Shows one line."""
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
        self._shown = len(text) if is_live else 0
        self._stream.write(text if is_live else text + "\n")
        self._stream.flush()
