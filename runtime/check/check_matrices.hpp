// The matrices that kernels read and write when they are checked.
//
// Operands are surrounded by NaN, so that out-of-bounds reads affect the result. Results are
// surrounded by a NaN that no arithmetic produces, so that out-of-bounds writes of other NaNs are
// detected, too.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/check/check_data.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// Surrounds results. As half precision it is 0x7e09, because conversions to fewer bits keep the
// leading bits.
inline constexpr double kUntouchedNan = std::bit_cast<double>(0x7ff8240000000000U);

ElementReader untouched_elements();  // returns kUntouchedNan for all elements

// Offset, gap and guard of a kernel's operand, and of its result (see CheckPlacement). Gaps that
// are not 0 have more elements than the widest vector.
Placement operand_placement(const KernelRecord& record, CheckPlacement wanted);
Placement result_placement(const KernelRecord& record, CheckPlacement wanted,
                           const Storage& storage);

// Reads a row-major matrix, and `padding` outside of it. The matrix must outlive the result.
ElementReader element_reader(const std::vector<double>& matrix, std::int64_t columns,
                             double padding = 0.0);

// A matrix that a kernel writes, and the previous contents of its memory.
class ResultMatrix {
 public:
  ResultMatrix(const cl::Context& context, const Storage& storage, const ElementReader& element,
               const Placement& placement);

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
  std::vector<double> biases_;
  std::optional<DeviceMatrix> device_;
};

// The largest error divided by its bound (below 1), or the first error that was found.
using Verified = std::variant<double, KernelError>;

// Compares rows x columns elements of a kernel with the expected ones. NaN and infinity must match
// exactly. `name` is the kernel's and may include the case.
Verified compare(const std::string& name, std::int64_t rows, std::int64_t columns,
                 const ElementReader& got,
                 const std::function<ProductElement(std::int64_t, std::int64_t)>& expected);
KernelError wrote_outside(const std::string& name);

}  // namespace tilewright
