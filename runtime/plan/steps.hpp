// The commands of which a call can consist.
//
// The only list of them: plans, loaded kernels, predicted times and explanations are indexed by it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilewright {

// In the order in which they run.
enum class CallStep { kPackA, kPackB, kPackC, kGemm, kUnpackC, kReduce, kFinish };

// Properties of a step.
struct StepFacts {
  CallStep step;
  const char* name;    // in tables
  const char* reason;  // in sentences; {} is the number of parts of k
  bool writes_c;       // writes the caller's C, which must satisfy the kernel's alignment
};

// All steps, in the order of CallStep.
inline constexpr std::array<StepFacts, 7> kCallSteps = {
    {{CallStep::kPackA, "pack_a", "A is packed first", false},
     {CallStep::kPackB, "pack_b", "B is packed first", false},
     {CallStep::kPackC, "pack_c", "C is packed first", false},  // if beta is not 0
     {CallStep::kGemm, "product", "kernel", false},
     {CallStep::kUnpackC, "unpack_c", "C is unpacked after", true},
     {CallStep::kReduce, "reduce", "k is split into {} parts", true},  // the reduce kernel adds up
                                                                       // the parts
     // Applies the epilogue to C if no step above does.
     {CallStep::kFinish, "finish", "bias and activation after it", false}}};

// One value for each step.
template <class Value>
class PerStep {
 public:
  Value& operator[](CallStep step) { return values_[static_cast<std::size_t>(step)]; }
  const Value& operator[](CallStep step) const { return values_[static_cast<std::size_t>(step)]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const PerStep&) const = default;

 private:
  std::array<Value, kCallSteps.size()> values_{};
};

}  // namespace tilewright
