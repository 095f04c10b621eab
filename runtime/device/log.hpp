// What does a library tell of what it does, and to whom?
//
// To the application's function, else to stderr if the environment asks for it, else to nobody.
// Only what happens once is told (opening, planning, loading a kernel), so that a warm call knows
// nothing of it.
#pragma once

#include <string>
#include <string_view>

#include <tilewright/library.hpp>

namespace tilewright {

// The application's function; without one (null) one that writes to stderr if $TILEWRIGHT_VERBOSE
// is set and not 0; else null.
Log log_or_stderr(Log log);

// Hands over one line, which has no control characters. A log that is null or throws is no reason
// to fail.
void tell(const Log& log, std::string_view line) noexcept;

}  // namespace tilewright
