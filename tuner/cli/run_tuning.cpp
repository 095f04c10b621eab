#include "tuner/cli/run_tuning.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "profiles/base/shell_quoted.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/cli/driver_cache.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/doctor/doctor.hpp"
#include "tuner/doctor/machine_load.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/report/summary.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

constexpr int kStopped = 130;  // the exit code that shells report for a program stopped by Ctrl-C

WriteTarget open_target(const std::string& option, const std::string& file) {
  try {
    return write_target(file);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

// Checks before the tuning that its result can be written.
void require_writable_folder(const std::string& option, const std::string& file) {
  const WriteTarget target = open_target(option, file);
  if (!target.replaced) return;
  const std::filesystem::path folder = std::filesystem::absolute(target.path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw UsageError(fmt::format("{}: {} is not a folder", option, folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(fmt::format("{}: {}: {}", option, folder.string(), std::strerror(errno)));
  }
}

// Returns the command that compares the profile with a competitor, on the products of the tuning.
std::string bench_command(const TuneOptions& options, const std::string& profile,
                          const std::string& competitor) {
  std::string command = "tilewright bench --profile " + shell_quoted(profile);
  if (!options.workers.device.empty()) {
    command += " --device " + shell_quoted(options.workers.device);
  }
  if (options.precision != Precision::kSingle) {
    command += fmt::format(" --precision {}", to_text(options.precision));
  }
  if (options.ops.size() < 3) {
    std::vector<std::string> ops;
    for (const Op op : options.ops) ops.emplace_back(to_text(op));
    std::string list = fmt::format("{}", fmt::join(ops, ","));
    std::transform(list.begin(), list.end(), list.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    command += " --ops " + list;
  }
  return command + " --compare " +
         (competitor == "builtin" ? competitor : shell_quoted(competitor));
}

// Checks before the tuning that the profile and the journal can be written.
void require_writable_outputs(const TuneOptions& options) {
  require_writable_folder("--output", options.output.empty() ? "x.toml" : options.output);
  if (!options.journal.empty()) require_writable_folder("--journal", options.journal);
  if (options.journal.empty() && !options.output.empty() &&
      !write_target(options.output).replaced) {
    throw UsageError(fmt::format(
        "--output: {} is not a regular file; also name a journal with --journal", options.output));
  }
}

void note_lines(const std::vector<std::string>& lines, TuneProgress& progress) {
  for (const std::string& line : lines) {
    if (!line.empty()) progress.note(line);
  }
}

// True if the file is in a folder in which applications look for profiles.
bool is_installed(const std::string& file) {
  const std::vector<std::string> folders = default_search_path().folders;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    std::error_code missing;
    return std::filesystem::equivalent(folder, parent_folder(file), missing);
  });
}

// Prints how to make applications use the new profile, and how to compare it with the one that they
// use now.
void note_next_steps(const TuneOptions& options, const TuneResult& result, TuneProgress& progress) {
  const std::string other = used_profile(result.contents.header.device.identity, result.output);
  if (!is_installed(result.output)) {
    progress.note("next: tilewright profiles --install " + shell_quoted(result.output));
  }
  progress.note(fmt::format(
      "next: {}", bench_command(options, result.output, other.empty() ? "builtin" : other)));
}

// Prints how many results of the earlier profile the joined one does not have.
void note_dropped_results(const Profile& earlier, const Profile& joined, TuneProgress& progress) {
  if (const std::size_t dropped = num_dropped_results(earlier, joined)) {
    progress.note(fmt::format(
        "{} earlier results are dropped, because their kernels have changed since or fail now; "
        "tune their shapes again",
        dropped));
  }
  if (const std::size_t changed = joined.changed_built_in.size()) {
    progress.note(fmt::format(
        "{} of the built-in kernels that the earlier profile measured have changed since, so "
        "their results are dropped; tune their shapes again",
        changed));
  }
}

// Writes the profile, prints its path and describes it.
void write_result(const TuneOptions& options, const TuneResult& result, TuneProgress& progress) {
  write_file_atomically(result.output, write_profile(result.profile));
  note_lines(verdict_lines(result.contents, result.profile), progress);
  note_lines(summary_lines(result.contents, result.profile, options.verbose), progress);
  if (options.verbose) note_lines(failure_lines(result.contents), progress);
  if (options.joins) note_dropped_results(*options.joins, result.profile, progress);
  const auto excess = explain_excess(result.profile, options.max_kernels);
  if (excess && !options.joins) progress.note(*excess);
  print_path(result.output);
  if (!options.b_prepacked && write_target(result.output).replaced) {
    note_next_steps(options, result, progress);
  }
}

// Returns the exit code, and prints how to resume a stopped tuning. Throws std::runtime_error if
// the tuning ended early, or tried no candidate.
int conclude(const TuneOptions& options, const TuneResult& result, bool is_written,
             TuneProgress& progress) {
  if (!result.failure.empty()) {
    throw std::runtime_error(
        fmt::format("the tuning ended early (see above){}; its results are in {}{}",
                    is_written ? "" : ", so no profile is written", result.journal,
                    options.fresh ? ", which --fresh would replace" : ""));
  }
  if (!result.stopped && result.profile.kernels.empty()) {
    throw std::runtime_error(
        "no candidate was tried, so no profile is written, because the search spaces are empty; "
        "remove --only, or use fewer shards");
  }
  if (!result.stopped) return is_written ? 0 : 1;
  const std::size_t results = result.contents.outcomes.size();
  progress.note(fmt::format("stopped; {} result{} in {}; run {} again to resume{}", results,
                            results == 1 ? " is" : "s are", result.journal, same_command(options),
                            is_written ? ", or use the profile as it is" : ""));
  return kStopped;
}

// The samples of each trial, which are equal on an idle machine.
std::vector<Summary> trial_times(const JournalContents& contents) {
  std::vector<Summary> times;
  for (const Outcome& outcome : contents.outcomes) {
    for (const ShapeSamples& samples : outcome.shapes) {
      if (!samples.ns.empty()) times.push_back(summarize(samples.ns));
    }
  }
  return times;
}

int tune_and_write(const TuneOptions& options) {
  require_writable_outputs(options);
  TuneProgress progress;
  const LoadWatch load;
  note_lines({load.at_start()}, progress);
  progress.device_notes = [found = findings_below("/")](const DeviceInfo& device) {
    return lines_before_tuning(found, device);
  };
  const TuneResult result = tune(options, progress);
  note_lines({load.at_end(trial_times(result.contents))}, progress);
  // The reason is printed before anything else can fail.
  if (!result.failure.empty()) progress.note(result.failure);
  const std::string obstacle = reason_not_to_join(result.contents, options, result.stopped);
  if (!obstacle.empty()) {
    progress.note(fmt::format("{} is {}, because {}", result.output,
                              options.replaces_joined ? "unchanged" : "not written", obstacle));
  }
  const bool is_written = obstacle.empty() && !result.profile.kernels.empty();
  if (is_written) {
    write_result(options, result, progress);
  } else {
    note_lines(failure_lines(result.contents), progress);
  }
  return conclude(options, result, is_written, progress);
}

}  // namespace

int run_tuning(const TuneOptions& options) {
  const PrivateDriverCache cache;
  try {
    return tune_and_write(options);
  } catch (const StoppedBeforeWork& stopped) {
    print(stderr, "{}; run the same command again\n", stopped.what());
    return kStopped;
  }
}

}  // namespace tilewright
