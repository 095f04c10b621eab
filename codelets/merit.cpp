#include "codelets/merit.hpp"

#include <algorithm>

#include "gemm_operand.hpp"

namespace tilewright {
namespace {

double instructions_of(double vectors, int width, int native_width) {
  return vectors * std::max(1, width / native_width);
}

double load_instructions(const GemmOperand& operand, int native_width) {
  return instructions_of(static_cast<double>(operand.lines()) * operand.fragments(),
                         operand.width(), native_width);
}

}  // namespace

double expected_merit(const ParameterPoint& p, const DeviceHints& hints) {
  const bool outer = p.inner == Inner::kOuter;
  const int w = p.vector_width;
  const int native_width = hints.native_vector_width;
  const GemmOperand a = operand_a(p, p.tile_k);
  const GemmOperand b = operand_b(p, p.tile_k);
  const double multiply_adds = static_cast<double>(p.tile_m) * p.tile_n * p.tile_k;
  double instructions = instructions_of(multiply_adds / w, w, native_width) +
                        load_instructions(a, native_width) + load_instructions(b, native_width);
  // A vector that lies across memory is put together lane by lane.
  const bool a_across = w > 1 && !outer && !a.along_k();
  const bool b_across = w > 1 && outer == b.along_k();
  if (a_across) instructions += static_cast<double>(p.tile_m) * p.tile_k;
  if (b_across) instructions += static_cast<double>(p.tile_n) * p.tile_k;
  const double lanes_used =
      std::min(1.0, static_cast<double>(p.work_group_m * p.work_group_n) / hints.least_work_group);
  return lanes_used * multiply_adds / instructions;
}

}  // namespace tilewright
