#include "runtime/device/profile_trust.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "profiles/base/shell_quoted.hpp"
#include "profiles/base/write_file.hpp"

namespace tilewright {
namespace {

TrustedUsers trusted_users(const std::string& folder, const OwnProfiles& own) {
  const bool is_own =
      !own.folder.empty() && (folder == own.folder || folder.starts_with(own.folder + "/"));
  return {::geteuid(), true, is_own ? own.owner : std::nullopt};
}

bool is_alike(const UntrustedProfile& a, const UntrustedProfile& b) {
  return a.why == b.why && parent_folder(a.file) == parent_folder(b.file);
}

// The report for profiles that are alike.
TrustReport report(const std::vector<UntrustedProfile>& alike) {
  const Distrust why = alike.front().why;
  TrustReport report{fmt::format("{} {}", alike.front().causes.front(), to_text(why)), ""};
  std::vector<std::string> words;
  for (const UntrustedProfile& profile : alike) {
    const std::vector<std::string> own{profile.file};
    for (const std::string& path : why == Distrust::kWritable ? profile.causes : own) {
      const std::string word = shell_quoted(path);
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
  }
  report.remedy = fmt::format(
      "{} {}", why == Distrust::kWritable ? "chmod go-w" : "tilewright profiles --install",
      fmt::join(words, " "));
  return report;
}

}  // namespace

std::optional<UntrustedProfile> why_not_used(const std::string& file, const OwnProfiles& own) {
  const std::string folder = parent_folder(file);
  const TrustedUsers users = trusted_users(folder, own);
  std::error_code no_file;
  // Loading the file reports that it is a device or a pipe.
  const bool is_device = std::filesystem::is_other(file, no_file);
  const std::pair<std::string, Distrust> checked[] = {
      {folder, why_not_trusted(folder, users)},
      {file, is_device ? Distrust::kNone : why_not_trusted(file, users)}};
  // Another owner comes first, because chmod would not help.
  for (const Distrust why : {Distrust::kOtherOwner, Distrust::kWritable}) {
    UntrustedProfile profile{file, why, {}};
    for (const auto& [path, found] : checked) {
      if (found == why) profile.causes.push_back(path);
    }
    if (!profile.causes.empty()) return profile;
  }
  return std::nullopt;
}

std::string to_text(const TrustReport& report) {
  return report.seen + "; " + report.remedy;
}

std::vector<TrustReport> trust_reports(const std::vector<UntrustedProfile>& profiles) {
  std::vector<std::vector<UntrustedProfile>> groups;
  for (const UntrustedProfile& profile : profiles) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& each) {
      return is_alike(each.front(), profile);
    });
    if (group == groups.end()) {
      groups.push_back({profile});
    } else {
      group->push_back(profile);
    }
  }
  std::vector<TrustReport> reports;
  for (const auto& group : groups) reports.push_back(report(group));
  return reports;
}

}  // namespace tilewright
