// Writes text to standard output and standard error.
//
// Names of files and messages of drivers may contain control characters that move the cursor,
// rename the window or reverse text. All output of the program goes through this module, which
// writes printable ASCII only and escapes everything else (printable.hpp). The only other writer is
// the progress line of a tuning, which escapes in the same way.
//
// It also protects standard output from other writers, and detects lost output.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "profiles/base/printable.hpp"

namespace tilewright {

// Opens standard descriptors that are closed (`>&-`), so that the next file that the program opens,
// for example a journal, cannot become standard output. Output to such a descriptor is lost, and
// lost_standard_output() reports it. Call it before any file is opened.
void occupy_standard_descriptors();

// Keeps standard output for this program, because some OpenCL drivers print to it. Afterwards
// descriptor 1 and stdout refer to standard error, and only standard_output() refers to the
// original standard output. Call it once, before the first OpenCL call.
void reserve_standard_output();
// Returns the stream for the program's output: stdout until it is reserved.
std::FILE* standard_output();
// If the argument names standard output as a file (/dev/stdout, also after `--option=`), returns it
// with a name that refers to the reserved standard output. Returns other arguments unchanged.
std::string name_reserved_output(const std::string& argument);

// Flushes standard output. Returns why some of the output was lost, for example "No space left on
// device"; "" if all of it was written. Call it at the end.
std::string lost_standard_output();

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
