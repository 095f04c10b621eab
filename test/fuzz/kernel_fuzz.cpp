// Tests that a kernel with any source, build options, entry and point is either refused or written
// and read without a change.
//
// profile_fuzz hardly ever changes a source together with its digest, so this target puts the
// texts into a kernel. Lines of the input: entry, build options, point; then the source.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "profiles/built_in.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/retyped.hpp"
#include "property.hpp"

namespace tilewright {
namespace {

std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// A profile with only the first kernel of the built-in profile.
const Profile& one_kernel() {
  static const Profile profile = [] {
    Profile whole = built_in_profile({});
    whole.kernels.resize(1);
    return whole;
  }();
  return profile;
}

void write_and_parse(std::string_view text) {
  Profile profile = one_kernel();
  KernelRecord& kernel = profile.kernels.front();
  kernel.entry = take_line(text);
  kernel.build_options = take_line(text);
  kernel.point = take_line(text);
  kernel.source = text;
  std::string written;
  try {
    written = write_profile(profile);
  } catch (const std::invalid_argument&) {
    return;
  }
  expect(parse_profile(written, "written") == profile, "a kernel is written and read as it is");
  // The runtime may rewrite any single-precision kernel of a profile for another precision.
  for (const Precision precision : kPrecisions) retyped(kernel, precision);
}

}  // namespace
}  // namespace tilewright

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tilewright::write_and_parse({reinterpret_cast<const char*>(data), size});
  return 0;
}
