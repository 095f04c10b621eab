// Rules that are common to the readers of all text files: byte-order marks, line ends, positions of
// errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewright {

// Returns the text without the UTF-8 byte-order mark that some editors and spreadsheets write.
std::string_view without_byte_order_mark(std::string_view text);

// Removes the first line from the text and returns it without its line end (LF, CR LF or CR).
std::string_view take_line(std::string_view& text);

// Message for a JSON parser that stopped at byte number `byte` (1-based): "is not JSON: syntax
// error in line 2, column 5" or "is not JSON: it ends too early".
std::string json_syntax_error(std::string_view text, std::size_t byte);

}  // namespace tilewright
