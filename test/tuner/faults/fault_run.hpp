// Runs programs with a misbehaving driver for tests.
#pragma once

#include <optional>
#include <string>

#include "scoped_variable.hpp"

namespace tilewright {

// While this exists, programs that the test starts run with the fault layer and these rules.
class Faults {
 public:
  explicit Faults(const std::string& rules);

 private:
  ScopedVariable layers_;
  ScopedVariable rules_;
};

struct ProbeResult {
  int exit_code = -1;  // -1: ended by a signal; 124: killed after the given number of seconds
  std::string out;
};

// Runs fault_probe with "binary", "team", "team-buffers", "library" or without arguments.
ProbeResult run_probe(const std::string& argument = "", int seconds = 600);

// Returns a sentence that says why faults are not available here (no device, or a loader without
// layers); nullopt if they are.
std::optional<std::string> lack_of_faults();

}  // namespace tilewright
