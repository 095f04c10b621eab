// Copies a matrix on the device, with op() and a factor: the kernels of Omatcopy.
#pragma once

#include <complex>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/api/library.hpp"
#include "runtime/device/executor.hpp"

namespace clblast {

// B = alpha op(A). Both matrices are seen as lines of contiguous elements, regardless of their
// order.
struct MatrixCopy {
  tilewright::ElementType type;
  size_t lines;   // of A
  size_t length;  // elements in a line of A
  bool transposed;
  bool conjugated;
  std::complex<double> alpha;
  // Offsets and leading dimensions count elements; complex numbers count as one element.
  tilewright::MatrixArgument a;
  tilewright::MatrixArgument b;
};

// The copy kernels of a context and a device, compiled at first use. They are limited by memory
// bandwidth, so they are not tuned. Thread-safe.
class MatrixCopies {
 public:
  MatrixCopies(const cl::Context& context, const cl::Device& device);

  // Enqueues the copy and returns its event. Extents and leading dimensions must not exceed
  // kMaxExtent. Throws tilewright::Error.
  cl::Event enqueue(const cl::CommandQueue& queue, const MatrixCopy& copy);

 private:
  tilewright::LoadedKernel& kernel(tilewright::ElementType type, bool transposed);

  tilewright::Executor executor_;
  std::mutex mutex_;
  // Key: the type, whether the copy is transposed.
  std::map<std::pair<tilewright::ElementType, bool>, std::unique_ptr<tilewright::LoadedKernel>>
      kernels_;
};

}  // namespace clblast
