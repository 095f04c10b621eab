"""Several devices, and the host's CBLAS, multiply together."""

from __future__ import annotations

import os
from contextlib import ExitStack
from ctypes import byref, c_double, c_void_p, sizeof
from typing import Any, List, Optional, Sequence, Union

import numpy as np

from . import _c_api
from ._errors import invalid_value, to_size
from ._gemm import combined_trans, gemm_desc
from ._host_arrays import address, in_place, place
from ._layout import Product, as_matrices, element_type, product, storage
from ._library import Library
from ._matmul import matmul
from ._owned_handle import OwnedHandle


class Team:
    """Devices that multiply together; docs/teams.md explains how a product is divided.

        team = tilewright.Team([tilewright.open(0), tilewright.open(1), "libopenblas.so.0"])
        c = team.matmul(a, b)

    A member that reports an error is dropped, and the others compute its part. One that lacks memory
    for a product is skipped for this product only.

    A team can be used as a context manager; otherwise it is freed with its last reference. The
    libraries may be closed before.

    Thread safety: all methods may be called from any thread at the same time, except that close()
    must be the last call.
    """

    def __init__(self, members: Sequence[Union[Library, str]], *, shares: Optional[Sequence[float]] = None,
                 measure: bool = True, profile: Union[None, str, "os.PathLike[str]"] = None) -> None:
        """Creates a team.

        Args:
            members: libraries of devices, and names of shared libraries with CBLAS functions, such
                as "libopenblas.so.0", for the host.
            shares: for each member the share of the result that it always computes. None: it
                follows from predicted and measured times.
            measure: the first product of each element type measures the members, unless `profile`
                has rates for it. False: only measure() does.
            profile: path of a team profile (`tilewright tune --team`).

        Raises:
            ArgumentError: no members, or a CBLAS library that cannot be loaded.
            ProfileError: the team profile cannot be used.
        """
        api = _c_api.library()
        if shares is not None and len(shares) != len(members):
            raise invalid_value(f"there are {len(members)} members and {len(shares)} shares")
        self._libraries = [one for one in members if isinstance(one, Library)]  # they keep log functions alive
        self._num_members = len(members)
        created = c_void_p()
        with ExitStack() as calls:
            entries = (_c_api.TeamMember * len(members))()
            for entry, member in zip(entries, members):
                if isinstance(member, Library):
                    entry.library, entry.queue = calls.enter_context(member._handle), member._queue
                elif isinstance(member, str):
                    entry.cblas = os.fsencode(member)
                else:
                    raise invalid_value(f"a member is a tilewright.Library or the name of a CBLAS library, not {member!r}")
            desc = _c_api.TeamDesc(struct_size=sizeof(_c_api.TeamDesc), members=entries, member_size=sizeof(_c_api.TeamMember),
                                   num_members=len(members), measure=bool(measure))
            if shares is not None:
                desc.shares = (c_double * len(shares))(*shares)
            if profile is not None:
                desc.profile_path = os.fsencode(profile)
            _c_api.check(api.tw_team_create(byref(desc), byref(created)), desc.profile_path)
        self._handle = OwnedHandle(self, created.value, "tw_team_free", "team")

    def close(self) -> None:
        """Frees the team, after the calls of other threads that run. Does nothing if it is closed."""
        self._handle.close()

    def __enter__(self) -> "Team":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def drop_reasons(self) -> List[str]:
        """For each member why it was dropped; "" if it was not."""
        with self._handle as handle:
            return [_c_api.library().tw_team_drop_reason(handle, i).decode() for i in range(self._num_members)]

    @property
    def num_skipped(self) -> List[int]:
        """For each member how many parts it left to the others, because it lacked memory for them."""
        with self._handle as handle:
            return [_c_api.library().tw_team_num_skipped(handle, i) for i in range(self._num_members)]

    @property
    def skip_reasons(self) -> List[str]:
        """For each member the first reason why it lacked memory for a part; "" if it did not."""
        with self._handle as handle:
            return [_c_api.library().tw_team_skip_reason(handle, i).decode() for i in range(self._num_members)]

    def matmul(self, a: Any, b: Any, out: Optional[np.ndarray] = None) -> Any:
        """Returns the matrix product of two arrays, as Library.matmul() does, but not of batches.

        Raises:
            ArgumentError: shapes do not fit, or are batches (a ValueError).
            UnsupportedTypeError: no member supports the element type (a TypeError).
        """
        return matmul(a, b, out, self._multiply)

    def _multiply(self, a: np.ndarray, b: np.ndarray, result: np.ndarray, sizes: Product) -> None:
        if sizes.batch:
            raise invalid_value("a team does not multiply batches; multiply their matrices one by one")
        a, b = in_place(a, result.dtype, gaps_are_free=True), in_place(b, result.dtype, gaps_are_free=True)
        (order_a, ld_a), (order_b, ld_b) = storage(as_matrices(place(a), True)), storage(as_matrices(place(b), False))
        layout = "C" if result.flags.c_contiguous else "F"
        desc = gemm_desc(result.dtype, sizes, layout, combined_trans(_c_api.NO_TRANS, order_a, layout),
                         combined_trans(_c_api.NO_TRANS, order_b, layout))
        with self._handle as handle:
            _c_api.check(_c_api.library().tw_team_gemm(handle, byref(desc), address(a), ld_a, address(b), ld_b,
                                                       address(result), sizes.n if layout == "C" else sizes.m))

    def measure(self, dtype: Any = np.float32) -> None:
        """Measures the members again, for one element type.

        Raises:
            UnsupportedTypeError: no member supports the element type (a TypeError).
        """
        with self._handle as handle:
            _c_api.check(_c_api.library().tw_team_measure(handle, element_type(np.dtype(dtype))))

    def explain(self, a: Sequence[int], b: Sequence[int], dtype: Any = np.float32) -> str:
        """Returns a text with a line for each member: what it would compute of a product, and its predicted times.

        Args:
            a, b: shapes (m, k) and (k, n).
            dtype: element type.
        """
        if len(a) != 2 or len(b) != 2:
            raise invalid_value(f"a matrix has two dimensions, not the shapes {tuple(a)} and {tuple(b)}")
        a, b = ([to_size(extent, "an extent") for extent in shape] for shape in (a, b))
        desc = gemm_desc(np.dtype(dtype), product(a, b), "C", _c_api.NO_TRANS, _c_api.NO_TRANS)
        with self._handle as handle:
            return _c_api.explain(_c_api.library().tw_team_explain, handle, byref(desc))
