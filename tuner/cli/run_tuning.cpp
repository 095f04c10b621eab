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

#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/cli/driver_cache.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/doctor/this_machine.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/existing_output.hpp"
#include "tuner/tuning/report/summary.hpp"
#include "tuner/tuning/used_profile.hpp"

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

// Quotes a word for a shell.
std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

// Returns the command that compares the profile with a competitor, on the products of the tuning.
std::string bench_command(const TuneOptions& options, const std::string& profile,
                          const std::string& competitor) {
  std::string command = "tilewright bench --profile " + shell_quoted(profile);
  if (!options.workers.device.empty()) {
    command += " --device " + shell_quoted(options.workers.device);
  }
  if (options.objective != Objective::kTime) {
    command += " --energy";
    if (!options.sensors.empty()) {
      command += " --sensors " + shell_quoted(fmt::format("{}", fmt::join(options.sensors, ",")));
    }
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

int tune_and_write(const TuneOptions& options) {
  require_writable_folder("--output", options.output.empty() ? "x.toml" : options.output);
  if (!options.journal.empty()) require_writable_folder("--journal", options.journal);
  if (options.journal.empty() && !options.output.empty() &&
      !write_target(options.output).replaced) {
    throw UsageError(fmt::format(
        "--output: {} is not a regular file; also name a journal with --journal", options.output));
  }
  TuneProgress progress;
  progress.device_notes = [found = findings_below("/")](const DeviceInfo& device) {
    return lines_before_tuning(found, device);
  };
  const TuneResult result = tune(options, progress);
  // The reason is printed before anything else can fail.
  if (!result.failure.empty()) progress.note(result.failure);
  const std::string obstacle = reason_not_to_join(result.contents, options, result.stopped);
  const bool adds_nothing = !obstacle.empty();
  if (adds_nothing) {
    progress.note(fmt::format("{} is {}, because {}", result.output,
                              options.replaces_joined ? "unchanged" : "not written", obstacle));
  }
  if (result.profile.kernels.empty() || adds_nothing) {
    for (const std::string& line : failure_lines(result.contents)) progress.note(line);
  } else {
    write_file_atomically(result.output, write_profile(result.profile));
    const auto note = [&](const std::vector<std::string>& lines) {
      for (const std::string& line : lines) progress.note(line);
    };
    note(verdict_lines(result.contents, result.profile));
    print_path(result.output);
    if (!options.b_prepacked && write_target(result.output).replaced) {
      const std::string other = used_profile(result.contents.header.device.identity, result.output);
      if (!other.empty()) {
        progress.note(fmt::format(
            "applications on this device use {} now; compare with it before you install this "
            "profile",
            other));
      }
      progress.note(fmt::format(
          "next: {}\n", bench_command(options, result.output, other.empty() ? "builtin" : other)));
    }
    note(summary_lines(result.contents, result.profile));
    note(failure_lines(result.contents));
    if (options.joins) {
      if (const std::size_t dropped = num_dropped_results(*options.joins, result.profile)) {
        progress.note(fmt::format(
            "{} earlier results are dropped, because their kernels have changed since or fail now; "
            "tune their shapes again",
            dropped));
      }
      if (const std::size_t changed = result.profile.changed_built_in.size()) {
        progress.note(fmt::format(
            "{} of the built-in kernels that the earlier profile measured have changed since, so "
            "their results are dropped; tune their shapes again",
            changed));
      }
    }
    const auto excess = explain_excess(result.profile, options.max_kernels);
    if (excess && !options.joins) progress.note(*excess);
  }
  if (!result.failure.empty()) {
    throw std::runtime_error(
        fmt::format("the tuning ended early (see above); its results are in {}{}", result.journal,
                    options.fresh ? ", which --fresh would replace" : ""));
  }
  if (!result.stopped && result.profile.kernels.empty()) {
    throw std::runtime_error(fmt::format(
        "no candidate was tried, so no profile is written; run {} with a longer --budget",
        same_command(options)));
  }
  if (!result.stopped) return adds_nothing ? 1 : 0;
  progress.note(fmt::format(
      "stopped; {} results are in {}; run {} again to resume{}", result.contents.outcomes.size(),
      result.journal, same_command(options),
      result.profile.kernels.empty() || adds_nothing ? "" : ", or use the profile as it is"));
  return kStopped;
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
