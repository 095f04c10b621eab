// Makes text of unknown origin safe to print: bytes that are not printable ASCII are written as
// \xNN, so that a hostile file cannot control a terminal through a message.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Names from drivers and arguments from shells need not be UTF-8, which profiles are.
std::string printable(std::string_view text);

// The same for a text of several lines: line feeds and tabs stay.
std::string printable_lines(std::string_view text);

// printable(), between single quotes and cut to a bearable length. (Not `quoted`: for a
// std::string, argument-dependent lookup would also find std::quoted().)
std::string in_quotes(std::string_view text);

// A key of a TOML file: unchanged if it consists of letters, digits, `_`, `-` and `.`, else
// in_quotes().
std::string key_text(std::string_view key);

}  // namespace tilewright
