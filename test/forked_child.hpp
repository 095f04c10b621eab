// Runs a part of a test in a child process made by fork().
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace tilewright {

// Returns what `body` returns in the child (0 to 255); -1 if the child crashes or takes more than a
// minute.
template <class Body>
int run_in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(body());
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace tilewright
