// Tests that the profile parser handles any text, and that a profile that it accepts is written
// and read without a change.
#include <cstdint>
#include <string>
#include <string_view>

#include "profiles/profile_text.hpp"
#include "property.hpp"

namespace tilewright {
namespace {

// Replaces the digest of the input by the correct one. Otherwise nearly all changed profiles would
// be refused because of their digests.
std::string with_fitting_digest(std::string_view text) {
  const std::string_view body = text.substr(0, text.rfind("[digest]\n"));
  return std::string(body) + digest_table(body);
}

void parse(std::string_view text) {
  Profile profile;
  try {
    profile = parse_profile(text, "input");
  } catch (const ProfileError& error) {
    expect(error.line() >= 0 && error.file() == "input", "an error names file and line");
    return;
  }
  const std::string written = write_profile(profile);
  expect(parse_profile(written, "written") == profile, "a profile is written and read as it is");
}

}  // namespace
}  // namespace tilewright

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tilewright::parse(text);
  tilewright::parse(tilewright::with_fitting_digest(text));
  return 0;
}
