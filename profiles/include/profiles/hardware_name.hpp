// Finds the part of an OpenCL device name that identifies the hardware.
//
// Some drivers put their own version, their compiler's version or the kernel's version into
// CL_DEVICE_NAME, so that a name changes with every update of the system. A profile belongs to the
// hardware; two devices are compared by what this module keeps of their names.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// The name without words that only describe software:
//   "llvmpipe (LLVM 15.0.6, 256 bits)"         -> "llvmpipe (256 bits)"
//   "AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7, DRM 3.54, 6.1.0-13-amd64)"
//                                              -> "AMD Radeon RX 6600 (navi23)"
//   "pthread-skylake-avx512-AMD EPYC", "cpu-znver4-AMD EPYC" -> "AMD EPYC (512 bits)"
// PoCL names the processor as its LLVM knows it; only the width of the vector registers, which
// decides what kernels suit, is kept of that. Names of no known form stay as they are.
std::string hardware_name(std::string_view device_name);

}  // namespace tilewright
