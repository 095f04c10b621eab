// What do the commands that tune have in common?
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// Options as they are typed.
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
  int max_kernels = 0;
  int compilers = -1;
  bool fresh = false;
  bool overwrite = false;
  bool no_starting_points = false;
  bool no_packing = false;
};

// Adds the options. The arguments must outlive the command.
void add_tuning_options(CLI::App& command, TuningArguments& arguments);

// What the arguments mean; the rest is as it is by default. Throws UsageError that names the
// option, ProfileError for a profile of --profile or --warm-start.
TuneOptions tuning_options(const TuningArguments& arguments, const std::string& command_line);

// All kernels are to be of that precision, also those that are tried first. Networks are of some.
void set_precision(Precision precision, TuneOptions& options);

// Tunes, tells on stderr what goes on, writes the profile and prints its path. The exit code: 0, or
// 130 if the user stopped it. Throws what tune() throws, and std::runtime_error if the tuning ended
// early.
int run_tuning(const TuneOptions& options);

}  // namespace tilewright
