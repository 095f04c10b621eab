// An OpenCL driver that takes down, or holds up, whoever loads it: $TILEWRIGHT_BAD_DRIVER says
// which.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

__attribute__((constructor)) void misbehave() {
  const char* how = std::getenv("TILEWRIGHT_BAD_DRIVER");
  if (how == nullptr) return;
  if (std::strcmp(how, "hang") == 0) {
    for (;;) ::pause();
  }
  std::signal(SIGSEGV, SIG_DFL);  // sanitizers would report and exit
  std::raise(SIGSEGV);
}

}  // namespace
