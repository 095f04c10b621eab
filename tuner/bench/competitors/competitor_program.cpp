#include "tuner/bench/competitors/competitor_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "runtime/api/library.hpp"

#include "profiles/base/printable.hpp"

extern char** environ;

namespace tilewright {
namespace {

constexpr double kFarewell_s = 1.0;  // time for a program to exit after its input has ended
constexpr std::size_t kMaxShown = 200;

// Waits until the other end of its pipe is closed, which happens however the parent ends. Then it
// kills its process group, to which the competitor belongs. It is a separate program, because a
// fork would share this process's memory and slow down the measurements.
constexpr const char* kWatch = "read line; kill -9 0";

// Starts a program in the process group `group`; 0: in a new one. `input` becomes its standard
// input and `output`, unless it is negative, its standard output. It inherits standard error.
// Returns an errno, 0 on success.
int spawn(std::vector<std::string> command, pid_t group, int input, int output, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (output >= 0) ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, group);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) pid = -1;
  return error;
}

}  // namespace

CompetitorProgram::Child::~Child() {
  if (channel >= 0) ::close(channel);
  int status = 0;
  const bool killed = pid >= 0 && !ends_within(kFarewell_s, status);
  if (killed) ::kill(pid, SIGKILL);
  if (watcher >= 0) {
    // While the watcher exists, its group id cannot be reused.
    ::kill(-watcher, SIGKILL);
    ::waitpid(watcher, &status, 0);
  }
  if (killed) ::waitpid(pid, &status, 0);
  if (watch >= 0) ::close(watch);
}

int CompetitorProgram::Child::start_watcher() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  watch = ends[1];
  const int error = spawn({"/bin/sh", "-c", kWatch}, 0, ends[0], -1, watcher);
  ::close(ends[0]);
  return error;
}

bool CompetitorProgram::Child::ends_within(double seconds, int& status) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pid = -1;
  return true;
}

CompetitorProgram::CompetitorProgram(const std::string& path, const std::string& device,
                                     double patience_s)
    : path_(path), patience_s_(patience_s) {
  // A socket instead of two pipes, because MSG_NOSIGNAL prevents SIGPIPE when the other end is
  // closed.
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail(fmt::format("cannot create a socket: {}", std::strerror(errno)));
  }
  child_.channel = ends[0];
  const int watcher_error = child_.start_watcher();
  int error = 0;
  if (watcher_error == 0) error = spawn({path}, child_.watcher, ends[1], ends[1], child_.pid);
  ::close(ends[1]);
  if (watcher_error != 0) {
    fail(fmt::format("cannot start /bin/sh, which ends this program if tilewright is killed: {}",
                     std::strerror(watcher_error)));
  }
  if (error != 0) fail(fmt::format("cannot be started: {}", std::strerror(error)));
  send_line(fmt::format("tilewright-competitor 1 {}", device));
  details_ = printable(answer("ready"));
}

void CompetitorProgram::fail(const std::string& what) const {
  throw Error(TW_INTERNAL, fmt::format("competitor exec:{}: {}", path_, what));
}

void CompetitorProgram::fail_ended() {
  int status = 0;
  if (child_.pid < 0 || !child_.ends_within(kFarewell_s, status))
    fail("it closed its standard output");
  if (WIFSIGNALED(status)) fail(fmt::format("it was terminated by signal {}", WTERMSIG(status)));
  fail(fmt::format("it exited with {}", WEXITSTATUS(status)));
}

void CompetitorProgram::wait_for(short events, Clock::time_point deadline) {
  pollfd channel{child_.channel, events, 0};
  const double left_ms = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
  const int timeout_ms = static_cast<int>(std::ceil(std::max(left_ms, 0.0)));
  const int ready = ::poll(&channel, 1, timeout_ms);
  if (ready == 0) fail(fmt::format("it did not answer for {:.3g} s", patience_s_));
}

void CompetitorProgram::send(const char* data, std::size_t bytes) {
  const auto patience =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience_s_));
  auto deadline = Clock::now() + patience;
  while (bytes > 0) {
    const ssize_t sent = ::send(child_.channel, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      data += sent;
      bytes -= static_cast<std::size_t>(sent);
      deadline = Clock::now() + patience;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait_for(POLLOUT, deadline);
    } else if (errno != EINTR) {
      return;  // it has exited; the next read reports how, and returns what it sent before
    }
  }
}

std::string CompetitorProgram::read_line() {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(patience_s_));
  for (;;) {
    if (const std::size_t end = input_.find('\n'); end != std::string::npos) {
      std::string line = input_.substr(0, end);
      input_.erase(0, end + 1);
      return line;
    }
    wait_for(POLLIN, deadline);
    char buffer[4096];
    const ssize_t got = ::recv(child_.channel, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) {
      input_.append(buffer, static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      fail_ended();
    }
  }
}

std::string CompetitorProgram::answer(const std::string& word) {
  const std::string line = read_line();
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string rest = line.substr(std::min(space + 1, line.size()));
  if (line.substr(0, space) == word) return rest;
  if (line.substr(0, space) == "error") fail(printable(rest));
  fail(fmt::format("it answered '{}' instead of '{} ...'", printable(line.substr(0, kMaxShown)),
                   word));
}

void CompetitorProgram::set_product(Op op, const GemmShape& shape, const std::vector<float>& a,
                                    const std::vector<float>& b) {
  send_line(fmt::format("product {} {} {} {}", to_text(op), shape.m, shape.n, shape.k));
  send(reinterpret_cast<const char*>(a.data()), a.size() * sizeof(float));
  send(reinterpret_cast<const char*>(b.data()), b.size() * sizeof(float));
  answer("ready");
}

double CompetitorProgram::run_ns(int calls) {
  const auto start = Clock::now();
  send_line(fmt::format("run {}", calls));
  const std::string said = answer("ns");
  const double ours_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  double ns = 0.0;
  std::istringstream text(said);
  if (!(text >> ns) || !(ns > 0.0) || ns > ours_ns) {
    fail(fmt::format("for {} calls it reports '{}' ns, but {:.0f} ns have passed", calls,
                     printable(said.substr(0, kMaxShown)), ours_ns));
  }
  return ns;
}

std::vector<float> CompetitorProgram::elements(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& at) {
  std::string line = "elements";
  for (const auto& [i, j] : at) line += fmt::format(" {} {}", i, j);
  send_line(line);
  std::istringstream text(answer("values"));
  std::vector<float> values;
  for (std::string word; text >> word;) values.push_back(std::strtof(word.c_str(), nullptr));
  if (values.size() != at.size()) {
    fail(fmt::format("it returned {} values instead of {}", values.size(), at.size()));
  }
  return values;
}

}  // namespace tilewright
