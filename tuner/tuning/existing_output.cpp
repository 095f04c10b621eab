#include "tuner/tuning/existing_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/select/profile_join.hpp"

namespace tilewright {
namespace {

std::string without_start_options(std::string command_line) {
  command_line += ' ';
  for (const std::string option : {" --fresh ", " --overwrite "}) {
    for (auto at = command_line.find(option); at != command_line.npos;
         at = command_line.find(option)) {
      command_line.erase(at, option.size() - 1);
    }
  }
  return command_line;
}

}  // namespace

std::string reason_to_keep(const std::string& path, const std::vector<Session>& sessions,
                           const DeviceIdentity& device) {
  namespace fs = std::filesystem;
  std::error_code no_file;
  if (!fs::is_regular_file(path, no_file) || fs::file_size(path, no_file) == 0) return "";
  Profile profile;
  try {
    profile = load_profile(path);
  } catch (const ProfileError& error) {
    return fmt::format("it is not a profile of this version: {}", error.what());
  }
  if (profile.kind != ProfileKind::kTuned)
    return "it is a profile that was not written by a tuning";
  if (hard_mismatch(profile.device, device) ||
      is_other_processor(profile.device.processor, device.processor) ||
      profile.device.compute_units != device.compute_units) {
    const std::string& processor = profile.device.processor;
    return fmt::format("it is a profile for another device, '{}'{} with {} compute units",
                       printable(profile.device.name),
                       processor.empty() ? "" : fmt::format(" ({})", printable(processor)),
                       profile.device.compute_units);
  }
  const std::string wanted = without_start_options(profile.provenance.command_line);
  const bool is_own = std::any_of(sessions.begin(), sessions.end(), [&](const Session& session) {
    return without_start_options(session.command_line) == wanted;
  });
  return is_own ? "" : fmt::format("it holds {} results of another tuning", profile.results.size());
}

void refuse_to_replace(const std::string& path, const std::vector<Session>& sessions,
                       const DeviceIdentity& device) {
  const std::string reason = reason_to_keep(path, sessions, device);
  if (reason.empty()) return;
  throw UsageError(fmt::format(
      "--output: {} is not replaced, because {}; name another file, add to the profile with "
      "--profile, or replace the file with --overwrite",
      path, reason));
}

std::string reason_not_to_join(const JournalContents& contents, const TuneOptions& options,
                               bool stopped) {
  if (!options.joins) return "";
  if (options.replaces_joined && stopped) return "the tuning was stopped";
  if (options.replaces_joined && contents.finals.empty()) {
    return "the tuning has not reached its finals";
  }
  return "";
}

std::vector<Session> discarded_sessions(const std::string& journal, const JournalHeader& wanted,
                                        const std::string& command_line) {
  try {
    if (!holds_journal(journal)) return {};
    JournalContents contents = read_journal(journal);
    if (difference(contents.header, wanted)) {
      const std::string present = without_start_options(command_line);
      std::erase_if(contents.sessions, [&](const Session& session) {
        return without_start_options(session.command_line) != present;
      });
    }
    return contents.sessions;
  } catch (const JournalError&) {
    // It is unknown what the tuning of a damaged journal wrote.
  }
  return {};
}

}  // namespace tilewright
