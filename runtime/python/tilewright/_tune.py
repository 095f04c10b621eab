"""Tunes a device with the program tilewright."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
from typing import Any, List, Optional, Union

from . import _files
from ._devices import Device
from ._errors import ArgumentError, TuningError, invalid_value
from ._profile import Profile
from ._program import environment
from ._progress import Display, LineSplitter, Progress

_USAGE = 2  # exit code of the program for wrong arguments
_COMMA_LISTS = ("shapes", "ops", "precision", "activations")
_WITHOUT_PROFILE = ("team", "dry_run", "help")
_PREFIX = "tilewright: "


def tune(device: Union[None, int, str, Device] = None, budget: Union[str, float] = "10m",
         output: Union[None, str, "os.PathLike[str]"] = None, *, progress: Union[None, bool, Progress] = None,
         **options: Any) -> Profile:
    """Finds the fastest kernels for a device and writes a profile: runs `tilewright tune`.

        profile = tilewright.tune(device=0, budget="1h", output="board.toml")
        lib = tilewright.open(0, profile=profile)

    The tuning is logged, and survives crashes of the driver. If it is interrupted (Ctrl-C, or the
    stop button of a notebook), it writes what it has, and KeyboardInterrupt is raised; the same
    call resumes it. A second interrupt ends it at once.

    Args:
        device: one of devices(), its index or a part of its name. None: the first GPU, or else the first device.
        budget: time for the whole tuning, e.g. "10m", "1h30m", or a number of seconds.
        output: profile to write. None: a name made of the device's.
        progress: a function that receives each line of text, and whether the next line replaces it.
            None: lines are shown on sys.stderr, if there is one. False: nothing is shown.
        options: other options of `tilewright tune --help`, with underscores, e.g.
            shapes=["auto", "64x1000x784"], precision="h", max_kernels=4, fresh=True. Not `team`,
            `dry_run` and `help`, which write no profile.

    Returns:
        The profile that was written.

    Raises:
        ArgumentError: an option or its value is not known.
        TuningError: the tuning failed.
    """
    for name in _WITHOUT_PROFILE:
        if options.get(name) not in (None, False):
            raise invalid_value(f"{name} writes no profile; run `tilewright tune --{name.replace('_', '-')}` on the command line")
    number = device.index if isinstance(device, Device) else device
    if isinstance(device, Device) and number is None:
        raise invalid_value(f"{device.name!r} is not listed in devices(), so the program cannot tune it")
    command = [_files.program_file(), "tune", *_arguments(dict(options, device=number, budget=budget, output=output))]
    display = Display() if progress in (None, True) and sys.stderr is not None else None
    if progress in (None, True, False):
        progress = None
    show: Progress = display or progress or (lambda text, is_live: None)
    run = _Run(command, show, display.columns if display else 120, display is None or display.is_live)
    run.wait()
    if run.exit_code == 0 or run.interrupts:
        run.show_held()
    if run.interrupts:
        raise KeyboardInterrupt
    if run.exit_code == 0:
        if not run.output.strip():
            raise TuningError("the program printed no name of a profile", 0)
        return Profile(run.output.splitlines()[-1])
    raise _error(run)


def _arguments(options: "dict[str, Any]") -> List[str]:
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is True:
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        texts = [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in values]
        words.extend([",".join(texts)] if name in _COMMA_LISTS else texts)
    return words


def _error(run: "_Run") -> Exception:
    # The last line with the program's name, and what follows it, is the reason.
    starts = [i for i, line in enumerate(run.lines) if line.startswith(_PREFIX)]
    reason = "\n".join(run.lines[starts[-1]:])[len(_PREFIX):] if starts else "\n".join(run.lines[-3:])
    if run.exit_code == _USAGE:
        return ArgumentError(reason, "TW_INVALID_VALUE")
    return TuningError(reason or f"the program ended with exit code {run.exit_code}", run.exit_code)


class _Run:
    """A run of the program, with a terminal of its own as its standard error.

    The program has its own session, so that an interrupt reaches it only through this class, and
    exactly once. Its terminal hangs up if Python dies; the program then stops as it does after an
    interrupt.
    """

    def __init__(self, command: List[str], show: Progress, columns: int, is_live: bool) -> None:
        self._show = show
        self._held: List[str] = []  # the last message of the program, until it is clear whether it is the error
        self.interrupts = 0
        self.lines: List[str] = []  # that are not replaced
        self.output = ""
        self.exit_code: Optional[int] = None
        variables = environment()
        variables["TERM"] = "xterm" if is_live else "dumb"
        self._terminal, own_end = os.openpty()
        try:
            fcntl.ioctl(own_end, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
            # A terminal that the leader of a session opens, for reading too, becomes the session's.
            script = 'terminal=$1; shift; exec "$@" 2<> "$terminal"'
            self._process = subprocess.Popen(["/bin/sh", "-c", script, "sh", os.ttyname(own_end), *command],
                                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=own_end,
                                             env=variables, start_new_session=True)
        except BaseException:
            os.close(self._terminal)
            raise
        finally:
            os.close(own_end)

    def wait(self) -> None:
        """Shows the lines of the program until it ends."""
        splitter = LineSplitter()
        try:
            while self._handle_output(splitter):
                pass
        except BaseException:
            self._process.send_signal(signal.SIGINT)
            raise
        finally:
            os.close(self._terminal)
            self.output = self._process.communicate()[0].decode(errors="replace")
            self.exit_code = self._process.returncode

    def _handle_output(self, splitter: LineSplitter) -> bool:
        # Returns false at the end of the output.
        try:
            terminal = select.poll()  # select.select() refuses descriptors above 1023
            terminal.register(self._terminal, select.POLLIN)
            if not terminal.poll(500):
                return self._process.poll() is None
            try:
                data = os.read(self._terminal, 65536)
            except OSError:  # the program has closed the terminal
                return False
            for text, is_live in splitter.feed(data):
                if not is_live:
                    self.lines.append(text)
                self._show_or_hold(text, is_live)
            return len(data) > 0
        except KeyboardInterrupt:
            self.interrupts += 1
            self._process.send_signal(signal.SIGINT)
            return True

    def _show_or_hold(self, text: str, is_live: bool) -> None:
        # The exception has the text of an error, so that its lines must not be shown, too.
        if self._held and text.startswith(" "):
            self._held.append(text)
            return
        self.show_held()
        if text.startswith(_PREFIX):
            self._held.append(text)
        else:
            self._show(text, is_live)

    def show_held(self) -> None:
        """Shows the lines that are held back, because they are not the error."""
        for text in self._held:
            self._show(text, False)
        self._held = []
