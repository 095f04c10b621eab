#include "codelets/gemm/gemm_local_staging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "codelets/gemm/gemm_operand.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {

LocalStaging::LocalStaging(const GemmFacts& kernel, const OperandFacts& operand, const Axis& axis)
    : kernel_(kernel), operand_(operand), axis_(axis) {
  if (operand.image) {
    width_ = 4;
  } else if (kernel.point.access == Access::kElements) {
    width_ = 1;
  } else if (operand.along_k()) {
    width_ = std::gcd(std::gcd(kernel.block, kernel.point.vector_width), operand.k_run);
  } else {
    // As wide as the groups of registers, because at an edge both are moved back by the same
    // distance.
    width_ = std::gcd(axis.group, operand.outer_run);
  }
}

int LocalStaging::vectors_per_line() const {
  return (operand_.along_k() ? kernel_.block : axis_.work_group_tile()) / width_;
}

int LocalStaging::loads() const {
  return kernel_.block * axis_.work_group_tile() / width_ / kernel_.work_items();
}

bool LocalStaging::even() const {
  const int line = operand_.along_k() ? kernel_.block : axis_.work_group_tile();
  const int lines = operand_.along_k() ? axis_.work_group_tile() : kernel_.block;
  if (line % width_ != 0) return false;
  const int vectors = line / width_;
  const int items = kernel_.work_items();
  return vectors * lines % items == 0 && (vectors % items == 0 || items % vectors == 0);
}

// Loads are numbered along the lines. Load `index` of a work-item has the number item + index *
// (size of the work-group).
LocalStaging::Step LocalStaging::step(int index) const {
  const int vectors = vectors_per_line();
  const int items = kernel_.work_items();
  const int in_line = items < vectors ? index * items % vectors * width_ : 0;
  const int line = index * items / vectors;
  return operand_.along_k() ? Step{line, in_line} : Step{in_line, line};
}

int LocalStaging::places() const {
  const int vectors = vectors_per_line();
  const int items = kernel_.work_items();
  const int per_line = std::max(1, vectors / items);
  return operand_.along_k() ? loads() / per_line : per_line;
}

void LocalStaging::declare_array(SourceText& out) const {
  // Aligned for all vectors that are read or written as a whole.
  out.line("__local {} tile_{}[{}] __attribute__((aligned(64)));", kernel_.operand_type(1),
           operand_.name, kernel_.local_tile(operand_, axis_) * kernel_.point.local_buffers);
}

// Text of the index along m or n of one of the work-item's positions. At an edge it is moved back
// together with its group.
std::string LocalStaging::clamped_place(int place) const {
  const int distance = operand_.along_k()
                           ? place * std::max(1, kernel_.work_items() / vectors_per_line())
                           : place * kernel_.work_items() * width_;
  const std::string in_group = sum_text(fmt::format("put_{}", operand_.name), distance);
  const std::string base = fmt::format("group_{}", axis_.first);
  if (!axis_.clamped) return fmt::format("{} + {}", base, in_group);
  if (axis_.group == 1 || (!operand_.along_k() && width_ == axis_.group)) {
    return fmt::format("min({} + {}, {} - {})", base, in_group, axis_.edge(), axis_.group);
  }
  return fmt::format("min({0} + {1} / {2} * {2}, {3} - {2}) + {1} % {2}", base,
                     parenthesized(in_group), axis_.group, axis_.edge());
}

void LocalStaging::declare_places(SourceText& out, const std::string& first_k) const {
  const char name = operand_.name;
  const int vectors = vectors_per_line();
  const std::string line = over("item", vectors);
  const std::string in_line = modulo("item", vectors);
  const std::string along = in_line == "0" ? "0" : times(in_line, width_);
  out.line("const int put_{} = (int){};", name, parenthesized(operand_.along_k() ? line : along));
  out.line("const int put_{}_k = (int){};", name, parenthesized(operand_.along_k() ? along : line));
  const std::string k =
      first_k == "0" ? fmt::format("put_{}_k", name) : fmt::format("{} + put_{}_k", first_k, name);
  for (int place = 0; place < places(); ++place) {
    const std::string outer = clamped_place(place);
    if (operand_.image) {
      out.line("const int from_{}{} = {};", name, place,
               operand_.along_k() ? outer : fmt::format("({}) / 4", outer));
      continue;
    }
    out.line("const int place_{}{} = {};", name, place, outer);
    out.line("__global const ELEMENT *from_{}{} = {} + {} + {};", name, place, operand_.argument(),
             operand_.outer_offset_text(fmt::format("place_{}{}", name, place)),
             operand_.k_offset_text(parenthesized(k)));
  }
  if (operand_.image) {
    out.line("int from_{}_k = {};", name, operand_.along_k() ? fmt::format("({}) / 4", k) : k);
  }
}

void LocalStaging::declare_registers(SourceText& out) const {
  std::string names;
  for (int i = 0; i < loads(); ++i) {
    names += fmt::format("{}next_{}{}", i == 0 ? "" : ", ", operand_.name, i);
  }
  out.line("{} {};", kernel_.operand_type(width_), names);
}

void LocalStaging::load(SourceText& out) const {
  const char name = operand_.name;
  for (int i = 0; i < loads(); ++i) {
    const Step s = step(i);
    const int place = operand_.along_k()
                          ? s.outer / std::max(1, kernel_.work_items() / vectors_per_line())
                          : s.outer / (kernel_.work_items() * width_);
    if (operand_.image) {
      const std::string along =
          sum_text(fmt::format("from_{}_k", name), operand_.along_k() ? s.k / 4 : s.k);
      const std::string across = fmt::format("from_{}{}", name, place);
      out.line("next_{}{} = read_imagef({}, nearest, (int2)({}, {}));", name, i,
               operand_.argument(), operand_.along_k() ? along : across,
               operand_.along_k() ? across : along);
      continue;
    }
    const Layout::Offset offset = operand_.k_offset(s.k);
    std::string address = fmt::format("from_{}{}", name, place);
    if (offset.lines > 0) address += fmt::format(" + {} * (size_t){}", offset.lines, operand_.ld());
    address = sum_text(address, offset.elements);
    out.line("next_{}{} = {};", name, i, kernel_.load_operand(width_, address));
  }
}

void LocalStaging::store(SourceText& out, const std::string& buffer) const {
  const int line = kernel_.local_line(operand_, axis_);
  const char name = operand_.name;
  std::string array = fmt::format("tile_{}", name);
  if (buffer != "0" && !buffer.empty()) {
    array += fmt::format(" + {} * {}", buffer, kernel_.local_tile(operand_, axis_));
  }
  const std::string outer = fmt::format("put_{}", name);
  array += " + " + (kernel_.outer ? sum_text(times(outer + "_k", line), outer)
                                  : sum_text(times(outer, line), outer + "_k"));
  for (int i = 0; i < loads(); ++i) store_vector(out, i, array);
}

void LocalStaging::store_vector(SourceText& out, int index, const std::string& array) const {
  const int line = kernel_.local_line(operand_, axis_);
  const Step s = step(index);
  const int place = kernel_.outer ? s.k * line + s.outer : s.outer * line + s.k;
  const std::string value = fmt::format("next_{}{}", operand_.name, index);
  // Local lines run along m or n for rank-1 updates and along k for inner products.
  const bool same_way = operand_.along_k() != kernel_.outer;
  if (same_way && width_ > 1) {
    const std::string address = sum_text(array, place);
    if (line % width_ == 0) {
      out.line("*(__local {} *)({}) = {};", kernel_.operand_type(width_), address, value);
    } else {
      out.line("vstore{}({}, 0, {});", width_, value, address);
    }
    return;
  }
  for (int lane = 0; lane < width_; ++lane) {
    out.line("*({}) = {};", sum_text(array, place + lane * line), lane_text(value, width_, lane));
  }
}

void LocalStaging::advance(SourceText& out, const std::string& tiles) const {
  const char name = operand_.name;
  const std::string times = tiles.empty() ? "" : tiles + " * ";
  if (operand_.image) {
    out.line("from_{}_k += {}{};", name, tiles.empty() ? "" : fmt::format("(int){} * ", tiles),
             operand_.along_k() ? kernel_.block / 4 : kernel_.block);
    return;
  }
  const Layout::Offset offset = operand_.k_offset(kernel_.block);
  const std::string distance = offset.lines > 0
                                   ? fmt::format("{} * (size_t){}", offset.lines, operand_.ld())
                                   : std::to_string(offset.elements);
  for (int place = 0; place < places(); ++place) {
    out.line("from_{}{} += {}{};", name, place, times, distance);
  }
}

}  // namespace tilewright
