"""Tunings that are bounded by counts, and their progress, interrupts and errors."""

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import tilewright as tw
from tilewright import _files, _progress, _tune

# One shape, few candidates.
SMALL = dict(shapes=["64x64x64"], ops=["nn"], activations="none", candidates=3, rounds=1, budget="10h", no_packing=True)


@pytest.fixture(autouse=True)
def needs_program():
    try:
        _files.program_file()
    except ImportError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    return tmp_path_factory.mktemp("tuning") / "board.toml"


def test_tuning(device, output):
    lines = []
    profile = tw.tune(device.index, output=output, progress=lambda *line: lines.append(line), **SMALL)
    # It has no kernels of its own if a built-in one is the fastest; results it has in any case.
    assert profile.kind == "tuned" and {row["m"] for row in profile.results} == {64}
    assert any(text.startswith("tuning ") and not live for text, live in lines)
    assert any("candidates" in text and live for text, live in lines)
    assert not any("\033" in text or "\r" in text for text, _ in lines)
    with tw.open(device.index, profile=profile, cache=False) as lib:
        assert output.name in lib.profile_origin
        one = np.ones((64, 64), np.float32)
        assert (lib.matmul(one, one) == 64).all()


def test_the_same_call_resumes(device, output, capfd):
    assert tw.tune(device, output=output, **SMALL).kind == "tuned"
    printed = capfd.readouterr()
    assert "resuming " in printed.err and "\033" not in printed.err and not printed.out


def test_interrupt(device, tmp_path):
    def interrupt(text, live):
        if text.startswith("results are logged") and not live:
            signal.raise_signal(signal.SIGINT)

    arguments = dict(SMALL, candidates=10**6, output=tmp_path / "board.toml")
    lines = []
    with pytest.raises(KeyboardInterrupt):
        tw.tune(device.index, progress=lambda *line: (lines.append(line[0]), interrupt(*line)), **arguments)
    words = " ".join(" ".join(lines).split())  # a long line is broken
    assert "run the same command again" in words


def test_a_failing_progress_function_stops_the_tuning(device, tmp_path):
    def fail(text, live):
        raise RuntimeError("no paper")

    with pytest.raises(RuntimeError, match="no paper"):
        tw.tune(device.index, output=tmp_path / "board.toml", progress=fail, **dict(SMALL, candidates=10**6))


def test_the_program_stops_if_python_dies(device, tmp_path):
    script = ("import conftest, os, signal, tilewright\n"
              "def die(text, live):\n"
              "    if text.startswith('results are logged'): os.kill(os.getpid(), signal.SIGKILL)\n"
              f"tilewright.tune({device.index}, output={str(tmp_path / 'board.toml')!r}, progress=die, "
              f"**{dict(SMALL, candidates=10**6)!r})\n")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    assert subprocess.run([sys.executable, "-c", script], env=environment).returncode == -signal.SIGKILL
    name = os.fsencode(tmp_path / "board.toml")
    while any(name in command_line(process) for process in os.listdir("/proc") if process.isdigit()):
        time.sleep(0.1)  # the test's timeout is that of ctest


def command_line(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def test_errors(device, tmp_path):
    with pytest.raises(tw.ArgumentError, match="--no-such-option"):
        tw.tune(device.index, progress=False, no_such_option=3)
    with pytest.raises(tw.ArgumentError, match="--budget"):
        tw.tune(device.index, budget="soon", progress=False)
    with pytest.raises(tw.ArgumentError, match="no device matches 'nothing'"):
        tw.tune("nothing", progress=False)
    with pytest.raises(tw.Error, match="none") as caught:
        tw.tune(device.index, output=tmp_path / "none" / "x.toml", progress=False)
    assert not str(caught.value).startswith("tilewright:")


def test_errors_appear_once(device, capfd):
    with pytest.raises(tw.ArgumentError, match="no device matches 'nothing'") as caught:
        tw.tune("nothing")
    assert device.name in str(caught.value)  # the lines after the first one
    out, err = capfd.readouterr()
    assert out == "" and "no device matches" not in err and device.name not in err  # err may have warnings


@pytest.mark.parametrize("code, shown", [(0, "a\ntilewright: note\n  more\nb\ntilewright: last\n"),
                                         (3, "a\ntilewright: note\n  more\nb\n")])
def test_notes_of_the_program_are_shown(monkeypatch, tmp_path, capfd, code, shown):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nprintf 'a\\ntilewright: note\\n  more\\nb\\ntilewright: last\\n' >&2\n"
                       f"exit {code}\n")
    program.chmod(0o755)
    monkeypatch.setattr(_files, "program_file", lambda: os.fspath(program))
    with pytest.raises(tw.TuningError, match="last" if code else "no name of a profile"):
        tw.tune()
    assert capfd.readouterr().err == shown


@pytest.mark.parametrize("options", [{"dry_run": True}, {"team": "0,1"}, {"help": True}])
def test_options_that_write_no_profile(options):
    with pytest.raises(tw.ArgumentError, match=f"{next(iter(options))} writes no profile"):
        tw.tune(progress=False, **options)


@pytest.fixture
def printing_program(monkeypatch, tmp_path):
    """A program that writes a line of progress and fails."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho 'tilewright: no paper' >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(_files, "program_file", lambda: os.fspath(program))


def test_many_open_files(printing_program):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip("this process may not open 1200 files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    files = []
    try:
        while not files or files[-1] < 1050:
            files.append(os.open(os.devnull, os.O_RDONLY))
        with pytest.raises(tw.TuningError, match="no paper"):
            tw.tune(progress=False)
    finally:
        for file in files:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("progress", [None, True])
def test_without_standard_error(printing_program, monkeypatch, progress):
    monkeypatch.setattr(sys, "stderr", None)
    with pytest.raises(tw.TuningError, match="no paper"):
        tw.tune(progress=progress)


def test_a_program_that_prints_nothing(monkeypatch):
    monkeypatch.setattr(_files, "program_file", lambda: "/bin/true")
    with pytest.raises(tw.TuningError, match="no name of a profile"):
        tw.tune(progress=False)


def test_arguments():
    words = _tune._arguments({"device": 0, "budget": 90, "output": None, "fresh": True, "overwrite": False,
                              "ops": ["nn", "nt"], "only": ["tile_m=4,8", "tile_n=4"], "max_kernels": 3})
    assert words == ["--device", "0", "--budget", "90", "--fresh", "--ops", "nn,nt", "--only", "tile_m=4,8", "tile_n=4",
                     "--max-kernels", "3"]


def test_line_splitter():
    splitter = _progress.LineSplitter()
    data = "tuning x\r\nsearch 1\033[K\r\n\r\033[1Asearch 2\033[K\r\n\r\033[1A\033[Kdone \u00b5\r\n".encode()
    lines = [line for i in range(0, len(data), 3) for line in splitter.feed(data[i:i + 3])]
    assert lines == [("tuning x", False), ("search 1", True), ("search 2", True), ("done \u00b5", False)]


def test_display_of_a_terminal(monkeypatch):
    class Terminal:
        text = ""

        def write(self, text):
            self.text += text

        def flush(self):
            pass

        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    display = _progress.Display()
    for line in (("note", False), ("search 12", True), ("search", True), ("done", False)):
        display(*line)
    assert display.is_live
    assert sys.stderr.text == "note\nsearch 12\r         \rsearch\r      \rdone\n"


def test_console_script(tmp_path):
    code = "import conftest, sys; sys.argv[1:] = ['--version']\nfrom tilewright._program import main; main()"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    printed = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True).stdout
    assert printed.decode().strip() == f"tilewright {tw.__version__}"
