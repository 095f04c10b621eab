#include "runtime/device/log.hpp"

#include <cstdio>

#include "profiles/base/printable.hpp"
#include "runtime/call/thread_exit.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {

Log log_or_stderr(Log log) {
  if (log) return log;
  const std::string asked = environment("TILEWRIGHT_VERBOSE");
  if (asked.empty() || asked == "0") return nullptr;
  return [](Severity severity, const std::string& line) {
    // A single write, so that lines of different threads and processes are not mixed.
    const std::string whole =
        (severity == Severity::kWarning ? "tilewright: warning: " : "tilewright: ") + line + "\n";
    std::fwrite(whole.data(), 1, whole.size(), stderr);
  };
}

void write_log(const Log& log, Severity severity, std::string_view line) {
  try {
    if (log) log(severity, printable(line));
  } catch (const ThreadExit&) {
    throw;
  } catch (...) {
    // Logging errors must not fail the call that is logged.
  }
}

}  // namespace tilewright
