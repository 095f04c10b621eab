// How does text from a file appear in a message?
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// `text` between single quotes, cut to a bearable length. Every byte that is not printable ASCII is
// spelled \xNN, so that a hostile file cannot reach a terminal through an error message. (Not
// `quoted`: std::quoted() would be taken for a std::string.)
std::string in_quotes(std::string_view text);

// A key of a TOML file: as it is if it is made of letters, digits, `_`, `-` and `.`, else
// in_quotes().
std::string key_text(std::string_view key);

}  // namespace tilewright
