// How is text of unknown origin made fit for a profile?
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// The text with every byte that is not printable ASCII spelled as \xNN: names from drivers and
// arguments from shells need not be UTF-8, which profiles are.
std::string printable(std::string_view text);

}  // namespace tilewright
