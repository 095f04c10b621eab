// The matrices that kernels read and write when they are checked.
//
// Operands are surrounded by NaN, so that out-of-bounds reads affect the result. Results are
// surrounded by a NaN that no arithmetic produces, so that out-of-bounds writes of other NaNs are
// detected, too.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "runtime/check/host_product.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

double surrounding_nan();  // surrounds operands
// Surrounds results. As half precision it is 0x7e09, because conversions to fewer bits keep the
// leading bits.
inline constexpr double kUntouchedNan = std::bit_cast<double>(0x7ff8240000000000U);

ElementReader untouched_elements();  // returns kUntouchedNan for all elements

// Offset, gap and guard of a matrix: more elements than the widest vector, if the record's
// alignment allows it.
Placement placement_for(const KernelRecord& record);
// Offset, gap and guard of a C that need not be aligned.
Placement c_placement(const KernelRecord& record);

// A matrix without gaps, with uniform random elements in [-1, 1] of the precision. Generators in
// the same state give equal matrices.
HostOperand random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random,
                          Precision precision = Precision::kSingle);
// Elements -1, 0 or 1. Their products, and sums of up to 2048 of them, are exact in every
// precision, so that rounding cannot hide a missing step.
HostOperand whole_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random);
ElementReader element_reader(const HostOperand& matrix);  // the matrix must outlive the result
// Copies the matrix to the device as the kernel's record requires it, surrounded by NaN.
DeviceMatrix upload_surrounded(const cl::Context& context, const Storage& storage,
                               std::int64_t rows, std::int64_t columns, const HostOperand& matrix,
                               const KernelRecord& record);

// A matrix that a kernel writes, and the previous contents of its memory.
class ResultMatrix {
 public:
  // The first rows x columns elements are those of `element`, the rest of the storage is zero.
  ResultMatrix(const cl::Context& context, const Storage& storage, std::int64_t rows,
               std::int64_t columns, const ElementReader& element, const Placement& placement);

  MatrixArgument argument() const { return device_.argument(); }
  // Waits, then reads the matrix. Returns the error, or nullopt. `name` is used in the message.
  std::optional<KernelError> read(const cl::CommandQueue& queue, const std::string& name,
                                  const Launched& launched);
  double at(std::int64_t i, std::int64_t j) const {
    return after_[element_index(storage_, before_, i, j)];
  }
  // True if no element outside of the first rows x columns has changed. Always true for images.
  bool only_within(std::int64_t rows, std::int64_t columns) const;

 private:
  Storage storage_;
  HostStorage before_;
  DeviceMatrix device_;
  std::vector<double> after_;
};

// The bias and the activation arguments for kernels that need them.
class BiasAndArguments {
 public:
  // One bias for each row or column, whichever are more, surrounded by NaN. Their offset is odd,
  // because vectors of biases need not be aligned.
  BiasAndArguments(const cl::Context& context, const KernelRecord& record, std::int64_t rows,
                   std::int64_t columns);

  std::optional<VectorArgument> bias() const;  // nullopt: the record adds none
  // Valid as slope, as slope and shift, and as low and high.
  ActivationArguments arguments() const { return {0.25f, 0.75f}; }
  // The result of the record's bias, activation and store for element (i, j) of the sums.
  ProductElement applied(const KernelRecord& record, const ProductElement& element, std::int64_t i,
                         std::int64_t j) const;

 private:
  HostOperand biases_;
  std::optional<DeviceMatrix> device_;
};

// The largest error divided by its bound (below 1), or the first error that was found.
using Verified = std::variant<double, KernelError>;

// The error of a wrong element; `name` is the kernel's and may include the case.
KernelError wrong_element(const std::string& name, std::int64_t i, std::int64_t j, double got,
                          const ProductElement& want);
KernelError wrote_outside(const std::string& name);

// Error divided by its bound; 1 or more is wrong. NaN and infinity must match exactly.
double share_of_bound(double got, const ProductElement& want);

// Compares rows x columns elements `got(i, j)` of a kernel with the expected `want(i, j)`.
template <class Got, class Want>
Verified compare(const std::string& name, std::int64_t rows, std::int64_t columns, const Got& got,
                 const Want& want) {
  double worst = 0.0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const ProductElement expected = want(i, j);
      const double element = got(i, j);
      const double share = share_of_bound(element, expected);
      if (!(share < 1.0)) return wrong_element(name, i, j, element, expected);
      worst = std::max(worst, share);
    }
  }
  return worst;
}

}  // namespace tilewright
