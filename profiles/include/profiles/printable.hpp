// How is text of unknown origin made fit for a profile, a message or a terminal?
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// The text with every byte that is not printable ASCII spelled as \xNN: names from drivers and
// arguments from shells need not be UTF-8, which profiles are.
std::string printable(std::string_view text);

// The same for a text of lines: line feeds and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace tilewright
