#include "tuner/tuning/tuning_files.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>
#include <utility>

#include "codelets/space/emit.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/digest.hpp"
#include "profiles/version.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/tuning/output_file.hpp"

namespace tilewright {
namespace {

// `sessions` are those of the tuning so far, one of which may have written the output.
void check_output(const TuneOptions& options, const TuningFiles& files,
                  const DeviceIdentity& device, const std::vector<Session>& sessions) {
  if (options.overwrite || options.replaces_joined) return;
  refuse_to_replace(files.output, sessions, device);
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
        "{}: this journal belongs to another tuning: {}; start over with --fresh, or name another "
        "file with --journal",
        files.journal, *what));
  }
  check_output(options, files, wanted.device.identity, contents.sessions);
  return {std::move(journal), std::move(contents), std::move(clock)};
}

}  // namespace tilewright
