// Rules that the readers of all text files share: byte-order marks, line ends, places of errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewright {

// The text without the byte-order mark of UTF-8 that some editors and spreadsheets write first.
std::string_view without_byte_order_mark(std::string_view text);

// Removes the first line from the text and returns it without its end: LF, CR LF or CR.
std::string_view take_line(std::string_view& text);

// Why a parser that stopped at that byte (counted from 1) says that a text is no JSON: "is no JSON:
// syntax error in line 2, column 5"; "is no JSON: it ends before it is complete".
std::string json_syntax_error(std::string_view text, std::size_t byte);

}  // namespace tilewright
