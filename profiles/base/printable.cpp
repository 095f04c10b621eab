#include "profiles/base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

constexpr std::size_t kMaxQuotedBytes = 80;

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

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

bool is_printable_ascii(std::string_view text) {
  // Without branches, so that compilers vectorise it: profiles have megabytes.
  unsigned char others = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const int is_control = byte < 0x20 && byte != '\t' && byte != '\n' ? 1 : 0;
    others |= static_cast<unsigned char>(is_control | (byte >= 0x7f ? 1 : 0));
  }
  return others == 0;
}

std::string printable(std::string_view text) {
  return escaped(text, "");
}

std::string printable_lines(std::string_view text) {
  return escaped(text, "\n\t");
}

std::string in_quotes(std::string_view text) {
  const bool is_cut = text.size() > kMaxQuotedBytes;
  return fmt::format("'{}{}'", printable(text.substr(0, kMaxQuotedBytes)), is_cut ? "..." : "");
}

std::string key_text(std::string_view key) {
  const bool is_short = !key.empty() && key.size() <= kMaxQuotedBytes;
  const bool is_key = is_short && std::all_of(key.begin(), key.end(), is_plain);
  return is_key ? std::string(key) : in_quotes(key);
}

}  // namespace tilewright
