#include "profiles/layout.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <stdexcept>

namespace tilewright {
namespace {

char letter(Layout::Order order) {
  return order == Layout::Order::kRows ? 'R' : 'C';
}

// Parses a layout from left to right, with or without spaces.
class LayoutReader {
 public:
  explicit LayoutReader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }

  std::optional<Layout::Order> order() {
    if (text_.empty() || (text_[0] != 'R' && text_[0] != 'C')) return std::nullopt;
    const bool rows = text_[0] == 'R';
    text_.remove_prefix(1);
    return rows ? Layout::Order::kRows : Layout::Order::kColumns;
  }
  bool separator(char separator) {
    if (text_.empty() || text_[0] != separator) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Reads digits only. Each layout has exactly one spelling, so signs and leading zeros are
  // rejected.
  std::optional<int> extent() {
    constexpr std::string_view kFirst = "123456789";
    if (text_.empty() || kFirst.find(text_[0]) == std::string_view::npos) return std::nullopt;
    int value = 0;
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return value;
  }

 private:
  std::string_view text_;
};

std::optional<Layout> read_layout(std::string_view text, bool blanks) {
  LayoutReader reader(text);
  const auto outside = reader.order();
  if (!outside) return std::nullopt;
  std::vector<Layout::Chunk> chunks;
  while (!reader.at_end()) {
    if (blanks && !reader.separator(' ')) return std::nullopt;
    const auto rows = reader.extent();
    if (!rows || !reader.separator(blanks ? ' ' : 'x')) return std::nullopt;
    const auto columns = reader.extent();
    if (!columns || (blanks && !reader.separator(' '))) return std::nullopt;
    const auto inside = reader.order();
    if (!inside) return std::nullopt;
    chunks.push_back({*rows, *columns, *inside});
  }
  try {
    return Layout(*outside, std::move(chunks));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

Layout::Layout(Order outside, std::vector<Chunk> chunks)
    : outside_(outside), chunks_(std::move(chunks)) {
  const Chunk* parent = nullptr;
  for (const Chunk& chunk : chunks_) {
    if (chunk.rows < 1 || chunk.columns < 1 ||
        static_cast<std::int64_t>(chunk.rows) * chunk.columns > std::numeric_limits<int>::max()) {
      throw std::invalid_argument("the blocks of a layout have 1 to 2^31 - 1 elements");
    }
    if (parent != nullptr &&
        (parent->rows % chunk.rows != 0 || parent->columns % chunk.columns != 0)) {
      throw std::invalid_argument(fmt::format("a block of {} x {} does not divide one of {} x {}",
                                              chunk.rows, chunk.columns, parent->rows,
                                              parent->columns));
    }
    parent = &chunk;
  }
}

// Splits the row (column) into digits in the mixed radix of the chunks' extents, and multiplies
// each digit by the distance of two parts at its level. In the order of the level, parts are
// adjacent; across it, they are a line of parts apart.
Layout::Offset Layout::offset(std::int64_t at, Order own, int Chunk::*extent,
                              int Chunk::*across) const {
  Offset offset;
  const std::int64_t outer = is_plain() ? at : at / (chunks_.front().*extent);
  if (outside_ == own) {
    offset.lines = outer;
  } else {
    offset.elements = outer * chunk_rows() * chunk_columns();
  }
  for (std::size_t level = 0; level < chunks_.size(); ++level) {
    const Chunk& chunk = chunks_[level];
    const Chunk part = level + 1 < chunks_.size() ? chunks_[level + 1] : Chunk{};
    const std::int64_t digit = at % (chunk.*extent) / (part.*extent);
    const std::int64_t parts_apart = chunk.inside == own ? chunk.*across / (part.*across) : 1;
    offset.elements += digit * parts_apart * part.rows * part.columns;
  }
  return offset;
}

Layout::Offset Layout::row_offset(std::int64_t row) const {
  return offset(row, Order::kRows, &Chunk::rows, &Chunk::columns);
}

Layout::Offset Layout::column_offset(std::int64_t column) const {
  return offset(column, Order::kColumns, &Chunk::columns, &Chunk::rows);
}

std::int64_t Layout::index(std::int64_t row, std::int64_t column, std::int64_t ld) const {
  const Offset r = row_offset(row);
  const Offset c = column_offset(column);
  return (r.lines + c.lines) * ld + r.elements + c.elements;
}

std::int64_t Layout::min_ld(std::int64_t rows, std::int64_t columns) const {
  return outside_ == Order::kRows ? columns * chunk_rows() : rows * chunk_columns();
}

std::int64_t Layout::elements(std::int64_t rows, std::int64_t columns, std::int64_t ld) const {
  if (rows == 0 || columns == 0) return 0;
  const std::int64_t lines =
      outside_ == Order::kRows ? rows / chunk_rows() : columns / chunk_columns();
  return (lines - 1) * ld + min_ld(rows, columns);
}

// From the inside out: as long as the parts of a level are single runs and adjacent, they form one
// longer run.
int Layout::run_along_row() const {
  Chunk part;
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    const bool side_by_side = chunk->inside == Order::kRows || chunk->rows == part.rows;
    if (part.rows != 1 || !side_by_side) return part.columns;
    part = *chunk;
  }
  return part.rows == 1 && outside_ == Order::kRows ? kEndless : part.columns;
}

int Layout::run_down_column() const {
  Chunk part;
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    const bool side_by_side = chunk->inside == Order::kColumns || chunk->columns == part.columns;
    if (part.columns != 1 || !side_by_side) return part.rows;
    part = *chunk;
  }
  return part.columns == 1 && outside_ == Order::kColumns ? kEndless : part.rows;
}

std::string to_text(const Layout& layout) {
  std::string text(1, letter(layout.outside()));
  for (const Layout::Chunk& chunk : layout.chunks()) {
    text += fmt::format(" {} {} {}", chunk.rows, chunk.columns, letter(chunk.inside));
  }
  return text;
}

std::string layout_name(const Layout& layout) {
  std::string name(1, letter(layout.outside()));
  for (const Layout::Chunk& chunk : layout.chunks()) {
    name += fmt::format("{}x{}{}", chunk.rows, chunk.columns, letter(chunk.inside));
  }
  return name;
}

std::optional<Layout> parse_layout(std::string_view text) {
  return read_layout(text, text.find(' ') != std::string_view::npos);
}

}  // namespace tilewright
