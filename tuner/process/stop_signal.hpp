// Detects that the user wants to stop the program.
//
// While a StopSignal exists, the first SIGINT, SIGTERM or SIGHUP only makes requested() return true
// and wakes wait_for_any(). The second one ends the process immediately with exit code 130. Only
// one StopSignal may exist at a time.
#pragma once

namespace tilewright {

// Installs signal handlers for its lifetime. The constructor throws std::logic_error if there is
// another StopSignal, and std::system_error.
class StopSignal {
 public:
  StopSignal();
  // Restores the previous handlers.
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Returns true once a stop was requested.
  static bool requested();
  // A file descriptor that becomes readable once a stop is requested; -1 if there is no StopSignal.
  static int descriptor();
};

}  // namespace tilewright
