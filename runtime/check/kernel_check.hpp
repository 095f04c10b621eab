// Checks whether a kernel does on this device what its record says: the one verification of the
// library, the tuner and the command `verify`.
//
// Operands lie at odd offsets and with gaps where the kernel's alignment allows that, surrounded by
// NaN; C is NaN where it is not to be read. All of the result's buffer is compared: elements with
// the host product within a proven error bound (host_product.hpp), the rest with what it was.
#pragma once

#include <optional>
#include <span>

#include "runtime/check/check_matrices.hpp"
#include "runtime/check/product_cases.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// What is wrong with a kernel of any role, or nullopt: the check of a kernel before its first use,
// if it was verified under other software than that of today. A few small problems for each role:
// milliseconds, without the time in which a driver compiles. Enqueues on the queue, which must be
// of the executor's context, and waits. Memory that cannot be had is a rejection, too
// (lacks_memory() of its code). Thread-safe for different kernels.
std::optional<Rejection> check_kernel(const Executor& executor, const cl::CommandQueue& queue,
                                      LoadedKernel& kernel);

// The thorough check of many kernels: the same, and for products a list of awkward shapes, whose
// data and results are computed once.
class KernelVerifier {
 public:
  // The shapes must outlive the verifier.
  explicit KernelVerifier(std::span<const GemmShape> shapes = awkward_shapes()) : shapes_(shapes) {}

  Verified verify(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel);

 private:
  std::span<const GemmShape> shapes_;
  Products products_;
};

}  // namespace tilewright
