// The options of the commands that tune.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// The options of a command line. Those that need a conversion are texts.
struct TuningArguments {
  TuneOptions options;
  std::string budget = "10m";
  std::string profile;
  std::string strategy = "auto";
  std::string max_dispatch = "200ms";
  std::string build_deadline = "2m";
  std::string launch_deadline = "10s";
  std::string caches = "warm";
  std::string timer = "auto";
  std::vector<std::string> only;
  std::vector<std::string> warm_start;
};

// Adds the options to a command. `arguments` must outlive the command.
void add_tuning_options(CLI::App& command, TuningArguments& arguments);

// Returns the options of these arguments. Throws UsageError that names the option, and ProfileError
// for a profile of --profile or --warm-start.
TuneOptions tuning_options(const TuningArguments& arguments, const std::string& command_line);

// Sets the precision of all kernels, and converts those that are tried first. Removes the options
// for networks if the precision does not support them.
void set_precision(Precision precision, TuneOptions& options);

}  // namespace tilewright
