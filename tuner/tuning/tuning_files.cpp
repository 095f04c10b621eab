#include "tuner/tuning/tuning_files.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <span>
#include <utility>

#include "codelets/space/emit.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/shell_quoted.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/digest.hpp"
#include "profiles/hardware_name.hpp"
#include "profiles/profile_text.hpp"
#include "profiles/version.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/select/profile_join.hpp"

namespace tilewright {
namespace {

// `sessions` are those of the tuning so far, one of which may have written the output.
void check_output(const TuneOptions& options, const TuningFiles& files,
                  const DeviceIdentity& device, const std::vector<Session>& sessions) {
  if (options.overwrite || options.replaces_joined) return;
  const std::string reason = reason_to_keep(files.output, sessions, device);
  if (reason.empty()) return;
  throw UsageError(fmt::format(
      "--output: {} is not replaced, because {}; name another file, add to the profile with "
      "--profile, or replace the file with --overwrite",
      files.output, reason));
}

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

// Returns how to add to the profile that the tuning of the journal wrote, if that tuning differs
// only in what --profile can add.
std::string advice_to_join(const TuneOptions& options, const std::string& output,
                           JournalHeader known, const JournalHeader& wanted) {
  if (options.joins || wanted.b_prepacked || !std::filesystem::is_regular_file(output)) return "";
  const bool other_precision = known.precision != wanted.precision;
  known.precision = wanted.precision;
  known.ops = wanted.ops;
  known.shapes = wanted.shapes;
  known.designed = wanted.designed;
  known.space_digest = wanted.space_digest;
  if (difference(known, wanted)) return "";
  return fmt::format("to add to {0} and keep the rest, use tune --profile {0}{1}; otherwise ",
                     shell_quoted(output),
                     other_precision ? fmt::format(" --precision {}", to_text(wanted.precision))
                                     : " with the same --shapes and --ops");
}

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

TuningFiles tuning_files(const TuneOptions& options, const DeviceInfo& device) {
  TuningFiles files{options.output.empty() ? default_output(device) : options.output,
                    options.journal};
  if (files.journal.empty()) files.journal = files.output + options.journal_ending;
  return files;
}

void check_files(const TuneOptions& options, const TuningFiles& files, const DeviceInfo& device) {
  if (is_same_file(files.output, files.journal)) {
    throw UsageError(
        fmt::format("--output and --journal are both {}; name two different files", files.output));
  }
  if (!options.replaces_joined) refuse_input("--output", files.output, options.inputs);
  refuse_input("--journal", files.journal, options.inputs);
  if (options.precision == Precision::kDouble && !device.has_double) {
    throw UsageError(fmt::format("--precision d: device '{}' does not support {}",
                                 device.identity.name, required_extension(options.precision)));
  }
  if (options.only.contains("accumulate_k") && !device.limits.half_arithmetic) {
    throw UsageError(fmt::format("--only accumulate_k: device '{}' does not support {}",
                                 device.identity.name, kHalfArithmetic));
  }
  if (options.joins) {
    if (const auto why = obstacle_to_join(*options.joins, device.identity)) {
      throw UsageError(
          fmt::format("--profile: cannot add to this profile on this device: {}", *why));
    }
  }
  if (std::filesystem::is_regular_file(files.output) && looks_like_journal(files.output)) {
    throw UsageError(fmt::format("--output: {} is a journal; name another file", files.output));
  }
}

void keep_design(TuneOptions& options, const std::string& journal) {
  if (!options.design || options.fresh || !holds_journal(journal)) return;
  const JournalHeader known = read_journal(journal).header;
  const auto own = [](const std::vector<GemmShape>& shapes, std::size_t designed) {
    return std::span(shapes).first(shapes.size() - std::min(designed, shapes.size()));
  };
  if (known.seed != options.seed || known.designed == 0 ||
      !std::ranges::equal(own(known.shapes, known.designed),
                          own(options.shapes, options.designed))) {
    return;
  }
  options.shapes = known.shapes;
  options.designed = known.designed;
}

JournalHeader make_header(const TuneOptions& options, const DeviceInfo& device,
                          const std::vector<SearchTask>& tasks) {
  std::string digests;
  for (const SearchTask& task : tasks) digests += task.space->digest();
  return {options, kVersion, device, digest_bytes(digests), utc_now()};
}

TuningJournal open_journal(const TuneOptions& options, const TuningFiles& files,
                           const JournalHeader& wanted, Clock clock) {
  if (options.fresh || !holds_journal(files.journal)) {
    check_output(options, files, wanted.device.identity,
                 discarded_sessions(files.journal, wanted, options.command_line));
    JournalContents contents;
    contents.header = wanted;
    Journal journal = options.fresh ? Journal::replace(files.journal, wanted)
                                    : Journal::create(files.journal, wanted);
    return {std::move(journal), std::move(contents), std::move(clock)};
  }
  JournalContents contents;
  Journal journal = Journal::open(files.journal, contents);
  if (const auto what = difference(contents.header, wanted)) {
    throw JournalError(fmt::format(
        "{}: this journal belongs to another tuning: {}; {}start over with --fresh, or name another "
        "file with --journal",
        files.journal, *what, advice_to_join(options, files.output, contents.header, wanted)));
  }
  check_output(options, files, wanted.device.identity, contents.sessions);
  return {std::move(journal), std::move(contents), std::move(clock)};
}

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

std::string reason_not_to_join(const JournalContents& contents, const TuneOptions& options,
                               bool stopped) {
  if (!options.joins) return "";
  if (options.replaces_joined && stopped) return "the tuning was stopped";
  if (options.replaces_joined && contents.finals.outcomes.empty()) {
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
