// Which kernels bring complex matrices into the forms of complex_form.hpp, and results into C?
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "runtime/complex/complex_form.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

enum class ComplexKernel {
  kSplit,           // Conversion::kSplit
  kExpand,          // Conversion::kExpand
  kCombineColumns,  // C of a result with parts side by side along n (ComplexForm::kExpandB)
  kCombineRows,     // likewise along m (kExpandA)
  kCombineBoth,     // of the products of all parts (kSplit)
};

std::string name_of(ComplexKernel kernel);
// Of a conversion that is not kNone; of what puts C together in this form.
ComplexKernel kernel_of(Conversion conversion);
ComplexKernel kernel_of(ComplexForm form);

// Self-contained OpenCL C 1.1 of all of them, for floats or doubles. `aligned_pairs`: every complex
// number of the caller's matrix lies at a multiple of its own size, which vector access needs.
std::string complex_source(Precision precision, bool aligned_pairs);

// Which of them, and for which matrix of the caller.
struct ComplexKernelChoice {
  ComplexKernel kernel;
  Precision precision;
  std::int64_t columns;
  bool aligned_pairs;
};

// They are short and as fast as memory: nothing about them is tuned, so no profile carries them.
// Thread-safe.
class ComplexKernels {
 public:
  // The executor must outlive it.
  explicit ComplexKernels(const Executor& executor) : executor_(executor) {}

  // Compiled at the first use. Throws Error TW_BUILD_FAILURE.
  LoadedKernel& get(const ComplexKernelChoice& choice);

 private:
  const Executor& executor_;
  std::mutex mutex_;
  // The last two: narrow or not, aligned pairs or not.
  std::map<std::tuple<ComplexKernel, Precision, bool, bool>, std::unique_ptr<LoadedKernel>>
      kernels_;
};

}  // namespace tilewright
