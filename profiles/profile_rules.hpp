// What must hold for a profile beyond having the right keys?
//
// Each rule is written once, here. The parser refuses a text, and the writer a profile, that breaks
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

struct Violation {
  std::string key;      // dotted, as in ProfileError
  std::string message;  // what is wrong with its value
};

// The rules that `profile` breaks, in the order of its text.
std::vector<Violation> violations(const Profile& profile);

// The table that ends every profile: the digest of all that stands before it.
std::string digest_table(std::string_view body);

}  // namespace tilewright
