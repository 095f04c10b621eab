#include "tuner/tuning/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/select/profile_join.hpp"

namespace tilewright {
namespace {

// Returns the path with all links resolved. If it cannot be resolved (for example a pipe through
// /dev/stdout), returns the absolute path.
std::filesystem::path resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute : canonical;
}

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

std::string default_output(const DeviceInfo& device) {
  std::string file;
  for (const unsigned char c : hardware_name(device.identity.name)) {
    if (std::isalnum(c) != 0) {
      file += static_cast<char>(std::tolower(c));
    } else if (!file.empty() && file.back() != '-') {
      file += '-';
    }
  }
  while (!file.empty() && file.back() == '-') file.pop_back();
  if (file.empty()) file = "device";
  if (device.name_is_shared) file += fmt::format("-{}cu", device.identity.compute_units);
  return file + ".toml";
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error) || resolved(a) == resolved(b);
}

void refuse_input(const std::string& option, const std::string& output,
                  const std::vector<std::string>& inputs) {
  const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return is_same_file(input, output);
  });
  if (is_input)
    throw UsageError(fmt::format("{}: {} is an input file; name another file", option, output));
}

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

std::string used_profile(const DeviceIdentity& device, const std::string& output) {
  SearchPath path = default_search_path();
  if (!path.named_file.empty() && is_same_file(path.named_file, output)) path.named_file.clear();
  path.excluded = output;
  try {
    const FoundProfile found = find_profile(ProfileSource::automatic(), path, device);
    // A profile of a relative is found, but cannot be opened by its path.
    return hard_mismatch(found.profile, device) ? "" : found.path;
  } catch (const Error&) {
    return "";
  }
}

}  // namespace tilewright
