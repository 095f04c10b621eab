#include "profiles/printable.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

std::string escaped(std::string_view text, std::string_view spared) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte < 0x7f) || spared.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", byte);
    }
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, "");
}

std::string printable_lines(std::string_view text) {
  return escaped(text, "\n\t");
}

}  // namespace tilewright
