#include "profiles/base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  const std::size_t end_length = text.substr(end, 2) == "\r\n" ? 2 : 1;
  text.remove_prefix(std::min(end + end_length, text.size()));
  return line;
}

std::string json_syntax_error(std::string_view text, std::size_t byte) {
  if (byte > text.size()) return "is not JSON: it ends too early";
  const std::string_view before = text.substr(0, std::max<std::size_t>(byte, 1) - 1);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = before.size() - before.rfind('\n');  // npos is -1
  return fmt::format("is not JSON: syntax error in line {}, column {}", line, column);
}

}  // namespace tilewright
