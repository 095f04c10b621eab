// Runs the program for a test that interferes with it meanwhile.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tilewright {

// A running program in its own process group. It is killed at the end of the test if necessary.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t pid() const { return pid_; }
  // Its worker processes, and their children.
  std::vector<pid_t> children() const;
  void signal(int number) const;
  bool running();
  // Waits at most that long for its end. Returns false if it is still running.
  bool wait(double seconds);
  // The exit code after its end; 128 and more: ended by that signal.
  int exit_code() const { return exit_code_; }
  std::string error() const;  // its standard error so far

 private:
  pid_t pid_ = -1;
  int exit_code_ = -1;
  std::string error_path_;
};

// Returns true if there is such a process. A process that has ended and waits for its parent does
// not count.
bool is_alive(pid_t pid);

double seconds_now();  // from a monotonic clock

}  // namespace tilewright
