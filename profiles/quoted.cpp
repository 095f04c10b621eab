#include "profiles/quoted.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

constexpr std::size_t kMaxBytes = 80;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, kMaxBytes)) {
    const bool printable = c >= 0x20 && c < 0x7f;
    result +=
        printable ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return result + (text.size() > kMaxBytes ? "...'" : "'");
}

std::string key_text(std::string_view key) {
  const bool plain = !key.empty() && key.size() <= kMaxBytes;
  return plain && std::all_of(key.begin(), key.end(), is_plain) ? std::string(key) : in_quotes(key);
}

}  // namespace tilewright
