"""Opening, closing, devices, and what importing the package does."""

import dataclasses
import gc
import logging
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import warnings
import weakref

import numpy as np
import pytest

import tilewright as tw
from conftest import FIND_LIBRARY, FIND_PROGRAM
from tilewright import _errors, _files


def test_devices(device):
    found = tw.devices()
    assert [one.index for one in found] == list(range(len(found)))
    assert device.name and device.compute_units > 0 and device.memory_bytes > 0
    assert str(device).startswith(f"{device.index}: {device.name}")


def test_choice_of_a_device(device):
    assert tw.open(device).device == tw.open(device.index).device == device
    assert tw.open(str(device.index)).device == device
    assert tw.open().device in tw.devices()
    if len(tw.devices()) == 1:
        assert tw.open(device.name[3:].upper()).device == device


@pytest.mark.parametrize("choice, text", [(10**6, "there is no device 1000000"), (-1, "there is no device -1"),
                                          ("no such device", "no device matches 'no such device'"),
                                          (object(), "an index or a part of a name"),
                                          (True, "an index or a part of a name"), (0.5, "an index or a part of a name")])
def test_choice_of_no_device(device, choice, text):
    with pytest.raises(tw.ArgumentError, match=text):
        tw.open(choice)


def test_choice_of_a_usable_device(device, monkeypatch):
    from tilewright import _devices
    unusable = dataclasses.replace(device, index=0, name="Mali", type="gpu", obstacle="it is not available")
    usable = dataclasses.replace(device, index=1, type="cpu")
    monkeypatch.setattr(_devices, "devices", lambda: [unusable, usable])
    assert _devices.choose(None) is _devices.choose("") is _devices.choose(1) is usable
    for choice in (0, "0", "mali"):
        with pytest.raises(tw.ArgumentError, match=r"(?s)(usable|cannot be used).*\n  1: "):
            _devices.choose(choice)
    monkeypatch.setattr(_devices, "devices", lambda: [unusable])
    with pytest.raises(tw.Error, match="(?s)no device can be used.*it is not available"):
        _devices.choose(None)


@pytest.mark.parametrize("query, reason", [(0x1027, "CL_DEVICE_AVAILABLE"), (0x1028, "CL_DEVICE_COMPILER_AVAILABLE")])
def test_devices_that_cannot_be_used(device, monkeypatch, query, reason):
    from tilewright import _opencl
    assert device.obstacle == ""
    read = _opencl.read_info
    monkeypatch.setattr(_opencl, "read_info",
                        lambda function, handle, name: bytes(4) if name == query else read(function, handle, name))
    assert all(reason in one.obstacle for one in tw.devices())
    with pytest.raises(tw.Error, match=f"(?s)no device can be used.*{reason}"):
        tw.open()


def test_version():
    assert [int(part) >= 0 for part in tw.__version__.split(".")] == [True] * 3


def test_version_needs_no_opencl_library():
    code, printed, errors = run_python(
        "import os; os.environ['TILEWRIGHT_OPENCL'] = '/none.so'\n"
        "import conftest, tilewright\nprint(tilewright.__version__)")
    assert (code, printed.strip()) == (0, tw.__version__), errors


@pytest.fixture
def no_package_files(monkeypatch, tmp_path):
    """The package has neither a library nor a program, as if it was installed without them."""
    monkeypatch.setattr(_files, "FOLDER", os.fspath(tmp_path / "package"))
    monkeypatch.setattr(_files, "library_file", FIND_LIBRARY)
    monkeypatch.setattr(_files, "program_file", FIND_PROGRAM)


def test_the_installed_library_is_used(tmp_path):
    """The dynamic linker finds it by its soname."""
    if "TILEWRIGHT_TEST_LIBRARY" not in os.environ:
        pytest.skip("the library of a build folder is not named by TILEWRIGHT_TEST_LIBRARY")
    (tmp_path / _files.SONAME).symlink_to(os.environ["TILEWRIGHT_TEST_LIBRARY"])
    code, printed, errors = run_python(
        f"import tilewright\nfrom tilewright import _files\n_files.FOLDER = {os.fspath(tmp_path)!r}\n"
        "print(_files.library_file(), tilewright.__version__)", LD_LIBRARY_PATH=os.fspath(tmp_path))
    assert (code, printed.split()) == (0, [_files.SONAME, tw.__version__]), errors


def test_the_installed_program_is_used(no_package_files, tmp_path, monkeypatch):
    """A script of this name is that of the package, which would call itself."""
    for folder, text in (("script", "#!/usr/bin/python3\n"), ("program", "\x7fELF")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tilewright").write_text(text)
        (tmp_path / folder / "tilewright").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(os.fspath(tmp_path / name) for name in ("none", "script", "program")))
    assert _files.program_file() == os.fspath(tmp_path / "program" / "tilewright")
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "script"))
    with pytest.raises(ImportError, match="docs/python.md"):
        _files.program_file()


def test_no_library_at_all(no_package_files, monkeypatch):
    monkeypatch.setattr(_files, "SONAME", "libtilewright-none.so.0")
    with pytest.raises(ImportError, match="libtilewright-none.so.0.*docs/python.md"):
        _files.library_file()


def test_version_without_library(monkeypatch):
    monkeypatch.setattr(_files, "library_file", lambda: "/none.so")
    assert not hasattr(tw, "__version__")


@pytest.mark.parametrize("error", [tw.TuningError("failed", -9), tw.OutOfMemoryError("full", "TW_OUT_OF_MEMORY", -4),
                                   _errors.MissingProfileError("none", "TW_NO_PROFILE"),
                                   _errors.MissingNetworkError("none", "TW_INVALID_NETWORK")])
def test_errors_can_be_pickled(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) and vars(copy) == vars(error)


def test_close(device):
    lib = tw.open(device.index, cache=False)
    with lib as same:
        assert same is lib
    assert "closed" in repr(lib)
    lib.close()
    with pytest.raises(ValueError, match="the library is closed"):
        lib.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))


def test_close_during_a_call_frees_the_library_after_the_call(device, monkeypatch):
    from tilewright import _c_api
    freed = []
    lib = tw.open(device.index, cache=False)
    monkeypatch.setattr(_c_api.library(), "tw_close", freed.append)
    with lib._handle as value:
        lib.close()
        assert freed == [] and "closed" in repr(lib)
        with pytest.raises(ValueError, match="the library is closed"):
            lib.explain((2, 2), (2, 2))
    assert freed == [value]
    lib.close()
    del lib
    gc.collect()
    assert freed == [value]
    monkeypatch.undo()
    _c_api.library().tw_close(value)


def test_the_device_of_a_queue_has_its_index(device):
    from tilewright import _devices, _opencl
    platform, handle = device._handles
    context = _opencl.create_context(platform, handle)
    queue = _opencl.create_queue(context, handle)
    assert tw.open(queue=queue, cache=False).device == device
    # A device that is not listed, such as a sub-device, is not mistaken for device 0.
    unlisted = _devices.describe(handle, None)
    assert str(unlisted).startswith(f"not listed: {device.name}")
    with pytest.raises(tw.ArgumentError, match="is not listed in devices"):
        tw.tune(unlisted)


@pytest.mark.parametrize("queue, error", [(True, TypeError), (np.True_, TypeError), (0.0, TypeError), ("queue", TypeError),
                                          (-1, tw.ArgumentError), (2**64, tw.ArgumentError), (0, tw.ArgumentError),
                                          (np.int64(1), tw.ArgumentError), (4095, tw.ArgumentError)])
def test_queues_that_are_no_handles_are_refused(device, queue, error):
    with pytest.raises(error, match="queue"):
        tw.open(queue=queue)


@pytest.mark.parametrize("number, text", [(-1, "max_kept_bytes is -1, which is negative"), (2**64, "too large"),
                                          (1.5, "not a whole number")])
def test_sizes_that_do_not_fit_are_refused(device, lib, number, text):
    with pytest.raises(tw.ArgumentError, match=text):
        tw.open(device, max_kept_bytes=number)
    text = text.replace("max_kept_bytes", "an extent")
    with pytest.raises(tw.ArgumentError, match=text):
        lib.explain((number, 2), (2, 2))


def test_supported_types(device, lib):
    assert [lib.supports(dtype) for dtype in (np.float32, "float16", np.complex64)] == [True] * 3
    assert lib.supports(np.float64) == lib.supports(np.complex128) == device.has_double
    assert not lib.supports(np.int32)


@pytest.mark.parametrize("code, status", [(-4, "TW_OUT_OF_MEMORY"), (-5, "TW_OPENCL_ERROR"), (-6, "TW_OUT_OF_MEMORY"),
                                          (-61, "TW_OUT_OF_MEMORY"), (-36, "TW_OPENCL_ERROR")])
def test_codes_of_opencl_have_the_statuses_of_the_library(code, status):
    error = _errors.opencl_error("clCreateBuffer", code)
    assert (error.status, error.opencl_code) == (status, code)
    assert isinstance(error, tw.OutOfMemoryError) == (status == "TW_OUT_OF_MEMORY")


def test_libraries_are_freed_without_close(device):
    lib = tw.open(device.index, cache=False)
    handle = lib._handle
    gone = weakref.ref(lib)
    del lib
    gc.collect()
    assert gone() is None and not handle.is_open


def test_profiles(device, tmp_path):
    assert tw.open(device.index, built_in=True).profile_origin.startswith("built-in")
    with pytest.raises(tw.ProfileError) as caught:
        tw.open(device.index, profile=tmp_path / "none.toml")
    assert caught.value.status == "TW_NO_PROFILE" and isinstance(caught.value, FileNotFoundError)
    with pytest.raises(tw.ProfileError) as caught:
        tw.open(device.index, profile=tmp_path)
    assert not isinstance(caught.value, FileNotFoundError)
    with pytest.raises(tw.ProfileError) as caught:
        tw.open(device.index, profile_text="no profile")
    assert caught.value.status == "TW_BAD_PROFILE"
    with pytest.raises(tw.ArgumentError):
        tw.open(device.index, profile_text="no profile", built_in=True)


def test_profiles_that_others_can_write_are_reported_once(device, tmp_path, monkeypatch):
    folder = tmp_path / "tilewright" / "profiles"
    folder.mkdir(parents=True)
    (folder / "a.toml").write_text("not read")
    folder.chmod(0o777)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_PROFILE", raising=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        tw.open(device, built_in=True).close()
        assert not caught
        tw.open(device).close()
        tw.open(device).close()
    assert len(caught) == 1
    assert f"{folder} can be written by other users; chmod go-w '{folder}'" in str(caught[0].message)


def test_cache_and_log(device, tmp_path):
    cache, lines = tmp_path / "cache", []
    with tw.open(device.index, built_in=True, cache=cache, max_kept_bytes=0, log=lambda level, line: lines.append((level, line))) as lib:
        lib.matmul(np.ones((20, 20), np.float32), np.ones((20, 20), np.float32))
    assert any("opened on" in line for _, line in lines) and any("planned" in line for _, line in lines)
    assert {level for level, _ in lines} == {logging.INFO}
    assert os.listdir(cache)
    cache.chmod(0o777)  # other users could replace kernels
    tw.open(device.index, cache=cache, log=lambda level, line: lines.append((level, line))).close()
    assert any(level == logging.WARNING and "cache" in line for level, line in lines)


def run_python(text, **variables):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), **variables)
    result = subprocess.run([sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def test_import_loads_no_library():
    code, printed, errors = run_python(
        "import tilewright; print([line for line in open('/proc/self/maps') if 'tilewright.so' in line or 'OpenCL' in line])")
    assert (code, printed.strip()) == (0, "[]"), errors


def test_missing_opencl_library():
    code, _, errors = run_python(
        "import os; os.environ['TILEWRIGHT_OPENCL'] = '/none.so'\n"
        "import tilewright\ntry: tilewright.devices()\nexcept tilewright.Error as error: print(error); raise SystemExit(3)")
    assert code == 3, errors


@pytest.fixture
def wheel_of_pyopencl(tmp_path):
    """Returns the path of the OpenCL library in a folder that looks like pyopencl's wheel; it is the machine's library."""
    from tilewright import _opencl
    _opencl.functions()
    maps = pathlib.Path("/proc/self/maps").read_text().split()
    files = [word for word in maps if re.search(r"/libOpenCL\.so[.0-9]*$", word)]
    if not files:
        pytest.skip("the machine has no libOpenCL.so")
    (tmp_path / "pyopencl/.libs").mkdir(parents=True)
    (tmp_path / "pyopencl/__init__.py").touch()
    copy = tmp_path / "pyopencl/.libs/libOpenCL.so"
    shutil.copy(files[0], copy)
    return copy


@pytest.mark.parametrize("before", [
    "import pyopencl",  # it uses its own library
    "_opencl._load_first = lambda: None",
    "_opencl._load_first = lambda: types.SimpleNamespace(clGetPlatformIDs=lambda *arguments: -1001)",  # no driver
])
def test_program_and_package_use_the_same_opencl_library(device, wheel_of_pyopencl, before):
    code, printed, errors = run_python(
        f"import sys; sys.path.insert(0, {str(wheel_of_pyopencl.parents[2])!r})\n"
        "import conftest, os, types, tilewright\nfrom tilewright import _opencl, _program\n"
        f"os.environ.pop('TILEWRIGHT_OPENCL', None)\n{before}\n"
        "print(len(tilewright.devices()) > 0, _program.environment().get('TILEWRIGHT_OPENCL'), _opencl.functions()._name)")
    assert (code, printed.split()) == (0, ["True", str(wheel_of_pyopencl), str(wheel_of_pyopencl)]), errors


def test_program_finds_drivers_next_to_the_library_of_pyopencl(device, wheel_of_pyopencl):
    code, printed, errors = run_python(
        f"import sys; sys.path.insert(0, {str(wheel_of_pyopencl.parents[2])!r})\n"
        "import conftest, os, pyopencl\nfrom tilewright import _program\n"
        "os.environ.pop('TILEWRIGHT_OPENCL', None)\n"
        "os.environ['LD_LIBRARY_PATH'] = '/other'\n"
        "print(_program.environment()['LD_LIBRARY_PATH'])")
    assert (code, printed.strip()) == (0, f"{wheel_of_pyopencl.parent}:/other"), errors


def test_the_machines_opencl_library_comes_first(device, wheel_of_pyopencl):
    code, printed, errors = run_python(
        f"import sys; sys.path.insert(0, {str(wheel_of_pyopencl.parents[2])!r})\n"
        "import conftest\nfrom tilewright import _opencl, _program\n"
        "print(_opencl.pyopencl_loader_in_use(), 'pyopencl' in sys.modules)")
    assert (code, printed.split()) == (0, ["None", "False"]), errors


def test_exit_frees_open_libraries(device):
    code, _, errors = run_python(
        "import conftest, tilewright, numpy\n"
        f"lib = tilewright.open({device.index}, cache=False)\n"
        "one = numpy.ones((4, 4), numpy.float32)\n"
        "assert lib.matmul(one, one)[0, 0] == 4")
    assert (code, errors) == (0, "")


def test_exit_does_not_free_a_library_that_a_daemon_thread_uses(device):
    code, printed, errors = run_python(
        "import conftest, tilewright, threading\n"
        "from tilewright import _c_api\n"
        "entered = threading.Event()\n"
        f"lib = tilewright.open({device.index}, cache=False)\n"
        "def call():\n"
        "    with lib._handle:\n"
        "        entered.set()\n"
        "        threading.Event().wait()\n"
        "threading.Thread(target=call, daemon=True).start()\n"
        "entered.wait()\n"
        "_c_api.library().tw_close = lambda library: print('freed', flush=True)\n")
    assert (code, printed, errors) == (0, "", "")


# Python ends a daemon thread by unwinding its stack, here from the log function through the library.
@pytest.mark.parametrize("call", ["lib.explain((4, 4), (4, 4))", "lib.matmul(one, one)", "team.matmul(one, one)"])
def test_exit_while_a_daemon_thread_logs(device, call):
    code, printed, errors = run_python(
        "import conftest, numpy, threading, time, tilewright\n"
        "entered, calls = threading.Event(), threading.Event()\n"
        "def log(level, line):\n"
        "    if calls.is_set():\n"
        "        entered.set()\n"
        "        while True: time.sleep(0)\n"
        f"lib = tilewright.open({device.index}, cache=False, log=log)\n"
        f"team = tilewright.Team([lib, tilewright.open({device.index}, cache=False)])\n"
        "one = numpy.ones((4, 4), numpy.float32)\n"
        "calls.set()\n"
        f"threading.Thread(target=lambda: {call}, daemon=True).start()\n"
        "entered.wait()\n")
    assert (code, printed, errors) == (0, "", "")


def test_calls_after_fork_are_refused(device):
    code, printed, errors = run_python(
        "import conftest, os, tilewright\n"
        f"lib = tilewright.open({device.index}, cache=False)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try: lib.explain((4, 4), (4, 4))\n"
        "    except tilewright.Error as error: print(error.status, error, flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n")
    assert code == 0 and printed.startswith("TW_FORKED ") and "before fork()" in printed, errors
