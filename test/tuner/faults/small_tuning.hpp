// The tuning that the tests of crashes and interruptions run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// A tuning of a small space, limited by counts: every point, and few rounds of finals, however long
// a busy machine takes. Each has its own files in the scratch folder, named after it.
struct SmallTuning {
  std::string name;
  std::string deadline = "10m";  // of a build and of a launch; only a hang exceeds it
  bool large_space = false;      // about 200 candidates instead of about 30
  bool few_points = false;       // 16, including a built-in kernel
  int candidates = 400;          // at most
  int rounds = 5;                // of the finals
  std::string shapes = "64x128x64,128x128x32";
  std::vector<std::string> more;  // additional arguments

  std::string journal() const;
  std::string profile() const;
  std::vector<std::string> arguments() const;
  std::string command_line() const;  // the arguments for a shell
};

// The tuning of few points with this name.
SmallTuning few_points_tuning(const std::string& name);

// Rules that replace the times of kernels by a model, so that the same kernels win on any machine.
extern const char* const kModelTimes;

// Returns a deadline for tunings in which kernels hang. Judging by the trials of a tuning without
// faults on this machine, all other builds and launches end long before.
std::string deadline_after(const JournalContents& clean);

std::string journal_entry_name(const Outcome& outcome);  // name of its kernel

// Returns the fastest kernel on each shape according to the profile's results.
std::map<std::string, std::string> winners(const std::string& profile_path);

// Returns how many lines of this kind, such as "outcomes" or "starting", the journal contains for
// each point.
std::map<std::string, int> lines_by_point(const std::string& journal_path, const std::string& kind);

}  // namespace tilewright
