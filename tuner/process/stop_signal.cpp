#include "tuner/process/stop_signal.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace tilewright {
namespace {

// SIGHUP means that the connection to the board was lost. Under nohup it is ignored, which is kept.
constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr int kExitCode = 130;  // the exit code that shells report for a program stopped by Ctrl-C

// Globals, because a signal handler has access to nothing else.
std::atomic<bool> living = false;
std::atomic<int> signals_seen = 0;
std::array<int, 2> self_pipe = {-1, -1};
std::array<struct sigaction, 3> before;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait for a lock");

extern "C" void on_stop_signal(int number) {
  const int errno_before = errno;
  // A lost connection raises SIGHUP twice, from the shell and from the kernel, so it does not count
  // as a second request.
  if (signals_seen.fetch_add(1) > 0 && number != SIGHUP) ::_exit(kExitCode);
  // The byte only signals that something happened; its value has no meaning.
  [[maybe_unused]] const ssize_t written = ::write(self_pipe[1], "", 1);
  errno = errno_before;
}

}  // namespace

StopSignal::StopSignal() {
  if (living.exchange(true)) throw std::logic_error("two StopSignals at a time");
  if (::pipe2(self_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    living = false;
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  signals_seen = 0;
  struct sigaction action = {};
  action.sa_handler = on_stop_signal;
  // Only poll() should be interrupted, not a write to the journal.
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int number : kSignals) ::sigaddset(&action.sa_mask, number);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before[i]);
    // A script that starts a program in the background ignores SIGINT for it, which is kept.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before[i], nullptr);
  }
  for (int& end : self_pipe) {
    ::close(end);
    end = -1;
  }
  signals_seen = 0;
  living = false;
}

bool StopSignal::requested() {
  return signals_seen > 0;
}

int StopSignal::descriptor() {
  return self_pipe[0];
}

}  // namespace tilewright
