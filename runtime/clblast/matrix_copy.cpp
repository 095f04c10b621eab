#include "matrix_copy.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "profiles/type_prelude.hpp"

namespace clblast {
namespace {

using tilewright::ElementType;
using tilewright::KernelError;
using tilewright::KernelRecord;

// A work-item copies a square of so many elements, so that both a line of A and a line of B are
// accessed in runs.
constexpr int kTile = 4;

constexpr std::string_view kText = R"(
__kernel void omatcopy(int lines, int length, REAL alpha, REAL alpha_i, REAL sign,
                       __global const ELEMENT *a, ulong offset_a, int lda,
                       __global ELEMENT *b, ulong offset_b, int ldb) {{
  const int first_i = {tile} * (int)get_global_id(1);
  const int first_j = {tile} * (int)get_global_id(0);
  const int end_i = min(first_i + {tile}, lines);
  const int end_j = min(first_j + {tile}, length);
  for (int i = first_i; i < end_i; ++i) {{
    for (int j = first_j; j < end_j; ++j) {{
      __global const ELEMENT *from = a + {parts} * (offset_a + (ulong)i * (ulong)lda + (ulong)j);
      __global ELEMENT *to = b + {parts} * (offset_b + (ulong){line} * (ulong)ldb + (ulong){place});
      {store}
    }}
  }}
}}
)";

constexpr std::string_view kStoreReal = "STORE(alpha * LOAD(from), to);";
// A real factor must not make a NaN of an infinite part.
constexpr std::string_view kStoreComplex = R"(const REAL x = LOAD(from);
      const REAL y = sign * LOAD(from + 1);
      STORE(alpha_i == 0 ? alpha * x : alpha * x - alpha_i * y, to);
      STORE(alpha_i == 0 ? alpha * y : alpha * y + alpha_i * x, to + 1);)";

KernelRecord make_record(ElementType type, bool transposed) {
  KernelRecord record;
  record.name = record.entry = "omatcopy";
  record.role = tilewright::Role::kPack;
  record.precision = tilewright::element_precision(type);
  record.work_group = {16, 4};
  record.tile = {kTile, kTile, 1};
  record.source =
      tilewright::type_prelude(record, {"REAL", "ELEMENT", "LOAD", "STORE"}) +
      fmt::format(
          kText, fmt::arg("tile", kTile), fmt::arg("parts", tilewright::is_complex(type) ? 2 : 1),
          fmt::arg("line", transposed ? "j" : "i"), fmt::arg("place", transposed ? "i" : "j"),
          fmt::arg("store", tilewright::is_complex(type) ? kStoreComplex : kStoreReal));
  return record;
}

}  // namespace

MatrixCopies::MatrixCopies(const cl::Context& context, const cl::Device& device)
    : executor_(context, device, tilewright::default_binary_cache()) {}

tilewright::LoadedKernel& MatrixCopies::kernel(ElementType type, bool transposed) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<tilewright::LoadedKernel>& place = kernels_[{type, transposed}];
  if (place == nullptr) {
    auto loaded = executor_.load(make_record(type, transposed));
    if (const auto* failed = std::get_if<KernelError>(&loaded)) {
      throw tilewright::Error(TW_BUILD_FAILURE, failed->reason, failed->opencl_code);
    }
    place = std::move(std::get<std::unique_ptr<tilewright::LoadedKernel>>(loaded));
  }
  return *place;
}

cl::Event MatrixCopies::enqueue(const cl::CommandQueue& queue, const MatrixCopy& copy) {
  tilewright::LoadedKernel& kernel = this->kernel(copy.type, copy.transposed);
  const KernelRecord& record = kernel.record();
  const auto lines = static_cast<std::int64_t>(copy.lines);
  const auto length = static_cast<std::int64_t>(copy.length);
  tilewright::KernelLaunch launch(tilewright::global_size(record, lines, length));
  launch.extents({lines, length})
      .scalar(copy.alpha.real(), record.precision)
      .scalar(copy.alpha.imag(), record.precision)
      .scalar(copy.conjugated ? -1.0 : 1.0, record.precision)
      .matrix(copy.a)
      .matrix(copy.b);
  auto launched = executor_.launch(queue, kernel, launch, {});
  if (const auto* failed = std::get_if<KernelError>(&launched)) {
    throw tilewright::Error(TW_OPENCL_ERROR, failed->reason, failed->opencl_code);
  }
  return std::get<cl::Event>(launched);
}

}  // namespace clblast
