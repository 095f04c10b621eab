// Edits the text of a profile and its digest, so that it passes the check of the digest.
#pragma once

#include <string>
#include <string_view>

#include "catch.hpp"
#include "profiles/digest.hpp"

namespace tilewright {

inline constexpr std::string_view kDigestTable = "[digest]\n";

// `body` followed by its digest table.
inline std::string with_digest(std::string_view body) {
  std::string text(body);
  text += kDigestTable;
  text += "profile = \"";
  text += digest_bytes(body);
  text += "\"\n";
  return text;
}

// `text` (a complete profile) with the first `from` replaced by `to` and a new profile digest.
inline std::string edited(std::string_view text, std::string_view from, std::string_view to) {
  const std::size_t end = text.rfind(kDigestTable);
  REQUIRE(end != std::string_view::npos);
  std::string body(text.substr(0, end));
  const std::size_t at = body.find(from);
  INFO("looking for: " << from);
  REQUIRE(at != std::string::npos);
  return with_digest(body.replace(at, from.size(), to));
}

}  // namespace tilewright
