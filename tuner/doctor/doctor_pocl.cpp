// Checks of PoCL's environment: what keeps it from listing a device, or makes its times unsteady.
#include <fmt/format.h>

#include <algorithm>

#include "tuner/doctor/doctor_parts.hpp"

namespace tilewright {
namespace {

struct PoclCheck {
  FindingState state;
  bool (*applies)(const DoctorUser&);
  std::string (*sentence)(const DoctorUser&);
  const char* remedy;
};

constexpr PoclCheck kPoclChecks[] = {
    {FindingState::kProblem,
     [](const DoctorUser& user) { return !user.unwritable_pocl_cache.empty(); },
     [](const DoctorUser& user) {
       return fmt::format(
           "PoCL can neither write nor make its cache folder '{}', and lists no device without it "
           "(it takes $POCL_CACHE_DIR, else $XDG_CACHE_HOME/pocl/kcache, else "
           "$HOME/.cache/pocl/kcache)",
           user.unwritable_pocl_cache);
     },
     "export POCL_CACHE_DIR=FOLDER, a folder that you may write, such as /tmp/pocl-$USER"},
    {FindingState::kNote,
     [](const DoctorUser& user) {
       const auto found = user.environment.find("POCL_AFFINITY");
       return found != user.environment.end() && found->second == "0";
     },
     [](const DoctorUser&) {
       return std::string(
           "POCL_AFFINITY=0 lets PoCL's threads move between cores, which makes times unsteady");
     },
     "unset POCL_AFFINITY"},
};

}  // namespace

Findings pocl_findings(const DoctorUser& user, const std::vector<Driver>& drivers) {
  const bool is_installed = std::any_of(drivers.begin(), drivers.end(), [](const Driver& d) {
    return vendor_of(d) == Vendor::kPocl;
  });
  if (!is_installed) return {};
  Findings findings;
  for (const PoclCheck& check : kPoclChecks) {
    if (!check.applies(user)) continue;
    findings.push_back({"pocl", check.state, check.sentence(user), check.remedy});
  }
  return findings;
}

}  // namespace tilewright
