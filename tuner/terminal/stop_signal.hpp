// Has the user asked to stop?
//
// While one of these lives, the first SIGINT, SIGTERM or SIGHUP only makes requested() true (and
// wakes wait_for_any); the second ends the process at once with exit code 130. Only one may live at
// a time.
#pragma once

namespace tilewright {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();  // signals do what they did before
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  static bool requested();
  // A file descriptor that is readable once a stop was requested; -1 while no StopSignal lives.
  static int descriptor();
};

}  // namespace tilewright
