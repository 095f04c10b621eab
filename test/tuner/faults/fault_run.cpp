#include "fault_run.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "run_program.hpp"
#include "test_device.hpp"

namespace tilewright {

Faults::Faults(const std::string& rules)
    : layers_("OPENCL_LAYERS", TILEWRIGHT_FAULT_LAYER),
      rules_("TILEWRIGHT_FAULTS", (scratch_folder() + "/faults").c_str()) {
  std::ofstream(scratch_folder() + "/faults") << rules << '\n';
}

ProbeResult run_probe(const std::string& argument, int seconds) {
  // With a shell in between, a death by a signal becomes an exit code. A pipe is used rather than a
  // file, because it ends when all processes have ended.
  const std::string command = "timeout --signal=KILL " + std::to_string(seconds) + " " +
                              TILEWRIGHT_FAULT_PROBE + " " + argument + " </dev/null 2>&1; exit $?";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  ProbeResult result;
  std::array<char, 4096> buffer{};
  while (const std::size_t bytes = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.out.append(buffer.data(), bytes);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

std::optional<std::string> lack_of_faults() {
  if (!find_test_device()) return "no OpenCL device";
  const Faults faults("context_failure always");
  const ProbeResult probe = run_probe();
  if (probe.out.find("context -2\n") != std::string::npos) return std::nullopt;
  return "the OpenCL loader does not honour OPENCL_LAYERS (ocl-icd since 2.3.0 does)";
}

// Called by device_main.cpp.
std::optional<std::string> reason_to_skip() {
  return lack_of_faults();
}

}  // namespace tilewright
