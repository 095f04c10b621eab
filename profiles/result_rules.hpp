// What must hold for what a profile says of times?
#pragma once

#include <vector>

#include "profile_rules.hpp"

namespace tilewright {

// Adds the rules that its results break to `found`.
void check_results(const Profile& profile, std::vector<Violation>& found);
void check_pack_results(const Profile& profile, std::vector<Violation>& found);
// The same of its models.
void check_models(const Profile& profile, std::vector<Violation>& found);

}  // namespace tilewright
