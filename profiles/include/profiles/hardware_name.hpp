// Finds the part of an OpenCL device name that identifies the hardware.
//
// Some drivers include their own version, their compiler's version or the kernel's version in
// CL_DEVICE_NAME, so that the name changes with every system update. A profile belongs to the
// hardware, so devices are compared by the part of the name that this function returns.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Returns the name without words that only describe software:
//   "llvmpipe (LLVM 15.0.6, 256 bits)"         -> "llvmpipe (256 bits)"
//   "AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7, DRM 3.54, 6.1.0-13-amd64)"
//                                              -> "AMD Radeon RX 6600 (navi23)"
//   "pthread-skylake-avx512-AMD EPYC", "cpu-znver4-AMD EPYC" -> "AMD EPYC (512 bits)"
// PoCL names the processor as its LLVM knows it. Only the width of the vector registers is kept,
// because it decides which kernels are suitable. Names of unknown form are returned unchanged.
std::string hardware_name(std::string_view device_name);

}  // namespace tilewright
