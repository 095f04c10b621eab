// How does a test run a program whose driver misbehaves?
#pragma once

#include <optional>
#include <string>

#include "scoped_variable.hpp"

namespace tilewright {

// While one of these lives, programs that the test starts run with the fault layer and these rules.
class Faults {
 public:
  explicit Faults(const std::string& rules);

 private:
  ScopedVariable layers_;
  ScopedVariable rules_;
};

struct ProbeResult {
  int exit_code = -1;  // -1: ended by a signal; 124: killed after the seconds given
  std::string out;
};

// Runs fault_probe, with "binary" or no argument.
ProbeResult run_probe(const std::string& argument = "", int seconds = 600);

// Why faults cannot be had here, as a sentence: no device, or a loader that knows no layers.
std::optional<std::string> lack_of_faults();

}  // namespace tilewright
