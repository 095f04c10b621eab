"""Profiles as records."""

import os
import pathlib
import re
import sys

import pytest
from conftest import ROOT

import tilewright as tw
pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "tomli", reason="no TOML reader is installed")

INSTALLED = pathlib.Path(tw.__file__).parent / "share/tilewright/profiles"
FOLDER = INSTALLED if INSTALLED.is_dir() else ROOT / "profiles/data"
PROFILES = sorted(FOLDER.glob("*.toml"))


@pytest.mark.parametrize("file", PROFILES, ids=lambda file: file.name)
def test_every_record_is_read(file):
    profile, text = tw.Profile(file), file.read_text()
    assert len(profile.kernels) == text.count("\n[[kernel]]\n")
    assert len(profile.results) == len(re.findall(r"^\d+x\d+x\d+ = \[", text, re.M))
    assert all(kernel["role"] and isinstance(kernel["point"], dict) for kernel in profile.kernels)
    assert profile.path == os.fspath(file) and profile.kind in repr(profile)


SMALL = """format = 1
kind = "tuned"
[device]
name = "Mali-T628"
[[kernel]]
name = "one"
role = "gemm"
tile = [4, 4, 1]
point = "op=NN tile_m=4 tile_n=4"
digest = "xxh3-1"
entry = "one"
source = '''
__kernel void one() {}
'''
[[kernel]]
name = "two"
retyped = "one"
precision = "h"
digest = "xxh3-2"
[[result]]
kernel = "two"
op = "NT"
max_error = 0.25
100x200x50 = [1000.0, 2000.0, 3000.0, 15]
100x200x100 = [1000.0, 4000.0, 5000.0, 15]
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    return tw.Profile(tmp_path / "small.toml")


def test_kernels(small):
    one, two = small.kernels
    assert (one["name"], one["precision"], one["point"]["tile_m"], one["tile"]) == ("one", "s", "4", [4, 4, 1])
    assert (two["name"], two["precision"], two["role"], two["digest"]) == ("two", "h", "gemm", "xxh3-2")
    assert "source" in one and "source" not in two


def test_counts_of_kernels(tmp_path):
    entries = [("sgemm_R_R_m8", ""), ("hgemv_C_R_n", ""), ("pack_R_C", ""), ("dgemm_R_R", "fails = true\n")]
    text = SMALL + "".join(f'[[built_in]]\nname = "{name}"\ndigest = "xxh3-3"\n{rest}' for name, rest in entries)
    (tmp_path / "x.toml").write_text(text)
    assert "4 product kernels (2 built in) and 1 others, 2 results" in repr(tw.Profile(tmp_path / "x.toml"))
    (tmp_path / "x.toml").write_text(SMALL.replace('"tuned"', '"generic"'))
    assert "2 product kernels (2 built in) and 0 others" in repr(tw.Profile(tmp_path / "x.toml"))


def test_results(small):
    timed, larger = small.results
    assert timed == {"kernel": "two", "op": "NT", "precision": "h", "m": 100, "n": 200, "k": 50, "low_ns": 1000.0,
                     "median_ns": 2000.0, "high_ns": 3000.0, "samples": 15, "gflops": 1000.0, "max_error": 0.25}
    assert (larger["k"], larger["median_ns"]) == (100, 4000.0)


def test_dataframes(small):
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert small.results.to_dataframe().iloc[0]["m"] == 100
    assert list(small.kernels.to_dataframe()["name"]) == ["one", "two"]


@pytest.mark.parametrize("right, wrong", [('retyped = "one"', 'retyped = "later"'), ('name = "one"', ""),
                                          ("100x200x50", "100x200"), ("2000.0", "0.0"), ("2000.0", '"fast"'),
                                          ('op = "NT"\n', "")])
def test_damaged_files(tmp_path, right, wrong):
    (tmp_path / "x.toml").write_text(SMALL.replace(right, wrong))
    with pytest.raises(tw.ProfileError, match="x.toml' is damaged") as caught:
        tw.Profile(tmp_path / "x.toml")
    assert caught.value.status == "TW_BAD_PROFILE"


@pytest.mark.parametrize("text, status, message", [(None, "TW_NO_PROFILE", "cannot be read"),
                                                   ("[[[", "TW_BAD_PROFILE", "is not a profile"),
                                                   ("format = 99\n", "TW_BAD_PROFILE", "format is 99"),
                                                   ("", "TW_BAD_PROFILE", "format is None")])
def test_bad_files(tmp_path, text, status, message):
    if text is not None:
        (tmp_path / "x.toml").write_text(text)
    with pytest.raises(tw.ProfileError, match=message) as caught:
        tw.Profile(tmp_path / "x.toml")
    assert caught.value.status == status and "x.toml" in str(caught.value)
    assert isinstance(caught.value, FileNotFoundError) == (text is None)
