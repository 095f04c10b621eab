// Which tuning do the tests of an unkillable tuner run?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// A tuning of a small space, bounded by counts: every point, and few rounds of finals, however long
// a busy machine takes for them. Each has its own files in the scratch folder, by its name.
struct SmallTuning {
  std::string name;
  std::string deadline = "10m";  // of a build and of a launch: nothing but a hang passes it
  bool large_space = false;      // some 200 candidates, else some 30
  bool few_points = false;       // 16, a built-in kernel among them
  std::string shapes = "64x128x64,128x128x32";
  std::vector<std::string> more;  // arguments

  std::string journal() const;
  std::string profile() const;
  std::vector<std::string> arguments() const;
  std::string command_line() const;  // the same, for a shell
};

// Rules that make kernels' times those of the model, on any machine: the same kernels win.
extern const char* const kModelTimes;

// A deadline for tunings in which kernels hang: what else there is to build and launch comes to its
// end long before, by what trials of a tuning on this machine took.
std::string deadline_after(const JournalContents& clean);

std::string journal_entry_name(const Outcome& outcome);  // name of its kernel

// The fastest kernel on each shape, by the profile's results.
std::map<std::string, std::string> winners(const std::string& profile_path);

// How often the journal holds a line of this kind, such as "outcome" or "starting", of each point.
std::map<std::string, int> lines_by_point(const std::string& journal_path, const std::string& kind);

}  // namespace tilewright
