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

#include "runtime/check/check_matrices.hpp"
#include "runtime/check/product_cases.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// Returns what is wrong with a kernel of any role, or nullopt. This is the check before the first
// use of a kernel that was verified with other software. It runs a few small problems for each
// role, which takes milliseconds in addition to the compile time. Enqueues on the queue, which must
// belong to the executor's context, and blocks. Lack of memory is reported as a Rejection, too
// (lacks_memory() of its code). Thread-safe for different kernels.
std::optional<KernelError> check_kernel(const Executor& executor, const cl::CommandQueue& queue,
                                        LoadedKernel& kernel);

// The thorough check of many kernels: the same, and for products also a list of awkward shapes,
// whose data and results are computed once.
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
