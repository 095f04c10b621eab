// The options of the commands that tune.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// The values of the options as typed.
struct TuningArguments {
  std::string device;
  std::string budget = "10m";
  std::string output;
  std::string profile;
  std::string journal;
  std::string strategy = "auto";
  std::string max_dispatch = "200ms";
  std::string build_deadline = "2m";
  std::string launch_deadline = "10s";
  std::string caches = "warm";
  std::string timer = "auto";
  std::string sysfs = "/sys";
  std::vector<std::string> only;
  std::vector<std::string> warm_start;
  std::uint64_t seed = 1;
  int candidates = 0;
  int rounds = 0;
  int validate = 0;
  int max_kernels = 0;
  int compilers = -1;
  bool fresh = false;
  bool overwrite = false;
  bool verbose = false;
  bool no_starting_points = false;
  bool no_packing = false;
};

// Adds the options to a command. `arguments` must outlive the command.
void add_tuning_options(CLI::App& command, TuningArguments& arguments);

// Converts the arguments; everything else has default values. Throws UsageError that names the
// option, and ProfileError for a profile of --profile or --warm-start.
TuneOptions tuning_options(const TuningArguments& arguments, const std::string& command_line);

// Sets the precision of all kernels, and converts those that are tried first. Removes the options
// for networks if the precision does not support them.
void set_precision(Precision precision, TuneOptions& options);

}  // namespace tilewright
