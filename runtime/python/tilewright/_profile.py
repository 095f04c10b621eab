"""Reads profiles as records, for analyses."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Union

from ._errors import MissingProfileError, ProfileError

FORMAT = 1  # of the profiles that can be read (docs/profile-format.md)
_STATISTICS = ("low_ns", "median_ns", "high_ns", "samples")


def _read_toml(path: str) -> Dict[str, Any]:
    try:
        import tomllib as toml  # since Python 3.11
    except ImportError:
        try:
            import tomli as toml
        except ImportError as error:
            raise ImportError("reading profiles needs Python 3.11 or newer, or the package tomli "
                              "(pip install tomli)") from error
    try:
        with open(path, "rb") as file:
            return toml.load(file)
    except OSError as error:
        kind = MissingProfileError if isinstance(error, FileNotFoundError) else ProfileError
        raise kind(f"'{path}' cannot be read: {error.strerror}", "TW_NO_PROFILE") from error
    except ValueError as error:
        raise ProfileError(f"'{path}' is not a profile: {error}", "TW_BAD_PROFILE") from error


class Records(List[Dict[str, Any]]):
    """A list of dictionaries."""

    def to_dataframe(self) -> Any:
        """Returns the records as a pandas.DataFrame, one row for each. Needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_dataframe() needs pandas (pip install pandas)") from error
        return pandas.DataFrame(list(self))


class Profile:
    """The contents of a profile. docs/profile-format.md describes every key.

    The file is read when the object is made. `tilewright check` checks it thoroughly.

    Attributes:
        path: the file.
        kind: "tuned", "predicted" or "generic".
        device, provenance, rates: tables of the profile as dictionaries; empty if it has none.
        kernels: a record for each kernel with the keys of `[[kernel]]`, and `precision` ("s", "d"
            or "h") and `point` (a dictionary of parameters, which are texts). A kernel that is
            `retyped` from another one has the launch facts of that one and no source.
        results: a record for each kernel and shape: kernel, op, precision, m, n, k; low_ns,
            median_ns, high_ns: 10th percentile, estimate and 90th percentile of the time; samples;
            gflops (of the estimate); max_error.

    Raises:
        ProfileError: the file cannot be read, or has another format.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        contents = _read_toml(self.path)
        if contents.get("format") != FORMAT:
            raise ProfileError(f"'{self.path}': format is {contents.get('format')}, and this package reads {FORMAT}",
                               "TW_BAD_PROFILE")
        self.kind: str = contents.get("kind", "")
        self.device: Dict[str, Any] = contents.get("device", {})
        self.provenance: Dict[str, Any] = contents.get("provenance", {})
        self.rates: Dict[str, Any] = contents.get("rates", {})
        try:
            self.kernels = _kernel_records(contents.get("kernel", []))
            self.results = _result_records(contents.get("result", []), self.kernels)
            self._kernel_counts = _kernel_counts(contents, self.kernels)
        except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise ProfileError(f"'{self.path}' is damaged ({type(error).__name__}: {error}); `tilewright check` finds the line",
                               "TW_BAD_PROFILE") from error

    def __repr__(self) -> str:
        return (f"<tilewright.Profile {self.path!r}: {self.kind}, {self.device.get('name', 'any device')}, "
                f"{self._kernel_counts}, {len(self.results)} results>")


def _kernel_counts(contents: Dict[str, Any], kernels: Records) -> str:
    # As `tilewright show` counts them. Of built-in kernels the file has only the name.
    own = [kernel["role"] in ("gemm", "gemv") for kernel in kernels]
    built_in = [re.match("[sdh]gem[mv]_", table["name"]) is not None
                for table in contents.get("built_in", []) if not table.get("fails")]
    if contents.get("kind") == "generic":
        own, built_in = [], own
    products = sum(own) + sum(built_in)
    others = len(own) + len(built_in) - products
    return f"{products} product kernels ({sum(built_in)} built in) and {others} others"


def _point(text: str) -> Dict[str, str]:
    return dict(part.split("=", 1) for part in text.split() if "=" in part)


def _kernel_records(tables: List[Dict[str, Any]]) -> Records:
    records = Records()
    by_name: Dict[str, Dict[str, Any]] = {}
    for table in tables:
        record = {"precision": "s", **table}
        if "retyped" in table:
            original = {key: value for key, value in by_name[table["retyped"]].items() if key not in ("source", "entry")}
            record = {**original, **table}
        if isinstance(record.get("point"), str):
            record["point"] = _point(record["point"])
        by_name[record["name"]] = record
        records.append(record)
    return records


def _result_records(tables: List[Dict[str, Any]], kernels: Records) -> Records:
    precisions = {kernel["name"]: kernel["precision"] for kernel in kernels}
    records = Records()
    for table in tables:
        for shape, values in table.items():
            if not isinstance(values, list):
                continue
            m, n, k = map(int, shape.split("x"))
            statistics = dict(zip(_STATISTICS, values))
            records.append({"kernel": table["kernel"], "op": table["op"],
                            "precision": precisions.get(table["kernel"], "s"), "m": m, "n": n, "k": k, **statistics,
                            "gflops": 2.0 * m * n * k / statistics["median_ns"], "max_error": table.get("max_error")})
    return records
