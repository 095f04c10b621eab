"""Lists the OpenCL devices of this machine, and selects one."""

from __future__ import annotations

import dataclasses
import operator
from typing import List, Optional, Tuple, Union

from . import _opencl
from ._errors import Error, invalid_value

_TYPES = {2: "cpu", 4: "gpu", 8: "accelerator"}
_PLATFORM_NAME, _PLATFORM_VERSION = 0x0902, 0x0901
_TYPE, _MAX_COMPUTE_UNITS, _GLOBAL_MEM_SIZE = 0x1000, 0x1002, 0x101F
_NAME, _VENDOR, _DRIVER_VERSION, _PLATFORM = 0x102B, 0x102C, 0x102D, 0x1031
_EXTENSIONS, _HOST_UNIFIED_MEMORY, _OPENCL_C_VERSION = 0x1030, 0x1035, 0x103D
_AVAILABLE, _COMPILER_AVAILABLE = 0x1027, 0x1028


@dataclasses.dataclass(frozen=True)
class Device:
    """An OpenCL device.

    Attributes:
        index: its number, as in `tilewright devices`. None for a device that is not listed there, such as a part of a
            device (sub-device).
        name, vendor, platform, driver, opencl_c_version: texts that the driver reports.
        type: "gpu", "cpu", "accelerator" or "other".
        compute_units: number of compute units.
        memory_bytes: size of its memory.
        shares_host_memory: it computes in the memory of the host.
        has_double: it supports float64 and complex128.
        obstacle: why its driver cannot use it now; "" if it can.
    """

    index: Optional[int]
    name: str
    vendor: str
    platform: str
    driver: str
    opencl_c_version: str
    type: str
    compute_units: int
    memory_bytes: int
    shares_host_memory: bool
    has_double: bool
    obstacle: str
    _handles: Tuple[int, int] = dataclasses.field(repr=False, compare=False)  # platform, device

    def __str__(self) -> str:
        number = "not listed" if self.index is None else self.index
        obstacle = f"; cannot be used: {self.obstacle}" if self.obstacle else ""
        return f"{number}: {self.name}, {self.compute_units} compute units ({self.platform}){obstacle}"


def describe(device: int, index: Optional[int]) -> Device:
    """Describes the device with a handle. Raises Error if its driver does not answer."""
    def text(name: int) -> str:
        return _opencl.read_text("clGetDeviceInfo", device, name)

    def number(name: int) -> int:
        return _opencl.read_number("clGetDeviceInfo", device, name)

    platform = number(_PLATFORM)
    names = [_opencl.read_text("clGetPlatformInfo", platform, name)
             for name in (_PLATFORM_NAME, _PLATFORM_VERSION)]
    return Device(
        index=index,
        name=text(_NAME),
        vendor=text(_VENDOR),
        platform=", ".join(names),
        driver=text(_DRIVER_VERSION),
        opencl_c_version=text(_OPENCL_C_VERSION),
        type=_TYPES.get(number(_TYPE) & 14, "other"),
        compute_units=number(_MAX_COMPUTE_UNITS),
        memory_bytes=number(_GLOBAL_MEM_SIZE),
        shares_host_memory=number(_HOST_UNIFIED_MEMORY) != 0,
        has_double="cl_khr_fp64" in text(_EXTENSIONS).split(),
        obstacle="it is not available (CL_DEVICE_AVAILABLE is false)" if not number(_AVAILABLE) else
        "its driver has no compiler (CL_DEVICE_COMPILER_AVAILABLE is false)" if not number(_COMPILER_AVAILABLE) else "",
        _handles=(platform, device),
    )


def devices() -> List[Device]:
    """Lists the OpenCL devices of this machine, in the order of `tilewright devices`.

    Devices that do not answer are left out; `tilewright doctor` explains why.

    Returns:
        The devices; an empty list if no driver is installed.

    Raises:
        Error: no OpenCL library can be loaded.
    """
    found: List[Device] = []
    for platform in _opencl.platforms():
        try:
            handles = _opencl.devices(platform)
        except Error:
            continue
        for handle in handles:
            try:
                found.append(describe(handle, len(found)))
            except Error:
                continue
    return found


def find(device: int) -> Device:
    """Describes the device with a handle, with its index if it is listed. Raises Error if its driver does not answer."""
    return next((one for one in devices() if one._handles[1] == device), None) or describe(device, None)


def choose(choice: Union[None, int, str, Device]) -> Device:
    """Returns the device that a user chose, by the rules of the program's option --device.

    `choice` is a Device, an index, or text that occurs in the platform, vendor or name of one
    device. None and "" select the first GPU, or the first device if there is no GPU. Devices with an
    obstacle are not selected.
    """
    if isinstance(choice, Device):
        return choice
    found = devices()
    if not found:
        raise Error("no OpenCL device: install a driver (Debian: pocl-opencl-icd for the CPU); run `tilewright doctor` "
                    "to find out what is missing",
                    "TW_OPENCL_ERROR", _opencl.DEVICE_NOT_FOUND)
    lines = "".join(f"\n  {device}" for device in found)
    if choice is None:
        choice = ""
    if isinstance(choice, str) and not choice.isdecimal():
        wanted = choice.lower()
        matches = [device for device in found
                   if wanted in f"{device.platform}\n{device.vendor}\n{device.name}".lower()]
        usable = [device for device in matches if not device.obstacle]
        if choice == "":
            if not usable:
                raise Error(f"no device can be used; the devices are{lines}", "TW_OPENCL_ERROR", _opencl.DEVICE_NOT_AVAILABLE)
            return next((device for device in usable if device.type == "gpu"), usable[0])
        # Equal devices are interchangeable.
        if usable and all(dataclasses.replace(device, index=usable[0].index) == usable[0] for device in usable):
            return usable[0]
        problem = ("more than one device matches" if usable else
                   "no usable device matches" if matches else "no device matches")
        raise invalid_value(f"{problem} {choice!r}; the devices are{lines}")
    try:
        if isinstance(choice, bool):
            raise TypeError
        index = int(choice) if isinstance(choice, str) else operator.index(choice)
    except (TypeError, ValueError):
        raise invalid_value(f"a device is a tilewright.Device, an index or a part of a name, not {choice!r}") from None
    if not 0 <= index < len(found):
        raise invalid_value(f"there is no device {index}; the devices are{lines}")
    if found[index].obstacle:
        raise invalid_value(f"device {index} cannot be used: {found[index].obstacle}; the devices are{lines}")
    return found[index]
