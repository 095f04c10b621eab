// Makes text of unknown origin safe to print: bytes that are not printable ASCII are written as
// \xNN, so that a hostile file cannot control a terminal through a message.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// True if the text consists of printable ASCII characters, tabs and line feeds.
bool is_printable_ascii(std::string_view text);

// Names from drivers and arguments from shells need not be UTF-8, unlike the text of profiles.
std::string printable(std::string_view text);

// Like printable(), but keeps line feeds and tabs.
std::string printable_lines(std::string_view text);

// printable() in single quotes, cut to a reasonable length. (The name is not `quoted`, because
// argument-dependent lookup for a std::string would also find std::quoted().)
std::string in_quotes(std::string_view text);

// Text of a TOML key for messages: unchanged if it consists of letters, digits, `_`, `-` and `.`,
// otherwise in_quotes().
std::string key_text(std::string_view key);

}  // namespace tilewright
