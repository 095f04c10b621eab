#include "tuner/report/profile_list.hpp"

#include <fmt/format.h>

#include "profiles/profile_text.hpp"
#include "tuner/report/plan_results.hpp"

namespace tilewright {
namespace {

std::string device_label(const Profile& profile) {
  if (profile.kind == ProfileKind::kGeneric) return "any";
  const DeviceIdentity& device = profile.device;
  const std::string processor = device.processor.empty() ? "" : ", " + device.processor;
  return fmt::format("{}{}, {} compute units", device.name, processor, device.compute_units);
}

std::string made_text(const Profile& profile) {
  const Provenance& provenance = profile.provenance;
  if (profile.kind == ProfileKind::kGeneric) return "chosen by rules, not measured";
  const std::string by =
      fmt::format("tilewright {}, {}", provenance.tool_version, provenance.date.substr(0, 10));
  if (profile.kind == ProfileKind::kPredicted) return "chosen by models, not measured; " + by;
  return fmt::format("measured on {} products under driver {}{}; {}",
                     tuned_products(profile, measured_precision(profile)).size(),
                     profile.device.driver, provenance.complete ? "" : ", stopped early", by);
}

ListedProfile listed(const std::string& file, const Profile& profile) {
  return {file, std::string(to_text(profile.kind)), device_label(profile), made_text(profile)};
}

}  // namespace

std::vector<ListedProfile> list_profiles(const SearchPath& path) {
  std::vector<ListedProfile> list{
      listed("", parse_profile(generic_profile_text(), "built-in profile"))};
  for (const std::string& folder : path.folders) {
    for (const std::string& file : profile_files(folder)) {
      try {
        list.push_back(listed(file, load_profile(file)));
      } catch (const ProfileError& error) {
        list.push_back({file, "damaged", "", error.what()});
      }
      list.back().untrusted = why_not_used(file, path.own);
    }
  }
  return list;
}

}  // namespace tilewright
