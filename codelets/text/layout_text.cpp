#include "codelets/text/layout_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <vector>

namespace tilewright {
namespace {

// One digit of a row (or column) index in mixed radix, and the memory distance of two neighbours at
// this level.
struct Digit {
  int modulus = 0;  // 0: the outermost digit is not reduced
  int divisor = 1;
  std::int64_t apart = 1;  // distance in elements; ignored if `lines` is set
  bool lines = false;      // the distance is ld
};

// True if the text consists of names and numbers joined by + only.
bool is_sum(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == ' ' || c == '+';
  });
}

std::string digit_text(const Digit& digit, const std::string& index, const std::string& ld) {
  const bool plain = digit.modulus == 0 && digit.divisor == 1;
  if (plain && !digit.lines && digit.apart == 1 && is_sum(index)) return index;
  std::string text = index.find(' ') == std::string::npos ? index : "(" + index + ")";
  if (digit.modulus != 0) text += fmt::format(" % {}", digit.modulus);
  if (digit.divisor != 1) text += fmt::format(" / {}", digit.divisor);
  if (!digit.lines && digit.apart == 1) return text;
  if (!plain) text = "(" + text + ")";
  // Within a chunk an int is wide enough.
  if (digit.modulus == 0) text = "(size_t)" + text;
  return digit.lines ? fmt::format("{} * {}", text, ld) : fmt::format("{} * {}", text, digit.apart);
}

// Two neighbouring digits can be merged into one if the inner part continues where the outer one
// starts.
bool merges(const Digit& outer, const Digit& inner) {
  return !outer.lines &&
         outer.apart == inner.apart * static_cast<std::int64_t>(inner.modulus / inner.divisor);
}

std::string index_sum(const std::vector<Digit>& digits, const std::string& index,
                      const std::string& ld) {
  std::string sum;
  for (const Digit& digit : digits) {
    sum += (sum.empty() ? "" : " + ") + digit_text(digit, index, ld);
  }
  return sum;
}

void add(std::vector<Digit>& digits, const Digit& digit) {
  if (digit.modulus == digit.divisor) return;  // always 0
  if (merges(digits.back(), digit)) {
    digits.back().divisor = digit.divisor;
    digits.back().apart = digit.apart;
  } else {
    digits.push_back(digit);
  }
}

// The digits of a row index or of a column index. The two cases differ only in which extent of a
// chunk is used and in which order places neighbours next to each other.
std::vector<Digit> layout_digits(const Layout& layout, bool row) {
  using Order = Layout::Order;
  const Order own = row ? Order::kRows : Order::kColumns;
  const auto extent = [row](const Layout::Chunk& chunk) {
    return row ? chunk.rows : chunk.columns;
  };
  const auto across = [row](const Layout::Chunk& chunk) {
    return row ? chunk.columns : chunk.rows;
  };
  Digit outer;
  outer.divisor = row ? layout.chunk_rows() : layout.chunk_columns();
  outer.lines = layout.outside() == own;
  outer.apart = static_cast<std::int64_t>(layout.chunk_rows()) * layout.chunk_columns();
  std::vector<Digit> digits = {outer};
  const std::vector<Layout::Chunk>& chunks = layout.chunks();
  for (std::size_t level = 0; level < chunks.size(); ++level) {
    const Layout::Chunk& chunk = chunks[level];
    const Layout::Chunk part = level + 1 < chunks.size() ? chunks[level + 1] : Layout::Chunk{};
    const std::int64_t parts_apart = chunk.inside == own ? across(chunk) / across(part) : 1;
    add(digits, {extent(chunk), extent(part), parts_apart * part.rows * part.columns, false});
  }
  return digits;
}

using OffsetOf = Layout::Offset (Layout::*)(std::int64_t) const;

std::optional<Layout::Offset> step(const Layout& layout, OffsetOf offset_of, int period,
                                   int multiple, int i) {
  const auto distance = [&](std::int64_t index) {
    const Layout::Offset from = (layout.*offset_of)(index);
    const Layout::Offset to = (layout.*offset_of)(index + i);
    return Layout::Offset{to.lines - from.lines, to.elements - from.elements};
  };
  const Layout::Offset first = distance(0);
  const std::int64_t all = std::lcm<std::int64_t>(period, multiple);
  for (std::int64_t index = multiple; index < all; index += multiple) {
    const Layout::Offset other = distance(index);
    if (other.lines != first.lines || other.elements != first.elements) return std::nullopt;
  }
  return first;
}

}  // namespace

std::string row_offset_text(const Layout& layout, const std::string& row, const std::string& ld) {
  return index_sum(layout_digits(layout, true), row, ld);
}

std::string column_offset_text(const Layout& layout, const std::string& column,
                               const std::string& ld) {
  return index_sum(layout_digits(layout, false), column, ld);
}

std::optional<Layout::Offset> row_step(const Layout& layout, int multiple, int i) {
  return step(layout, &Layout::row_offset, layout.chunk_rows(), multiple, i);
}

std::optional<Layout::Offset> column_step(const Layout& layout, int multiple, int i) {
  return step(layout, &Layout::column_offset, layout.chunk_columns(), multiple, i);
}

std::string distance_text(const Layout::Offset& offset, const std::string& ld) {
  std::string text;
  if (offset.lines == 1) text = "(size_t)" + ld;
  if (offset.lines > 1) text = fmt::format("(size_t){} * {}", offset.lines, ld);
  if (offset.elements == 0) return text;
  if (text.empty()) return std::to_string(offset.elements);
  return fmt::format("{} {} {}", text, offset.elements < 0 ? '-' : '+', std::abs(offset.elements));
}

}  // namespace tilewright
