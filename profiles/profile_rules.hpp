// Rules that a profile must satisfy in addition to having the right keys.
//
// Each rule is written once, here. The parser rejects a text, and the writer a profile, that
// violates a rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// A violated rule.
struct Violation {
  std::string key;      // dotted, as in ProfileError
  std::string message;  // what is wrong with its value
};

// The rules that `profile` violates, in the order of its text.
std::vector<Violation> violations(const Profile& profile);

// The table at the end of every profile, with the digest of the text before it.
std::string digest_table(std::string_view body);

}  // namespace tilewright
