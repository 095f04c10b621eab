// `tilewright tune --team`: measures a team and writes a team profile.
#pragma once

#include <string>

namespace tilewright {

// The values of the options as typed.
struct TeamArguments {
  std::string members;
  std::string shapes;  // "auto": four cubes
  std::string precision;
  std::string budget;
  std::string output;  // "": none is written
  bool overwrite = false;
};

// Prints the rates of each shape, writes the profile, and returns the exit code. Throws UsageError
// and Error.
int run_team_tuning(const TeamArguments& arguments);

}  // namespace tilewright
