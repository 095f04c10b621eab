// How does text reach the terminal?
//
// Names in files, and what drivers say, may hold what moves a cursor, renames a window or turns
// letters around. Nothing but this writes to standard output and standard error (and the progress
// of a tuning, which escapes likewise): printable ASCII only, all else as printable.hpp spells it.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "profiles/base/printable.hpp"
#include "tuner/terminal/standard_output.hpp"

namespace tilewright {

// Lines as they are. Throws std::system_error if they cannot be written.
void say_lines(std::FILE* stream, std::string_view lines);
inline void say_lines(std::string_view lines) {
  say_lines(standard_output(), lines);
}

// The path of a file that was written, on a line, as it is: scripts read it. The user chose it.
void say_path(const std::string& path);

// A text is one line; what else is formatted stays what it is.
template <class Value>
auto as_said(const Value& value) {
  if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    return printable(value);
  } else {
    return value;
  }
}

// As fmt::print does. Texts among the values cannot break lines: that is for the format alone.
template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
  const auto said = std::make_tuple(as_said(values)...);
  say_lines(stream, std::apply(
                        [&](const auto&... each) {
                          return fmt::vformat(format, fmt::make_format_args(each...));
                        },
                        said));
}
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  say(standard_output(), format, std::forward<Values>(values)...);
}

}  // namespace tilewright
