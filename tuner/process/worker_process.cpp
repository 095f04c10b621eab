// The process of a DeviceWorker: its lines, its deadlines and its end.
#include "tuner/process/device_worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <thread>
#include <utility>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLastWordsBytes = 4096;  // end of standard error that is kept
constexpr std::size_t kLongestLineBytes = std::size_t{64} << 20;  // longer messages are errors
// Limit per read_process(), so that a worker that writes continuously cannot block it for ever.
constexpr std::size_t kMaxBytesAtOnce = std::size_t{1} << 20;
// A dying process closes its files before it can be waited for. Drivers take some time in between,
// on a busy machine more than two seconds.
constexpr double kDying_s = 5.0;
// A process that is stuck in the operating system does not die even of SIGKILL.
constexpr double kKilled_s = 5.0;
// Time for a worker to exit by itself.
constexpr double kFarewell_s = 1.0;
// The longest wait. If children of a dead worker keep the channel open, only polling detects its
// end.
constexpr double kLook_s = 0.5;

Clock::duration in_clock(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string signal_text(int number) {
  constexpr std::pair<int, const char*> kNames[] = {
      {SIGABRT, "SIGABRT"},
      {SIGBUS, "SIGBUS"},
      {SIGFPE, "SIGFPE"},
      {SIGHUP, "SIGHUP"},
      {SIGILL, "SIGILL"},
      {SIGINT, "SIGINT"},
      {SIGPIPE, "SIGPIPE"},
      {SIGSEGV, "SIGSEGV"},
      {SIGSYS, "SIGSYS"},
      {SIGTERM, "SIGTERM"},
      {SIGTRAP, "SIGTRAP"},
      {SIGXCPU, "SIGXCPU"},
      {SIGKILL, "SIGKILL (was the system out of memory?)"}};
  for (const auto& [known, name] : kNames) {
    if (known == number) return name;
  }
  return fmt::format("signal {}", number);
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) return "died of " + signal_text(WTERMSIG(status));
  return fmt::format("exited with {}", WEXITSTATUS(status));
}

// Reads up to kMaxBytesAtOnce. Returns false at the end of the stream or after an error.
bool read_available(int descriptor, std::string& text) {
  char buffer[16384];
  for (std::size_t total = 0; total < kMaxBytesAtOnce;) {
    const ssize_t read = ::read(descriptor, buffer, sizeof buffer);
    if (read > 0) {
      text.append(buffer, static_cast<std::size_t>(read));
      total += static_cast<std::size_t>(read);
    } else if (read == 0) {
      return false;
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
  }
  return true;
}

void close_descriptor(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

DeviceWorker::~DeviceWorker() {
  if (!alive()) return;
  close_descriptor(process_.channel);
  ends_within(kFarewell_s);
  kill();
}

void DeviceWorker::enter(const WorkerActivity& activity) {
  process_.activity = activity;
  const double of_kind_s = activity.kind == WorkerActivityKind::kStart ? setup_.deadlines.start_s
                           : activity.kind == WorkerActivityKind::kBuild
                               ? setup_.deadlines.build_s
                               : setup_.deadlines.launch_s;
  // Expected durations are clamped to a day, which also keeps the sum within the range of time
  // points.
  const double expected_s = std::isfinite(activity.expected_s) ? activity.expected_s : 0.0;
  process_.patience_s = of_kind_s + std::clamp(10.0 * expected_s, 0.0, 86400.0);
  const Clock::time_point now = Clock::now();
  process_.deadline = now + in_clock(process_.patience_s);
  process_.cut_short_s.reset();
  // A new worker may open the device and check its health after the end time. Otherwise a slow
  // device would be taken for one that no longer works.
  const auto& end = setup_.deadlines.end;
  if (!end || !process_.is_ready || activity.kind == WorkerActivityKind::kStart) return;
  const Clock::time_point last = std::max(*end, now) + in_clock(kGrace_s);
  if (last >= process_.deadline) return;
  process_.deadline = last;
  process_.cut_short_s = std::chrono::duration<double>(last - now).count();
}

void DeviceWorker::write_request(const nlohmann::json& request) {
  process_.output += to_line(request) + '\n';
  enter({});
  write_waiting();
}

void DeviceWorker::write_waiting() {
  while (!process_.output.empty() && alive()) {
    const ssize_t sent = ::send(process_.channel, process_.output.data(), process_.output.size(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      process_.output.erase(0, static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      // Reading will detect that the worker is dead.
      if (errno != EAGAIN && errno != EWOULDBLOCK) process_.output.clear();
      return;
    }
  }
}

void DeviceWorker::read_errors() {
  if (process_.errors < 0) return;
  if (!read_available(process_.errors, process_.last_words)) close_descriptor(process_.errors);
  if (process_.last_words.size() > kLastWordsBytes) {
    process_.last_words.erase(0, process_.last_words.size() - kLastWordsBytes);
  }
}

// Processes complete lines. Returns a reply, or a loss if the worker sends something invalid.
std::optional<WorkerAnswer> DeviceWorker::read_lines() {
  std::size_t end = 0;
  while ((end = process_.input.find('\n')) != std::string::npos) {
    const std::string line = process_.input.substr(0, end);
    process_.input.erase(0, end + 1);
    nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
    try {
      if (!message.is_object()) throw std::invalid_argument("no object");
      if (message.contains("error")) return lost_by_error(message["error"]);
      if (!message.contains("activity")) {
        return std::move(message.at("reply"));
      }
      enter(message["activity"].get<WorkerActivity>());
      if (!process_.activity.is_new) continue;
    } catch (const std::exception&) {
      return lost(fmt::format("sent an unknown message: '{}'", printable(line.substr(0, 80))));
    }
    if (process_.is_ready && on_activity) on_activity(process_.activity);
    process_.output += to_line({{"go", true}}) + '\n';
    enter(process_.activity);  // The time that the supervisor needed does not count for the worker.
    write_waiting();
  }
  if (process_.input.size() > kLongestLineBytes) return lost("sent a line that is too long");
  return std::nullopt;
}

// Processes what has arrived. Returns the answer to the latest message; nullopt if there is none
// yet. After a WorkerLost the process is gone.
std::optional<WorkerAnswer> DeviceWorker::read_process() {
  // Checks first whether the process has ended and then reads its output, so that no output is
  // missed.
  const bool ended = has_ended();
  write_waiting();
  read_errors();
  const std::size_t heard = process_.input.size();
  if (!read_available(process_.channel, process_.input)) process_.closed = true;
  const bool spoke = process_.input.size() > heard;
  if (std::optional<WorkerAnswer> answer = read_lines()) return answer;
  if (ended || process_.closed) {
    if (!ended && !ends_within(kDying_s)) return lost("closed its connection");
    return lost("");
  }
  if (!spoke && Clock::now() >= process_.deadline) return lost_overdue();
  return std::nullopt;
}

// `how` is "" if the process ended by itself.
WorkerLost DeviceWorker::lost(const std::string& how) {
  const std::string end = kill();
  WorkerLost lost;
  lost.activity = process_.activity;
  lost.how = how.empty() ? end : how;
  if (!how.empty() && process_.stuck) lost.how += " and " + end;
  lost.last_words = process_.last_words;
  lost.killed = how.empty() && process_.killed;
  return lost;
}

// After an error in a context every later command may fail, so the process is not used again.
WorkerLost DeviceWorker::lost_by_error(const nlohmann::json& error) {
  WorkerLost failed =
      lost("reported an error: " + error.value("message", std::string("no message")));
  failed.last_words.clear();
  failed.error = to_exception(error);
  return failed;
}

WorkerLost DeviceWorker::lost_overdue() {
  // A worker that was silent for at least half of its deadline was not merely late.
  const bool late = process_.cut_short_s && *process_.cut_short_s < process_.patience_s / 2.0;
  WorkerLost overdue = lost(
      fmt::format("was silent for {:.3g} s", process_.cut_short_s.value_or(process_.patience_s)));
  overdue.overstayed = !late;
  overdue.out_of_time = late;
  return overdue;
}

// Kills the process at once. Returns how it ended, for example "died of SIGKILL".
std::string DeviceWorker::kill() {
  std::string end = "is gone";
  if (process_.pid >= 0) {
    // Kills the whole process group, since drivers start compilers. This happens before the worker
    // is reaped, while its process ID cannot be reused.
    ::kill(-process_.pid, SIGKILL);
    process_.stuck = !ends_within(kKilled_s);
    end = process_.stuck
              ? fmt::format("cannot be killed: process {} is stuck in the kernel", process_.pid)
              : reap();
    process_.pid = -1;
  }
  read_errors();
  close_descriptor(process_.channel);
  close_descriptor(process_.errors);
  process_.input.clear();
  process_.output.clear();
  return end;
}

// Checks without reaping the process, so that its process ID stays reserved.
bool DeviceWorker::has_ended() const {
  siginfo_t information = {};
  const int result =
      ::waitid(P_PID, static_cast<id_t>(process_.pid), &information, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 ? errno == ECHILD : information.si_pid == process_.pid;
}

bool DeviceWorker::ends_within(double seconds) const {
  const Clock::time_point end = Clock::now() + in_clock(seconds);
  constexpr std::chrono::microseconds kLongest(10000);
  for (std::chrono::microseconds pause(100); !has_ended(); pause = std::min(2 * pause, kLongest)) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

std::string DeviceWorker::reap() {
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(process_.pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  const bool known = reaped == process_.pid;
  process_.killed = known && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return known ? end_text(status) : "is gone";
}

// Returns true if the request is to end early.
bool DeviceWorker::is_interrupted() const {
  pollfd cancel = {setup_.cancel, POLLIN, 0};
  return StopSignal::requested() || Clock::now() >= give_up_at_ || ::poll(&cancel, 1, 0) > 0;
}

// Waits until the process has sent something, or a deadline has passed, or the request is to end
// early. May return earlier.
void DeviceWorker::wait_for_process() const {
  const auto events = static_cast<short>(process_.output.empty() ? POLLIN : POLLIN | POLLOUT);
  pollfd waiting[] = {{process_.channel, events, 0},  // poll() ignores descriptors below 0
                      {process_.errors, POLLIN, 0},
                      {StopSignal::descriptor(), POLLIN, 0},
                      {setup_.cancel, POLLIN, 0}};
  const Clock::time_point now = Clock::now();
  const auto until = std::min({now + in_clock(kLook_s), process_.deadline, give_up_at_});
  const double left_ms = std::chrono::duration<double, std::milli>(until - now).count();
  ::poll(waiting, std::size(waiting), static_cast<int>(std::ceil(std::max(left_ms, 0.0))));
}

}  // namespace tilewright
