#include "runtime/check/check_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "profiles/round_up.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"

namespace tilewright {
namespace {

KernelError wrong(const std::string& name, const std::string& what) {
  return {FailureKind::kWrong,
          fmt::format("{} computes wrong results on this device: {}", name, what)};
}

double uniform_element(Precision precision, std::mt19937& random) {
  if (precision == Precision::kDouble) {
    return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
  }
  if (precision == Precision::kHalf) {
    // All multiples of 1 / kSteps in [-1, 1] are half-precision numbers.
    constexpr int kSteps = 1 << 11;
    return std::uniform_int_distribution(-kSteps, kSteps)(random) / double{kSteps};
  }
  return static_cast<double>(std::uniform_real_distribution<float>(-1.0f, 1.0f)(random));
}

template <class Element>
HostOperand dense_matrix(std::int64_t rows, std::int64_t columns, const Element& element) {
  HostOperand matrix;
  matrix.ld = static_cast<std::size_t>(columns);
  matrix.data.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  std::generate(matrix.data.begin(), matrix.data.end(), element);
  return matrix;
}

Placement aligned_placement(int alignment) {
  const auto up = [&](std::size_t value) { return round_up(value, alignment); };
  return {up(67), up(5), 67};
}

}  // namespace

double surrounding_nan() {
  return std::numeric_limits<double>::quiet_NaN();
}

ElementReader untouched_elements() {
  return [](std::int64_t, std::int64_t) { return kUntouchedNan; };
}

Placement placement_for(const KernelRecord& record) {
  return aligned_placement(record.alignment);
}

Placement c_placement(const KernelRecord& record) {
  // Only matrices in plain layouts can be misaligned for a kernel's vectors.
  if (!record.layout_c.is_plain()) return placement_for(record);
  return aligned_placement(record.alignment_c());
}

HostOperand random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random,
                          Precision precision) {
  return dense_matrix(rows, columns, [&] { return uniform_element(precision, random); });
}

HostOperand whole_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  return dense_matrix(rows, columns, [&] { return std::uniform_int_distribution(-1, 1)(random); });
}

ElementReader element_reader(const HostOperand& matrix) {
  return [&matrix](std::int64_t i, std::int64_t j) {
    return matrix.data[static_cast<std::size_t>(i) * matrix.ld + static_cast<std::size_t>(j)];
  };
}

DeviceMatrix upload_surrounded(const cl::Context& context, const Storage& storage,
                               std::int64_t rows, std::int64_t columns, const HostOperand& matrix,
                               const KernelRecord& record) {
  return upload(context, storage,
                lay_out(storage, rows, columns, element_reader(matrix), placement_for(record),
                        surrounding_nan()));
}

ResultMatrix::ResultMatrix(const cl::Context& context, const Storage& storage, std::int64_t rows,
                           std::int64_t columns, const ElementReader& element,
                           const Placement& placement)
    : storage_(storage),
      before_(lay_out(storage, rows, columns, element, placement, kUntouchedNan)),
      device_(upload(context, storage, before_)) {}

std::optional<KernelError> ResultMatrix::read(const cl::CommandQueue& queue,
                                              const std::string& name, const Launched& launched) {
  if (const auto* kernel_error = std::get_if<KernelError>(&launched)) return *kernel_error;
  const std::vector<cl::Event> after{std::get<cl::Event>(launched)};
  after_.resize(before_.data.size());
  cl_int code = CL_SUCCESS;
  if (storage_.image) {
    const cl::Image2D image(device_.memory(), true);
    std::vector<float> pixels(after_.size());
    code = queue.enqueueReadImage(image, CL_TRUE, {0, 0, 0},
                                  {storage_.image_width(), storage_.image_height(), 1}, 0, 0,
                                  pixels.data(), &after);
    after_.assign(pixels.begin(), pixels.end());
  } else {
    const cl::Buffer buffer(device_.memory(), true);
    code = read_elements(queue, buffer, storage_.precision, after_, after);
  }
  if (code == CL_SUCCESS) return std::nullopt;
  return KernelError{FailureKind::kLaunch,
                     fmt::format("{} failed while running: {}", name, opencl_code_text(code)),
                     code};
}

bool ResultMatrix::only_within(std::int64_t rows, std::int64_t columns) const {
  if (storage_.image) return true;
  std::vector<double> rest = after_;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::size_t at = element_index(storage_, before_, i, j);
      rest[at] = before_.data[at];
    }
  }
  return std::memcmp(rest.data(), before_.data.data(), rest.size() * sizeof(double)) == 0;
}

BiasAndArguments::BiasAndArguments(const cl::Context& context, const KernelRecord& record,
                                   std::int64_t rows, std::int64_t columns) {
  if (record.bias == Dimension::kNone) return;
  std::mt19937 random(2);
  const std::int64_t count = std::max(rows, columns);
  biases_ = random_matrix(1, count, random);
  const Storage line = whole_chunks(Layout::R(), false, 1, count);
  const Placement odd{3, 0, 67};
  device_ = upload(context, line,
                   lay_out(line, 1, count, element_reader(biases_), odd, surrounding_nan()));
}

std::optional<VectorArgument> BiasAndArguments::bias() const {
  if (!device_) return std::nullopt;
  return VectorArgument{device_->memory(), device_->offset};
}

ProductElement BiasAndArguments::applied(const KernelRecord& record, const ProductElement& element,
                                         std::int64_t i, std::int64_t j) const {
  const auto along = static_cast<std::size_t>(record.bias == Dimension::kM ? i : j);
  const double bias = device_ ? biases_.data[along] : 0.0;
  ProductElement result = with_epilogue(element, record.bias, bias, record.activation, arguments());
  if (stores_half(record)) round_to_half(result);
  return result;
}

KernelError wrong_element(const std::string& name, std::int64_t i, std::int64_t j, double got,
                          const ProductElement& want) {
  return wrong(name, fmt::format("element ({}, {}) is {}, expected {} +- {}", i, j, got, want.value,
                                 want.bound));
}

KernelError wrote_outside(const std::string& name) {
  return wrong(name, "it writes outside of its result");
}

double share_of_bound(double got, const ProductElement& want) {
  if (got == want.value) return 0.0;  // the bound of a copy is 0
  if (std::isfinite(want.value)) return std::abs(got - want.value) / want.bound;
  const bool both_nan = std::isnan(want.value) && std::isnan(got);
  return both_nan ? 0.0 : std::numeric_limits<double>::infinity();
}

}  // namespace tilewright
