// Converts text to lower case.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace tilewright {

// ASCII letters only.
inline std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace tilewright
