// Writes text to standard output and standard error.
//
// Names of files and messages of drivers may contain control characters that move the cursor,
// rename the window or reverse text. All output of the program goes through this module, which
// writes printable ASCII only and escapes everything else (printable.hpp). The only other writer is
// the progress line of a tuning, which escapes in the same way.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "profiles/base/printable.hpp"
#include "tuner/cli/standard_output.hpp"

namespace tilewright {

// Writes lines, without formatting. Throws std::system_error if they cannot be written.
void print_lines(std::FILE* stream, std::string_view lines);
inline void print_lines(std::string_view lines) {
  print_lines(standard_output(), lines);
}

// Writes the path of an output file on a line, unescaped: scripts read it, and the user chose it.
void print_path(const std::string& path);

// Returns a value for formatting: text is escaped, so that it cannot break the line; other values
// are unchanged.
template <class Value>
auto as_printable(const Value& value) {
  if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    return printable(value);
  } else {
    return value;
  }
}

// Formats and writes like fmt::print(). Line breaks are possible in the format only, not in values.
template <class... Values>
void print(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
  const auto printable_values = std::make_tuple(as_printable(values)...);
  print_lines(stream, std::apply(
                          [&](const auto&... each) {
                            return fmt::vformat(format, fmt::make_format_args(each...));
                          },
                          printable_values));
}
template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  tilewright::print(standard_output(), format, std::forward<Values>(values)...);
}

}  // namespace tilewright
