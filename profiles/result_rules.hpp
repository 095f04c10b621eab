// Rules for the measured times and the models of a profile.
#pragma once

#include <vector>

#include "profile_rules.hpp"

namespace tilewright {

// Append the violations in the profile's results to `found`.
void check_results(const Profile& profile, std::vector<Violation>& found);
void check_pack_results(const Profile& profile, std::vector<Violation>& found);
void check_validation(const Profile& profile, std::vector<Violation>& found);
// Appends the violations in the profile's models to `found`.
void check_models(const Profile& profile, std::vector<Violation>& found);

}  // namespace tilewright
