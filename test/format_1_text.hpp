// What did profiles look like before format 2?
#pragma once

#include <string>

#include "profiles/digest.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {

// The profile as tilewright wrote it then: without what format 2 says of each kernel.
inline std::string format_1_text(const Profile& profile) {
  std::string text = write_profile(profile);
  text.resize(text.rfind("[digest]"));
  text.replace(text.find("format = 2"), 10, "format = 1");
  const std::size_t kernels = text.find("[[kernel]]");
  for (const char* key : {"\nvector_width = ", "\nturn_k = ", "\nfamily = "}) {
    for (std::size_t at = kernels; (at = text.find(key, at)) != std::string::npos;) {
      text.erase(at, text.find('\n', at + 1) - at);
    }
  }
  return text + "[digest]\nprofile = \"" + digest_of_bytes(text) + "\"\n";
}

}  // namespace tilewright
