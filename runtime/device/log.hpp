// The log of a library.
//
// Lines go to the application's function, otherwise to stderr if the environment requests it,
// otherwise nowhere. Only events that happen once are logged (opening, planning, loading a kernel),
// so warm calls are not affected.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tilewright {

// The values of tw_log_severity.
enum class Severity { kInfo = 1, kWarning = 2 };

/// A log function. It is called with one line, without a newline, for each event that happens once:
/// opening a library (which profile, and why), planning a shape (kernels, predicted times), loading
/// a kernel (compiled, or from the binary cache). It is called by the threads that call the
/// library, possibly by several at the same time, and must not call the library. Its exceptions are
/// ignored. It is destroyed together with the library, its plans and its networks.
using Log = std::function<void(Severity severity, const std::string& line)>;

// Returns the application's function. If it is null, returns a function that writes to stderr if
// $TILEWRIGHT_VERBOSE is set and not 0, and otherwise null.
Log log_or_stderr(Log log);

// Logs one line; control characters are escaped. Does nothing if the log is null, and ignores
// exceptions of the log, but for ThreadExit.
void write_log(const Log& log, Severity severity, std::string_view line);

}  // namespace tilewright
