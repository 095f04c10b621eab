#include "runtime/device/log.hpp"

#include <cstdio>

#include "profiles/base/printable.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {

Log log_or_stderr(Log log) {
  if (log) return log;
  const std::string asked = environment("TILEWRIGHT_VERBOSE");
  if (asked.empty() || asked == "0") return nullptr;
  return [](const std::string& line) {
    // One write, so that the lines of threads and processes do not mix.
    const std::string whole = "tilewright: " + line + "\n";
    std::fwrite(whole.data(), 1, whole.size(), stderr);
  };
}

void tell(const Log& log, std::string_view line) noexcept {
  try {
    if (log) log(printable(line));
  } catch (...) {
    // The call that is told of goes on.
  }
}

}  // namespace tilewright
