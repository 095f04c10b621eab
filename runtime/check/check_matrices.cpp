#include "runtime/check/check_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "profiles/round_up.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/own_buffer.hpp"

namespace tilewright {
namespace {

Rejection wrong(const KernelRecord& record, const std::string& what) {
  return {Stage::kWrong, fmt::format("{} is wrong on this device: {}", record.name, what)};
}

Placement aligned_placement(int alignment) {
  const auto up = [&](std::size_t value) { return round_up(value, alignment); };
  return {up(67), up(5), 67};
}

}  // namespace

double surrounding_nan() {
  return std::numeric_limits<double>::quiet_NaN();
}

Placement placement_for(const KernelRecord& record) {
  return aligned_placement(record.alignment);
}

Placement placement_of_c(const KernelRecord& record) {
  // Only plain layouts can be out of step with a kernel's vectors.
  return aligned_placement(record.layout_c.is_plain() ? record.alignment_c() : record.alignment);
}

HostMatrix random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random,
                         Precision precision) {
  HostMatrix matrix;
  matrix.ld = static_cast<std::size_t>(columns);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    matrix.data.push_back(uniform_element(precision, random));
  }
  return matrix;
}

HostMatrix whole_matrix(std::int64_t rows, std::int64_t columns, std::mt19937& random) {
  HostMatrix matrix;
  matrix.ld = static_cast<std::size_t>(columns);
  for (std::int64_t i = 0; i < rows * columns; ++i) matrix.data.push_back(whole_element(random));
  return matrix;
}

ElementOf elements_of(const HostMatrix& matrix) {
  return [&matrix](std::int64_t i, std::int64_t j) {
    return matrix.data[static_cast<std::size_t>(i) * matrix.ld + static_cast<std::size_t>(j)];
  };
}

Written::Written(const Executor& executor, const Storage& storage, std::int64_t rows,
                 std::int64_t columns, const ElementOf& element, const Placement& placement)
    : storage_(storage),
      before_(lay_out(storage, rows, columns, element, placement, kUntouchedNan)),
      device_(upload(executor.context(), storage, before_)) {}

std::optional<Rejection> Written::read(const cl::CommandQueue& queue, const KernelRecord& record,
                                       const Launched& launched) {
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
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
  return Rejection{Stage::kLaunch,
                   fmt::format("{} failed while running: {}", record.name, opencl_code_text(code)),
                   code};
}

bool Written::only_within(std::int64_t rows, std::int64_t columns) const {
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

BiasAndArguments::BiasAndArguments(const Executor& executor, std::int64_t rows,
                                   std::int64_t columns, std::size_t offset) {
  std::mt19937 random(2);
  const std::int64_t count = std::max(rows, columns);
  biases_ = random_matrix(1, count, random);
  const Storage line = whole_chunks(Layout::R(), false, 1, count);
  const Placement odd{offset, 0, 67};
  device_ = upload(executor.context(), line,
                   lay_out(line, 1, count, elements_of(biases_), odd, surrounding_nan()));
}

VectorArgument BiasAndArguments::bias() const {
  return {device_.memory(), device_.offset};
}

ProductElement BiasAndArguments::applied(const KernelRecord& record, const ProductElement& element,
                                         std::int64_t i, std::int64_t j) const {
  const auto along = static_cast<std::size_t>(record.bias == Dimension::kM ? i : j);
  ProductElement result =
      with_epilogue(element, record.bias, biases_.data[along], record.activation, arguments());
  if (stores_halfs(record)) round_to_half(result);
  return result;
}

Rejection wrong_element(const KernelRecord& record, std::int64_t i, std::int64_t j, double got,
                        const ProductElement& want) {
  return wrong(record, fmt::format("element ({}, {}) is {} instead of {} +- {}", i, j, got,
                                   want.value, want.bound));
}

Rejection wrote_beside(const KernelRecord& record) {
  return wrong(record, "it writes beside its result");
}

}  // namespace tilewright
