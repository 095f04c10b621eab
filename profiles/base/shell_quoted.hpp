// Quotes text for a shell, for commands that messages suggest.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// The text as one word of a command line, in single quotes.
inline std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace tilewright
