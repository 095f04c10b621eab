#include "profiles/quoted.hpp"

#include <algorithm>

#include "profiles/printable.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kMaxBytes = 80;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

std::string in_quotes(std::string_view text) {
  return "'" + printable(text.substr(0, kMaxBytes)) + (text.size() > kMaxBytes ? "...'" : "'");
}

std::string key_text(std::string_view key) {
  const bool plain = !key.empty() && key.size() <= kMaxBytes;
  return plain && std::all_of(key.begin(), key.end(), is_plain) ? std::string(key) : in_quotes(key);
}

}  // namespace tilewright
