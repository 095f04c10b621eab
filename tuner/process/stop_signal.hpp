// Detects that the user wants to stop the program.
//
// While a StopSignal exists, the first SIGINT, SIGTERM or SIGHUP only makes requested() return true
// and ends the requests of all workers. A later SIGINT or SIGTERM ends the process immediately
// with exit code 130. A lost connection raises SIGHUP twice, so a later SIGHUP has no effect.
#pragma once

namespace tilewright {

// Handles SIGINT, SIGTERM and SIGHUP during its lifetime, except SIGHUP if it was ignored before
// (nohup). The constructor throws std::logic_error if another StopSignal exists, and
// std::system_error if a pipe cannot be created.
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
