"""Are the declarations for ctypes those of the C headers?"""

import ctypes
import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT

from tilewright import _c_api, _files, _opencl

INCLUDE = ROOT / "runtime/include"
HEADERS = ["tilewright.h", "network.h", "team.h"]

pytestmark = pytest.mark.skipif(not INCLUDE.is_dir(), reason="the sources of tilewright are not here")


def header_text():
    text = "".join((INCLUDE / "tilewright" / name).read_text() for name in HEADERS)
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def ctypes_type(declaration):
    """Returns the type of a parameter or a result, in the terms of ctypes."""
    words = declaration.replace("*", " * ").replace("const", " ").split()
    names = {"int": ctypes.c_int, "cl_int": ctypes.c_int32, "cl_uint": ctypes.c_uint32, "size_t": ctypes.c_size_t,
             "tw_status": ctypes.c_int, "tw_type": ctypes.c_int, "void": None}
    structures = {name: ctypes.POINTER(kind) for name, kind in _c_api.STRUCTURES.items()}
    stars = words.count("*")
    if words[0] in ("cl_context", "cl_device_id", "cl_command_queue", "cl_event"):
        stars += 1
    if stars == 0:
        return names[words[0]]
    if words[0] in structures and stars == 1:
        return structures[words[0]]
    if words[0] == "char" and stars == 1:
        return ctypes.c_char_p
    return ctypes.c_void_p if stars == 1 else ctypes.POINTER(ctypes.c_void_p)


def prototypes():
    found = {}
    for result, name, parameters in re.findall(r"([\w* ]+?)\b(tw_\w+)\(([^()]*)\);", header_text()):
        if name not in _c_api.FUNCTIONS:
            continue
        kinds = [one for one in parameters.split(",") if one.strip() not in ("", "void")]
        found[name] = (ctypes_type(result.replace("TW_API", "")), [ctypes_type(one) for one in kinds])
    return found


@pytest.mark.parametrize("name", sorted(_c_api.FUNCTIONS))
def test_function(name):
    result, arguments = prototypes()[name]
    own_result, own_arguments = _c_api.FUNCTIONS[name]
    pointers = (ctypes.c_void_p, ctypes.c_char_p)  # ctypes frees neither, so both are right for a handle or bytes
    assert own_result == result
    assert len(own_arguments) == len(arguments)
    for own, kind in zip(own_arguments, arguments):
        assert own == kind or (own in pointers and kind in pointers)


def c_program():
    lines = ["#include <stdio.h>", "#define CL_TARGET_OPENCL_VERSION 120"]
    lines += [f"#include <tilewright/{name}>" for name in HEADERS]
    lines += ["int main(void) {"]
    for name, kind in _c_api.STRUCTURES.items():
        lines.append(f'  printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in kind._fields_:
            lines.append(f'  printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
    for name in ("TW_ROW_MAJOR", "TW_COLUMN_MAJOR", "TW_NO_TRANS", "TW_TRANS", "TW_CONJ_TRANS", "TW_FLOAT", "TW_DOUBLE",
                 "TW_HALF", "TW_COMPLEX_FLOAT", "TW_COMPLEX_DOUBLE", "TW_DEFAULT_KEPT_BYTES"):
        lines.append(f'  printf("{name} %zu\\n", (size_t){name});')
    return "\n".join([*lines, "  return 0;", "}", ""])


def own_numbers():
    numbers = {}
    for name, kind in _c_api.STRUCTURES.items():
        numbers[name] = ctypes.sizeof(kind)
        numbers.update({f"{name}.{field}": getattr(kind, field).offset for field, *_ in kind._fields_})
    for name in ("ROW_MAJOR", "COLUMN_MAJOR", "NO_TRANS", "TRANS", "CONJ_TRANS", "DEFAULT_KEPT_BYTES"):
        numbers["TW_" + name] = getattr(_c_api, name)
    for name, dtype in (("FLOAT", "f4"), ("DOUBLE", "f8"), ("HALF", "f2"), ("COMPLEX_FLOAT", "c8"),
                        ("COMPLEX_DOUBLE", "c16")):
        numbers["TW_" + name] = _c_api.TYPES[_c_api.np.dtype(dtype)]
    return numbers


def test_structures_and_constants(tmp_path):
    compiler = os.environ.get("CC") or shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler")
    (tmp_path / "sizes.c").write_text(c_program())
    subprocess.run([compiler, "-std=c11", f"-I{INCLUDE}", "sizes.c", "-o", "sizes"], cwd=tmp_path, check=True)
    printed = subprocess.run(["./sizes"], cwd=tmp_path, check=True, stdout=subprocess.PIPE).stdout.decode()
    assert dict((line.split()[0], int(line.split()[1])) for line in printed.splitlines()) == own_numbers()


def test_structures_have_all_members():
    for name, kind in _c_api.STRUCTURES.items():
        body = re.search(r"typedef struct \{([^{}]*)\} " + name + ";", header_text()).group(1)
        members = [re.search(r"(\w+)\s*$", one).group(1) for one in body.split(";") if one.strip()]
        assert [field for field, *_ in kind._fields_] == members


def test_statuses_of_exception_classes():
    from tilewright import _errors
    text = header_text()
    for name, kind in (("TW_UNSUPPORTED_TYPE", _errors.UnsupportedTypeError), ("TW_OUT_OF_MEMORY", _errors.OutOfMemoryError),
                       ("TW_INVALID_LD_A", _errors.ArgumentError), ("TW_BAD_PROFILE", _errors.ProfileError),
                       ("TW_INTERNAL", _errors.Error)):
        number = int(re.search(name + r"\s*=\s*(\d+)", text).group(1))
        assert _errors.error_class(number) is kind


def test_soname_is_that_of_the_header():
    major, minor = (re.search(rf"TW_VERSION_{part} (\d+)", header_text()).group(1) for part in ("MAJOR", "MINOR"))
    assert _files.SONAME == f"libtilewright.so.{major}.{minor}"


def test_opencl_libraries_are_those_of_the_runtime():
    source = (ROOT / "runtime/opencl/opencl_loader.cpp").read_text()
    table = re.search(r"kLibraries\[\] = \{(.*?)\};", source, re.S).group(1)
    table = re.sub(r"//.*", "", table)
    entries = [one.strip() for one in table.split(",") if one.strip()]
    chosen = []
    for entry in entries:
        names = re.findall(r'"([^"]*)"', entry)
        chosen.append(names[0] if len(names) == 1 or _opencl._64_BIT else names[1])
    assert chosen == _opencl.LIBRARIES
