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

// Error divided by its bound; 1 or more is wrong.
double share_of_bound(double got, const ProductElement& want) {
  if (got == want.value) return 0.0;  // the bound of a copy is 0
  if (std::isfinite(want.value)) return std::abs(got - want.value) / want.bound;
  const bool both_nan = std::isnan(want.value) && std::isnan(got);
  return both_nan ? 0.0 : std::numeric_limits<double>::infinity();
}

Placement aligned_placement(int alignment, CheckPlacement wanted) {
  const auto up = [&](std::size_t value) { return round_up(value, alignment); };
  return {up(67), wanted == CheckPlacement::kDense ? 0 : up(5), 67};
}

}  // namespace

ElementReader untouched_elements() {
  return [](std::int64_t, std::int64_t) { return kUntouchedNan; };
}

Placement operand_placement(const KernelRecord& record, CheckPlacement wanted) {
  return aligned_placement(record.alignment, wanted);
}

Placement result_placement(const KernelRecord& record, CheckPlacement wanted,
                           const Storage& storage) {
  if (wanted == CheckPlacement::kOnLines) return on_cache_lines(storage);
  // Only matrices in plain layouts can be misaligned for a kernel's vectors.
  const bool odd = wanted == CheckPlacement::kOdd && record.layout_c.is_plain();
  return aligned_placement(odd ? record.alignment_c() : record.alignment, wanted);
}

ElementReader element_reader(const std::vector<double>& matrix, std::int64_t columns,
                             double padding) {
  return [&matrix, columns, padding](std::int64_t i, std::int64_t j) {
    const auto at = static_cast<std::size_t>(i * columns + j);
    return j < columns && at < matrix.size() ? matrix[at] : padding;
  };
}

ResultMatrix::ResultMatrix(const cl::Context& context, const Storage& storage,
                           const ElementReader& element, const Placement& placement)
    : storage_(storage),
      before_(lay_out(storage, storage.rows, storage.columns, element, placement, kUntouchedNan)),
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
                   lay_out(line, 1, count, element_reader(biases_, count), odd, surrounding_nan()));
}

std::optional<VectorArgument> BiasAndArguments::bias() const {
  if (!device_) return std::nullopt;
  return VectorArgument{device_->memory(), device_->offset};
}

ProductElement BiasAndArguments::applied(const KernelRecord& record, const ProductElement& element,
                                         std::int64_t i, std::int64_t j) const {
  const auto along = static_cast<std::size_t>(record.bias == Dimension::kM ? i : j);
  const double bias = device_ ? biases_[along] : 0.0;
  ProductElement result = with_epilogue(element, record.bias, bias, record.activation, arguments());
  if (stores_half(record)) round_to_half(result);
  return result;
}

Verified compare(const std::string& name, std::int64_t rows, std::int64_t columns,
                 const ElementReader& got,
                 const std::function<ProductElement(std::int64_t, std::int64_t)>& expected) {
  double worst = 0.0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const ProductElement want = expected(i, j);
      const double element = got(i, j);
      const double share = share_of_bound(element, want);
      if (!(share < 1.0)) {
        return wrong(name, fmt::format("element ({}, {}) is {}, expected {} +- {}", i, j, element,
                                       want.value, want.bound));
      }
      worst = std::max(worst, share);
    }
  }
  return worst;
}

KernelError wrote_outside(const std::string& name) {
  return wrong(name, "it writes outside of its result");
}

}  // namespace tilewright
