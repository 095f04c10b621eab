#include "tuner/terminal/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <system_error>

namespace tilewright {
namespace {

// Some file systems (network) tell only when a file is closed that there was no space.
bool survives_closing(int descriptor) {
  const int copy = ::dup(descriptor);
  return copy >= 0 && ::close(copy) == 0;
}

}  // namespace

void occupy_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // The lowest number that is free, thus this one. The wrong way round, so that use is an error.
    const int flags = number == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    [[maybe_unused]] const int opened = ::open("/dev/null", flags);
  }
}

std::string lost_standard_output() {
  errno = 0;  // std::cout has no buffer of its own: stdout has it
  const bool arrived = std::fflush(stdout) == 0 && survives_closing(STDOUT_FILENO);
  const int code = errno;
  if (!arrived) return std::generic_category().message(code);
  return std::ferror(stdout) != 0 || !std::cout ? "a part of it could not be written" : "";
}

}  // namespace tilewright
