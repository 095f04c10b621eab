#include "runtime/complex/complex_kernels.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "profiles/precision.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {
namespace {

// Access to a complex number of the caller's matrix as a vector.
constexpr std::string_view kVectorAccess = R"(
typedef real2 number;
real2 load(__global const number* from) { return *from; }
void store(__global number* to, real2 value) { *to = value; }
)";

// The same if a number is only aligned for its parts.
constexpr std::string_view kPartAccess = R"(
typedef struct { real x, y; } number;
real2 load(__global const number* from) { return (real2)(from->x, from->y); }
void store(__global number* to, real2 value) {
  to->x = value.x;
  to->y = value.y;
}
)";

// Work-item (0, 1, 2) is the column, row and product of a batch. Offsets, leading dimensions and
// strides count elements: complex numbers for x and C, parts for all others.
constexpr std::string_view kText = R"(
// Each row of X becomes a row of real parts and a row of imaginary parts of Y.
__kernel void split(int rows, int columns, __global const number* x, ulong offset_x, int ldx,
                    __global real* y, ulong offset_y, int ldy, ulong stride_x, ulong stride_y,
                    ulong unused) {
  const int j = (int)get_global_id(0);
  const int i = (int)get_global_id(1);
  if (i >= rows || j >= columns) return;
  x += offset_x + get_global_id(2) * stride_x + (ulong)i * (ulong)ldx;
  y += offset_y + get_global_id(2) * stride_y + 2 * (ulong)i * (ulong)ldy;
  const real2 value = load(x + j);
  y[j] = value.x;
  y[(ulong)ldy + (ulong)j] = value.y;
}

// Each row of X becomes two of Y: of w, which is the element (sign_w = 1) or its conjugate (-1),
// and of sign i w.
__kernel void expand(int rows, int columns, __global const number* x, ulong offset_x, int ldx,
                     __global real2* y, ulong offset_y, int ldy, real sign_w, real sign,
                     ulong stride_x, ulong stride_y, ulong unused) {
  const int j = (int)get_global_id(0);
  const int i = (int)get_global_id(1);
  if (i >= rows || j >= columns) return;
  x += offset_x + get_global_id(2) * stride_x + (ulong)i * (ulong)ldx;
  y += offset_y + get_global_id(2) * stride_y + 2 * (ulong)i * (ulong)ldy;
  const real2 value = load(x + j);
  const real2 w = (real2)(value.x, sign_w * value.y);
  y[j] = w;
  y[(ulong)ldy + (ulong)j] = (real2)(-sign * w.y, sign * w.x);
}

real2 times(real2 factor, real2 value) {
  // A real factor must not make a NaN of an infinite part.
  if (factor.y == 0) return factor.x * value;
  return (real2)(factor.x * value.x - factor.y * value.y, factor.x * value.y + factor.y * value.x);
}

// C = alpha value + beta C; beta = 0 does not read C, alpha = 0 takes no value.
void finish(__global number* c, real2 value, real2 alpha, real2 beta) {
  real2 result = alpha.x == 0 && alpha.y == 0 ? (real2)(0) : times(alpha, value);
  if (beta.x != 0 || beta.y != 0) result += times(beta, load(c));
  store(c, result);
}
)";

// The template of the three combine kernels, which differ in how an element is computed from X.
constexpr std::string_view kCombine = R"(
// C of m x n complex numbers: {what}.
__kernel void {name}(int m, int n, __global const real* x, ulong offset_x, int ldx,
                     __global number* c, ulong offset_c, int ldc, real alpha, real alpha_i,
                     real beta, real beta_i, real sign_a, real sign_b, ulong stride_x,
                     ulong stride_c, ulong unused) {{
  const int j = (int)get_global_id(0);
  const int i = (int)get_global_id(1);
  if (i >= m || j >= n) return;
  x += offset_x + get_global_id(2) * stride_x + {place};
  c += offset_c + get_global_id(2) * stride_c + (ulong)i * (ulong)ldc + (ulong)j;
  finish(c, (real2)({re}, {im}), (real2)(alpha, alpha_i), (real2)(beta, beta_i));
}}
)";

std::string combine(std::string_view what, std::string_view name, std::string_view place,
                    std::string_view re, std::string_view im) {
  return fmt::format(kCombine, fmt::arg("what", what), fmt::arg("name", name),
                     fmt::arg("place", place), fmt::arg("re", re), fmt::arg("im", im));
}

constexpr std::array<std::string_view, 5> kEntries{"split", "expand", "combine_columns",
                                                   "combine_rows", "combine_both"};
// Matrices with fewer columns get narrow work-groups.
constexpr std::int64_t kNarrow = 16;
constexpr int kWorkItems = 64;

KernelRecord make_record(ComplexKernel kernel, Precision precision, bool narrow,
                         bool aligned_pairs) {
  KernelRecord record;
  record.entry = kEntries.at(static_cast<std::size_t>(kernel));
  record.name = complex_kernel_name(kernel);
  record.role = Role::kStep;
  record.precision = precision;
  record.source = complex_source(precision, aligned_pairs);
  // They run in any work-group; the executor chooses a smaller one if the device requires it.
  record.work_group = narrow ? std::array{2, kWorkItems / 2} : std::array{kWorkItems, 1};
  return record;
}

}  // namespace

std::string complex_kernel_name(ComplexKernel kernel) {
  return fmt::format("complex_{}", kEntries.at(static_cast<std::size_t>(kernel)));
}

ComplexKernel to_complex_kernel(Conversion conversion) {
  return conversion == Conversion::kExpand ? ComplexKernel::kExpand : ComplexKernel::kSplit;
}

ComplexKernel to_complex_kernel(ComplexForm form) {
  switch (form) {
    case ComplexForm::kExpandB:
      return ComplexKernel::kCombineColumns;
    case ComplexForm::kExpandA:
      return ComplexKernel::kCombineRows;
    case ComplexForm::kSplit:
      break;
  }
  return ComplexKernel::kCombineBoth;
}

std::string complex_source(Precision precision, bool aligned_pairs) {
  const std::string type = precision == Precision::kDouble ? "double" : "float";
  std::string text;
  if (precision == Precision::kDouble) {
    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  }
  text += fmt::format("typedef {0} real;\ntypedef {0}2 real2;\n", type);
  text += aligned_pairs ? kVectorAccess : kPartAccess;
  text += kText;
  text += combine("its parts lie side by side in X", "combine_columns",
                  "(ulong)i * (ulong)ldx + 2 * (ulong)j", "x[0]", "x[1]");
  text += combine("its parts lie one above the other in X", "combine_rows",
                  "2 * (ulong)i * (ulong)ldx + (ulong)j", "x[0]", "x[ldx]");
  text += combine("X has the products of all parts, those of A above each other", "combine_both",
                  "2 * (ulong)i * (ulong)ldx + 2 * (ulong)j",
                  "x[0] - sign_a * sign_b * x[(ulong)ldx + 1]", "sign_b * x[1] + sign_a * x[ldx]");
  return text;
}

LoadedKernel& ComplexKernels::get(const ComplexKernelChoice& choice) {
  const bool narrow = choice.columns < kNarrow;
  const std::lock_guard lock(mutex_);
  std::unique_ptr<LoadedKernel>& place =
      kernels_[{choice.kernel, choice.precision, narrow, choice.aligned_pairs}];
  if (place == nullptr) {
    Loaded loaded =
        executor_.load(make_record(choice.kernel, choice.precision, narrow, choice.aligned_pairs));
    if (const auto* kernel_error = std::get_if<KernelError>(&loaded)) {
      throw Error(TW_BUILD_FAILURE, kernel_error->reason, kernel_error->opencl_code);
    }
    place = std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded));
  }
  return *place;
}

}  // namespace tilewright
