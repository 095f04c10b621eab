// What do the checks of kernels read, and how do they see what was written?
//
// Operands are surrounded by NaN, so that what is read there and counts shows in the result;
// results by a NaN that no arithmetic makes, so that writing it again is seen, too.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/check/host_product.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

double surrounding_nan();  // beyond operands
// Beyond results. As a half it is 0x7e09: conversions to fewer bits keep those that it has.
inline constexpr double kUntouchedNan = std::bit_cast<double>(0x7ff8240000000000U);

// Uniform in [-1, 1], of the precision.
template <class Random>
double uniform_element(Precision precision, Random& random) {
  if (precision == Precision::kDouble) {
    return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
  }
  if (precision == Precision::kHalf) {
    constexpr int kSteps = 1 << 11;  // all that a half tells apart just below 1
    return std::uniform_int_distribution(-kSteps, kSteps)(random) / double{kSteps};
  }
  return static_cast<double>(std::uniform_real_distribution<float>(-1.0f, 1.0f)(random));
}

// -1, 0 or 1: products are exact in every precision, and sums of up to 2048 of them, too, where
// rounding would hide a step that is lost.
template <class Random>
double whole_element(Random& random) {
  return std::uniform_int_distribution(-1, 1)(random);
}

// Offset, gap and guard: more elements than the widest vector, as the record's alignment allows.
Placement placement_for(const KernelRecord& record);
// The same of a C that need not be aligned.
Placement placement_of_c(const KernelRecord& record);

// Uniform in [-1, 1], or -1, 0 and 1, without gaps; equal generators give equal matrices.
HostMatrix random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random,
                         Precision precision = Precision::kSingle);
HostMatrix whole_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random);
ElementOf elements_of(const HostMatrix& matrix);  // which must outlive it

// A matrix that a kernel writes, with what was in its memory before.
class Written {
 public:
  // rows x columns of the storage have elements before, the rest of it zeros.
  Written(const Executor& executor, const Storage& storage, std::int64_t rows, std::int64_t columns,
          const ElementOf& element, const Placement& placement);

  MatrixArgument argument() const { return device_.argument(); }
  // Waits and reads; what went wrong, or nullopt.
  std::optional<Rejection> read(const cl::CommandQueue& queue, const KernelRecord& record,
                                const Launched& launched);
  double at(std::int64_t i, std::int64_t j) const {
    return after_[element_index(storage_, before_, i, j)];
  }
  // May only rows x columns of it have changed? Nothing lies beside an image.
  bool only_within(std::int64_t rows, std::int64_t columns) const;

 private:
  Storage storage_;
  HostStorage before_;
  DeviceMatrix device_;
  std::vector<double> after_;
};

// The bias and the arguments of activations that checks give to kernels, for those that add or
// apply one.
class BiasAndArguments {
 public:
  // One bias for each row or column, whichever are more. Beside them lies NaN, so much before them:
  // no vector of biases need be aligned.
  BiasAndArguments(const Executor& executor, std::int64_t rows, std::int64_t columns,
                   std::size_t offset = 3);

  VectorArgument bias() const;
  // They make sense as slope, slope and shift, low and high.
  ActivationArguments arguments() const { return {0.25f, 0.75f}; }
  // What the record's bias and activation make of the element (i, j) of sums, and storing it of
  // that.
  ProductElement applied(const KernelRecord& record, const ProductElement& element, std::int64_t i,
                         std::int64_t j) const;

 private:
  HostMatrix biases_;
  DeviceMatrix device_;
};

// The sentences of a kernel that is wrong.
Rejection wrong_element(const KernelRecord& record, std::int64_t i, std::int64_t j, double got,
                        const ProductElement& want);
Rejection wrote_beside(const KernelRecord& record);

}  // namespace tilewright
