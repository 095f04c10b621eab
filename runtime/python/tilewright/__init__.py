"""Tuned matrix multiplication and neural networks on OpenCL devices.

    import numpy as np, tilewright as tw

    lib = tw.open()                                  # the first GPU, or else the first device
    c = lib.matmul(a, b)                             # NumPy in, NumPy out
    event = lib.gemm(x, y, out=z)                    # arrays of pyopencl, without waiting
    print(lib.explain(a.shape, b.shape))
    net = lib.load_net("policy.onnx"); y = net(x)
    team = tw.Team([lib, "libopenblas.so.0"]); c = team.matmul(a, b)
    tw.tune(device=0, budget="10m", output="board.toml")
    tw.Profile("board.toml").results.to_dataframe()

All errors are subclasses of tilewright.Error. Importing the package loads no library; the first call does.
"""

from ._device_arrays import DeviceArray
from ._devices import Device, devices
from ._errors import ArgumentError, Error, OutOfMemoryError, ProfileError, TuningError, UnsupportedTypeError
from ._library import Library, open
from ._network import Network, Port
from ._profile import Profile, Records
from ._team import Team
from ._tune import tune

__all__ = ["ArgumentError", "Device", "DeviceArray", "Error", "Library", "Network", "OutOfMemoryError", "Port", "Profile",
           "ProfileError", "Records", "Team", "TuningError", "UnsupportedTypeError", "devices", "open", "tune"]


def __getattr__(name: str) -> str:
    # The version is that of the library (tilewright.h), so asking for it loads the library, but not OpenCL.
    if name == "__version__":
        from ._c_api import version
        try:
            return version()
        except (ImportError, OSError) as error:
            raise AttributeError(f"__version__ is unknown: {error}") from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
