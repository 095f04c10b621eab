#include "codelets/gemm/gemm_operand.hpp"

#include <fmt/format.h>

#include <numeric>

#include "codelets/text/vector_text.hpp"

namespace tilewright {
OperandReader::OperandReader(const GemmFacts& kernel, const OperandFacts& operand, const Axis& axis,
                             Source source, int steps)
    : kernel_(kernel),
      operand_(operand),
      axis_(axis),
      source_(source),
      steps_(steps),
      along_k_(source == Source::kLocal ? !kernel.outer : operand.along_k()) {
  const int run = source == Source::kLocal ? Layout::kEndless : operand.k_run;
  const int along_k_width =
      source == Source::kImage ? 4 : std::gcd(std::gcd(steps, kernel.point.vector_width), run);
  width_ = along_k_ ? along_k_width : axis.group;
}

std::string OperandReader::fragment(int line, int index) const {
  return fmt::format("{}{}_{}", operand_.name, line, index);
}

std::string OperandReader::element(int t, int p) const {
  return along_k_ ? lane_text(fragment(t, p / width_), width_, p % width_)
                  : lane_text(fragment(t / width_, p), width_, t % width_);
}

bool OperandReader::uses_offset() const {
  return source_ == Source::kGlobal && kernel_.point.addressing == Addressing::kIndices;
}

bool OperandReader::shares_pointer() const {
  if (source_ == Source::kLocal) return true;
  if (operand_.layout.is_plain() || axis_.spread > 1) return false;
  // Tiles start at multiples of their extent. Check that the elements have the same relative
  // offsets in all of them.
  for (int line = 0; line < lines(); ++line) {
    const auto step = operand_.outer_step(axis_.tile, line * line_elements());
    if (!step || step->lines > 0) return false;
  }
  return true;
}

std::string OperandReader::pointer(int line) const {
  if (source_ == Source::kLocal) return fmt::format("l{}", operand_.name);
  return fmt::format("{}{}", operand_.name, shares_pointer() ? 0 : line);
}

std::int64_t OperandReader::line_distance(int line) const {
  if (!shares_pointer()) return 0;
  const int distance = axis_.distance(line * line_elements());
  if (source_ == Source::kGlobal) return operand_.outer_offset(distance).elements;
  return static_cast<std::int64_t>(distance) * (along_k_ ? kernel_.local_line(operand_, axis_) : 1);
}

std::string OperandReader::k_text(int step) const {
  if (source_ == Source::kLocal) {
    return std::to_string(along_k_ ? step : step * kernel_.local_line(operand_, axis_));
  }
  const Layout::Offset offset = operand_.k_offset(step);
  std::string text;
  if (offset.lines == 1) text = fmt::format("step_{}", operand_.name);
  if (offset.lines > 1) text = fmt::format("{} * step_{}", offset.lines, operand_.name);
  return sum_text(text, offset.elements);
}

std::string OperandReader::load(int line, int index, int step) const {
  step += first_step(index);
  if (source_ == Source::kImage) return load_image(line, step);
  std::string address = pointer(line);
  if (uses_offset()) address += fmt::format(" + k_{}", operand_.name);
  address = sum_text(sum_text(address, line_distance(line)), k_text(step));
  if (source_ == Source::kLocal) {
    const bool aligned =
        kernel_.local_line(operand_, axis_) % width_ == 0 && line_distance(line) % width_ == 0;
    return aligned ? aligned_load(width_, kernel_.operand_type(width_), "__local", address)
                   : plain_load(width_, address);
  }
  return kernel_.load_operand(width_, address);
}

std::string OperandReader::load_image(int line, int step) const {
  const std::string along =
      sum_text(fmt::format("k_{}", operand_.name), along_k_ ? step / 4 : step);
  const std::string across = fmt::format("{}{}", operand_.name, line);
  return fmt::format("read_imagef({}, nearest, (int2)({}, {}))", operand_.argument(),
                     along_k_ ? along : across, along_k_ ? across : along);
}

void OperandReader::declare(SourceText& out, const std::string& first_k) const {
  switch (source_) {
    case Source::kGlobal:
      return declare_global(out, first_k);
    case Source::kLocal:
      return declare_local(out);
    case Source::kImage:
      return declare_image(out, first_k);
  }
}

void OperandReader::declare_global(SourceText& out, const std::string& first_k) const {
  // The distance of neighbouring lines, if the k loop advances from line to line.
  const bool by_lines = operand_.k_offset(operand_.k_chunk).lines > 0;
  if (by_lines) {
    out.line("const size_t step_{} = (size_t){};", operand_.name, operand_.ld());
  }
  const std::string k = first_k == "0" ? "" : operand_.k_offset_text(first_k);
  for (int line = 0; line < (shares_pointer() ? 1 : lines()); ++line) {
    const std::string outer = operand_.outer_offset_text(axis_.inside(line * line_elements()));
    out.line("__global const ELEMENT *{} = {};", pointer(line),
             sum_text(sum_text(std::string(1, operand_.argument()), outer), k));
  }
  if (uses_offset()) out.line("size_t k_{} = 0;", operand_.name);
}

void OperandReader::declare_local(SourceText& out) const {
  const int line = kernel_.local_line(operand_, axis_);
  const std::string place = fmt::format("in_{}", axis_.first);
  std::string tile = fmt::format("tile_{}", operand_.name);
  if (kernel_.point.local_buffers == 2) {
    tile += fmt::format(" + buffer * {}", kernel_.local_tile(operand_, axis_));
  }
  out.line("__local const {} *l{} = {} + {};", kernel_.operand_type(1), operand_.name, tile,
           along_k_ ? times(place, line) : place);
}

void OperandReader::declare_image(SourceText& out, const std::string& first_k) const {
  for (int line = 0; line < lines(); ++line) {
    const std::string outer = axis_.inside(line * line_elements());
    out.line("const int {}{} = {};", operand_.name, line,
             along_k_ ? outer : parenthesized(outer) + " / 4");
  }
  out.line("int k_{} = {};", operand_.name,
           along_k_ && first_k != "0" ? first_k + " / 4" : first_k);
}

void OperandReader::advance(SourceText& out, int steps) const {
  if (source_ == Source::kImage) {
    out.line("{};", advance_text(fmt::format("k_{}", operand_.name),
                                 std::to_string(along_k_ ? steps / 4 : steps)));
    return;
  }
  if (uses_offset()) {
    out.line("{};", advance_text(fmt::format("k_{}", operand_.name), k_text(steps)));
    return;
  }
  for (int line = 0; line < (shares_pointer() ? 1 : lines()); ++line) {
    out.line("{};", advance_text(pointer(line), k_text(steps)));
  }
}

}  // namespace tilewright
