#include "tuner/process/worker_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <thread>

#include "profiles/base/printable.hpp"
#include "tuner/journal/records/tuning_json.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/process/worker_launch.hpp"
#include "tuner/process/worker_lines.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLastWordsBytes = 4096;  // end of standard error that is kept
constexpr std::size_t kLongestLineBytes = std::size_t{64} << 20;  // longer messages are errors
// Limit per poll(), so that a worker that writes continuously cannot block it for ever.
constexpr std::size_t kMaxBytesAtOnce = std::size_t{1} << 20;
// A dying process closes its files before it can be waited for. Drivers take some time in between,
// on a busy machine more than two seconds.
constexpr double kDying_s = 5.0;
// A process that is stuck in the operating system does not die even of SIGKILL.
constexpr double kKilled_s = 5.0;
// Time for an idle worker to exit by itself.
constexpr double kFarewell_s = 1.0;
// The longest wait. If children of a dead worker keep the channel open, only polling detects its
// end.
constexpr double kLook_s = 0.5;

Clock::duration in_clock(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::string signal_text(int number) {
  switch (number) {
    case SIGABRT:
      return "SIGABRT";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGHUP:
      return "SIGHUP";
    case SIGILL:
      return "SIGILL";
    case SIGINT:
      return "SIGINT";
    case SIGKILL:
      return "SIGKILL (was the system out of memory?)";
    case SIGPIPE:
      return "SIGPIPE";
    case SIGSEGV:
      return "SIGSEGV";
    case SIGSYS:
      return "SIGSYS";
    case SIGTERM:
      return "SIGTERM";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGXCPU:
      return "SIGXCPU";
    default:
      return fmt::format("signal {}", number);
  }
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

std::string last_words_sentence(const std::string& last_words) {
  constexpr std::size_t kMaxShownBytes = 400;
  std::string end =
      last_words.substr(last_words.size() - std::min(last_words.size(), kMaxShownBytes));
  const std::size_t last = end.find_last_not_of(" \n");
  end.resize(last == std::string::npos ? 0 : last + 1);
  return end.empty() ? "" : fmt::format(" Its last output: '{}'", printable(end));
}

WorkerProcess::WorkerProcess(const std::string& program, const std::vector<std::string>& arguments,
                             const Deadlines& deadlines)
    : deadlines_(deadlines) {
  const LaunchedWorker launched = launch_worker(program, arguments);
  pid_ = launched.pid;
  channel_ = launched.channel;
  errors_ = launched.errors;
  enter({});
}

WorkerProcess::~WorkerProcess() {
  if (!alive()) return;
  if (!busy_) {
    close_descriptor(channel_);
    ends_within(kFarewell_s);
  }
  kill();
}

void WorkerProcess::enter(const WorkerActivity& activity) {
  activity_ = activity;
  const double of_kind_s = activity.kind == WorkerActivityKind::kStart   ? deadlines_.start_s
                           : activity.kind == WorkerActivityKind::kBuild ? deadlines_.build_s
                                                                         : deadlines_.launch_s;
  // Expected durations are clamped to a day, which also keeps the sum within the range of time
  // points.
  const double expected_s = std::isfinite(activity.expected_s) ? activity.expected_s : 0.0;
  patience_s_ = of_kind_s + std::clamp(10.0 * expected_s, 0.0, 86400.0);
  const Clock::time_point now = Clock::now();
  deadline_ = now + in_clock(patience_s_);
  cut_short_s_.reset();
  // A new worker gets its full time in any case, since it matters whether the device works again.
  if (!deadlines_.end || activity.kind == WorkerActivityKind::kStart) return;
  const Clock::time_point last = std::max(*deadlines_.end, now) + in_clock(kGrace_s);
  if (last >= deadline_) return;
  deadline_ = last;
  cut_short_s_ = std::chrono::duration<double>(last - now).count();
}

void WorkerProcess::send(const nlohmann::json& request) {
  output_ += to_line(request) + '\n';
  busy_ = true;
  enter({});
  write_waiting();
}

void WorkerProcess::write_waiting() {
  while (!output_.empty() && alive()) {
    const ssize_t sent =
        ::send(channel_, output_.data(), output_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      output_.erase(0, static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      // Reading will detect that the worker is dead.
      if (errno != EAGAIN && errno != EWOULDBLOCK) output_.clear();
      return;
    }
  }
}

void WorkerProcess::read_errors() {
  if (errors_ < 0) return;
  if (!read_available(errors_, last_words_)) close_descriptor(errors_);
  if (last_words_.size() > kLastWordsBytes) {
    last_words_.erase(0, last_words_.size() - kLastWordsBytes);
  }
}

// Processes complete lines. Returns a reply, or a loss if the worker sends something invalid.
std::optional<WorkerAnswer> WorkerProcess::read_lines() {
  std::size_t end = 0;
  while ((end = input_.find('\n')) != std::string::npos) {
    const std::string line = input_.substr(0, end);
    input_.erase(0, end + 1);
    nlohmann::json message = nlohmann::json::parse(line, nullptr, false);
    try {
      if (!message.is_object()) throw std::invalid_argument("no object");
      if (message.contains("error")) return lost_by_error(message["error"]);
      if (!message.contains("activity")) {
        nlohmann::json reply = std::move(message.at("reply"));
        busy_ = false;
        return reply;
      }
      enter(message["activity"].get<WorkerActivity>());
      if (!activity_.is_new) continue;
    } catch (const std::exception&) {
      return lost(fmt::format("sent an unknown message: '{}'", printable(line.substr(0, 80))));
    }
    if (on_activity) on_activity(activity_);
    output_ += to_line({{"go", true}}) + '\n';
    enter(activity_);  // The time that the supervisor needed does not count for the worker.
    write_waiting();
  }
  if (input_.size() > kLongestLineBytes) return lost("sent a line that is too long");
  return std::nullopt;
}

std::optional<WorkerAnswer> WorkerProcess::poll() {
  if (!alive()) return std::nullopt;
  // Checks first whether the process has ended and then reads its output, so that no output is
  // missed.
  const bool ended = has_ended();
  write_waiting();
  read_errors();
  const std::size_t heard = input_.size();
  if (!read_available(channel_, input_)) closed_ = true;
  const bool spoke = input_.size() > heard;
  if (std::optional<WorkerAnswer> answer = read_lines()) return answer;
  if (ended || closed_) {
    if (!ended && !ends_within(kDying_s)) return lost("closed its connection");
    return lost("");
  }
  if (busy_ && !spoke && Clock::now() >= deadline_) {
    return lost_overdue();
  }
  return std::nullopt;
}

// `how` is "" if the process ended by itself.
WorkerLost WorkerProcess::lost(const std::string& how) {
  const std::string end = kill();
  WorkerLost lost;
  lost.activity = activity_;
  lost.how = how.empty() ? end : how;
  if (!how.empty() && stuck_) lost.how += " and " + end;
  lost.last_words = last_words_;
  lost.killed = how.empty() && killed_;
  return lost;
}

// After an error in a context every later command may fail, so the process is not used again.
WorkerLost WorkerProcess::lost_by_error(const nlohmann::json& error) {
  WorkerLost failed =
      lost("reported an error: " + error.value("message", std::string("no message")));
  failed.last_words.clear();
  failed.error = to_exception(error);
  return failed;
}

WorkerLost WorkerProcess::lost_overdue() {
  // A worker that was silent for at least half of its deadline was not merely late.
  const bool late = cut_short_s_ && *cut_short_s_ < patience_s_ / 2.0;
  WorkerLost overdue =
      lost(fmt::format("was silent for {:.3g} s", cut_short_s_.value_or(patience_s_)));
  overdue.overstayed = !late;
  overdue.out_of_time = late;
  return overdue;
}

std::string WorkerProcess::kill() {
  std::string end = "is gone";
  if (pid_ >= 0) {
    // Kills the whole process group, since drivers start compilers. This happens before the worker
    // is reaped, while its process ID cannot be reused.
    ::kill(-pid_, SIGKILL);
    stuck_ = !ends_within(kKilled_s);
    end =
        stuck_ ? fmt::format("cannot be killed: process {} is stuck in the kernel", pid_) : reap();
    pid_ = -1;
  }
  read_errors();
  close_descriptor(channel_);
  close_descriptor(errors_);
  input_.clear();
  output_.clear();
  busy_ = false;
  return end;
}

std::vector<int> WorkerProcess::descriptors() const {
  std::vector<int> descriptors;
  if (channel_ >= 0) descriptors.push_back(channel_);
  if (errors_ >= 0) descriptors.push_back(errors_);
  return descriptors;
}

// Checks without reaping the process, so that its process ID stays reserved.
bool WorkerProcess::has_ended() const {
  siginfo_t information = {};
  const int result =
      ::waitid(P_PID, static_cast<id_t>(pid_), &information, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 ? errno == ECHILD : information.si_pid == pid_;
}

bool WorkerProcess::ends_within(double seconds) const {
  const Clock::time_point end = Clock::now() + in_clock(seconds);
  constexpr std::chrono::microseconds kLongest(10000);
  for (std::chrono::microseconds pause(100); !has_ended(); pause = std::min(2 * pause, kLongest)) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

std::string WorkerProcess::reap() {
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  const bool known = reaped == pid_;
  killed_ = known && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return known ? end_text(status) : "is gone";
}

void wait_for_any(std::span<WorkerProcess* const> workers, double max_s) {
  std::vector<pollfd> waiting;
  Clock::time_point until = Clock::now() + in_clock(std::clamp(max_s, 0.0, kLook_s));
  for (const WorkerProcess* worker : workers) {
    if (!worker->busy()) continue;
    until = std::min(until, worker->deadline());
    for (const int descriptor : worker->descriptors()) {
      const short writing = worker->writing() ? POLLOUT : 0;
      waiting.push_back({descriptor, static_cast<short>(POLLIN | writing), 0});
    }
  }
  if (StopSignal::descriptor() >= 0) waiting.push_back({StopSignal::descriptor(), POLLIN, 0});
  const double left_ms = std::chrono::duration<double, std::milli>(until - Clock::now()).count();
  ::poll(waiting.data(), waiting.size(), static_cast<int>(std::ceil(std::max(left_ms, 0.0))));
}

}  // namespace tilewright
