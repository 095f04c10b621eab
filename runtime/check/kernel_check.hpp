// Verifies that a kernel computes on this device what its record says. This is the only
// verification; the library, the tuner and the command `verify` use it.
//
// Operands have odd offsets and gaps if the kernel's alignment allows it, and are surrounded by
// NaN. C contains NaN if it must not be read. The whole buffer of the result is compared: elements
// with the reference product within a proven error bound (host_product.hpp), the rest with its
// previous contents.
#pragma once

#include <optional>
#include <span>

#include "runtime/check/check_cases.hpp"
#include "runtime/check/check_data.hpp"
#include "runtime/check/check_matrices.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// Checks a kernel of any role on a few small problems, which takes milliseconds in addition to the
// compile time. Returns the first error, or nullopt. The library calls this before the first use of
// a kernel that was verified with another driver or on another device. Enqueues on the queue, which
// must belong to the executor's context, and blocks. If memory is short, that is the returned
// error; lacks_memory() is then true for its OpenCL code. Thread-safe for different kernels.
std::optional<KernelError> check_kernel(const Executor& executor, const cl::CommandQueue& queue,
                                        LoadedKernel& kernel);

// Runs the kernel on one case, with the data of the case, and compares its result: the largest
// error relative to its bound (below 1), or what is wrong. The matrices are stored as the record
// requires it: packed and padded on the host, as images, in its layouts, with offsets and gaps.
// Throws Error if there is not enough memory.
Verified check_case(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                    const CheckCase& test, const CaseData& data);

// The thorough check of many kernels: the cases of check_kernel() except those with k above 4200,
// and for products also a list of awkward shapes, whose data and results are computed once.
class KernelVerifier {
 public:
  // The shapes must outlive the verifier.
  explicit KernelVerifier(std::span<const GemmShape> shapes = awkward_shapes()) : shapes_(shapes) {}

  // Returns the largest error relative to its bound (below 1), or what is wrong. Enqueues on the
  // queue and blocks.
  Verified verify(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel);

 private:
  std::span<const GemmShape> shapes_;
  Products products_;
};

}  // namespace tilewright
