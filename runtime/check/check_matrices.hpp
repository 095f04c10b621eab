// The matrices that checks of kernels read and write.
//
// Operands are surrounded by NaN, so that reading beyond them shows in the result; results are
// surrounded by a NaN that no arithmetic makes, so that writing any NaN there is seen, too.
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

double surrounding_nan();  // beyond operands
// Beyond results. As a half it is 0x7e09: conversions to fewer bits keep those that it has.
inline constexpr double kUntouchedNan = std::bit_cast<double>(0x7ff8240000000000U);

ElementOf untouched_elements();  // all are that NaN

// Offset, gap and guard: more elements than the widest vector, as the record's alignment allows.
Placement placement_for(const KernelRecord& record);
// The same of a C that need not be aligned.
Placement placement_of_c(const KernelRecord& record);

// Without gaps; equal generators give equal matrices. Uniform in [-1, 1], of the precision:
HostMatrix random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random,
                         Precision precision = Precision::kSingle);
// -1, 0 or 1: products are exact in every precision, and sums of up to 2048 of them, too, where
// rounding would hide a step that is lost.
HostMatrix whole_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random);
ElementOf elements_of(const HostMatrix& matrix);  // which must outlive it
// The matrix on the device as the kernel's record describes it, surrounded by NaN.
DeviceMatrix upload_surrounded(const cl::Context& context, const Storage& storage,
                               std::int64_t rows, std::int64_t columns, const HostMatrix& matrix,
                               const KernelRecord& record);

// A matrix that a kernel writes, with what was in its memory before.
class ResultMatrix {
 public:
  // rows x columns of the storage have elements before, the rest of it zeros.
  ResultMatrix(const cl::Context& context, const Storage& storage, std::int64_t rows,
               std::int64_t columns, const ElementOf& element, const Placement& placement);

  MatrixArgument argument() const { return device_.argument(); }
  // Waits and reads; what went wrong, or nullopt. `name` stands in the message.
  std::optional<Rejection> read(const cl::CommandQueue& queue, const std::string& name,
                                const Launched& launched);
  double at(std::int64_t i, std::int64_t j) const {
    return after_[element_index(storage_, before_, i, j)];
  }
  // Has nothing but rows x columns of it changed? Nothing surrounds an image.
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
  // One bias for each row or column, whichever are more, surrounded by NaN. Their offset is odd, as
  // no vector of biases need be aligned.
  BiasAndArguments(const cl::Context& context, const KernelRecord& record, std::int64_t rows,
                   std::int64_t columns);

  std::optional<VectorArgument> bias() const;  // nullopt: the record adds none
  // They make sense as slope, slope and shift, low and high.
  ActivationArguments arguments() const { return {0.25f, 0.75f}; }
  // What the record's bias and activation make of the element (i, j) of sums, and storing it of
  // that.
  ProductElement applied(const KernelRecord& record, const ProductElement& element, std::int64_t i,
                         std::int64_t j) const;

 private:
  HostMatrix biases_;
  std::optional<DeviceMatrix> device_;
};

// The largest error as a share of its bound (below 1), or the first thing that is wrong.
using Verified = std::variant<double, Rejection>;

// Why a kernel is wrong; `name` is the kernel's, and may say on what.
Rejection wrong_element(const std::string& name, std::int64_t i, std::int64_t j, double got,
                        const ProductElement& want);
Rejection wrote_outside(const std::string& name);

// More than 1: it is wrong. NaN and infinity are right or not.
double share_of_bound(double got, const ProductElement& want);

// Compares rows x columns elements `got(i, j)`, which a kernel made, with `want(i, j)`.
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
