// The kernels that convert complex matrices to the forms of complex_form.hpp, and results to C.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "runtime/complex/complex_form.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// The kernels; see complex_form.hpp.
enum class ComplexKernel {
  kSplit,           // Conversion::kSplit
  kExpand,          // Conversion::kExpand
  kCombineColumns,  // C from a result with alternating parts along n (ComplexForm::kExpandB)
  kCombineRows,     // the same along m (kExpandA)
  kCombineBoth,     // C from the products of all parts (kSplit)
};

// "complex_split", "complex_expand" ...
std::string complex_kernel_name(ComplexKernel kernel);
// The kernel of a conversion, which must not be kNone; the kernel that computes C in a form.
ComplexKernel to_complex_kernel(Conversion conversion);
ComplexKernel to_complex_kernel(ComplexForm form);

// Self-contained OpenCL C 1.1 source of all these kernels, for floats or doubles. `aligned_pairs`:
// every complex number of the caller's matrix is aligned to its size, which vector access requires.
std::string complex_source(Precision precision, bool aligned_pairs);

// A kernel, and properties of the caller's matrix.
struct ComplexKernelChoice {
  ComplexKernel kernel;
  Precision precision;
  std::int64_t columns;
  bool aligned_pairs;
};

// Compiles and keeps these kernels. They are short and limited by memory bandwidth, so they are not
// tuned and not part of profiles. Thread-safe.
class ComplexKernels {
 public:
  // The executor must outlive this object.
  explicit ComplexKernels(const Executor& executor) : executor_(executor) {}

  // Compiles the kernel at its first use. Throws Error TW_BUILD_FAILURE.
  LoadedKernel& get(const ComplexKernelChoice& choice);

 private:
  const Executor& executor_;
  std::mutex mutex_;
  // Key: the kernel, the precision, whether the matrix is narrow, whether its numbers are aligned.
  std::map<std::tuple<ComplexKernel, Precision, bool, bool>, std::unique_ptr<LoadedKernel>>
      kernels_;
};

}  // namespace tilewright
