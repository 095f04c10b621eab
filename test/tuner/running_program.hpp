// How does a test run the program and interfere meanwhile?
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tilewright {

// The program at work, in a process group of its own; killed at the end of the test if need be.
class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t pid() const { return pid_; }
  // Its worker processes, and theirs.
  std::vector<pid_t> children() const;
  void signal(int number) const;
  bool running();
  // Waits at most so long for its end; false: it still runs.
  bool wait(double seconds);
  // After its end. 128 and more: ended by that signal.
  int exit_code() const { return exit_code_; }
  std::string error() const;  // its standard error so far

 private:
  pid_t pid_ = -1;
  int exit_code_ = -1;
  std::string error_path_;
};

// Is there such a process? One that has ended and waits for its parent is none.
bool is_alive(pid_t pid);

double seconds_now();  // of a clock that only goes forward

}  // namespace tilewright
