// The log of a library.
//
// Lines go to the application's function, otherwise to stderr if the environment requests it,
// otherwise nowhere. Only events that happen once are logged (opening, planning, loading a kernel),
// so warm calls are not affected.
#pragma once

#include <string>
#include <string_view>

#include <tilewright/library.hpp>

namespace tilewright {

// Returns the application's function. If it is null, returns a function that writes to stderr if
// $TILEWRIGHT_VERBOSE is set and not 0, and otherwise null.
Log log_or_stderr(Log log);

// Logs one line; control characters are escaped. Does nothing if the log is null, and ignores
// exceptions of the log.
void write_log(const Log& log, std::string_view line) noexcept;

}  // namespace tilewright
