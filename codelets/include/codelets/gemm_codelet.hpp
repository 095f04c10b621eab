// How does a point become an SGEMM kernel?
//
// One kernel serves every m, n, k >= 0: each work-item computes a tile_m x tile_n tile of C
// straight from the caller's matrices, nothing packed. The argument list is the runtime's gemm
// launch (executor.hpp):
//
//   (int m, int n, int k, float alpha, A, ulong offset_a, int lda, B, ulong offset_b, int ldb,
//    float beta, C, ulong offset_c, int ldc)
//
// Offsets and leading dimensions count elements. The matrices are row-major.
#pragma once

#include "codelets/parameter_point.hpp"

namespace tilewright {

// The kernel of a point, ready to launch. Deterministic: equal points give equal text. Throws
// std::invalid_argument if the point breaks a structural rule (validity.hpp).
KernelRecord emit_gemm(const ParameterPoint&);

}  // namespace tilewright
