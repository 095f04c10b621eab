// The codelets' emitters, one for each alternative of ParameterPoint.
//
// Internal to codelets; emit() has checked the point.
#pragma once

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

KernelRecord emit_gemm(const GemmPoint&);
KernelRecord emit_gemv(const GemvPoint&);
KernelRecord emit_pack(const PackPoint&);
KernelRecord emit_reduce(const ReducePoint&);
KernelRecord emit_activation(const ActivationPoint&);
KernelRecord emit_softmax(const SoftmaxPoint&);

}  // namespace tilewright
