#include "gemm_operand.hpp"

#include <fmt/format.h>

#include <numeric>

namespace tilewright {

GemmOperand::GemmOperand(char name, bool along_k, int outer, int steps, int vector_width)
    : name_(name),
      along_k_(along_k),
      outer_(outer),
      steps_(steps),
      width_(std::gcd(along_k ? steps : outer, vector_width)) {}

std::string GemmOperand::pointer(int line) const {
  return fmt::format("{}{}", name_, line);
}

std::string GemmOperand::fragment(int line, int index) const {
  return fmt::format("{}{}_{}", name_, line, index);
}

std::string GemmOperand::element(int o, int p) const {
  return along_k_ ? lane_of(fragment(o, p / width_), width_, p % width_)
                  : lane_of(fragment(o / width_, p), width_, o % width_);
}

std::string GemmOperand::load(int line, int index) const {
  std::string address = pointer(line);
  if (index > 0) {
    address +=
        along_k_ ? fmt::format(" + {}", index * width_) : fmt::format(" + {}", steps_text(index));
  }
  return vector_load(width_, address);
}

// The distance of `count` k steps where k is not contiguous.
std::string GemmOperand::steps_text(int count) const {
  return count == 1 ? fmt::format("step_{}", name_) : fmt::format("{} * step_{}", count, name_);
}

std::string GemmOperand::advance(int line) const {
  return fmt::format("{} += {};", pointer(line),
                     along_k_ ? std::to_string(steps_) : steps_text(steps_));
}

GemmOperand operand_a(const ParameterPoint& p, int steps) {
  return {'a', layout_a_of(p.op) == Layout::kR, p.tile_m, steps, p.vector_width};
}

GemmOperand operand_b(const ParameterPoint& p, int steps) {
  return {'b', layout_b_of(p.op) == Layout::kC, p.tile_n, steps, p.vector_width};
}

std::string vector_type(int width) {
  return width == 1 ? "float" : fmt::format("float{}", width);
}

std::string lane_of(const std::string& name, int width, int lane) {
  return width == 1 ? name : fmt::format("{}.s{:x}", name, lane);
}

std::string vector_load(int width, const std::string& address) {
  if (width > 1) return fmt::format("vload{}(0, {})", width, address);
  const bool is_name = address.find(' ') == std::string::npos;
  return is_name ? "*" + address : fmt::format("*({})", address);
}

}  // namespace tilewright
